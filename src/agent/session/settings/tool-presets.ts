// Named sets of built-in tools, with their contents. choose-tools.ts resolves the option `tools` by
// it, and a host may.
import type { KnownTools } from '../../../core/tool/listed-tool.ts';
import { badChoice, unknownPreset } from '../tool-mistakes.ts';

/** The names of sets of built-in tools. */
export const TOOL_PRESETS = ['default'] as const;

/** The option as the Claude Agent SDK spells it, whose `claude_code` is our `default`. */
export interface ToolPresetOption {
  readonly type: 'preset';
  readonly preset: (typeof TOOL_PRESETS)[number] | 'claude_code';
}

/**
 * The tools of a preset, out of all of a host's: `await host.loadTools()`. Both names stand for all
 * of them. Switches, rules and `isEnabled` then decide as ever.
 * @throws SdkError `bad-usage` for a value that is no preset, or an unknown one. The message names
 * the known ones.
 */
export function resolveToolPreset(option: ToolPresetOption, tools: KnownTools): KnownTools {
  const given: unknown = option;
  if (typeof given !== 'object' || given === null) throw badChoice();
  const { type, preset } = given as Partial<Record<keyof ToolPresetOption, unknown>>;
  if (type !== 'preset' || typeof preset !== 'string') throw badChoice();
  const names: readonly string[] = [...TOOL_PRESETS, 'claude_code'];
  if (!names.includes(preset)) throw unknownPreset(preset, names);
  return tools;
}
