// Answers the requests of a move at the place with an address. It decides the outcome of a move in
// both directions. A Durable Object creates one, and a server one per session.
import { SdkError } from '../../core/errors.ts';
import { appendPart, countEntries, readPart } from './journal-copy.ts';
import { createSessionJournal } from '../../agent/journal/session-journal.ts';
import { createStreamStore, hasJournal, loadJournal } from '../../agent/journal/stored-journal.ts';
import { noteMove, openLedger, readLedger } from '../../agent/session/handover/ledger.ts';
import type { Ledger } from '../../agent/session/handover/ledger.ts';
import { findOut } from '../../agent/session/handover/whereabouts.ts';
import { copyJournal } from '../../agent/stored-sessions/manage-sessions.ts';
import type { SessionFold } from '../../agent/journal/fold.ts';
import { deriveId } from '../../core/hashes/seeded-ids.ts';
import { createSerialQueue } from '../../core/async/serial-queue.ts';
import { systemClock } from '../../core/async/system-clock.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import {
  checkArrived,
  describeCopy,
  dropAside,
  expectSession,
  keepContents,
  openStock,
  readDeparture,
  takeOver,
  writeDeparture,
} from './arrive.ts';
import type { Stock } from './arrive.ts';
import { listCheckpointIds } from './checkpoints.ts';
import { isUsed, removeEmpty } from './empty-session.ts';
import { describeDeparture, leavePlace, listLeaving, prove, readContents } from './depart.ts';
import type { LeavingFiles, ListingOptions } from './depart.ts';
import type { KnownHashes } from './file-list.ts';
import { decodeFrame, encodeFrame } from './frames.ts';
import { readMoveRequest } from './move-messages.ts';
import type { Copy, MoveHead, MoveMessages, MoveType } from './move-messages.ts';
import { maxMoveBytes } from '../move-server.ts';
import type { MoveServer } from '../move-server.ts';
import { toWireError } from '../protocol.ts';

/** A place of sessions, as its host implements it. */
export interface MovingPlace {
  /** The place's description for the model and people: "a Durable Object at agent.example.org". */
  readonly name: string;
  /** Permissions that a person gave in another place apply here, too. */
  readonly acceptsRules: boolean;
  /** The id of the place's current session; undefined if it has none. */
  session(): string | undefined;
  /**
   * Called before anything of a session is stored. Returns the reason if it may not come. Left out:
   * it may.
   */
  refusal?(): Promise<string | undefined>;
  /**
   * Called before a session starts to run here. Returns the reason if it may not. `isRunning`: it
   * is in the middle of a turn, or has a waiting prompt. Any other result is disposed if the
   * session doesn't come. Left out: it may.
   */
  refusalNow?(isRunning: boolean): Promise<string | Disposable | undefined>;
  /**
   * Called before the decision whether the session comes, and when a session with the own session's
   * id is offered (`givesWay`). Until the result is disposed, nothing is recorded in the place's
   * own session, unless that has messages. In the second case it is disposed at the decision. If no
   * request comes for long, the place ends it by itself. Left out: nobody uses the own session.
   */
  reserve?(session: string, givesWay: boolean): Promise<Disposable>;
  /** Passes the place's workspace to `work`, one at a time. */
  withWorkspace<Result>(work: (workspace: Workspace) => Promise<Result>): Promise<Result>;
  /**
   * Called when the session has left: its state in memory is dropped. If not `isForGood`, it may
   * never be fetched; opening it then cancels the move.
   */
  left(session: string, isForGood: boolean): Promise<void>;
  /**
   * Called for a session that has left, but not for good: the fetching place has sent another
   * request.
   */
  stillLeaving(): Promise<void>;
  /**
   * Called with true when data of a coming session was stored here, and with false when it has come
   * or was cancelled. If no request comes for long, offers.ts cancels it. Left out: the place waits
   * forever.
   */
  expecting?(isExpected: boolean): Promise<void>;
  /**
   * Called when the session runs here: it has arrived, or a move has failed. May be called
   * repeatedly.
   */
  arrived(session: string): Promise<void>;
}

type Answers = {
  readonly [Type in MoveType]: (
    asked: MoveHead & MoveMessages[Type]['ask'],
    blobs: readonly Uint8Array[],
    workspace: Workspace,
  ) => Promise<Answered<MoveMessages[Type]['answer']>>;
};

