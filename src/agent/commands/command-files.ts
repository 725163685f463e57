// Commands out of the workspace's own files: Markdown below `.claude/commands`, whose folders are part of the
// name. Loaded for queries whose settingSources have 'user' or 'project', and by workspace-trust.ts. The format is that of
// Claude Code's documentation (https://code.claude.com/docs/en/slash-commands).
import { SdkError, describeThrown } from '../../core/errors.ts';
import { isInside, joinPath } from '../../core/path.ts';
import { isAbsence } from '../definitions/definition-file.ts';
import { sortWantedRules } from '../permissions/wanted-rules.ts';
import type { DefinitionScope } from '../session/settings/definition-scopes.ts';
import type {
  DefinitionPlace,
  LooseningFile,
  WorkspaceTrust,
} from '../session/settings/workspace-trust.ts';
import type { CommandSource, LoadedCommand, PromptCommand } from './commands.ts';
import { readCommandText } from './read-command.ts';
import type { CommandText } from './read-command.ts';

/** Below the directory of the scope. */
const folder = '.claude/commands';

// 200: more than anybody remembers. Security: each costs a look at the workspace whenever a command is given.
const maxCommands = 200;
// 512 kB: what is longer was not written to be read.
const maxFileBytes = 512 * 1024;

export interface CommandFilesOptions extends DefinitionPlace {
  readonly source: DefinitionScope['source'];
  readonly trust: WorkspaceTrust;
  /** Security: what no call may read isn't told either. */
  readonly mayRead: (path: string) => boolean;
}

/** Reads the files each time: they may have changed. */
export function createCommandFiles(options: CommandFilesOptions): CommandSource {
  return async () => {
    const commands: PromptCommand[] = [];
    const { paths, problems } = await listPaths(options);
    for (const path of paths) {
      try {
        const found = await readFile(path, options);
        if (found) commands.push(toCommand(path, found, options));
      } catch (error) {
        const why = SdkError.isInstance(error) ? error.message : describeThrown(error);
        problems.push(`The command in ${path} is left out: ${why}`);
      }
    }
    return { commands, problems };
  };
}

/** The commands whose rules would hold if they were trusted. Unreadable ones loosen nothing. */
export async function listLooseningCommands(
  place: DefinitionPlace,
): Promise<readonly LooseningFile[]> {
  const options = { ...place, mayRead: () => true };
  const found: LooseningFile[] = [];
  for (const path of (await listPaths(options)).paths) {
    const read = await readFile(path, options).catch(() => undefined);
    if (!read) continue;
    const { allow, cannotHold } = sortWantedRules(read.fields.allowedTools, 'turn');
    if (allow.length > 0) found.push({ path, text: read.text, allow, cannotHold });
  }
  return found;
}

function toCommand(
  path: string,
  { fields }: ReadCommand,
  options: CommandFilesOptions,
): PromptCommand {
  const { body: _, ...listed } = fields;
  return {
    ...listed,
    name: toName(path, options),
    kind: 'command',
    source: options.source,
    place: path,
    load: () => load(path, options),
  };
}

async function load(path: string, options: CommandFilesOptions): Promise<LoadedCommand> {
  const found = await readFile(path, options);
  if (!found) throw new SdkError('invalid-input', `${path} is not there any more.`);
  const { body, allowedTools } = found.fields;
  const isTrusted = await options.trust.isTrusted(path, found.text);
  const { allow } = sortWantedRules(isTrusted ? allowedTools : [], 'turn');
  return { body, allow };
}

async function listPaths({ fs, cwd }: DefinitionPlace): Promise<{
  readonly paths: readonly string[];
  readonly problems: string[];
}> {
  const directory = joinPath(cwd, folder);
  try {
    const entries = await fs.walk(directory, { respectIgnore: false, includeHidden: false });
    const paths = entries.flatMap(({ path }) => (path.endsWith('.md') ? path : [])).toSorted();
    const isTooMany = paths.length > maxCommands;
    return {
      paths: paths.slice(0, maxCommands),
      problems: isTooMany
        ? [`${directory} has ${paths.length} commands. Only the first ${maxCommands} are read.`]
        : [],
    };
  } catch (error) {
    if (isAbsence(error)) return { paths: [], problems: [] };
    return { paths: [], problems: [`${directory} can't be listed: ${describeThrown(error)}`] };
  }
}

interface ReadCommand {
  readonly text: string;
  readonly fields: CommandText;
}

type ReadOptions = Pick<CommandFilesOptions, 'fs' | 'cwd' | 'mayRead'>;

/**
 * Undefined: nothing is there that may be read.
 *
 * @throws SdkError `invalid-input` with what is wrong.
 */
async function readFile(path: string, options: ReadOptions): Promise<ReadCommand | undefined> {
  const { fs, cwd, mayRead } = options;
  if (!mayRead(path)) return undefined;
  toName(path, options);
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

/** Folders are part of it: `frontend/component.md` is `frontend:component`. */
function toName(path: string, { cwd }: Pick<ReadOptions, 'cwd'>): string {
  const below = path.slice(joinPath(cwd, folder).length + 1, -'.md'.length);
  const name = below.replaceAll('/', ':');
  if (/^[\w.:-]+$/u.test(name)) return name;
  throw wrong('its name may have letters, digits, "-", "_" and "." alone. Rename the file.');
}

function wrong(message: string): SdkError {
  return new SdkError('invalid-input', message);
}
