// A plugin of the workspace: a folder with commands, sub-agents, skills and MCP servers that belong together. Found by
// read-plugins.ts; whoever reads definitions looks into its folders, too.
import { SdkError } from '../../core/errors.ts';
import type { SDKPluginError } from '../../core/messages/sdk-message.ts';
import { joinPath } from '../../core/path.ts';
import { isRecord } from '../../core/values/is-record.ts';

/** A plugin to load, as in the Claude Agent SDK. */
export interface SdkPluginConfig {
  readonly type: 'local';
  /** Its folder in the workspace: absolute, or relative to the query's `cwd`. */
  readonly path: string;
}

/** A plugin as its manifest and its folder describe it. */
export interface Plugin {
  /** What stands before the names of all that it brings. Letters, digits, `-`, `_` and `.`. */
  readonly name: string;
  readonly version?: string;
  /** Its folder, absolute, links followed. */
  readonly directory: string;
  /** Files of commands, and folders of them. Absolute, as those below; what isn't there is passed over. */
  readonly commands: readonly string[];
  /** Files of sub-agents, and folders of them. */
  readonly agents: readonly string[];
  /** Folders of skills. */
  readonly skills: readonly string[];
  /** A file that names its MCP servers. It may be the manifest. */
  readonly servers: string;
}

/** What the query's plugins came to. */
export interface FoundPlugins {
  readonly plugins: readonly Plugin[];
  readonly errors: readonly SDKPluginError[];
}

/** @throws SdkError `bad-usage` for what isn't a list of plugins. */
export function checkPlugins(given: unknown): void {
  if (given === undefined) return;
  const isWhole = (one: unknown) =>
    isRecord(one) &&
    one['type'] === 'local' &&
    typeof one['path'] === 'string' &&
    one['path'] !== '';
  if (Array.isArray(given) && given.every(isWhole)) return;
  throw new SdkError(
    'bad-usage',
    "plugins is a list of folders of the workspace: [{ type: 'local', path: './plugins/review' }].",
    { data: { option: 'plugins' } },
  );
}

/** Where its manifest stands. The file may be missing. */
export function toManifestPath(directory: string): string {
  return joinPath(directory, '.claude-plugin/plugin.json');
}

/** The name that what a plugin brings has in the session, so that two plugins never take each other's. */
export function toPluginName({ name }: Pick<Plugin, 'name'>, own: string): string {
  return `${name}:${own}`;
}

/** Puts its folder in the place of the variable by which its texts name it. */
export function putPluginRoot(text: string, plugin: Plugin | undefined): string {
  return plugin ? text.replaceAll('${CLAUDE_PLUGIN_ROOT}', () => plugin.directory) : text;
}
