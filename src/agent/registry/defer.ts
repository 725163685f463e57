// Decides which tools are deferred. The model knows deferred tools by name, and loads them with
// ToolSearch.
import { SdkError } from '../../core/errors.ts';
import { bytesPerToken } from '../../core/tool/result-limits.ts';
import type { Tool } from '../../core/tool/tool.ts';
import { keptLoaded } from './tool-gates.ts';
import type { ToolSwitches } from './tool-gates.ts';

/** True if this tool may be deferred. The first rule that applies decides. */
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
 * The `toolSearch` option. `true`, `tst` and `auto:0` defer all tools that may be deferred. `auto`
 * and `auto:1` to `auto:99` do so only if their definitions take more than that percentage of the
 * model's context window; `auto` means 10 percent. `false`, `standard` and `auto:100` defer no
 * tool.
 */
export type ToolSearchOption =
  boolean | 'auto' | `auto:${number}` | 'tst' | 'tst-auto' | 'standard';

/** When tools are deferred. */
export type ToolSearchMode =
  | { readonly type: 'tst' }
  | { readonly type: 'tst-auto'; readonly percent: number }
  | { readonly type: 'standard' };

/** In percent of the window. Above this, definitions take room that the work needs. */
const defaultPercent = 10;

/** @throws SdkError `bad-usage` for an invalid option */
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

/** The number of tokens above which `auto` defers tools. */
export function toThreshold(contextWindow: number, percent: number): number {
  return Math.floor((contextWindow * percent) / 100);
}

/** A rough estimate, as in other agents. */
export function estimateToolTokens(definitions: readonly unknown[]): number {
  const bytes = definitions.map((one) => new TextEncoder().encode(JSON.stringify(one)).length);
  return bytes.reduce((sum, size) => sum + size, 0) / bytesPerToken;
}
