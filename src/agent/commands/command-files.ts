// Commands out of the workspace's own files: Markdown below `.claude/commands`, whose folders are part of the name,
// or a plugin's. Loaded for queries whose settingSources have 'user' or 'project', or with plugins, and by
// workspace-trust.ts. The format is that of Claude Code's documentation
// (https://code.claude.com/docs/en/slash-commands).
import { SdkError, describeThrown } from '../../core/errors.ts';
import { basename, isInside, joinPath } from '../../core/path.ts';
import { isAbsence } from '../definitions/definition-file.ts';
import { sortWantedRules } from '../permissions/wanted-rules.ts';
import { putPluginRoot, toPluginName } from '../plugins/plugin.ts';
import type { DefinitionScope } from '../session/settings/definition-scopes.ts';
import type {
  DefinitionPlace,
  LooseningFile,
  WorkspaceTrust,
} from '../session/settings/workspace-trust.ts';
import type { CommandSource, LoadedCommand, PromptCommand } from './commands.ts';
import { readCommandText } from './read-command.ts';
import type { CommandText } from './read-command.ts';

/** Relative to the directory of the scope. */
const folder = '.claude/commands';
const extension = '.md';

// 200: more than anybody remembers. Security: each file is read whenever a command is given.
const maxCommands = 200;
// 512 kB: a longer file isn't meant for people.
const maxFileBytes = 512 * 1024;

export interface CommandFilesOptions extends DefinitionPlace {
  readonly source: DefinitionScope['source'];
  readonly trust: WorkspaceTrust;
  /** Security: a file that calls may not read isn't shown either. */
  readonly mayRead: (path: string) => boolean;
}

/** Reads the files at each call, because they may have changed. */
export function createCommandFiles(options: CommandFilesOptions): CommandSource {
  return async () => {
    const commands: PromptCommand[] = [];
    const { files, problems } = await listFiles(options);
    for (const file of files) {
      try {
        const found = await readFile(file, options);
        if (found) commands.push(toCommand(file, found, options));
      } catch (error) {
        const why = SdkError.isInstance(error) ? error.message : describeThrown(error);
        problems.push(`The command in ${file.path} is left out: ${why}`);
      }
    }
    return { commands, problems };
  };
}

/**
 * The commands with rules that would apply if they were trusted. Unreadable commands grant nothing.
 */
export async function listLooseningCommands(
  place: DefinitionPlace,
): Promise<readonly LooseningFile[]> {
  const options = { ...place, mayRead: () => true };
  const found: LooseningFile[] = [];
  for (const file of (await listFiles(options)).files) {
    const read = await readFile(file, options).catch(() => undefined);
    if (!read) continue;
    const { path } = file;
    const { allow, cannotHold } = sortWantedRules(read.fields.allowedTools, 'turn');
    if (allow.length > 0) found.push({ path, text: read.text, allow, cannotHold });
  }
  return found;
}

function toCommand(
  file: CommandFile,
  { fields }: ReadCommand,
  options: CommandFilesOptions,
): PromptCommand {
  const { body: _, ...listed } = fields;
  return {
    ...listed,
    name: toName(file, options),
    kind: 'command',
    source: options.source,
    place: file.path,
    load: () => load(file, options),
  };
}

async function load(file: CommandFile, options: CommandFilesOptions): Promise<LoadedCommand> {
  const { path } = file;
  const found = await readFile(file, options);
  if (!found) throw new SdkError('invalid-input', `${path} is not there any more.`);
  const { body, allowedTools } = found.fields;
  const isTrusted = await options.trust.isTrusted(path, found.text);
  const { allow } = sortWantedRules(isTrusted ? allowedTools : [], 'turn');
  return { body: putPluginRoot(body, options.plugin), allow };
}

interface CommandFile {
  readonly path: string;
  /** The part of its path that forms its name. */
  readonly below: string;
}

async function listFiles(place: DefinitionPlace): Promise<{
  readonly files: readonly CommandFile[];
  readonly problems: string[];
}> {
  const files: CommandFile[] = [];
  const problems: string[] = [];
  for (const path of place.plugin?.commands ?? [joinPath(place.cwd, folder)]) {
    // A plugin may name a single file.
    if (path.endsWith(extension)) files.push({ path, below: basename(path) });
    else files.push(...(await listFolder(path, place, problems)));
  }
  return { files, problems };
}

async function listFolder(
  directory: string,
  { fs }: DefinitionPlace,
  problems: string[],
): Promise<readonly CommandFile[]> {
  try {
    const entries = await fs.walk(directory, { respectIgnore: false, includeHidden: false });
    const paths = entries.flatMap(({ path }) => (path.endsWith(extension) ? path : [])).toSorted();
    if (paths.length > maxCommands) {
      problems.push(
        `${directory} has ${paths.length} commands. Only the first ${maxCommands} are read.`,
      );
    }
    return paths
      .slice(0, maxCommands)
      .map((path) => ({ path, below: path.slice(directory.length + 1) }));
  } catch (error) {
    if (!isAbsence(error)) {
      problems.push(`${directory} can't be listed: ${describeThrown(error)}`);
    }
    return [];
  }
}

interface ReadCommand {
  readonly text: string;
  readonly fields: CommandText;
}

type ReadOptions = Pick<CommandFilesOptions, 'fs' | 'cwd' | 'mayRead' | 'plugin'>;

/**
 * Resolves to undefined if no readable file exists.
 *
 * @throws SdkError `invalid-input` with the reason
 */
async function readFile(file: CommandFile, options: ReadOptions): Promise<ReadCommand | undefined> {
  const { path } = file;
  const { fs, cwd, mayRead } = options;
  if (!mayRead(path)) return undefined;
  toName(file, options);
  try {
    const real = await fs.realpath(path);
    if (!isInside(cwd, real)) {
      throw wrong(`it is a link to ${real}, outside of ${cwd}. Put the file there.`);
    }
    if (!mayRead(real)) return undefined;
    const stats = await fs.stat(real);
    if (!stats.isFile()) return undefined;
    if (stats.size > maxFileBytes) {
      throw wrong(`it has ${stats.size} bytes, and may have ${maxFileBytes}. Make it shorter.`);
    }
    const text = await fs.readFile(real, 'utf8');
    if (text.includes('\0')) throw wrong('it is no text.');
    return { text, fields: await readCommandText(text) };
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

/** Folders are part of the name: `frontend/component.md` is `frontend:component`. */
function toName({ below }: CommandFile, { plugin }: Pick<ReadOptions, 'plugin'>): string {
  const name = below.slice(0, -extension.length).replaceAll('/', ':');
  if (/^[\w.:-]+$/u.test(name)) return plugin ? toPluginName(plugin, name) : name;
  throw wrong('its name may have letters, digits, "-", "_" and "." alone. Rename the file.');
}

function wrong(message: string): SdkError {
  return new SdkError('invalid-input', message);
}
