// Asks the session's host for admission before a turn: at the edge, that is the owner's directory.
// After a refusal, waiting prompts are held and tried again later. Created by session-engine.ts if
// the host has steps.
import type { Clock } from '../../core/tool/ports.ts';
import { toNoticeMessage } from '../messages/to-sdk-message.ts';
import type { Session } from '../session/session.ts';
import type { SessionSteps } from '../session-steps.ts';

/** The parts of the session that admission uses. */
export interface AdmissionPorts {
  readonly clock: Clock;
  readonly steps: SessionSteps;
  /** Aborted with the session's opening. */
  readonly signal: AbortSignal;
  /** Called when held prompts may be tried again. */
  onFree(): void;
}

/** The admission of turns in one opening of a session. */
export interface TurnAdmission {
  /** For triggers. The session is woken at their time or for held prompts, whichever is first. */
  readonly steps: SessionSteps;
  isHeld(): boolean;
  /**
   * Asks whether a turn may begin. False: prompts are held from now on, and viewers get the reason;
   * or the opening has ended. Never rejects.
   */
  ask(): Promise<boolean>;
  /** Another turn was admitted, so held prompts are tried at once. */
  lift(): void;
}

/** 15 minutes: a refused owner has used up an allowance, which is renewed after hours or days. */
export const refusedMs = 900_000;

/** Asks nothing until a method is called. */
export function createTurnAdmission(
  session: Pick<Session, 'emit' | 'id' | 'ids'>,
  { clock, steps, signal, onFree }: AdmissionPorts,
): TurnAdmission {
  let heldUntil: number | undefined;
  let triggersAt: number | undefined;
  let timer: Disposable | undefined;
  let isAsking = false;
  /** The number of refusals that were lifted. */
  let freed = 0;
  const ended = new Promise<false>((resolve) => {
    signal.addEventListener('abort', () => resolve(false), { once: true });
  });

  function tellWake(): void {
    const at = Math.min(triggersAt ?? Infinity, heldUntil ?? Infinity);
    steps.wakeAt(at === Infinity ? undefined : at);
  }

  function free(): void {
    timer?.[Symbol.dispose]();
    timer = undefined;
    heldUntil = undefined;
    tellWake();
  }

  function refuse(reason: string): void {
    heldUntil = clock.now() + refusedMs;
    tellWake();
    timer = clock.after(refusedMs, () => {
      free();
      onFree();
    });
    const text = `What waits is held, and is tried again within 15 minutes: ${reason}`;
    session.emit(toNoticeMessage(session, text, 'warning'));
  }

  signal.addEventListener('abort', () => timer?.[Symbol.dispose](), { once: true });
  steps.onFreed(() => {
    freed += 1;
    // A refusal may be on its way. Then `ask` asks again.
    if (heldUntil === undefined) return isAsking;
    free();
    onFree();
    return true;
  });

  return {
    steps: {
      ...steps,
      wakeAt(at) {
        triggersAt = at;
        tellWake();
      },
    },
    isHeld: () => heldUntil !== undefined,
    async ask() {
      if (heldUntil !== undefined) return false;
      // Keeps the session's object from being unloaded meanwhile.
      const working = steps.work();
      isAsking = true;
      try {
        for (;;) {
          const before = freed;
          const admitted = await Promise.race([steps.admit(), ended]);
          if (typeof admitted !== 'string') return admitted !== false;
          if (freed !== before) continue;
          refuse(admitted);
          return false;
        }
      } finally {
        isAsking = false;
        working[Symbol.dispose]();
      }
    },
    lift() {
      if (heldUntil === undefined) return;
      free();
      onFree();
    },
  };
}
