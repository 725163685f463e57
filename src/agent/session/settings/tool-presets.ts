// Named sets of built-in tools. choose-tools.ts resolves the option `tools` with them, and hosts
// may use them too.
import type { KnownTools } from '../../../core/tool/listed-tool.ts';
import { badChoice, unknownPreset } from '../tool-mistakes.ts';

/** The names of sets of built-in tools. */
export const TOOL_PRESETS = ['default'] as const;

/** The Claude Agent SDK's form of the option. Its `claude_code` is the preset `default` here. */
export interface ToolPresetOption {
  readonly type: 'preset';
  readonly preset: (typeof TOOL_PRESETS)[number] | 'claude_code';
}

/**
 * The tools of a preset, out of all tools of a host: `await host.loadTools()`. Both names give all
 * of them. Switches, rules and `isEnabled` are applied later, as usual.
 * @throws SdkError `bad-usage` for an invalid or unknown preset. The message has the known ones
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
