// The sending side of a move. The last entry of the journal stops the session here; then its
// complete state can be read. Both sides of a move use this file, because a session can move in
// both directions.
import { SdkError, hasCode } from '../../core/errors.ts';
import type { MoveOutRecord } from '../../core/session/journal.ts';
import { isDoneIn } from '../../core/async/in-time.ts';
import { systemClock } from '../../core/async/system-clock.ts';
import { toSessionRootId } from '../../core/session/session-path.ts';
import { createSessionJournal } from '../../agent/journal/session-journal.ts';
import { createStreamStore, loadJournal } from '../../agent/journal/stored-journal.ts';
import { findHeldSession, holdSession } from '../../agent/session/held-sessions.ts';
import type { HeldSession, HoldingHost } from '../../agent/session/held-sessions.ts';
import { toDryRunId } from '../../agent/session/files/dry-run-root.ts';
import { findUrl, openLedger } from '../../agent/session/handover/ledger.ts';
import { createElsewhereError, findOut } from '../../agent/session/handover/whereabouts.ts';
import type { SessionFold } from '../../agent/journal/fold.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { listCheckpoints, toLists } from './checkpoints.ts';
import { hashContent, hashesOf, listFiles, toFileList } from './file-list.ts';
import type { KnownHashes } from './file-list.ts';
import { maxMessageBytes } from './frames.ts';
import { countEntries, hashJournal } from './journal-copy.ts';
import type { Challenge, Departure, MovedTrees, Proof } from './move-messages.ts';

/** The files that are moved. */
export interface LeavingFiles extends MovedTrees {
  /** Reads a content by its hash. */
  read(hash: string): Promise<Uint8Array>;
}

/** How often files are listed again if somebody changes them meanwhile. */
const mostListings = 3;

/**
 * Lists the current files of the workspace and of the session, and its checkpoints. `has`: the ids
 * of the checkpoints that the other side has. `isFirst`: the session still runs and changes them.
 *
 * @throws SdkError `ECONFLICT` if files were changed again and again
 */
export async function listLeaving(
  workspace: Workspace,
  session: string,
  { known, has, isFirst = false }: ListingOptions,
): Promise<LeavingFiles> {
  for (let attempt = 1; attempt <= mostListings; attempt += 1) {
    const seq = workspace.seq();
    const files = await listOnce(workspace, session, { known, has });
    // Checkpoints are sent as differences from the files, so the files must not have changed.
    if (isFirst || workspace.seq() === seq) return files;
  }
  throw createChangedError();
}

/** How they are listed. */
export interface ListingOptions {
  readonly known: KnownHashes;
  readonly has: readonly string[];
  readonly isFirst?: boolean;
}

async function listOnce(
  workspace: Workspace,
  session: string,
  { known, has }: ListingOptions,
): Promise<LeavingFiles> {
  const own = workspace.at(toSessionRootId(session));
  const sessions = await workspace.roots.list({ kind: 'session' });
  const hasOwn = sessions.some(({ id }) => id === toSessionRootId(session));
  const main = await listFiles(workspace, known);
  const inOwn = hasOwn ? await listFiles(own, known) : new Map();
  const mainList = toFileList(main);
  const { checkpoints, places: pinned } = await listCheckpoints(workspace, session, {
    main: mainList,
    known,
    has,
  });
  const places = new Map(pinned);
  for (const [files, fs] of [[main, workspace.fs] as const, [inOwn, own.fs] as const]) {
    for (const [path, { node }] of files) {
      if (node[0] === 'f') places.set(node[1], () => fs.readFile(path));
    }
  }
  return {
    main: mainList,
    own: toFileList(inOwn),
    checkpoints,
    async read(hash) {
      const bytes = await places.get(hash)?.();
      // A person may have changed the file since. Only the listed content may be sent.
      if (bytes && (await hashContent(bytes)) === hash) return bytes;
      throw createChangedError();
    },
  };
}

function createChangedError(): SdkError {
  return new SdkError(
    'ECONFLICT',
    'A file was changed while it was sent. The session stays where it is: move it again.',
  );
}

