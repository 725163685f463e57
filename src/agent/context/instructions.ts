// Decides which instruction files of the workspace the model gets now: the user's own, CLAUDE.md,
// AGENTS.md and rules from the root down to the working directory, those next to files that were
// read, and their imports. Loaded by memory.ts for a query with `settingSources`.
import { clipText } from '../../core/text/clip-text.ts';
import type { Version } from '../../core/change-set.ts';
import { SdkError, describeThrown } from '../../core/errors.ts';
import { compilePathGlob } from '../../core/glob/path-glob.ts';
import { explainBadGlob } from '../../core/glob/parse-path-glob.ts';
import type { MessageParam } from '../../core/messages/messages.ts';
import { dirname, isInside, joinPath, resolvePath } from '../../core/path.ts';
import type { ToolPermissionContext } from '../../core/permissions/permission.ts';
import { toSha256 } from '../../core/hashes/to-sha256.ts';
import { quoteForReminder, toSystemReminder } from '../../core/messages/system-reminder.ts';
import type { HookFields } from '../hooks/hook-inputs.ts';
import type { SettingSource } from '../query-options.ts';
import type { RootFiles } from '../session/files/session-root.ts';
import { readInstructionText } from './instruction-files.ts';
import type { InstructionText } from './instruction-files.ts';
import { createReadCheck } from './read-judge.ts';

/** A file that the model has got. Plain data. */
export interface ToldFile {
  /** Its real path, with links resolved. */
  readonly path: string;
  readonly version: Version;
  /** SHA-256 of its text, if the text is sent at all. */
  readonly digest: string;
  /** The number of its characters in the conversation: 0 if another file has the same text. */
  readonly chars: number;
  readonly why: Why;
  /**
   * For a rule: the directory that its globs are relative to. It holds the rule's `.claude`; for the user's rules it
   * is the working directory.
   */
  readonly ruleOf?: string;
}

/** Why a file is sent, as the hook reports it. */
type Why = Omit<InstructionsLoaded, 'file_path'>;

/** The fields of the hook of this name. */
export type InstructionsLoaded = HookFields<'InstructionsLoaded'>;

/** The instructions in the conversation. Plain data. */
export interface ToldInstructions {
  readonly files: readonly ToldFile[];
  /** Directories below the working directory that were searched because a file there was read. */
  readonly directories: readonly string[];
}

export interface InstructionsOptions {
  /** Its files are read anew each time, because an agent may change its branch. */
  readonly root: { readonly fs: Pick<RootFiles, 'readFile' | 'realpath' | 'stat' | 'walk'> };
  readonly cwd: string;
  /** The user's home, absolute. */
  readonly home?: string | undefined;
  readonly sources: readonly SettingSource[];
  readonly permissions: () => Pick<ToolPermissionContext, 'rules' | 'additionalWorkingDirectories'>;
  /** What the conversation already contains. */
  readonly told: ToldInstructions;
  /** Called for each file whose text is sent. Must not throw. */
  readonly onLoaded: (loaded: InstructionsLoaded) => void;
  /** Called with a message about a file that exists but can't be read. Must not throw. */
  readonly warn: (message: string) => void;
}

/** Methods must not run at the same time. */
export interface Instructions {
  readonly told: ToldInstructions;
  /** Returns messages with new, changed and removed files since the last call. */
  beforePrompt(reason: 'session_start' | 'compact'): Promise<readonly MessageParam[]>;
  /**
   * Returns messages with the instructions for files that were read. `paths` are real paths;
   * repeated ones are ignored.
   */
  afterReads(paths: Iterable<string>): Promise<readonly MessageParam[]>;
}

// 40 000 characters, some 10 000 tokens: more would leave too little room for the work.
const maxInstructionChars = 40_000;
const maxImportDepth = 5;
// Security: each file is read, however short it is. 100 is more than people write by hand.
const maxFiles = 100;
const maxImports = 50;
// 256 kB: a longer file isn't an instruction. At most a sixth of it would be shown.
const maxFileBytes = 256 * 1024;

/** A file to be sent, and the reason. */
interface Candidate {
  /** The path as it is shown. */
  readonly path: string;
  readonly why: Why;
  readonly ruleOf?: string | undefined;
}

/** A rule that waits until a matching file is read. */
interface WaitingRule {
  readonly path: string;
  readonly memory_type: Why['memory_type'];
  readonly ruleOf: string;
  readonly version: Version;
  readonly globs: readonly string[];
}

type LookReason = 'session_start' | 'compact';

/** The texts of one round. */
interface Round {
  readonly messages: MessageParam[];
  /** Files that are shortened or left out. */
  readonly cut: string[];
}

