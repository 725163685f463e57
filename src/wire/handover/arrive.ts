// The receiving side of a move. Contents that it lacks are stored aside and checked. They become
// part of the workspace in the one record by which the session starts to run here. Both sides of a
// move use this file, because a session can move in both directions.
import type { ChangeSet, ContentId } from '../../core/change-set.ts';
import { SdkError } from '../../core/errors.ts';
import type { JournalEntry, MoveInRecord } from '../../core/session/journal.ts';
import { toSessionRootId } from '../../core/session/session-path.ts';
import { encodeRecord } from '../../agent/journal/journal-codec.ts';
import type { SessionFold } from '../../agent/journal/fold.ts';
import { hasJournal, loadJournal, toJournalId } from '../../agent/journal/stored-journal.ts';
import {
  findUrl,
  listLedgers,
  noteHome,
  noteMove,
  openLedger,
  readLedger,
} from '../../agent/session/handover/ledger.ts';
import type { Ledger } from '../../agent/session/handover/ledger.ts';
import { findOut } from '../../agent/session/handover/whereabouts.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { toWireAddress } from '../wire-address.ts';
import { bringCheckpoints, toLists } from './checkpoints.ts';
import { hashContent, hashesOf, listFiles, planArrival } from './file-list.ts';
import type { ArrivalPlan, FileList, KnownHashes, LocalNode } from './file-list.ts';
import { decodeFrame, encodeFrame } from './frames.ts';
import { countEntries, hashJournal } from './journal-copy.ts';
import type { Copy, Departure } from './move-messages.ts';

const author = { kind: 'agent' } as const;

/** Contents that wait for the session are stored as files of a branch, named by their hashes. */
const toAsideId = (session: string): string => `moving-${session}`;

const asideDirectory = '/.rockpool-moving';

/** Converts a hash to a file name. */
const toName = (hash: string): string => hash.replaceAll('/', '_');

/**
 * Returns what this workspace knows about its copy of the session. The hash covers at most `upTo`
 * entries.
 */
export async function describeCopy(
  workspace: Workspace,
  session: string,
  upTo = Infinity,
): Promise<Copy> {
  const { streams } = workspace;
  if (!(await hasJournal(workspace, session))) {
    return { session: undefined, runsHere: false, lease: 0, entries: 0, digest: '' };
  }
  const fold = await loadJournal(workspace, session);
  const where = findOut(fold, await readLedger(streams, session));
  const entries = fold.length;
  const digest = await hashJournal(streams, session, Math.min(entries, upTo));
  const runsHere = where === 'here' || where === 'leaving';
  return { session, runsHere, lease: fold.lease, entries, digest };
}

/**
 * Call it before anything of the session is stored. From here on, an opening doesn't take the
 * partial copy for a complete session.
 */
export async function expectSession(workspace: Workspace, session: string): Promise<Ledger> {
  const { streams } = workspace;
  const ledger = await openLedger(streams, session, false);
  if (!ledger.isHome || (await hasJournal(workspace, session))) return ledger;
  // The session was deleted here. The state that both sides had in common is still known.
  await noteHome(streams, session, { place: ledger.place, isHome: false });
  return { ...ledger, isHome: false };
}

/** The contents that exist here: those of files, and those that have arrived. */
export interface Stock {
  readonly main: ReadonlyMap<string, LocalNode>;
  readonly own: ReadonlyMap<string, LocalNode>;
  contentOf(hash: string): ContentId | undefined;
  read(hash: string): Promise<Uint8Array>;
}

