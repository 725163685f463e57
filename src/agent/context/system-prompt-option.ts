// The option `systemPrompt`: its forms, and their check. Apart from system-prompt.ts, so that a query which is refused loads
// none of the code that writes prompts.
import { SdkError } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';

/**
 * A text or a list of texts is the host's own and all there is of it. The preset is our text (it keeps the SDK's name for
 * it), with more after it. How the tools want to be used follows either.
 */
export type SystemPrompt =
  | string
  | readonly string[]
  | {
      readonly type: 'custom';
      readonly prompt: string | readonly string[];
      /** Taken, and not read: what each opening gives holds. */
      readonly snapshot?: boolean;
    }
  | {
      readonly type: 'preset';
      readonly preset: 'claude_code';
      readonly append?: string;
      /** Taken, and needless: what differs by user and directory is always told in the conversation. */
      readonly excludeDynamicSections?: boolean;
      /** Taken, and not read: what each opening gives holds. */
      readonly snapshot?: boolean;
    };

/** Among texts of a prompt: taken, and left out. The whole prompt is cached. */
export const SYSTEM_PROMPT_DYNAMIC_BOUNDARY = '__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__';

/** The host's own texts; undefined where ours stands, with `append` after it. */
export function toOwnTexts(given: SystemPrompt | undefined): readonly string[] | undefined {
  if (typeof given === 'string') return [given];
  if (Array.isArray(given)) {
    return (given as readonly string[]).filter((text) => text !== SYSTEM_PROMPT_DYNAMIC_BOUNDARY);
  }
  return typeof given === 'object' && 'prompt' in given ? toOwnTexts(given.prompt) : undefined;
}

/** What a preset has after the text; undefined where there is none. */
export function toAppended(given: SystemPrompt | undefined): string | undefined {
  return typeof given === 'object' && 'append' in given ? given.append : undefined;
}

/** @throws SdkError `bad-usage` for what is none. A prompt of a form that nobody reads would be lost in silence. */
export function checkSystemPrompt(given: unknown): void {
  const isText = (value: unknown) => typeof value === 'string';
  const areTexts = (value: unknown) =>
    isText(value) || (Array.isArray(value) && value.every(isText));
  if (given === undefined || areTexts(given)) return;
  if (isRecord(given)) {
    const { type, preset, append, prompt } = given;
    if (type === 'custom' && areTexts(prompt)) return;
    const isPreset = type === 'preset' && preset === 'claude_code';
    if (isPreset && (append === undefined || isText(append))) return;
  }
  const message =
    "systemPrompt is a text, a list of texts, { type: 'custom', prompt } or { type: 'preset', preset: 'claude_code', append }.";
  throw new SdkError('bad-usage', message, { data: { option: 'systemPrompt' } });
}
