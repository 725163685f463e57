// The option `systemPrompt`: its types and its validation. Separate from system-prompt.ts, so that
// a refused query doesn't load the code that writes prompts.
import { SdkError } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';

/**
 * A string or a list of strings is the whole prompt. The preset is our own text (under the SDK's
 * name), with additions. The instructions of tools follow in both cases.
 */
export type SystemPrompt =
  | string
  | readonly string[]
  | {
      readonly type: 'custom';
      readonly prompt: string | readonly string[];
      /** Accepted and ignored: the value of each opening applies. */
      readonly snapshot?: boolean;
    }
  | {
      readonly type: 'preset';
      readonly preset: 'claude_code';
      readonly append?: string;
      /**
       * Accepted and ignored: text that depends on user and directory is always part of the
       * conversation.
       */
      readonly excludeDynamicSections?: boolean;
      /** Accepted and ignored: the value of each opening applies. */
      readonly snapshot?: boolean;
    };

/** Accepted in a list of texts, and removed. The whole prompt is cached. */
export const SYSTEM_PROMPT_DYNAMIC_BOUNDARY = '__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__';

/** The host's own texts; undefined if our text is used, with `append` after it. */
export function toOwnTexts(given: SystemPrompt | undefined): readonly string[] | undefined {
  if (typeof given === 'string') return [given];
  if (Array.isArray(given)) {
    return (given as readonly string[]).filter((text) => text !== SYSTEM_PROMPT_DYNAMIC_BOUNDARY);
  }
  return typeof given === 'object' && 'prompt' in given ? toOwnTexts(given.prompt) : undefined;
}

/** The text after a preset; undefined if there is none. */
export function toAppended(given: SystemPrompt | undefined): string | undefined {
  return typeof given === 'object' && 'append' in given ? given.append : undefined;
}

/** @throws SdkError `bad-usage` if the value is invalid; otherwise it would be ignored silently */
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
