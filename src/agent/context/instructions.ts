// The workspace's instruction files: which of them the model is to be told now, and as what. The user's own,
// CLAUDE.md, AGENTS.md and rules from the root down to the working directory, those beside files that were read,
// and what they import. Loaded by memory.ts for a query with `settingSources`.
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

/** One file that was told. Plain data. */
export interface ToldFile {
  /** Where it really stands, links followed. */
  readonly path: string;
  readonly version: Version;
  /** SHA-256 of its text, as far as that is told at all. */
  readonly digest: string;
  /** How many characters of it the conversation has: none where another file says the same. */
  readonly chars: number;
  readonly why: Why;
  /**
   * For a rule: the directory that its globs are relative to. It holds the rule's `.claude`; for the user's rules it is
   * the working directory.
   */
  readonly ruleOf?: string;
}

/** Why a file is told, in the words of the hook. */
type Why = Omit<InstructionsLoaded, 'file_path'>;

/** The fields of the hook of this name. */
export type InstructionsLoaded = HookFields<'InstructionsLoaded'>;

/** What the conversation has of them. Plain data. */
export interface ToldInstructions {
  readonly files: readonly ToldFile[];
  /** Directories below the working directory where files were looked for, because one there was read. */
  readonly directories: readonly string[];
}

export interface InstructionsOptions {
  /** Its files are asked for again each time: of an agent on a branch they may come to be others. */
  readonly root: { readonly fs: Pick<RootFiles, 'readFile' | 'realpath' | 'stat' | 'walk'> };
  readonly cwd: string;
  /** The user's home, absolute. */
  readonly home?: string | undefined;
  readonly sources: readonly SettingSource[];
  readonly permissions: () => Pick<ToolPermissionContext, 'rules' | 'additionalWorkingDirectories'>;
  /** What the conversation has already. */
  readonly told: ToldInstructions;
  /** Hears of each file whose text is told. Must not throw. */
  readonly onLoaded: (loaded: InstructionsLoaded) => void;
  /** Hears, in a sentence, of a file that is there and can't be read. Must not throw. */
  readonly warn: (message: string) => void;
}

/** Methods must not run at the same time. */
export interface Instructions {
  readonly told: ToldInstructions;
  /** What is new since the last time, has changed or is gone. */
  beforePrompt(reason: 'session_start' | 'compact'): Promise<readonly MessageParam[]>;
  /**
   * What is to be told because these files were read. `paths` are real ones. Paths that were given
   * before are passed over.
   */
  afterReads(paths: Iterable<string>): Promise<readonly MessageParam[]>;
}

// 40 000 characters, some 10 000 tokens: what is longer crowds out the work.
const maxInstructionChars = 40_000;
const maxImportDepth = 5;
// Security: each costs a look at the workspace, however short it is. By hand nobody writes 100.
const maxFiles = 100;
const maxImports = 50;
// 256 kB: a longer file is no instruction. The model would see a sixth of it at most.
const maxFileBytes = 256 * 1024;

/** A file to be told, and why. */
interface Candidate {
  /** The path as it is shown. */
  readonly path: string;
  readonly why: Why;
  readonly ruleOf?: string | undefined;
}

/** A rule that waits for a file that it means. */
interface WaitingRule {
  readonly path: string;
  readonly memory_type: Why['memory_type'];
  readonly ruleOf: string;
  readonly version: Version;
  readonly globs: readonly string[];
}

type LookReason = 'session_start' | 'compact';

/** What one round has to tell. */
interface Round {
  readonly messages: MessageParam[];
  /** Files of which something isn't shown. */
  readonly cut: string[];
}

