// Reads the plugins of a query, by the published layout
// (https://code.claude.com/docs/en/plugins-reference). Loaded by load-features.ts for a query with
// plugins. Manifests are read once. The definitions are read again before each prompt, like the
// project's.
import { describeThrown, SdkError } from '../../core/errors.ts';
import type { SDKPluginError } from '../../core/messages/sdk-message.ts';
import { isInside, resolvePath } from '../../core/path.ts';
import { parseJsonFile } from '../../core/text/parse-json-file.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { isAbsence } from '../definitions/definition-file.ts';
import type { RootFiles } from '../session/files/session-root.ts';
import { toManifestPath } from './plugin.ts';
import type { FoundPlugins, Plugin, SdkPluginConfig } from './plugin.ts';

// 64 kB: a longer file was not written by hand.
const maxManifestBytes = 64 * 1024;

const nameForm = /^[A-Za-z0-9][\w.-]{0,31}$/u;

/**
 * The parts of a plugin that can't run here, by file and field, with a sentence on what to do
 * instead.
 */
const notHere: readonly { readonly field?: string; readonly file: string; readonly why: string }[] =
  [
    {
      field: 'hooks',
      file: 'hooks/hooks.json',
      why: 'Its hooks are commands, and there are no processes here: they are not run. Give functions by options.hooks.',
    },
    {
      field: 'lspServers',
      file: '.lsp.json',
      why: 'Its language servers are processes: they are not started. See docs/lsp.md for what there is.',
    },
    {
      field: 'outputStyles',
      file: 'output-styles',
      why: 'Its output styles have no effect. Say it by options.systemPrompt.',
    },
    {
      field: 'monitors',
      file: 'monitors/monitors.json',
      why: 'Its monitors are commands, and there are no processes here: they are not started. The agent has the tool Monitor.',
    },
    {
      file: 'bin',
      why: 'The programs in its bin are not run: there is no shell. Cells run JavaScript and TypeScript.',
    },
    {
      file: 'settings.json',
      why: 'Its settings.json has no effect. Name the agent that the session is to be by options.agent.',
    },
  ];

type PluginFiles = Pick<RootFiles, 'readFile' | 'realpath' | 'stat'>;

interface PluginPlace {
  readonly fs: PluginFiles;
  /** The directory that relative paths start from. */
  readonly cwd: string;
}

/**
 * Never rejects: an invalid plugin doesn't end the query. If two have one name, the first is used.
 */
export async function readPlugins(
  given: readonly SdkPluginConfig[],
  place: PluginPlace,
): Promise<FoundPlugins> {
  const plugins: Plugin[] = [];
  const errors: SDKPluginError[] = [];
  for (const { path, skipMcpDiscovery = false } of given) {
    const at = resolvePath(place.cwd, path);
    try {
      const found = await readPlugin(at, place.fs);
      if (!found) {
        const message = `There is no plugin in ${at}: it is no folder of the workspace. Put it there, or take it out of plugins.`;
        errors.push({ plugin: path, type: 'not-found', message, path: at });
        continue;
      }
      const plugin = { ...found.plugin, skipsServers: skipMcpDiscovery };
      const other = plugins.find(({ name }) => name === plugin.name);
      if (other) {
        const message = `The plugin in ${at} is left out: ${other.directory} has a plugin named ${plugin.name}. Rename one of them.`;
        errors.push({ plugin: plugin.name, type: 'bad-manifest', message, path: at });
        continue;
      }
      plugins.push(plugin);
      for (const why of found.missing) {
        const message = `Of the plugin ${plugin.name}: ${why}`;
        errors.push({ plugin: plugin.name, type: 'not-here', message, path: plugin.directory });
      }
    } catch (error) {
      const why = SdkError.isInstance(error) ? error.message : describeThrown(error);
      const message = `The plugin in ${at} is left out: ${why}`;
      errors.push({ plugin: path, type: 'bad-manifest', message, path: at });
    }
  }
  return { plugins, errors };
}