export function createInstructions(options: InstructionsOptions): Instructions {
  const { root, cwd, home, sources, permissions, onLoaded } = options;
  const told = new Map(options.told.files.map((file) => [file.path, file]));
  const visited = new Set(options.told.directories);
  const waiting = new Map<string, WaitingRule>();
  const read = new Set<string>();
  const warned = new Set<string>();
  /**
   * Whether the waiting rules are known. A session that is opened in mid-turn begins without a
   * prompt.
   */
  let hasLooked = false;
  /** From the root down to the working directory. */
  const chain = listChain(cwd);
  /**
   * The directory of the user's own files, all of which may be sent; undefined if they aren't
   * enabled.
   */
  const userDirectory =
    home !== undefined && sources.includes('user') ? joinPath(home, '.claude') : undefined;

  const listDirectories = () => [cwd, ...permissions().additionalWorkingDirectories.keys()];

  const isAllowed = createReadCheck(cwd, permissions);

  /**
   * Security: a file that calls may not read isn't sent. Above the working directory only
   * instruction files may be read.
   */
  function mayRead(path: string, type: Why['memory_type']): boolean {
    if (!isAllowed(path)) return false;
    if (isUsers(path)) return type === 'User';
    const isReachable = listDirectories().some((directory) => isInside(directory, path));
    return isReachable || chain.some((directory) => isOwnFile(directory, path));
  }

  /** Security: a project's file may not include files of the user's home. */
  function isUsers(path: string): boolean {
    return userDirectory !== undefined && isInside(userDirectory, path);
  }

  function warn(message: string): void {
    if (warned.has(message)) return;
    warned.add(message);
    options.warn(message);
  }

  /** The real path of a readable file, and its version; undefined if there is none. */
  async function find(path: string, type: Why['memory_type']) {
    if (!mayRead(path, type)) return undefined;
    const real = await root.fs.realpath(path);
    if (!mayRead(real, type)) return undefined;
    const stats = await root.fs.stat(real);
    return stats.isFile() ? { path: real, version: stats.version, size: stats.size } : undefined;
  }

  /** Resolves to undefined if the path doesn't exist or is unreadable. */
  async function tryTo<T>(path: string, look: () => Promise<T>): Promise<T | undefined> {
    try {
      return await look();
    } catch (error) {
      const isAbsent = SdkError.isInstance(error) && absent.has(error.code);
      if (!isAbsent) warn(`The instructions in ${path} can't be read: ${describeThrown(error)}`);
      return undefined;
    }
  }

  /** Sends the file and, before it, its imports. `known`: the file as it was sent already. */
  async function tell(
    candidate: Candidate,
    round: Round,
    depth = 0,
    known?: ToldFile,
  ): Promise<void> {
    const { why, ruleOf } = candidate;
    const found = await tryTo(candidate.path, () => find(candidate.path, why.memory_type));
    if (!found || (!known && told.has(found.path))) return;
    const { path, version, size } = found;
    const isDue = known !== undefined || why.load_reason === 'path_glob_match';
    if (!isDue && waiting.get(path)?.version === version) return;
    const noted = {
      path,
      version,
      digest: '',
      chars: 0,
      why,
      ...(ruleOf !== undefined && { ruleOf }),
    };
    if (size > maxFileBytes || (!known && told.size >= maxFiles)) {
      told.set(path, noted);
      round.cut.push(path);
      return;
    }
    const source = await tryTo(path, () => root.fs.readFile(path, 'utf8'));
    // An import may name any file; a picture isn't text.
    if (source === undefined || source.includes('\0')) return;
    const content = readInstructionText(source, ruleOf !== undefined);
    if (content.globs && ruleOf !== undefined && !isDue) {
      const { memory_type } = why;
      waiting.set(path, {
        path: candidate.path,
        memory_type,
        ruleOf,
        version,
        globs: content.globs,
      });
      return;
    }
    waiting.delete(path);
    const digest = await toSha256(content.text);
    if (known?.digest === digest) {
      told.set(path, { ...known, version });
      return;
    }
    const isRepeated = [...told.values()].some((other) => other.digest === digest);
    // Recorded before its imports, because one of them may import it.
    told.set(path, { ...noted, digest });
    if (content.text === '' || isRepeated) {
      if (known && known.chars > 0) push(round, describeEnd(path));
      return;
    }
    await tellImports(path, content, why.memory_type, round, depth);
    const chars = pushText(path, content.text, why, round, known !== undefined);
    told.set(path, { ...noted, digest, chars });
    if (chars > 0) onLoaded({ file_path: path, ...why });
  }

  async function tellImports(
    parent: string,
    { imports }: InstructionText,
    memory_type: Why['memory_type'],
    round: Round,
    depth: number,
  ): Promise<void> {
    if (depth >= maxImportDepth) return;
    for (const path of imports.slice(0, maxImports)) {
      const imported = resolveImport(parent, path);
      if (imported === undefined) continue;
      // A project file that a user's file imports counts as the project's.
      const isOfUser = memory_type === 'User' && isUsers(parent) && isUsers(imported);
      const type = memory_type === 'User' && !isOfUser ? 'Project' : memory_type;
      const why = { memory_type: type, load_reason: 'include', parent_file_path: parent } as const;
      await tell({ path: imported, why }, round, depth + 1);
    }
  }

  /** `~` is allowed only in the user's own files. */
  function resolveImport(parent: string, path: string): string | undefined {
    if (!path.startsWith('~')) return resolvePath(dirname(parent), path);
    return isUsers(parent) && home !== undefined && path.startsWith('~/')
      ? joinPath(home, path.slice('~/'.length))
      : undefined;
  }

  /** Adds as much of the text as fits. Returns the number of characters. */
  function pushText(path: string, text: string, why: Why, round: Round, isChange: boolean): number {
    const used = [...told.values()].reduce((sum, { chars }) => sum + chars, 0);
    const shown = clipText(text, Math.max(0, maxInstructionChars - used));
    if (shown.length < text.length) round.cut.push(path);
    if (shown === '') return 0;
    push(round, `${describeOrigin(path, why, isChange)}\n\n${shown}`);
    return shown.length;
  }

  /** A rule may be a link to a file, but links to directories aren't followed. */
  async function listRules(rules: string, type: Why['memory_type']): Promise<string[]> {
    if (!mayRead(joinPath(rules, 'a.md'), type)) return [];
    const whole = { respectIgnore: false, includeHidden: true };
    const entries = await tryTo(rules, () => root.fs.walk(rules, whole));
    const paths = (entries ?? []).flatMap(({ path }) => (path.endsWith('.md') ? path : []));
    if (paths.length > maxFiles) {
      warn(`${rules} has ${paths.length} rules. Only the first ${maxFiles} are read.`);
    }
    return paths.slice(0, maxFiles);
  }

  async function tellDirectory(
    directory: string,
    why: Pick<InstructionsLoaded, 'load_reason' | 'trigger_file_path'>,
    round: Round,
  ): Promise<void> {
    const tellAs = (memory_type: 'Project' | 'Local', path: string, ruleOf?: string) =>
      tell({ path, why: { memory_type, ...why }, ruleOf }, round);
    if (sources.includes('project')) {
      for (const name of projectFiles) await tellAs('Project', joinPath(directory, name));
      const rules = await listRules(joinPath(directory, rulesDirectory), 'Project');
      for (const path of rules) await tellAs('Project', path, directory);
    }
    if (sources.includes('local')) await tellAs('Local', joinPath(directory, localFile));
  }

  async function tellUser(directory: string, load_reason: LookReason, round: Round) {
    const why = { memory_type: 'User', load_reason } as const;
    await tell({ path: joinPath(directory, 'CLAUDE.md'), why }, round);
    for (const path of await listRules(joinPath(directory, 'rules'), 'User')) {
      await tell({ path, why, ruleOf: cwd }, round);
    }
  }

  /** Sends files that weren't sent yet, from all searched directories. */
  async function look(load_reason: LookReason, round: Round): Promise<void> {
    hasLooked = true;
    if (userDirectory !== undefined) await tellUser(userDirectory, load_reason, round);
    for (const directory of chain) await tellDirectory(directory, { load_reason }, round);
    for (const directory of visited) {
      await tellDirectory(directory, { load_reason: 'nested_traversal' }, round);
    }
  }

  /** Sends changed files again, and reports removed ones. */
  async function tellChanges(round: Round): Promise<void> {
    let hasChanged = false;
    for (const file of [...told.values()]) {
      const { path, version, chars, why } = file;
      const found = await tryTo(path, () => find(path, why.memory_type));
      if (found?.path === path && found.version === version) continue;
      hasChanged = true;
      if (found?.path !== path) {
        told.delete(path);
        if (chars > 0) push(round, describeEnd(path));
      } else await tell(file, round, 0, file);
    }
    if (hasChanged) await endImports(round);
  }

  /**
   * Drops files that were sent as imports and that no file imports any more, directly or
   * indirectly.
   */
  async function endImports(round: Round): Promise<void> {
    const isImport = ({ why }: ToldFile) => why.load_reason === 'include';
    const reached = new Set([...told.values()].filter((file) => !isImport(file)));
    // The list grows during the loop.
    for (const { path, ruleOf, why, digest } of reached) {
      // A file that is too long to be sent imports nothing.
      if (digest === '') continue;
      const source = await tryTo(path, () => root.fs.readFile(path, 'utf8'));
      const { imports } = readInstructionText(source ?? '', ruleOf !== undefined);
      for (const name of imports.slice(0, maxImports)) {
        const imported = resolveImport(path, name);
        if (imported === undefined) continue;
        const real = await tryTo(imported, () => find(imported, why.memory_type));
        const file = real && told.get(real.path);
        if (file) reached.add(file);
      }
    }
    for (const file of [...told.values()].filter((one) => !reached.has(one))) {
      told.delete(file.path);
      if (file.chars > 0) push(round, describeEndOfImport(file.path));
    }
  }

  function push(round: Round, text: string): void {
    round.messages.push(toSystemReminder(quoteForReminder(text)));
  }

  function endRound(round: Round): readonly MessageParam[] {
    const paths = [...new Set(round.cut)];
    if (paths.length > 0) push(round, describeCut(paths));
    return round.messages;
  }

  return {
    get told() {
      return { files: [...told.values()], directories: [...visited] };
    },

    async beforePrompt(load_reason) {
      const round: Round = { messages: [], cut: [] };
      await tellChanges(round);
      await look(load_reason, round);
      return endRound(round);
    },

    async afterReads(paths) {
      const round: Round = { messages: [], cut: [] };
      if (!hasLooked) await look('session_start', round);
      for (const trigger_file_path of paths) {
        if (read.has(trigger_file_path)) continue;
        read.add(trigger_file_path);
        for (const directory of listBelow(listDirectories(), dirname(trigger_file_path))) {
          if (visited.has(directory) || chain.includes(directory)) continue;
          visited.add(directory);
          const why = { load_reason: 'nested_traversal', trigger_file_path } as const;
          await tellDirectory(directory, why, round);
        }
        for (const { path, memory_type, ruleOf, globs } of [...waiting.values()]) {
          if (!matchesOne(globs, ruleOf, trigger_file_path)) continue;
          const because = { load_reason: 'path_glob_match', globs, trigger_file_path } as const;
          await tell({ path, why: { memory_type, ...because }, ruleOf }, round);
        }
      }
      return endRound(round);
    },
  };
}