export function createInstructions(options: InstructionsOptions): Instructions {
  const { root, cwd, home, sources, permissions, onLoaded } = options;
  const told = new Map(options.told.files.map((file) => [file.path, file]));
  const visited = new Set(options.told.directories);
  const waiting = new Map<string, WaitingRule>();
  const read = new Set<string>();
  const warned = new Set<string>();
  /** Is it known by now which rules wait? A session that is opened in mid-turn begins with no prompt. */
  let hasLooked = false;
  /** From the root down to the working directory. */
  const chain = listChain(cwd);
  /** Where the user's own files are, all of which may be told; undefined where they aren't asked for. */
  const userDirectory =
    home !== undefined && sources.includes('user') ? joinPath(home, '.claude') : undefined;

  const listDirectories = () => [cwd, ...permissions().additionalWorkingDirectories.keys()];

  const isAllowed = createReadCheck(cwd, permissions);

  /**
   * Security: what no call may read isn't told either. Above the working directory only instruction
   * files may be read.
   */
  function mayRead(path: string, type: Why['memory_type']): boolean {
    if (!isAllowed(path)) return false;
    if (isUsers(path)) return type === 'User';
    const isReachable = listDirectories().some((directory) => isInside(directory, path));
    return isReachable || chain.some((directory) => isOwnFile(directory, path));
  }

  /** Security: no file of a project may bring what is in the user's home. */
  function isUsers(path: string): boolean {
    return userDirectory !== undefined && isInside(userDirectory, path);
  }

  function warn(message: string): void {
    if (warned.has(message)) return;
    warned.add(message);
    options.warn(message);
  }

  /** The real path of a file that may be read, and its version; undefined: there is none. */
  async function find(path: string, type: Why['memory_type']) {
    if (!mayRead(path, type)) return undefined;
    const real = await root.fs.realpath(path);
    if (!mayRead(real, type)) return undefined;
    const stats = await root.fs.stat(real);
    return stats.isFile() ? { path: real, version: stats.version, size: stats.size } : undefined;
  }

  /** Undefined for what isn't there, or can't be told apart from that. */
  async function tryTo<T>(path: string, look: () => Promise<T>): Promise<T | undefined> {
    try {
      return await look();
    } catch (error) {
      const isAbsent = SdkError.isInstance(error) && absent.has(error.code);
      if (!isAbsent) warn(`The instructions in ${path} can't be read: ${describeThrown(error)}`);
      return undefined;
    }
  }

  /** Tells the file and, before it, what it imports. `known`: the file as it was told already. */
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
    // What is imported may be of any kind; a picture is no text.
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
    // Noted before its imports, one of which may import it.
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
      // What the user's files import from a project is the project's.
      const isOfUser = memory_type === 'User' && isUsers(parent) && isUsers(imported);
      const type = memory_type === 'User' && !isOfUser ? 'Project' : memory_type;
      const why = { memory_type: type, load_reason: 'include', parent_file_path: parent } as const;
      await tell({ path: imported, why }, round, depth + 1);
    }
  }

  /** `~` is the home of the user's own files alone. */
  function resolveImport(parent: string, path: string): string | undefined {
    if (!path.startsWith('~')) return resolvePath(dirname(parent), path);
    return isUsers(parent) && home !== undefined && path.startsWith('~/')
      ? joinPath(home, path.slice('~/'.length))
      : undefined;
  }

  /** Adds as much of the text as there is room for. Returns the number of characters. */
  function pushText(path: string, text: string, why: Why, round: Round, isChange: boolean): number {
    const used = [...told.values()].reduce((sum, { chars }) => sum + chars, 0);
    const shown = clipText(text, Math.max(0, maxInstructionChars - used));
    if (shown.length < text.length) round.cut.push(path);
    if (shown === '') return 0;
    push(round, `${describeOrigin(path, why, isChange)}\n\n${shown}`);
    return shown.length;
  }

  /** A rule's file is followed where it is a link; a link to a directory isn't. */
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

  /** Tells the files that aren't told yet, in all directories where instructions are looked for. */
  async function look(load_reason: LookReason, round: Round): Promise<void> {
    hasLooked = true;
    if (userDirectory !== undefined) await tellUser(userDirectory, load_reason, round);
    for (const directory of chain) await tellDirectory(directory, { load_reason }, round);
    for (const directory of visited) {
      await tellDirectory(directory, { load_reason: 'nested_traversal' }, round);
    }
  }

  /** Tells again what has changed since it was told, and what is gone. */
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
   * Ends files that were told as imports and that no other file imports any more, directly or by
   * another one.
   */
  async function endImports(round: Round): Promise<void> {
    const isImport = ({ why }: ToldFile) => why.load_reason === 'include';
    const reached = new Set([...told.values()].filter((file) => !isImport(file)));
    // Grows meanwhile.
    for (const { path, ruleOf, why, digest } of reached) {
      // What is too long to be told imports nothing.
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

/** In the order in which they are told; the last is read last. */
const projectFiles = ['CLAUDE.md', '.claude/CLAUDE.md', 'AGENTS.md', '.claude/AGENTS.md'] as const;
const localFile = 'CLAUDE.local.md';
const rulesDirectory = '.claude/rules';

/** The errors for a path that doesn't exist, is no file, or is no valid name. */
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

/** The directories from below the nearest root down to this one; none where it is in no root. */
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
  // 20: enough to find the others beside them.
  const more = paths.length > 20 ? ` and ${paths.length - 20} more` : '';
  return `Instructions are told up to ${maxInstructionChars} characters. Of these files you haven't been told all; Read those that concern your task: ${paths.slice(0, 20).join(', ')}${more}.`;
}