interface Answered<Fields> {
  readonly fields: Fields;
  /** By this request the session runs here, or the place may not know yet that it does. */
  readonly hasCome?: boolean;
  readonly blobs?: readonly Uint8Array[];
}

/** A request that the place refuses changes nothing and is answered with an error. */
export function serveMoves(place: MovingPlace): MoveServer {
  const hashes = new WeakMap<Workspace, KnownHashes>();
  const knownOf = (workspace: Workspace): KnownHashes => {
    const known = hashes.get(workspace) ?? new Map<number, string>();
    hashes.set(workspace, known);
    return known;
  };
  /** The listing of the newest move, cached for all its requests while this instance lives. */
  let listed:
    | {
        readonly move: string;
        readonly workspace: Workspace;
        readonly stock?: Stock;
        readonly files?: LeavingFiles;
      }
    | undefined;

  async function stockOf({ move, session }: MoveHead, workspace: Workspace): Promise<Stock> {
    const isKnown = listed?.move === move && listed.workspace === workspace;
    const stock =
      (isKnown && listed?.stock) || (await openStock(workspace, session, knownOf(workspace)));
    listed = { move, workspace, stock };
    return stock;
  }

  async function filesOf(
    { move, session }: MoveHead,
    workspace: Workspace,
    how: Omit<ListingOptions, 'known'>,
  ): Promise<LeavingFiles> {
    const isKnown = listed?.move === move && listed.workspace === workspace;
    const known = knownOf(workspace);
    const files =
      (isKnown && listed?.files) || (await listLeaving(workspace, session, { known, ...how }));
    listed = { move, workspace, files };
    return files;
  }

  /**
   * Returns what to dispose if the session doesn't come.
   *
   * @throws SdkError `limit-exceeded`: the session stays in its old place
   */
  async function requireRoom({ turn, waiting }: SessionFold): Promise<Disposable | undefined> {
    const refusal = await place.refusalNow?.(turn !== undefined || waiting.length > 0);
    if (typeof refusal === 'string') throw new SdkError('limit-exceeded', refusal);
    return refusal;
  }

  /** A place has only one session, so another one would belong to nobody. */
  async function requireFree(workspace: Workspace, session: string): Promise<void> {
    const other = place.session();
    if (other === undefined || other === session || !(await isUsed(workspace, other))) return;
    throw refused(`This place has another session, ${other}. Move to a place of its own.`);
  }

  /**
   * For a repeated request after the takeover: true if the session must still start to run here.
   */
  async function mayCome(workspace: Workspace, session: string, move: string): Promise<boolean> {
    const fold = await loadJournal(workspace, session);
    const ledger = await readLedger(workspace.streams, session);
    // It may have left since, or /clear may have replaced it.
    if (fold.moved || !isInBy(fold, ledger, move)) return false;
    const other = place.session();
    return other === undefined || other === session || !(await isUsed(workspace, other));
  }

  const answers: Answers = {
    async look({ session, upTo }, _blobs, workspace) {
      const wanted = session === '' ? place.session() : session;
      if (wanted === undefined) return { fields: nothing };
      return { fields: await describeCopy(workspace, wanted, upTo) };
    },

    async offer({ session, move, lease }, _blobs, workspace) {
      if (session === place.session()) await removeEmpty(workspace, session);
      const copy = await describeCopy(workspace, session);
      const checkpoints = await listCheckpointIds(workspace, session);
      const fields = { ...copy, checkpoints };
      if (isTaken(await newestMove(workspace, session), move)) return { fields };
      if (copy.runsHere) {
        throw refused(`The session ${session} runs here already. Connect to it.`);
      }
      await requireFree(workspace, session);
      if (lease <= copy.lease) {
        throw refused(
          `What was offered is older than what this place has: it was taken over ${copy.lease} times, what was offered ${lease - 1}.`,
        );
      }
      const refusal = await place.refusal?.();
      if (refusal !== undefined) throw new SdkError('limit-exceeded', refusal);
      await expectSession(workspace, session);
      await requireOpen(workspace, session, move);
      await noteMove(workspace.streams, session, { move, state: 'offered' });
      return { fields };
    },

    async lacks(asked, _blobs, workspace) {
      const stock = await stockOf(asked, workspace);
      const lacks = asked.hashes.filter((hash) => stock.contentOf(hash) === undefined);
      return { fields: { lacks } };
    },

    async contents({ session, move, hashes }, blobs, workspace) {
      await requireOpen(workspace, session, move, 'offered');
      await keepContents(workspace, session, hashes, blobs);
      listed = undefined;
      return { fields: { kept: hashes.length } };
    },

    async journal({ session, move, from, entries }, blobs, workspace) {
      await requireOpen(workspace, session, move, 'offered');
      const count = await appendPart(workspace.streams, session, { from, entries, blobs });
      return { fields: { entries: count } };
    },

    async stage({ session, move, departure, challenge }, _blobs, workspace) {
      await requireOpen(workspace, session, move, 'offered');
      const stock = await openStock(workspace, session, knownOf(workspace));
      await checkArrived(workspace, session, departure, { stock });
      const noted = await writeDeparture(departure);
      await noteMove(workspace.streams, session, { move, state: 'staged' }, noted);
      const files = departure.main.length + departure.own.length;
      return { fields: await prove(workspace, session, challenge, stock.read, files) };
    },

    async take({ session, move }, _blobs, workspace) {
      const noted = await newestMove(workspace, session);
      if (noted?.move === move && noted.state === 'here') {
        const { lease } = await loadJournal(workspace, session);
        await dropAside(workspace, session);
        return { fields: { lease }, hasCome: await mayCome(workspace, session, move) };
      }
      if (noted?.move !== move || noted.state !== 'staged' || noted.departure === undefined) {
        throw createVoidError(move);
      }
      // Another session may have come since it was offered.
      await requireFree(workspace, session);
      const departure = await readDeparture(await workspace.streams.readContent(noted.departure));
      const room = await requireRoom(await loadJournal(workspace, session));
      const how = { move, departure, at: place.name, acceptsRules: place.acceptsRules };
      try {
        const lease = await takeOver(workspace, session, how, knownOf(workspace));
        return { fields: { lease }, hasCome: true };
      } catch (error) {
        // Its turn runs in its old place. If something failed after the record, the session is
        // here.
        const ledger = await readLedger(workspace.streams, session);
        const fold = await loadJournal(workspace, session);
        if (!isInBy(fold, ledger, move)) room?.[Symbol.dispose]();
        throw error;
      }
    },

    async files(asked, _blobs, workspace) {
      listed = undefined;
      const { has } = asked;
      const { main, own, checkpoints } = await filesOf(asked, workspace, { has, isFirst: true });
      return { fields: { main, own, checkpoints } };
    },

    async leave(asked, _blobs, workspace) {
      const { session, move, has } = asked;
      if (!(await hasJournal(workspace, session)))
        throw refused(`There is no session ${session} here.`);
      await requireOpen(workspace, session, move);
      const left = await leavePlace({ workspace }, session, { move, to: 'another place' });
      // No other request can open the session here before this one is answered.
      left[Symbol.dispose]();
      const { fold } = left;
      listed = undefined;
      const files = await filesOf(asked, workspace, { has });
      return { fields: { departure: await describeDeparture(workspace, session, fold, files) } };
    },

    async 'read-contents'(asked, _blobs, workspace) {
      const files = await filesOf(asked, workspace, { has: [], isFirst: true });
      for await (const group of readContents(files, asked.hashes, true)) {
        return { fields: { hashes: group.hashes }, blobs: group.blobs };
      }
      throw refused('Nothing of what was asked for stands here any more. Move the session again.');
    },

    async 'read-journal'({ session, from }, _blobs, workspace) {
      const { entries, blobs } = await readPart(workspace.streams, session, from);
      return { fields: { from, entries }, blobs };
    },

    async release({ session, move, lease }, _blobs, workspace) {
      const { streams } = workspace;
      const noted = (await readLedger(streams, session))?.moves.get(move)?.state;
      if (noted === 'away') return { fields: { lease } };
      const fold = await loadJournal(workspace, session);
      const { place: last } = fold;
      // An older move that was cancelled doesn't matter any more.
      if (last?.type !== 'move-out' || last.move !== move || noted === 'void')
        throw createVoidError(move);
      if (lease !== last.lease) throw refused('It is released by another lease than it left by.');
      const has = await listCheckpointIds(workspace, session);
      const files = await listLeaving(workspace, session, { known: knownOf(workspace), has });
      const departure = await describeDeparture(workspace, session, fold, files);
      const n = await countEntries(streams, session);
      await noteMove(streams, session, { move, state: 'away', n }, await writeDeparture(departure));
      return { fields: { lease } };
    },

    async cancel({ session, move }, _blobs, workspace) {
      const { streams } = workspace;
      const isKnown = await hasJournal(workspace, session);
      const ledger = await openLedger(streams, session, isKnown);
      const noted = ledger.moves.get(move);
      if (noted?.state === 'away') return { fields: { isDone: true } };
      const isIn = isKnown && isInBy(await loadJournal(workspace, session), ledger, move);
      if (noted?.state === 'here' || isIn) {
        // After a kill during the takeover the note may be missing, although the session is here.
        if (noted?.state !== 'here') await noteMove(streams, session, { move, state: 'here' });
        await dropAside(workspace, session);
        return { fields: { isDone: true }, hasCome: await mayCome(workspace, session, move) };
      }
      if (noted?.state !== 'void') await noteMove(streams, session, { move, state: 'void' });
      const hasCome = isKnown && (await keepSession(workspace, session, move));
      await dropAside(workspace, session);
      return { fields: { isDone: false }, hasCome };
    },

    async reclaim({ session }, _blobs, workspace) {
      if (!(await hasJournal(workspace, session)))
        throw refused(`There is no session ${session} here.`);
      const fold = await loadJournal(workspace, session);
      const ledger = await readLedger(workspace.streams, session);
      const { place: last } = fold;
      if (findOut(fold, ledger) === 'here') {
        return { fields: { session, isCopy: await isReclaimed(workspace, fold) } };
      }
      if (last?.type !== 'move-out' || last.place !== ledger?.place) {
        throw refused(`The session ${session} has not left from here, so it can't be reclaimed.`);
      }
      if (ledger.moves.get(last.move)?.state === 'away') {
        const copy = await copyLeft(workspace, fold, last.move, requireRoom);
        return { fields: { session: copy, isCopy: true }, hasCome: true };
      }
      // Nobody has taken it yet: from here on it is too late to fetch it.
      await noteMove(workspace.streams, session, { move: last.move, state: 'void' });
      const hasCome = await keepSession(workspace, session, last.move);
      return { fields: { session, isCopy: false }, hasCome };
    },
  };

  /**
   * The move of a session with the own session's id, until it is decided. Opening the own session
   * would cancel the move.
   */
  let givingWay: { readonly move: string; readonly reserved: Disposable } | undefined;

  function endGivingWay(move?: string): void {
    if (move !== undefined && givingWay?.move !== move) return;
    givingWay?.reserved[Symbol.dispose]();
    givingWay = undefined;
  }

  async function answer(body: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
    let reserved: Disposable | undefined;
    let decides: string | undefined;
    try {
      const { fields, blobs } = await decodeFrame(body, maxMoveBytes);
      const asked = readMoveRequest(fields);
      const givesWay = asked.type === 'offer' && asked.session === place.session();
      if (givesWay || decidingTypes.has(asked.type)) {
        reserved = await place.reserve?.(asked.session, givesWay);
      }
      if (decidingTypes.has(asked.type)) decides = asked.move;
      // The cast is safe: the fields of each type were checked.
      const handle = answers[asked.type] as (
        asked: MoveHead,
        blobs: readonly Uint8Array[],
        workspace: Workspace,
      ) => Promise<Answered<object>>;
      const given = await place.withWorkspace((workspace) => handle(asked, blobs, workspace));
      // If the session is here already, nothing more will come.
      if (givesWay && reserved && !(given.fields as Copy).runsHere) {
        endGivingWay();
        givingWay = { move: asked.move, reserved };
        reserved = undefined;
      }
      if (asked.type === 'leave') await place.left(asked.session, false);
      if (asked.type === 'release') await place.left(asked.session, true);
      // The place that fetches the session is still active.
      if (asked.type === 'read-contents' || asked.type === 'read-journal') {
        await place.stillLeaving();
      }
      if (comingTypes.has(asked.type)) await place.expecting?.(true);
      if (given.hasCome) {
        await place.arrived(asked.type === 'reclaim' ? toSession(given.fields) : asked.session);
      }
      // Done last, so that after a kill the place is reminded.
      if (asked.type === 'take' || asked.type === 'cancel') await place.expecting?.(false);
      return await encodeFrame(given.fields, given.blobs);
    } catch (error) {
      return encodeFrame({ error: toWireError(error) });
    } finally {
      reserved?.[Symbol.dispose]();
      if (decides !== undefined) endGivingWay(decides);
    }
  }

  const inTurn = createSerialQueue();
  // Requests are handled one after the other, so that each sees the decisions of the earlier ones.
  return (body) => inTurn(() => answer(body));
}

