// Moves of a session to and from a Durable Object. Only one move at a time uses the files, whether
// the session is open or not. Used by create-session-object.ts.
import { hasCode } from '../../../core/errors.ts';
import type { DurableStorage } from '../../../workspace/drivers/do-sqlite.ts';
import type { R2ContentsOptions } from '../../../workspace/drivers/r2-contents.ts';
import type { Workspace } from '../../../workspace/workspace.ts';
import { callOffOffers } from '../../../wire/handover/offers.ts';
import { isUsed } from '../../../wire/handover/empty-session.ts';
import { serveMoves } from '../../../wire/handover/serve-moves.ts';
import type { MovingPlace } from '../../../wire/handover/serve-moves.ts';
import { openEdgeWorkspace } from '../create-edge-host.ts';
import { createAskedMoves } from './asked-moves.ts';
import type { SessionMoves } from './asked-moves.ts';
import type { AlarmTable } from './named-alarms.ts';
import { createExpectedSessions } from './expected-sessions.ts';
import { createStorageLease } from './storage-lease.ts';

/** The place's name in messages to people and the model, and what it takes over. */
export interface ObjectMoveOptions {
  /** @defaultValue `a Durable Object`; of a server `a server` */
  readonly name?: string;
  /** Whether permission rules that a person added in a tab apply here too. @defaultValue false */
  readonly acceptRules?: boolean;
}

/** The functions of the object that its moves need. */
export interface ObjectMovePorts {
  readonly storage: DurableStorage;
  readonly table: AlarmTable;
  /** The bucket of its files' large contents. */
  readonly contents?: R2ContentsOptions | undefined;
  readonly session: () => string;
  /**
   * Settles when the session isn't being opened any more; never rejects. Undefined: it isn't being
   * opened.
   */
  opening(): Promise<unknown> | undefined;
  /** The workspace of the open session; undefined if it isn't open. */
  current(): Workspace | undefined;
  /**
   * Called before the files are opened without the session, which may be archived. Rejects like the
   * archive.
   */
  bringBack(): Promise<void>;
  /** Called when files that were opened without the session aren't used any more. */
  broughtBack(): Promise<void>;
  /** Keeps the session open until the result is disposed. */
  hold(): Disposable;
  /** Releases the open session in its current state. */
  rest(): Promise<void>;
  /** Schedules an event soon, which opens the session. */
  ring(): Promise<void>;
  /** Until when the place waits for another place that fetches the session. Undefined: none does. */
  leavingUntil(): number | undefined;
  /**
   * Records that the session is stopped here. `until`: when it may continue here by itself.
   * Undefined: it has moved away for good, to `url` if that is known.
   */
  left(until: number | undefined, url?: string): Promise<void>;
  /**
   * Records that the fetching place is still active. `until` is as in {@link left}. Does nothing if
   * the session hasn't left.
   */
  stillLeaving(until: number): Promise<void>;
  /** Resolves to the reason why no session may move here. */
  refusal(): Promise<string | undefined>;
  /** See {@link MovingPlace}. */
  refusalNow(isRunning: boolean): Promise<string | Disposable | undefined>;
  /** Records that the session with that id runs here from now on. */
  arrived(session: string): Promise<void>;
}

/** The moves of one object. */
export interface ObjectMoves {
  readonly session: SessionMoves;
  /** True while a move uses the session's files. A broken session isn't reopened meanwhile. */
  isLending(): boolean;
  /**
   * Called before the session is opened. Resolves when it is known which session runs here.
   * Undefined: it is known.
   */
  arriving(): Promise<void> | undefined;
  /** Called before the session is opened. Resolves when no move uses its files. */
  giveWay(): Promise<void>;
  /** The handler of `offerAlarm`: no place has continued a move to this one. */
  callOffOffers(): Promise<void>;
}

/** The alarm that rings when an offered session is overdue. */
export const offerAlarm = 'rockpool.offer';

/**
 * One hour without a message of the sending place. A page that sleeps or is offline may continue a
 * move within that time. The parts received so far take space in the database and the bucket.
 */
const offerMs = 60 * 60 * 1_000;

