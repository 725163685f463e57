// Creates the errors for a wrong `tools` option of a query. choose-tools.ts loads it when there is
// an error.
import { SdkError } from '../../core/errors.ts';
import type { KnownTools } from '../../core/tool/listed-tool.ts';
import { findNearNames } from '../../core/text/near-names.ts';

/** The error for a name that none of the host's tools has. */
export function unknownTool(given: unknown, loaded: KnownTools): SdkError {
  const name = String(given);
  const names = loaded.map((tool) => tool.name);
  const near = findNearNames(name, names);
  const hint =
    near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `It has ${names.join(', ')}.`;
  return mistake(`This host has no tool named ${name}. ${hint}`, name);
}

/** The error for two tools with the same name. */
export function sameName(name: string): SdkError {
  return mistake(`Two tools are named ${name}. Rename one of them.`, name);
}

/** The error for a value that isn't a tool, or has a name that the API refuses. */
export function badName(name: unknown): SdkError {
  const text = String(name);
  return mistake(
    `A tool is named "${text}". A name has 1 to 128 letters, digits, "_" and "-".`,
    text,
  );
}

/** The error for an object that `buildTool` hasn't made, such as what `tool` makes. */
export function notBuilt(name: string, isForServer: boolean): SdkError {
  const advice = isForServer
    ? `It is made for a server: mcpServers: { mine: createSdkMcpServer({ name: 'mine', tools: [${name}] }) }.`
    : 'Make it by buildTool.';
  return mistake(`tools has ${name}, which can't be offered as it is. ${advice}`, name);
}

/** The error for a value that is neither a list nor a preset. */
export function badChoice(): SdkError {
  return mistake(
    "tools is a list of names, tools and presets, or { type: 'preset', preset: 'default' }.",
    '',
  );
}

/** The error for an unknown preset. */
export function unknownPreset(preset: string, known: readonly string[]): SdkError {
  return mistake(
    `There is no tool preset named "${preset}". Use one of these, which mean all built-in tools: ${known.join(', ')}.`,
    preset,
  );
}

function mistake(message: string, toolName: string): SdkError {
  return new SdkError('bad-usage', message, { data: { toolName } });
}