/**
 * After each of these requests, data of a session is stored that doesn't belong to this place yet.
 */
const comingTypes: ReadonlySet<MoveType> = new Set(['offer', 'contents', 'journal', 'stage']);

/** By each of these requests a session may start to run here. */
const decidingTypes: ReadonlySet<MoveType> = new Set(['take', 'cancel', 'reclaim']);

const nothing = { session: undefined, runsHere: false, lease: 0, entries: 0, digest: '' } as const;

/** The session of an answer to `reclaim`. */
const toSession = (fields: object): string => (fields as MoveMessages['reclaim']['answer']).session;

/**
 * Returns a session that begins as a copy of the one that left by that move, the same for repeated
 * requests. The original session keeps its owner.
 */
async function copyLeft(
  workspace: Workspace,
  fold: SessionFold,
  move: string,
  requireRoom: (fold: SessionFold) => Promise<unknown>,
): Promise<string> {
  const seed = fold.session?.seed ?? '';
  const own = { id: toCopyId(fold, move), seed: deriveId(seed, 'reclaimed seed', move) };
  const isThere =
    (await hasJournal(workspace, own.id)) &&
    (await loadJournal(workspace, own.id)).session?.id === own.id;
  if (!isThere) {
    await requireRoom(fold);
    await copyJournal({ workspace, clock: systemClock }, fold, { own });
  }
  return own.id;
}

