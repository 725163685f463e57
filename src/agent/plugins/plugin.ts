// A plugin of the workspace: a folder with commands, sub-agents, skills and MCP servers. Found by
// read-plugins.ts. The code that reads definitions searches its folders too.
import { SdkError } from '../../core/errors.ts';
import type { SDKPluginError } from '../../core/messages/sdk-message.ts';
import { joinPath } from '../../core/path.ts';
import { isRecord } from '../../core/values/is-record.ts';

/** A plugin to load, as in the Claude Agent SDK. */
export interface SdkPluginConfig {
  readonly type: 'local';
  /** Its folder in the workspace: absolute, or relative to the query's `cwd`. */
  readonly path: string;
  /** If true, its MCP servers aren't used: the host connects them itself. @defaultValue false */
  readonly skipMcpDiscovery?: boolean;
}

/** A plugin, as its manifest and its folder describe it. */
export interface Plugin {
  /** The prefix of the names of its definitions. Letters, digits, `-`, `_` and `.`. */
  readonly name: string;
  readonly version?: string;
  /** The absolute real path of its folder. */
  readonly directory: string;
  /**
   * Files and folders of commands. The paths here and below are absolute; missing ones are skipped.
   */
  readonly commands: readonly string[];
  /** Files and folders of sub-agents. */
  readonly agents: readonly string[];
  /** Folders of skills. */
  readonly skills: readonly string[];
  /** The file with its MCP servers. It may be the manifest. */
  readonly servers: string;
  /** True if that file isn't read. */
  readonly skipsServers: boolean;
}

/** The plugins of a query, and its problems. */
export interface FoundPlugins {
  readonly plugins: readonly Plugin[];
  readonly errors: readonly SDKPluginError[];
}

/** @throws SdkError `bad-usage` if the value isn't a list of plugins */
export function checkPlugins(given: unknown): void {
  if (given === undefined) return;
  const isWhole = (one: unknown) =>
    isRecord(one) &&
    one['type'] === 'local' &&
    typeof one['path'] === 'string' &&
    one['path'] !== '' &&
    [undefined, true, false].includes(one['skipMcpDiscovery'] as boolean | undefined);
  if (Array.isArray(given) && given.every(isWhole)) return;
  throw new SdkError(
    'bad-usage',
    "plugins is a list of folders of the workspace: [{ type: 'local', path: './plugins/review' }].",
    { data: { option: 'plugins' } },
  );
}

/** The path of the manifest. The file may be missing. */
export function toManifestPath(directory: string): string {
  return joinPath(directory, '.claude-plugin/plugin.json');
}

/** The name of a plugin's definition in the session. It is unique among plugins. */
export function toPluginName({ name }: Pick<Plugin, 'name'>, own: string): string {
  return `${name}:${own}`;
}

/** Replaces the variable for the plugin's folder in a text. */
export function putPluginRoot(text: string, plugin: Plugin | undefined): string {
  return plugin ? text.replaceAll('${CLAUDE_PLUGIN_ROOT}', () => plugin.directory) : text;
}