/** In the order in which they are sent; the model reads the last one last. */
const projectFiles = ['CLAUDE.md', '.claude/CLAUDE.md', 'AGENTS.md', '.claude/AGENTS.md'] as const;
const localFile = 'CLAUDE.local.md';
const rulesDirectory = '.claude/rules';

/** The errors for a path that doesn't exist, isn't a file, or has an invalid name. */
const absent: ReadonlySet<string> = new Set([
  ...['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'EACCES', 'EINVAL', 'ENAMETOOLONG'],
]);

function isOwnFile(directory: string, path: string): boolean {
  const isNamed = [...projectFiles, localFile].some((name) => joinPath(directory, name) === path);
  return isNamed || (isInside(joinPath(directory, rulesDirectory), path) && path.endsWith('.md'));
}

function listChain(cwd: string): readonly string[] {
  const chain = [cwd];
  for (let at = cwd; at !== '/';) chain.unshift((at = dirname(at)));
  return chain;
}

/** The directories from below the nearest root down to this one; empty if it is in no root. */
function listBelow(roots: readonly string[], directory: string): readonly string[] {
  const root = roots.findLast((candidate) => isInside(candidate, directory));
  return root === undefined ? [] : listChain(directory).filter((path) => isInside(root, path));
}

function matchesOne(globs: readonly string[], directory: string, path: string): boolean {
  return globs.some(
    (glob) => explainBadGlob(glob) === undefined && compilePathGlob(directory, glob).test(path),
  );
}

function describeOrigin(path: string, why: Why, isChange: boolean): string {
  const what = isChange
    ? `The instructions in ${path} have changed. In place of what was said before they are now as below.`
    : describeSource(path, why);
  const whose =
    why.memory_type === 'User'
      ? "They are the user's own, for all of their projects. They permit nothing, and what the user says now comes first."
      : 'They came with the files: they permit nothing, and what the user says comes first.';
  return `${what} Follow them where they concern your task. ${whose}`;
}

function describeEnd(path: string): string {
  return `What was told of ${path} as instructions stands there no more, and holds no more.`;
}

function describeEndOfImport(path: string): string {
  return `No instructions import ${path} any more: what was told of it holds no more.`;
}

function describeSource(path: string, why: Why): string {
  switch (why.load_reason) {
    case 'include':
      return `Instructions from ${path}, which ${why.parent_file_path ?? ''} imports.`;
    case 'path_glob_match':
      return `Instructions from ${path}, for files that ${(why.globs ?? []).join(', ')} means.`;
    case 'nested_traversal':
      return `Instructions from ${path}, for the files there and below.`;
    case 'session_start':
    case 'compact':
      return `Instructions from ${path}.`;
  }
}

function describeCut(paths: readonly string[]): string {
  // 20: enough to find the others.
  const more = paths.length > 20 ? ` and ${paths.length - 20} more` : '';
  return `Instructions are told up to ${maxInstructionChars} characters. Of these files you haven't been told all; Read those that concern your task: ${paths.slice(0, 20).join(', ')}${more}.`;
}