/** Opens the stock in its current state. */
export async function openStock(
  workspace: Workspace,
  session: string,
  known: KnownHashes,
): Promise<Stock> {
  const main = await listFiles(workspace, known);
  const own = (await hasOwnFiles(workspace, session))
    ? await listFiles(workspace.at(toSessionRootId(session)), known)
    : new Map<string, LocalNode>();
  const contents = new Map<string, ContentId>();
  const places = new Map<string, () => Promise<Uint8Array>>();
  const add = (tree: Pick<Workspace, 'fs'>, path: string, { node, contentId }: LocalNode) => {
    if (node[0] !== 'f' || contentId === undefined) return;
    contents.set(node[1], contentId);
    places.set(node[1], () => tree.fs.readFile(path));
  };
  for (const [path, node] of main) add(workspace, path, node);
  for (const [path, node] of own) add(workspace.at(toSessionRootId(session)), path, node);
  const aside = await findAside(workspace, session);
  if (aside) {
    const [there] = await aside.lookUp([asideDirectory]);
    const names = there ? await aside.fs.readdir(asideDirectory) : [];
    const paths = names.map((name) => `${asideDirectory}/${name}`);
    const states = await aside.lookUp(paths);
    for (const [at, path] of paths.entries()) {
      const state = states[at];
      if (state?.kind !== 'file') continue;
      const hash = (names[at] ?? '').replaceAll('_', '/');
      contents.set(hash, state.contentId);
      places.set(hash, () => aside.fs.readFile(path));
    }
  }
  return {
    main,
    own,
    contentOf: (hash) => contents.get(hash),
    async read(hash) {
      const bytes = await places.get(hash)?.();
      if (bytes) return bytes;
      throw new SdkError('invalid-input', 'A content of the session has not arrived.', {
        data: { hash },
      });
    },
  };
}

async function hasOwnFiles({ roots }: Workspace, session: string): Promise<boolean> {
  const id = toSessionRootId(session);
  return (await roots.list({ kind: 'session' })).some((root) => root.id === id);
}

async function findAside({ roots, at }: Workspace, session: string) {
  const id = toAsideId(session);
  const isThere = (await roots.list({ kind: 'branch' })).some((root) => root.id === id);
  return isThere ? at(id) : undefined;
}

/**
 * Stores contents aside.
 *
 * @throws SdkError `invalid-input` if a content doesn't match its hash
 */
export async function keepContents(
  workspace: Workspace,
  session: string,
  hashes: readonly string[],
  blobs: readonly Uint8Array[],
): Promise<void> {
  for (const [at, hash] of hashes.entries()) {
    const bytes = blobs[at];
    if (bytes && (await hashContent(bytes)) === hash) continue;
    const message = 'A content of the session arrived otherwise than it was sent. Move it again.';
    throw new SdkError('invalid-input', message, { data: { hash } });
  }
  const id = toAsideId(session);
  let aside = await findAside(workspace, session);
  if (!aside) {
    await workspace.roots.branch('A session that arrives', { id, author });
    aside = workspace.at(id);
  }
  const paths = hashes.map((hash) => `${asideDirectory}/${toName(hash)}`);
  const [there] = await aside.lookUp([asideDirectory]);
  const states = await aside.lookUp(paths);
  const writes = paths.flatMap((path, at) => {
    const content = blobs[at];
    if (states[at] || !content) return [];
    return [{ type: 'write', path, baseVersion: 0, content, mode: 0o644, mtimeMs: 0 } as const];
  });
  const made = {
    type: 'mkdir',
    path: asideDirectory,
    baseVersion: 0,
    mode: 0o755,
    mtimeMs: 0,
  } as const;
  const changes = there ? writes : [made, ...writes];
  const changeSet: ChangeSet = { baseSeq: workspace.seq(), changes };
  if (changes.length > 0) await workspace.commit(changeSet, { author, root: id });
}

/** Plans the changes here, starting from the last state that both sides had in common. */
async function planFiles(
  workspace: Workspace,
  session: string,
  { main }: Pick<Departure, 'main'>,
  stock: Stock,
): Promise<ArrivalPlan> {
  return planArrival(await readBase(workspace, session), main, stock.main, stock.contentOf);
}

/**
 * Returns the files in the last state that both sides had in common. It is from when the session
 * left this workspace, or when the session did that /clear has replaced by it. Empty if neither
 * did.
 */
async function readBase(workspace: Workspace, session: string): Promise<FileList> {
  const { streams } = workspace;
  const ledger = await readLedger(streams, session);
  const departure =
    lastAway(ledger)?.departure ?? (await findPredecessor(workspace, session, ledger));
  if (departure === undefined) return [];
  return (await readDeparture(await streams.readContent(departure))).main;
}

/**
 * Finds the departure of an earlier session that is still away, and was replaced by this one by
 * /clear, once or several times. It is found in this session's journal. Otherwise it is the only
 * session that was moved to the place that this one comes from.
 */