/** Undefined: there is no such folder. */
async function readPlugin(
  path: string,
  fs: PluginFiles,
): Promise<
  { readonly plugin: Omit<Plugin, 'skipsServers'>; readonly missing: readonly string[] } | undefined
> {
  const directory = await fs.realpath(path).catch(orAbsent);
  if (directory === undefined || !(await fs.stat(directory)).isDirectory()) return undefined;
  const manifest = await readManifest(directory, fs);
  const { name = directory.split('/').at(-1), version } = manifest;
  if (typeof name !== 'string' || !nameForm.test(name)) {
    throw wrong(
      `Its name is ${JSON.stringify(name)}. Use at most 32 letters, digits, "-", "_" and ".", beginning with a letter or a digit.`,
    );
  }
  const folder = { directory, manifest };
  const has = async (file: string) =>
    (await fs.stat(resolvePath(directory, file)).catch(orAbsent)) !== undefined;
  const missing: string[] = [];
  for (const { field, file, why } of notHere) {
    const isNamed = field !== undefined && manifest[field] !== undefined;
    if (isNamed || (await has(file))) missing.push(why);
  }
  const skills = listPaths(folder, 'skills');
  // The plugin itself may be one skill.
  const isSkill = manifest['skills'] === undefined && !(await has('skills'));
  if (isSkill && (await has('SKILL.md'))) skills.push(directory);
  const plugin = {
    name,
    ...(typeof version === 'string' && { version }),
    directory,
    commands: listPaths(folder, 'commands'),
    agents: listPaths(folder, 'agents'),
    skills,
    servers: toServersFile(folder),
  };
  return { plugin, missing };
}

async function readManifest(
  directory: string,
  fs: PluginFiles,
): Promise<Readonly<Record<string, unknown>>> {
  const path = toManifestPath(directory);
  const stats = await fs.stat(path).catch(orAbsent);
  // A plugin may have no manifest. Then the usual folders are used.
  if (!stats) return {};
  if (stats.size > maxManifestBytes) {
    throw wrong(`${path} has ${stats.size} bytes, and may have ${maxManifestBytes}.`);
  }
  const manifest = await fs
    .readFile(path, 'utf8')
    .then(parseJsonFile)
    .catch((error: unknown) => {
      throw wrong(`${path} can't be read: ${describeThrown(error)}`);
    });
  if (!isRecord(manifest)) throw wrong(`${path} is no object.`);
  return manifest;
}

interface PluginFolder {
  readonly directory: string;
  readonly manifest: Readonly<Record<string, unknown>>;
}

/** The usual folder, and those in the manifest. */
function listPaths(folder: PluginFolder, field: 'commands' | 'agents' | 'skills'): string[] {
  const given = folder.manifest[field] ?? [];
  const named: readonly unknown[] = Array.isArray(given) ? given : [given];
  const paths = [field, ...named].map((path) => toPath(folder, field, path));
  return [...new Set(paths)];
}

/** The manifest has the same form as the servers' file. */
function toServersFile(folder: PluginFolder): string {
  const { mcpServers: given = '.mcp.json' } = folder.manifest;
  return isRecord(given) ? toManifestPath(folder.directory) : toPath(folder, 'mcpServers', given);
}

/** Security: a plugin's paths must be inside its folder. */
function toPath({ directory }: PluginFolder, field: string, given: unknown): string {
  const path = typeof given === 'string' ? resolvePath(directory, given) : undefined;
  if (path !== undefined && isInside(directory, path)) return path;
  throw wrong(
    `Its ${field} names ${JSON.stringify(given)}. Give paths in its folder, such as "./more/${field}".`,
  );
}

function orAbsent(error: unknown): undefined {
  if (!isAbsence(error)) throw error;
}

function wrong(message: string): SdkError {
  return new SdkError('invalid-input', message);
}
