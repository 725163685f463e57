// Knows which files of the workspace a person trusts. Definitions (skills, commands, agents) come
// from the workspace's author. So they loosen permissions only after a person has trusted exactly
// these texts. settings.ts asks once when a session begins; the code that reads definitions asks
// later for each changed text.
import { toSha256 } from '../../../core/hashes/to-sha256.ts';
import type { LooseningDefinition } from '../../query-options.ts';
import type { Plugin } from '../../plugins/plugin.ts';
import type { RootFiles } from '../files/session-root.ts';
import type { DefinitionScope } from './definition-scopes.ts';

/** A definition that would loosen permissions, with the text that does so. */
export interface LooseningFile extends LooseningDefinition {
  readonly text: string;
}

/** The trust by text. A new file, or one that has changed since, isn't trusted. */
export interface WorkspaceTrust {
  isTrusted(path: string, text: string): Promise<boolean>;
}

/** Nobody was asked, or the answer was no. */
export const trustsNothing: WorkspaceTrust = { isTrusted: () => Promise.resolve(false) };

/** The trust after a person has said yes to these files. */
export async function trustFiles(files: readonly LooseningFile[]): Promise<WorkspaceTrust> {
  const hashes = new Map<string, string>();
  for (const { path, text } of files) hashes.set(path, await toSha256(text));
  return {
    async isTrusted(path, text) {
      const hash = hashes.get(path);
      return hash !== undefined && hash === (await toSha256(text));
    },
  };
}

/** The place where definitions are looked for. */
export interface DefinitionPlace {
  readonly fs: Pick<RootFiles, 'readFile' | 'readdir' | 'realpath' | 'stat' | 'walk'>;
  /** The directory of their scope, absolute. */
  readonly cwd: string;
  /** The plugin, if the definitions belong to one. Then the plugin's folders are searched. */
  readonly plugin?: Plugin | undefined;
}

/** Reads the loosening definitions of one kind. Unreadable files are skipped. */
export type LooseningReader = (place: DefinitionPlace) => Promise<readonly LooseningFile[]>;

type LoadReader = () => Promise<LooseningReader>;

/** One reader for each kind of definition. Each is loaded only if a person may be asked. */
const readers: readonly LoadReader[] = [
  async () => (await import('../../skills/workspace-skills.ts')).listLooseningSkills,
  async () => (await import('../../commands/command-files.ts')).listLooseningCommands,
];

const workflows: LoadReader = async () =>
  (await import('../../workflows/workflow-files.ts')).listLooseningWorkflows;

const servers: LoadReader = async () =>
  (await import('../mcp/workspace-servers.ts')).listLooseningServers;

/** Additional readers for some scopes. */
const othersOf: Readonly<Record<DefinitionScope['source'], readonly LoadReader[]>> = {
  user: [workflows],
  project: [workflows, servers],
  plugin: [servers],
};

/** All definitions that would loosen permissions. */
export async function listLooseningFiles(
  fs: DefinitionPlace['fs'],
  scopes: readonly DefinitionScope[],
): Promise<readonly LooseningFile[]> {
  const found: LooseningFile[] = [];
  for (const { source, directory: cwd, plugin } of scopes) {
    for (const load of [...readers, ...othersOf[source]]) {
      found.push(...(await (await load())({ fs, cwd, plugin })));
    }
  }
  return found;
}
