// Moves that a session's place starts itself: to another place, or from one. During such a move it
// refuses moves started by others. Otherwise both sides could give the session away. Used by
// object-moves.ts.
import type { MoveToOptions } from '../../../agent/session-mover.ts';
import { findHeldSession } from '../../../agent/session/held-sessions.ts';
import { SdkError } from '../../../core/errors.ts';
import { systemClock } from '../../../core/async/system-clock.ts';
import type { PlaceOptions } from '../../../wire/handover/ask-place.ts';
import { fetchLeft, fetchSession } from '../../../wire/handover/bring-back.ts';
import type { BroughtBack } from '../../../wire/handover/bring-back.ts';
import { encodeFrame } from '../../../wire/handover/frames.ts';
import { moveSession } from '../../../wire/handover/move-session.ts';
import { isUsed } from '../../../wire/handover/empty-session.ts';
import { settleMove } from '../../../wire/handover/settle-move.ts';
import type { SettledMove, SettleMoveOptions } from '../../../wire/handover/settle-move.ts';
import type { MoveServer } from '../../../wire/move-server.ts';
import { toWireError } from '../../../wire/protocol.ts';
import type { Workspace } from '../../../workspace/workspace.ts';
import type { ObjectMovePorts } from './object-moves.ts';
import { createLeavingError } from './session-refusals.ts';

/** How a session moves to another place and back. One move at a time. */
export interface SessionMoves {
  /** Answers the moves that others start, for your own wire. */
  readonly serve: MoveServer;
  /**
   * Moves the session to the place at that address, in whatever state it is. Whoever is connected here is told where
   * it is. Where it rejects the session goes on here; but for `worker-lost` with `data.isUnsure`: then {@link settle}
   * asks.
   *
   * @throws SdkError `bad-usage` where it isn't here, or somebody is just moving it; what the place refuses.
   */
  moveTo(url: string, options: PlaceOptions): Promise<void>;
  /**
   * Fetches the session from the place at that address; it continues here. Call it again to complete
   * an interrupted move.
   *
   * @throws SdkError `bad-usage` if this object already has a used session; other errors as of
   * `bringBack` of `rockpool/wire`
   */
  bringBack(url: string, options: PlaceOptions): Promise<BroughtBack>;
  /**
   * Finds out where the session runs if a move of {@link moveTo} wasn't answered. Like `settleMove`
   * of `rockpool/wire`.
   */
  settle(options: Pick<SettleMoveOptions, 'ticket' | 'fetch' | 'signal'>): Promise<SettledMove>;
}

/** The functions of the place that a move needs. */
export interface AskedMovePorts extends Pick<
  ObjectMovePorts,
  'session' | 'leavingUntil' | 'left' | 'arrived' | 'refusal' | 'refusalNow'
> {
  readonly name: string;
  readonly acceptRules: boolean;
  /** Passes the session's files to `work`, whether the session is open or not. */
  lend<Result>(work: (workspace: Workspace) => Promise<Result>): Promise<Result>;
  /** Like `reserve` of `MovingPlace`, for any session. */
  reserve(): Promise<Disposable>;
  /** Answers the moves that others start, one after the other. */
  readonly answer: MoveServer;
}

/** Opens nothing by itself. */
export function createAskedMoves(ports: AskedMovePorts): SessionMoves {
  const { name, acceptRules, lend, reserve } = ports;
  let isAsking = false;
  /** The newest answer, finished or not. Never rejects. */
  let answered: Promise<unknown> = Promise.resolve();

  async function ask<Result>(work: () => Promise<Result>): Promise<Result> {
    if (isAsking) throw createBusyError(ports.session());
    isAsking = true;
    try {
      await answered;
      // The other place may still fetch the session, which would give it away twice.
      if (Date.now() < (ports.leavingUntil() ?? 0)) throw createLeavingError(ports.session());
      return await work();
    } finally {
      isAsking = false;
    }
  }

  const toHost = (workspace: Workspace) => ({
    workspace,
    kind: 'edge' as const,
    clock: systemClock,
  });

  async function move(session: string, url: string, options: MoveToOptions): Promise<void> {
    let isStopped = false;
    try {
      await lend(async (workspace) => {
        const open = findHeldSession(workspace, session)?.journal;
        try {
          await moveSession(session, url, { ...options, host: toHost(workspace) });
        } catch (error) {
          isStopped = open?.sealed.aborted === true;
          throw error;
        }
      });
    } catch (error) {
      // The session continues by itself, unless only the other side knows whether it is here.
      if (isStopped) await ports.left(Date.now());
      throw error;
    }
    await ports.left(undefined, url);
  }

  /** Fetches the session if its owner's directory admits it. */
  async function fetchIn(
    url: string,
    options: Parameters<typeof fetchSession>[1],
  ): Promise<BroughtBack> {
    let room: Disposable | undefined;
    try {
      return await fetchSession(url, {
        ...options,
        async admit({ turn, waiting }) {
          const refusal = await ports.refusalNow(turn !== undefined || waiting.length > 0);
          if (typeof refusal === 'string') requireRoom(refusal);
          else room = refusal;
        },
      });
    } catch (error) {
      // The session's turn runs elsewhere, so its reserved turn is released, unless its location is
      // unknown.
      if (!isUnsure(error)) room?.[Symbol.dispose]();
      throw error;
    }
  }

  return {
    async serve(body) {
      if (isAsking) return encodeFrame({ error: toWireError(createBusyError(ports.session())) });
      const run = ports.answer(body);
      answered = run.catch(() => undefined);
      return run;
    },
    moveTo: (url, options) => ask(() => move(ports.session(), url, options)),
    bringBack: (url, options) =>
      ask(async () => {
        requireRoom(await ports.refusal());
        let failure: unknown;
        const reserved = await reserve();
        try {
          const brought = await lend(async (workspace) => {
            if (await isUsed(workspace, ports.session())) throw createTakenError(ports.session());
            const how = { ...options, name, acceptRules, host: toHost(workspace) };
            const fetched = await fetchIn(url, how);
            // The earlier sessions are fetched before this one continues here, because its later
            // changes don't belong to them.
            await fetchLeft(url, fetched.sessionId, how).catch((error) => (failure = error));
            return fetched;
          });
          await ports.arrived(brought.sessionId);
          if (failure !== undefined) throw failure;
          return brought;
        } finally {
          reserved[Symbol.dispose]();
        }
      }),
    settle: (options) =>
      ask(async () => {
        const session = ports.session();
        const settled = await lend((workspace) =>
          settleMove(session, { ...options, name, acceptRules, host: toHost(workspace) }),
        );
        if (settled.isHere) await ports.arrived(session);
        else await ports.left(undefined, settled.url);
        return settled;
      }),
  };
}

/** @throws SdkError `limit-exceeded` with the reason of the owner's directory */
function requireRoom(refusal: string | undefined): void {
  if (refusal !== undefined) throw new SdkError('limit-exceeded', refusal);
}

function isUnsure(error: unknown): boolean {
  return SdkError.isInstance(error) && error.data['isUnsure'] === true;
}

function createBusyError(session: string): SdkError {
  return new SdkError(
    'bad-usage',
    `The place of the session ${session} is just moving it. Wait until that is done, and look where it is then.`,
    { data: { sessionId: session } },
  );
}

function createTakenError(session: string): SdkError {
  return new SdkError(
    'bad-usage',
    `This place has a session already, ${session}. Fetch the other one to a place of its own.`,
    { data: { sessionId: session } },
  );
}