async function findPredecessor(
  workspace: Workspace,
  session: string,
  ledger: Ledger | undefined,
): Promise<ContentId | undefined> {
  const { streams } = workspace;
  const others = (await listLedgers(streams)).filter((id) => id !== session);
  if (others.length === 0) return undefined;
  const url = [...(ledger?.moves.values() ?? [])].at(-1)?.url;
  const { session: head } = await loadJournal(workspace, session);
  const left = [head?.clearedFrom, ...(head?.clearedBefore ?? [])];
  /** The nearest earlier session that is known here. */
  let nearest: { readonly departure: ContentId; readonly at: number } | undefined;
  const found: ContentId[] = [];
  for (const id of others) {
    const other = await readLedger(streams, id);
    const { departure } = lastAway(other) ?? {};
    const movedTo = findUrl(other);
    const at = left.indexOf(id);
    const isFromThere =
      url !== undefined && movedTo !== undefined && toWireAddress(movedTo) === toWireAddress(url);
    if (departure === undefined || !(at >= 0 || isFromThere)) continue;
    // A session that was deleted here since also counts as away.
    const isKept = await hasJournal(workspace, id);
    if (isKept && findOut(await loadJournal(workspace, id), other) !== 'away') continue;
    if (at < 0) found.push(departure);
    else if (!nearest || at < nearest.at) nearest = { departure, at };
  }
  return nearest?.departure ?? (found.length === 1 ? found[0] : undefined);
}

const lastAway = (ledger: Ledger | undefined) =>
  [...(ledger?.moves.values() ?? [])].findLast(({ state }) => state === 'away');

/**
 * The part of a departure that the place of departure keeps: the files in the last common state.
 */
export const toBase = (departure: Departure): Departure => ({ ...departure, checkpoints: [] });

/** Serializes what a ledger keeps about a move. Inverse: {@link readDeparture}. */
export const writeDeparture = (departure: Departure): Promise<Uint8Array> => encodeFrame(departure);

export async function readDeparture(bytes: Uint8Array): Promise<Departure> {
  const { fields } = await decodeFrame(bytes.slice());
  return fields as unknown as Departure;
}

/**
 * Checks that the whole session has arrived as it was sent. Changes nothing. `keepsFiles`: as in
 * {@link TakeOver}.
 *
 * @throws SdkError `invalid-input` if something is missing or differs, `ECONFLICT` with
 * `data.paths` if files were changed on both sides
 */
export async function checkArrived(
  workspace: Workspace,
  session: string,
  departure: Departure,
  { stock, keepsFiles = false }: { readonly stock: Stock; readonly keepsFiles?: boolean },
): Promise<SessionFold> {
  const { streams } = workspace;
  const entries = await countEntries(streams, session);
  const digest = await hashJournal(streams, session, entries);
  if (entries !== departure.entries || digest !== departure.digest) {
    throw new SdkError(
      'invalid-input',
      `The session's journal has not arrived as it was sent: ${entries} entries of ${departure.entries}. Nothing was taken over: move it again.`,
      { data: { entries, expected: departure.entries } },
    );
  }
  for (const hash of hashesOf(...toLists(departure))) {
    if (stock.contentOf(hash) !== undefined) continue;
    const message =
      'A content of the session has not arrived. Nothing was taken over: move it again.';
    throw new SdkError('invalid-input', message, { data: { hash } });
  }
  const { conflicts } = keepsFiles
    ? keptFiles
    : await planFiles(workspace, session, departure, stock);
  if (conflicts.length > 0) throw createConflictError(conflicts);
  // Checks that the journal can be read.
  return loadJournal(workspace, session);
}

/** No file is changed, and no file is known to be as the session has read it. */
const keptFiles: ArrivalPlan = { changes: [], conflicts: [], arrived: new Set() };

/** The options of a takeover. */
export interface TakeOver {
  readonly move: string;
  readonly departure: Departure;
  /** The kind of this place, for the model and for people. */
  readonly at: string;
  readonly acceptsRules: boolean;
  /**
   * The session belongs to this place already. Files that somebody has changed here at the last
   * moment are kept in a checkpoint.
   */
  readonly isGiven?: boolean;
  /** The workspace's files stay unchanged. */
  readonly keepsFiles?: boolean;
}

