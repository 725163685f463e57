// Which tools are deferred: the model knows them by name, and ToolSearch loads them.
import { SdkError } from '../../core/errors.ts';
import { bytesPerToken } from '../../core/tool/result-limits.ts';
import type { Tool } from '../../core/tool/tool.ts';
import { keptLoaded } from './tool-gates.ts';
import type { ToolSwitches } from './tool-gates.ts';

/** May this tool be deferred at all? The first line that applies decides. */
export function isDeferredTool(
  tool: Pick<Tool, 'name' | 'isMcp' | 'alwaysLoad' | 'shouldDefer'>,
  switches: ToolSwitches,
): boolean {
  if (tool.alwaysLoad === true) return false;
  if (tool.isMcp === true) return true;
  if (keptLoaded.get(tool.name)?.every((needed) => switches[needed])) return false;
  return tool.shouldDefer === true;
}

/**
 * The `toolSearch` option. `true`, `tst` and `auto:0`: what may be deferred is. `auto` and `auto:1`
 * to `auto:99`: only when its definitions take more than that part of the model's context window.
 * The part is in percent, 10 where none is given. `false`, `standard` and `auto:100`: nothing is.
 */
export type ToolSearchOption =
  boolean | 'auto' | `auto:${number}` | 'tst' | 'tst-auto' | 'standard';

/** When tools are deferred. */
export type ToolSearchMode =
  | { readonly type: 'tst' }
  | { readonly type: 'tst-auto'; readonly percent: number }
  | { readonly type: 'standard' };

/** In percent of the window: beyond that, definitions take room that the work needs. */
const defaultPercent = 10;

/** @throws SdkError `bad-usage` for what is no such option. */
export function toToolSearchMode(
  option: ToolSearchOption = true,
  experimentalBetas = true,
): ToolSearchMode {
  const mode = parseMode(option);
  return experimentalBetas ? mode : { type: 'standard' };
}

function parseMode(option: ToolSearchOption): ToolSearchMode {
  if (option === true || option === 'tst') return { type: 'tst' };
  if (option === false || option === 'standard') return { type: 'standard' };
  if (option === 'auto' || option === 'tst-auto') {
    return { type: 'tst-auto', percent: defaultPercent };
  }
  const percent = Number(/^auto:(\d{1,3})$/.exec(String(option))?.[1]);
  if (percent === 0) return { type: 'tst' };
  if (percent === 100) return { type: 'standard' };
  if (percent > 0 && percent < 100) return { type: 'tst-auto', percent };
  throw new SdkError(
    'bad-usage',
    `toolSearch can't be ${JSON.stringify(option)}. Use true, false, 'auto', or 'auto:' with a whole number from 0 to 100.`,
    { data: { toolSearch: option } },
  );
}

/** The tokens that may be spent before `auto` defers. */
export function toThreshold(contextWindow: number, percent: number): number {
  return Math.floor((contextWindow * percent) / 100);
}

/** A rough count, as the field's agents make it. */
export function countTokens(definitions: readonly unknown[]): number {
  const bytes = definitions.map((one) => new TextEncoder().encode(JSON.stringify(one)).length);
  return bytes.reduce((sum, size) => sum + size, 0) / bytesPerToken;
}