const toCopyId = ({ session }: SessionFold, move: string): string =>
  deriveId(session?.seed ?? '', 'reclaimed', move);

/** True if {@link copyLeft} has created it. Forks by a person are ordinary sessions. */
async function isReclaimed(workspace: Workspace, { session }: SessionFold): Promise<boolean> {
  const from = session?.forkedFrom?.id;
  if (from === undefined || !(await hasJournal(workspace, from))) return false;
  const left = await loadJournal(workspace, from);
  const moves = (await readLedger(workspace.streams, from))?.moves.keys() ?? [];
  return [...moves].some((move) => toCopyId(left, move) === session?.id);
}

/** The session continues here if it left by that move and no other. */
async function keepSession(workspace: Workspace, session: string, move: string): Promise<boolean> {
  const fold = await loadJournal(workspace, session);
  const { place } = fold;
  const ledger = await readLedger(workspace.streams, session);
  if (place?.type !== 'move-out' || place.move !== move || place.place !== ledger?.place) {
    return false;
  }
  const store = createStreamStore(workspace, session);
  const journal = createSessionJournal({ fold, store, clock: systemClock });
  await journal.recordSafely({ type: 'move-kept', move, place: place.place });
  return true;
}

async function newestMove({ streams }: Workspace, session: string) {
  const ledger = await readLedger(streams, session);
  return [...(ledger?.moves.values() ?? [])].at(-1);
}