/** Starts the session here: its files and the `move-in` entry are one record. Idempotent. */
export async function takeOver(
  workspace: Workspace,
  session: string,
  { move, departure, at, acceptsRules, isGiven = false, keepsFiles = false }: TakeOver,
  known: KnownHashes,
): Promise<number> {
  const { streams } = workspace;
  const fold = await loadJournal(workspace, session);
  const ledger = await openLedger(streams, session, false);
  const isDone = fold.place?.type === 'move-in' && fold.place.move === move;
  if (!isDone) {
    const stock = await openStock(workspace, session, known);
    await bringOwnFiles(workspace, session, departure, stock);
    const { main: here, contentOf } = stock;
    await bringCheckpoints(workspace, session, { ...departure, here, contentOf });
    const plan = keepsFiles
      ? keptFiles
      : await planTakeOver(workspace, session, departure, stock, isGiven);
    const written = new Set(plan.changes.map(({ path }) => path));
    const kept = departure.reads.filter((path) => plan.arrived.has(path));
    const reads = kept.flatMap((path) => {
      const node = stock.main.get(path);
      return node && !written.has(path) ? [[path, node.version] as const] : [];
    });
    const since = lastAway(ledger)?.n ?? 0;
    const record: MoveInRecord = {
      type: 'move-in',
      move,
      place: ledger.place,
      lease: departure.lease,
      at,
      acceptsRules,
      since,
      reads,
      writes: kept.filter((path) => written.has(path)),
    };
    await recordArrival(workspace, session, plan, {
      ...record,
      n: fold.length + 1,
      time: Date.now(),
    });
  }
  await noteMove(streams, session, { move, state: 'here' });
  await dropAside(workspace, session);
  return departure.lease;
}

async function planTakeOver(
  workspace: Workspace,
  session: string,
  { main }: Departure,
  stock: Stock,
  isGiven: boolean,
): Promise<ArrivalPlan> {
  const base = await readBase(workspace, session);
  const plan = planArrival(base, main, stock.main, stock.contentOf);
  if (plan.conflicts.length === 0) return plan;
  if (!isGiven) throw createConflictError(plan.conflicts);
  await workspace.roots.checkpoint('Before a session came back', { author });
  const asHere = new Map(base);
  for (const path of plan.conflicts) {
    const here = stock.main.get(path);
    if (here) asHere.set(path, here.node);
    else asHere.delete(path);
  }
  return planArrival([...asHere], main, stock.main, stock.contentOf);
}

async function recordArrival(
  workspace: Workspace,
  session: string,
  { changes }: ArrivalPlan,
  entry: JournalEntry,
): Promise<void> {
  const stream = toJournalId(session);
  const append = { stream, at: entry.n - 1, entries: [encodeRecord(entry)] };
  const { streams } = workspace;
  if (changes.length === 0) await streams.append(stream, append.entries, { at: append.at });
  else await workspace.commit({ baseSeq: workspace.seq(), changes }, { author, append });
}

/** Copies the files that only the session writes. */
async function bringOwnFiles(
  workspace: Workspace,
  session: string,
  { own }: Departure,
  stock: Stock,
): Promise<void> {
  const base = [...stock.own].map(([path, { node }]) => [path, node] as const);
  const { changes } = planArrival(base, own, stock.own, stock.contentOf);
  if (changes.length === 0) return;
  const { id } = await workspace.roots.session(session, { author });
  await workspace.commit({ baseSeq: workspace.seq(), changes }, { author, root: id });
}

/** Removes the contents that were stored aside. */
export async function dropAside(workspace: Workspace, session: string): Promise<void> {
  const aside = await findAside(workspace, session);
  if (aside) await workspace.roots.drop(toAsideId(session), { author });
}

function createConflictError(paths: readonly string[]): SdkError {
  const shown = paths.slice(0, 5).join(', ');
  const more = paths.length > 5 ? ` and ${paths.length - 5} more` : '';
  return new SdkError(
    'ECONFLICT',
    `These files were changed on both sides since the session left: ${shown}${more}. It stays where it is. Make them equal on one side, or remove them there, then move it again.`,
    { data: { paths } },
  );
}