/** A session that has left, held so that it can't be opened. */
export interface LeftSession extends Disposable {
  readonly fold: SessionFold;
}

// 2 s: a tool of the page that ignores its abort may never end. Its later work isn't recorded.
const quietMs = 2_000;

/** Resolves when running work has ended and doesn't write the session's own files any more. */
async function whenQuiet(open: Pick<HeldSession, 'whenLetGo'> | undefined): Promise<void> {
  if (open) await isDoneIn(open.whenLetGo, quietMs);
}

/**
 * Yields groups of contents, each for one message. `isFirst`: contents that have changed since they
 * were listed are sent later.
 */
export async function* readContents(
  { read, ...trees }: LeavingFiles,
  hashes: readonly string[],
  isFirst = false,
): AsyncGenerator<{ readonly hashes: readonly string[]; readonly blobs: readonly Uint8Array[] }> {
  const wanted = new Set(hashes);
  let group: string[] = [];
  let blobs: Uint8Array[] = [];
  let bytes = 0;
  for (const hash of hashesOf(...toLists(trees))) {
    if (!wanted.has(hash)) continue;
    const blob = isFirst ? await read(hash).catch(passChanged) : await read(hash);
    if (!blob) continue;
    if (group.length > 0 && bytes + blob.length > maxMessageBytes) {
      yield { hashes: group, blobs };
      group = [];
      blobs = [];
      bytes = 0;
    }
    group.push(hash);
    blobs.push(blob);
    bytes += blob.length;
  }
  if (group.length > 0) yield { hashes: group, blobs };
}

function passChanged(error: unknown): undefined {
  if (hasCode(error, 'ECONFLICT', 'ENOENT')) return undefined;
  throw error;
}

/** The options of a departure. */
export interface Leaving extends Pick<MoveOutRecord, 'move' | 'to'> {
  /**
   * The hold of a caller that already holds the session and releases it. Left out: the result holds
   * the session.
   */
  readonly hold?: Disposable;
}

/**
 * Stops the session here and records that it leaves. Nothing of it runs or is recorded afterwards.
 * Idempotent for the same move. Resolves to its complete state; the session can't be opened until
 * that is disposed.
 *
 * @throws SdkError `bad-usage` if it doesn't run here, if another tab runs it, or while an agent
 * works on its own branch
 */
export async function leavePlace(
  host: HoldingHost,
  session: string,
  { move, to, hold: given }: Leaving,
): Promise<LeftSession> {
  const { workspace } = host;
  const { place } = await openLedger(workspace.streams, session, true);
  const held = findHeldSession(workspace, session);
  const open = held?.journal && !held.journal.broken.aborted ? held : undefined;
  let hold: Disposable | undefined;
  if (!given) hold = open ? open.retain() : await holdSession(host, session);
  try {
    const store = createStreamStore(workspace, session);
    const journal =
      open?.journal ??
      createSessionJournal({
        fold: await loadJournal(workspace, session),
        store,
        clock: systemClock,
      });
    const { fold } = journal;
    const ledger = await openLedger(workspace.streams, session, true);
    const where = findOut(fold, ledger);
    const left: LeftSession = { fold, [Symbol.dispose]: () => hold?.[Symbol.dispose]() };
    if (fold.place?.type === 'move-out' && fold.place.move === move) return left;
    if (where === 'asking' || where === 'away') {
      throw createElsewhereError(session, where === 'asking', findUrl(ledger));
    }
    await refuseBranches(workspace, session, fold);
    // The mode is recorded only if the session was created here. In other places the mode is that
    // host's choice.
    const mode = ledger.isHome ? open?.mode?.() : undefined;
    const before = where === 'leaving' && fold.place ? [{ ...kept(fold.place.move), place }] : [];
    await journal.seal(
      [
        ...before,
        { type: 'move-out', move, place, lease: fold.lease + 1, to, ...(mode && { mode }) },
      ],
      createLeftError(session, to),
    );
    await whenQuiet(open);
    return left;
  } catch (error) {
    hold?.[Symbol.dispose]();
    throw error;
  }
}

