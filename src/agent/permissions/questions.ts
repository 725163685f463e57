// Questions to the person, one at a time and in order, so that an answer which settles the next
// question too ("always allow") spares it. A question is never lost: every one ends in an answer.
import { createId } from '../../core/ids.ts';
import type {
  CanUseTool,
  CanUseToolOptions,
  DecisionReason,
  PermissionResult,
  PermissionUpdate,
} from '../../core/permission.ts';
import type { TraceInput } from '../../core/trace.ts';
import type { Hooks } from '../hooks/hooks.ts';
import type { Denial } from '../settled.ts';

/** What the host's `canUseTool` is asked; the signal and the id of the question are added here. */
export interface Question extends Omit<CanUseToolOptions, 'signal' | 'requestId'> {
  readonly toolName: string;
  readonly input: Record<string, unknown>;
}

/** What became of a question: exactly one of these. */
export type Answer =
  | {
      readonly type: 'allowed';
      /** Who answered: a person or a hook. */
      readonly reason: DecisionReason;
      readonly updatedInput?: Record<string, unknown>;
      readonly updatedPermissions: readonly PermissionUpdate[];
    }
  | { readonly type: 'refused'; readonly denial: Denial }
  /** The turn was stopped before there was an answer. */
  | { readonly type: 'withdrawn' };

/** One session's way to its person. */
export interface Questions {
  /** Runs `work`, which asks about the call, when all questions before it are answered. */
  inTurn<T>(callId: string, work: () => Promise<T>): Promise<T>;
  /** Puts the question to the host. Never rejects: a host that fails or answers elsewhere refuses. */
  put(question: Question, signal: AbortSignal): Promise<Answer>;
}

/**
 * Hooks are asked first. Without `canUseTool` there is nobody else to ask, and every question that they
 * leave open is answered by a refusal.
 */
export function createQuestions(
  canUseTool: CanUseTool | undefined,
  hooks?: Hooks,
  record: (event: TraceInput) => void = () => {},
): Questions {
  let before: Promise<unknown> = Promise.resolve();
  return {
    inTurn(callId, work) {
      const tell = (isAsked: boolean) => record({ type: 'call-delta', callId, isAsked });
      tell(true);
      const run = before.then(work).finally(() => tell(false));
      // What the next one waits for is only that this one ended.
      before = run.catch(() => undefined);
      return run;
    },
    async put(question, signal) {
      if (signal.aborted) return { type: 'withdrawn' };
      const answer = await hooks?.answer(question, signal);
      if (signal.aborted) return { type: 'withdrawn' };
      if (answer) return answer;
      if (!canUseTool)
        return refuse(`${describe(question)} Nobody is here to ask (no canUseTool).`);
      hooks?.notify(question);
      const { toolName, input, ...options } = question;
      const withdrawal = listenForAbort(signal);
      try {
        const asked = canUseTool(toolName, input, { ...options, signal, requestId: createId() });
        const result = await Promise.race([asked, withdrawal.promise]);
        return result === 'withdrawn' ? { type: 'withdrawn' } : toAnswer(result, question);
      } catch (error) {
        if (signal.aborted) return { type: 'withdrawn' };
        return refuse(`${describe(question)} Asking failed: ${String(error)}.`);
      } finally {
        withdrawal[Symbol.dispose]();
      }
    },
  };
}

function toAnswer(result: PermissionResult | null, question: Question): Answer {
  if (result?.behavior === 'allow') {
    return {
      type: 'allowed',
      reason: { type: 'user' },
      ...(result.updatedInput && { updatedInput: result.updatedInput }),
      updatedPermissions: result.updatedPermissions ?? [],
    };
  }
  if (result?.behavior === 'deny') {
    const message = result.message || `The user refused ${question.toolName}.`;
    const interrupt = result.interrupt === true;
    return { type: 'refused', denial: { reason: { type: 'user' }, message, interrupt } };
  }
  // Security: null, and whatever else isn't an answer, leaves the call blocked.
  return refuse(`${describe(question)} It was not answered here.`);
}

function describe(question: Question): string {
  return `${question.toolName} needs permission: ${question.decisionReason ?? 'it is asked'}.`;
}

function refuse(message: string): Answer {
  const reason = { type: 'no-answer', message } as const;
  return { type: 'refused', denial: { reason, message, interrupt: false } };
}

function listenForAbort(
  signal: AbortSignal,
): Disposable & { readonly promise: Promise<'withdrawn'> } {
  let listener: () => void = () => undefined;
  const promise = new Promise<'withdrawn'>((resolve) => {
    listener = () => resolve('withdrawn');
    signal.addEventListener('abort', listener, { once: true });
  });
  return { promise, [Symbol.dispose]: () => signal.removeEventListener('abort', listener) };
}
