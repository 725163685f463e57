// Dry runs: a session works on its own branch, and `main` doesn't change. Afterwards a person takes
// the branch's changes, by file or by hunk, or drops them. The branches of isolated sub-agents work
// in the same way.
import { applyHunks } from './apply-hunks.ts';
import type { Change, FileChange, PatchHunk, Version } from '../../../core/change-set.ts';
import { SdkError } from '../../../core/errors.ts';
import type { Clock } from '../../../core/tool/ports.ts';
import { decodeUtf8 } from '../../../core/bytes/decode-utf8.ts';
import type { Workspace } from '../../../workspace/workspace.ts';
import { openDryRunRoot } from './dry-run-root.ts';
import { mainRoot } from './session-root.ts';

/**
 * The changes to take. Default: all of them. One call of `takeChanges` is one record of the log.
 */
export interface TakeOptions {
  /**
   * Files, and directories with everything below them. A file that has changed in `main` too is
   * merged line by line.
   */
  readonly paths?: readonly string[];
  /** By path, some of the hunks that `changes` gave. They must fit the present `main`. */
  readonly hunks?: Readonly<Record<string, readonly PatchHunk[]>>;
}

/** The changes that were taken. */
export interface TakenChanges {
  /** The sequence number of the record. */
  readonly seq: Version;
  readonly paths: readonly string[];
}

/**
 * The dry run of one session, or the branch of an isolated sub-agent. Its methods reject like the
 * workspace. Call them while no turn runs.
 */
export interface DryRun {
  /** The id of the branch, which is a root of the workspace. */
  readonly root: string;
  /** The changes of the branch that `main` doesn't have, in order, with hunks against `main`. */
  changes(): Promise<readonly FileChange[]>;
  /**
   * Commits changes to `main`. They aren't listed afterwards; the others stay, to be taken or
   * dropped. Rejects with `ECONFLICT` if changes don't fit the present `main`; `data.paths` has the
   * paths, and nothing is taken.
   */
  takeChanges(options?: TakeOptions): Promise<TakenChanges>;
  /**
   * Ends the dry run and drops all remaining changes. The next opening begins a new branch of
   * `main`.
   */
  dropChanges(): Promise<void>;
}

const author = { kind: 'agent' } as const;

/**
 * The session's dry run: the existing one, also after a reload, or a new one. Rejects like the
 * workspace.
 */
export async function openDryRun(
  workspace: Workspace,
  sessionId: string,
  clock: Pick<Clock, 'now'>,
): Promise<DryRun> {
  return toDryRun(workspace, await openDryRunRoot(workspace, sessionId), clock);
}

/**
 * The branch of an isolated sub-agent: `worktreeBranch` in its report. Rejects with `bad-usage` if
 * there is no such branch.
 */
export async function openAgentBranch(
  workspace: Workspace,
  branch: string,
  clock: Pick<Clock, 'now'>,
): Promise<DryRun> {
  const branches = await workspace.roots.list({ kind: 'branch' });
  if (branches.some(({ id }) => id === branch)) return toDryRun(workspace, branch, clock);
  throw new SdkError(
    'bad-usage',
    `There is no branch ${branch}. It may have been taken and dropped: workspace.roots.list() has those that are left.`,
    { data: { branch } },
  );
}

function toDryRun(workspace: Workspace, root: string, clock: Pick<Clock, 'now'>): DryRun {
  const { roots } = workspace;

  async function listChanges(): Promise<readonly FileChange[]> {
    const own = new Set((await roots.diff(root)).map(({ path }) => path));
    if (own.size === 0) return [];
    return (await roots.diff(root, { against: mainRoot })).filter(({ path }) => own.has(path));
  }

  async function takeHunks(hunks: NonNullable<TakeOptions['hunks']>): Promise<TakenChanges> {
    const paths = Object.keys(hunks);
    const changed = new Map((await listChanges()).map((change) => [change.path, change]));
    const baseSeq = workspace.seq();
    const written = paths.map((path) =>
      changed.get(path)?.type === 'update'
        ? writeHunks(workspace, root, path, hunks[path] ?? [], clock.now())
        : undefined,
    );
    const changes = await Promise.all(written);
    const unfit = paths.filter((_, at) => changes[at] === undefined);
    if (unfit.length > 0) throw conflict(unfit);
    const fitting = changes.filter((change) => change !== undefined);
    const { seq } = await workspace.commit({ baseSeq, changes: fitting }, { author });
    return { seq, paths };
  }

  return {
    root,
    changes: listChanges,
    async takeChanges({ paths, hunks } = {}) {
      if (!hunks) return roots.merge(root, { author, ...(paths && { paths }) });
      if (!paths && Object.keys(hunks).length > 0) return takeHunks(hunks);
      const message = paths
        ? 'Take files by paths in one call, and hunks of others in another: each is one record.'
        : 'hunks names no file. Leave it out to take all that was changed.';
      throw new SdkError('bad-usage', message);
    },
    async dropChanges() {
      await roots.drop(root, { author });
    },
  };
}

/** Undefined if the hunks don't fit. */
async function writeHunks(
  workspace: Workspace,
  root: string,
  path: string,
  hunks: readonly PatchHunk[],
  mtimeMs: number,
): Promise<Change | undefined> {
  const stats = await workspace.fs.lstat(path);
  if (hunks.length === 0 || !stats.isFile()) return undefined;
  const [before, after] = await Promise.all([
    workspace.fs.readFile(path).then(readText),
    workspace.at(root).fs.readFile(path).then(readText),
  ]);
  if (!before || !after) return undefined;
  const text = applyHunks(before.text, hunks, after.text);
  if (text === undefined) return undefined;
  const content = new TextEncoder().encode(before.mark + text);
  const mode = stats.mode & 0o7777;
  return { type: 'write', path, baseVersion: stats.version, content, mode, mtimeMs };
}

const byteOrderMark = '\uFEFF';

/**
 * The text as hunks contain it: without a byte order mark. Undefined for bytes that aren't UTF-8.
 */
function readText(bytes: Uint8Array): { readonly mark: string; readonly text: string } | undefined {
  const text = decodeUtf8(bytes);
  const mark = text?.startsWith(byteOrderMark) ? byteOrderMark : '';
  return text === undefined ? undefined : { mark, text: text.slice(mark.length) };
}

function conflict(paths: readonly string[]): SdkError {
  return new SdkError(
    'ECONFLICT',
    `Nothing was taken: the hunks don't fit ${paths.join(', ')} as it is now. List the changes again. Files that are new, removed, or no UTF-8 text can only be taken as a whole.`,
    { data: { paths } },
  );
}