const kept = (move: string) => ({ type: 'move-kept', move }) as const;

/**
 * Refuses to leave with open branches: a person decides about the work of an agent or a dry run
 * where it was done.
 *
 * @throws SdkError `bad-usage` whose message says how to continue
 */
export async function refuseBranches(
  { roots }: Workspace,
  session: string,
  fold: SessionFold,
): Promise<void> {
  const branches = (await roots.list({ kind: 'branch' })).map(({ id }) => id);
  const hasWork = async (root: string) =>
    branches.includes(root) && (await roots.diff(root)).length > 0;
  const dryRun = toDryRunId(session);
  if (await hasWork(dryRun)) {
    throw new SdkError(
      'bad-usage',
      `The dry run of the session ${session} has changes (${dryRun}), which can't be moved. Take them over or drop them by openDryRun, then move the session.`,
      { data: { root: dryRun } },
    );
  }
  for (const { record, isGone } of fold.agents.values()) {
    const { root, description } = record;
    if (isGone || root === undefined || !(await hasWork(root))) continue;
    throw new SdkError(
      'bad-usage',
      `The agent "${description}" has work on a branch of its own (${root}), which can't be moved. Take it over or drop it by openAgentBranch, then move the session.`,
      { data: { root } },
    );
  }
}

/** Describes everything that must arrive in the other place. Call it after the session has left. */
export async function describeDeparture(
  workspace: Workspace,
  session: string,
  fold: SessionFold,
  { main, own, checkpoints }: LeavingFiles,
): Promise<Departure> {
  const entries = await countEntries(workspace.streams, session);
  const paths = [...fold.reads.keys()];
  const versions = await workspace.versions(paths);
  return {
    lease: fold.lease + 1,
    entries,
    digest: await hashJournal(workspace.streams, session, entries),
    main,
    own,
    checkpoints,
    reads: paths.filter((path, at) => fold.reads.get(path) === versions[at]),
  };
}

// 16: these alone detect a place that has lost one of a hundred files in every sixth move, and a
// place that has none in every move.
const asked = 16;

/**
 * Creates a challenge that only a place with the bytes can answer. It covers up to 16 contents,
 * including the largest.
 */
export function challenge(trees: MovedTrees): Challenge {
  const lists = toLists(trees);
  const hashes = hashesOf(...lists);
  const sizes = new Map(lists.flat().map(([, node]) => [node[1], node[0] === 'f' ? node[2] : 0]));
  hashes.sort((a, b) => (sizes.get(b) ?? 0) - (sizes.get(a) ?? 0));
  const [largest, ...others] = hashes;
  for (let at = others.length - 1; at > 0; at -= 1) {
    const other = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
    const pick = other % (at + 1);
    [others[at], others[pick]] = [others[pick] ?? '', others[at] ?? ''];
  }
  const chosen = largest === undefined ? [] : [largest, ...others.slice(0, asked - 1)];
  return { nonce: crypto.randomUUID(), hashes: chosen };
}

/** Answers a challenge. The counts are those of this place's data. */
export async function prove(
  { streams }: Workspace,
  session: string,
  { nonce, hashes }: Challenge,
  read: (hash: string) => Promise<Uint8Array>,
  files: number,
): Promise<Proof> {
  const entries = await countEntries(streams, session);
  const parts = [await hashJournal(streams, session, entries, nonce)];
  for (const hash of hashes) {
    const bytes = await read(hash);
    const salted = new Uint8Array(nonce.length + bytes.length);
    salted.set(new TextEncoder().encode(nonce));
    salted.set(bytes, nonce.length);
    parts.push(await hashContent(salted));
  }
  return { files, entries, hash: await hashContent(new TextEncoder().encode(parts.join(' '))) };
}

function createLeftError(session: string, to: string): SdkError {
  return new SdkError('bad-usage', `The session ${session} was moved to ${to}.`, {
    data: { sessionId: session, movedAway: to },
  });
}
