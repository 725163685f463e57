// Moves of a session to a Durable Object and from it. One move at a time gets the files, whether the session is open or
// not. Used by create-session-object.ts.
import { SdkError } from '../../../core/errors.ts';
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

/** What people and the model are told of the place, and what it takes over. */
export interface ObjectMoveOptions {
  /** @defaultValue `a Durable Object`; of a server `a server` */
  readonly name?: string;
  /** What a person has allowed in a tab holds here, too. @defaultValue false */
  readonly acceptRules?: boolean;
}

/** What the object does for its moves. */
export interface ObjectMovePorts {
  readonly storage: DurableStorage;
  readonly table: AlarmTable;
  /** Where the large contents of its files are. */
  readonly contents?: R2ContentsOptions | undefined;
  readonly session: () => string;
  /** Settles when the session isn't being opened any more, and never rejects; undefined: nobody opens it. */
  opening(): Promise<unknown> | undefined;
  /** The workspace of the session as it is open now; undefined: it isn't. */
  current(): Workspace | undefined;
  /**
   * Called before the files are opened alone, as the session may be archived. Rejects as the
   * archive does.
   */
  bringBack(): Promise<void>;
  /** Called when files that were opened without the session aren't used any more. */
  broughtBack(): Promise<void>;
  /** The session stays open until it is disposed. */
  hold(): Disposable;
  /** Releases the session that is open, as it is. */
  rest(): Promise<void>;
  /** There is an event soon, which opens the session. */
  ring(): Promise<void>;
  /** Until when the place waits for whoever fetches the session. Undefined: nobody fetches it. */
  leavingUntil(): number | undefined;
  /**
   * The session is stopped here. `until`: when it may go on again by itself. Undefined: it was
   * given away for good, to `url`, if that is known.
   */
  left(until: number | undefined, url?: string): Promise<void>;
  /**
   * Whoever fetches the session is still there. `until` is as in {@link left}. Does nothing if the
   * session hasn't left.
   */
  stillLeaving(until: number): Promise<void>;
  /** Why no session may come here, in a sentence. */
  refusal(): Promise<string | undefined>;
  /** See {@link MovingPlace}. */
  refusalNow(isRunning: boolean): Promise<string | Disposable | undefined>;
  /** The session of that id runs here from now on. */
  arrived(session: string): Promise<void>;
}

/** The moves of one object. */
export interface ObjectMoves {
  readonly session: SessionMoves;
  /** A move uses the session's files: what has broken waits. */
  isLending(): boolean;
  /**
   * Asked before the session is opened: resolves when it is known which session runs here.
   * Undefined: it is known.
   */
  arriving(): Promise<void> | undefined;
  /** Called before the session is opened. Resolves when nobody else has its files. */
  giveWay(): Promise<void>;
  /** The handler of `offerAlarm`: nobody has gone on with a move to here. */
  callOffOffers(): Promise<void>;
}

/** The alarm that rings when an offered session doesn't come any more. */
export const offerAlarm = 'rockpool.offer';

/**
 * An hour without a word of who brings a session: a page that sleeps, or is offline, may go on with a move within that.
 * What has arrived until then takes room in the database and the bucket.
 */
const offerMs = 60 * 60 * 1_000;

/**
 * 2 min without a word of who fetches the session, or brings one of the same id. After that the
 * place's own goes on, and the move comes to nothing.
 */
const patienceMs = 120_000;

/** Opens nothing by itself. */
export function createObjectMoves(
  { name = 'a Durable Object', acceptRules = false }: ObjectMoveOptions,
  ports: ObjectMovePorts,
): ObjectMoves {
  /** The files alone, while the session isn't open. */
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
      // Nothing else may come between here and `openAlone`: of two writers that open, one would be
      // fenced.
      const open = ports.current();
      if (open) return await work(open);
      const opened = (alone ??= openAlone());
      // Another attempt opens them again.
      opened.catch(() => void (alone === opened && (alone = undefined)));
      const run = opened.then(({ workspace }) => work(workspace));
      lending = run.catch(() => undefined);
      return await run;
    } catch (error) {
      if (SdkError.isInstance(error) && error.code === 'EFENCED') alone = undefined;
      throw error;
    } finally {
      lent -= 1;
      held[Symbol.dispose]();
      if (lent === 0 && alone) await ports.broughtBack();
    }
  }

  /**
   * Keeps the place's own session unchanged. If something was sent to it just before, that is found
   * in it, and the other session doesn't come.
   */
  async function reserve(coming?: string, givesWay = false): Promise<Disposable> {
    const own = ports.session();
    let hasRested = false;
    const arrival = expected.add(givesWay ? patienceMs : undefined);
    const reserved: Disposable = {
      [Symbol.dispose]() {
        arrival[Symbol.dispose]();
        // Where this fails the instance is over. The next use of the session opens it, as it does
        // with one that gave way. The latter would begin again before the other one has come.
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
      // Another session may have taken its place by /clear.
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