/**
 * 2 min without a message of the place that fetches the session, or that sends one with the same id.
 * Then the place's own session continues, and the move is cancelled.
 */
const patienceMs = 120_000;

/** Opens nothing by itself. */
export function createObjectMoves(
  { name = 'a Durable Object', acceptRules = false }: ObjectMoveOptions,
  ports: ObjectMovePorts,
): ObjectMoves {
  /** The files, opened without the session. */
  let alone: Promise<{ readonly workspace: Workspace; end(): Promise<void> }> | undefined;
  let lending: Promise<unknown> = Promise.resolve();
  let lent = 0;
  const expected = createExpectedSessions();

  async function openAlone() {
    await ports.bringBack();
    const lease = createStorageLease(ports.storage);
    const { workspace } = await openEdgeWorkspace(lease.storage, ports.contents);
    return {
      workspace,
      async end() {
        await workspace[Symbol.asyncDispose]();
        lease.end();
      },
    };
  }

  async function lend<Result>(work: (workspace: Workspace) => Promise<Result>): Promise<Result> {
    const held = ports.hold();
    lent += 1;
    try {
      for (let under = ports.opening(); under; under = ports.opening()) await under;
      // Nothing may be awaited between here and `openAlone`: of two writers that open, one would be
      // fenced.
      const open = ports.current();
      if (open) return await work(open);
      const opened = (alone ??= openAlone());
      // A later attempt opens them again.
      opened.catch(() => void (alone === opened && (alone = undefined)));
      const run = opened.then(({ workspace }) => work(workspace));
      lending = run.catch(() => undefined);
      return await run;
    } catch (error) {
      if (hasCode(error, 'EFENCED')) alone = undefined;
      throw error;
    } finally {
      lent -= 1;
      held[Symbol.dispose]();
      if (lent === 0 && alone) await ports.broughtBack();
    }
  }

  /**
   * Keeps the place's own session unchanged. If a message was sent to it just before, the session
   * contains it, and the other session is refused.
   */
  async function reserve(coming?: string, givesWay = false): Promise<Disposable> {
    const own = ports.session();
    let hasRested = false;
    const arrival = expected.add(givesWay ? patienceMs : undefined);
    const reserved: Disposable = {
      [Symbol.dispose]() {
        arrival[Symbol.dispose]();
        // If this fails, the instance is over. The next use of the session opens it. A session that
        // gave way isn't reopened: it would start before the other one has arrived.
        const goesOn = hasRested && !givesWay && ports.session() === own;
        if (goesOn) ports.ring().catch(() => undefined);
      },
    };
    try {
      for (let under = ports.opening(); under; under = ports.opening()) await under;
      const open = ports.current();
      const mayRest = open !== undefined && (givesWay || own !== coming);
      hasRested = mayRest && !(await isUsed(open, own));
      if (hasRested) await ports.rest();
      return reserved;
    } catch (error) {
      reserved[Symbol.dispose]();
      throw error;
    }
  }

  const place: MovingPlace = {
    name,
    acceptsRules: acceptRules,
    session: ports.session,
    withWorkspace: lend,
    reserve,
    refusal: () => ports.refusal(),
    refusalNow: (isRunning) => ports.refusalNow(isRunning),
    async left(session, isForGood) {
      // /clear may have replaced the session.
      if (session !== ports.session()) return;
      await ports.left(isForGood ? undefined : Date.now() + patienceMs);
    },
    stillLeaving: () => ports.stillLeaving(Date.now() + patienceMs),
    async expecting(isExpected) {
      expected.touch();
      if (isExpected) await ports.table.set(offerAlarm, Date.now() + offerMs);
      else if (ports.table.get(offerAlarm) !== undefined) await ports.table.delete(offerAlarm);
    },
    arrived: (session) => ports.arrived(session),
  };
  const answer = serveMoves(place);

  return {
    session: createAskedMoves({ ...ports, name, acceptRules, lend, reserve, answer }),
    callOffOffers: () => callOffOffers(place, answer),
    isLending: () => lent > 0,
    arriving: expected.next,
    async giveWay() {
      await lending;
      const open = await alone?.catch(() => undefined);
      alone = undefined;
      await open?.end();
    },
  };
}