/** True if its newest move entry is the one by which it came here. */
const isInBy = ({ place }: SessionFold, ledger: Ledger | undefined, move: string): boolean =>
  place?.type === 'move-in' && place.move === move && place.place === ledger?.place;

const isTaken = (
  noted: { readonly move: string; readonly state: string } | undefined,
  move: string,
) => noted?.move === move && noted.state === 'here';

/**
 * `newest`: no newer offer was made since.
 *
 * @throws SdkError `bad-usage` if the move is cancelled
 */
async function requireOpen(
  { streams }: Workspace,
  session: string,
  move: string,
  newest?: 'offered',
): Promise<void> {
  const ledger: Ledger | undefined = await readLedger(streams, session);
  const noted = ledger?.moves.get(move);
  if (noted?.state === 'void') throw createVoidError(move);
  if (!newest) return;
  if (noted?.state === 'here')
    throw refused('This move is done already. Ask how things stand by look.');
  if ([...(ledger?.moves.keys() ?? [])].at(-1) !== move) throw createVoidError(move);
}

function createVoidError(move: string): SdkError {
  return new SdkError(
    'bad-usage',
    'This move has come to nothing: it was called off, or a newer one has taken its place. The session is where it was. Move it again.',
    { data: { move } },
  );
}

function refused(message: string): SdkError {
  return new SdkError('bad-usage', message);
}
