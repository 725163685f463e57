// Moves that the place of a session asks for itself: to another place that can be reached, and from one. While it asks,
// it answers nobody else's: who both asks and answers could give a session away twice. Used by object-moves.ts.
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

/** How a session leaves its place for another one, and comes to it. One at a time. */
export interface SessionMoves {
  /** Answers what others ask, who move the session here or away: for a wire of your own. */
  readonly serve: MoveServer;
  /**
   * Moves the session to the place at that address, in whatever state it is. Whoever is connected here is told where it
   * is. Where it rejects the session goes on here; but for `worker-lost` with `data.isUnsure`: then {@link settle} asks.
   *
   * @throws SdkError `bad-usage` where it isn't here, or somebody is just moving it; what the place refuses.
   */
  moveTo(url: string, options: PlaceOptions): Promise<void>;
  /**
   * Fetches the session of the place at that address: it goes on here. Said once more, it settles one that was cut.
   *
   * @throws SdkError `bad-usage` where a session is here that was used; what `bringBack` of `rockpool/wire` says.
   */
  bringBack(url: string, options: PlaceOptions): Promise<BroughtBack>;
  /** Where the session runs, by asking where a move of {@link moveTo} was not answered. As `settleMove` of `rockpool/wire`. */
  settle(options: Pick<SettleMoveOptions, 'ticket' | 'fetch' | 'signal'>): Promise<SettledMove>;
}

/** What of the place is needed for that. */
export interface AskedMovePorts extends Pick<
  ObjectMovePorts,
  'session' | 'leavingUntil' | 'left' | 'arrived' | 'refusal' | 'refusalNow'
> {
  readonly name: string;
  readonly acceptRules: boolean;
  /** Lends the session's files, whether it is open or not. */
  lend<Result>(work: (workspace: Workspace) => Promise<Result>): Promise<Result>;
  /** As `reserve` of `MovingPlace`, whichever session it is. */
  reserve(): Promise<Disposable>;
  /** Answers what others ask, one after the other. */
  readonly answer: MoveServer;
}

/** Opens nothing by itself. */
export function createAskedMoves(ports: AskedMovePorts): SessionMoves {
  const { name, acceptRules, lend, reserve } = ports;
  let isAsking = false;
  /** The newest answer, given or not. Never rejects. */
  let answered: Promise<unknown> = Promise.resolve();

  async function ask<Result>(work: () => Promise<Result>): Promise<Result> {
    if (isAsking) throw createBusyError(ports.session());
    isAsking = true;
    try {
      await answered;
      // Whoever fetches the session may still come, and it would be given away twice.
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
      // The session goes on by itself, unless only the other side knows whether it is here.
      if (isStopped) await ports.left(Date.now());
      throw error;
    }
    await ports.left(undefined, url);
  }

  /** Fetches the session if its owner's directory lets it in. */
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
      // The session's turn runs elsewhere, so its room here is given back, unless nobody knows
      // where it runs.
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
            // The sessions that were left are fetched before this one goes on here, as its later
            // changes aren't theirs.
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

/** @throws SdkError `limit-exceeded`, as the owner's directory says it. */
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
