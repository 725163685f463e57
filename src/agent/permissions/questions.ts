// Questions to the person, one at a time and in order, so that an answer which settles the next
// question too ("always allow") spares it. A question is never lost: every one ends in an answer.
import { createId } from '../../core/ids.ts';
import { loadOnce } from '../../core/load-once.ts';
import type {
  CanUseTool,
  CanUseToolOptions,
  DecisionReason,
  PermissionUpdate,
} from '../../core/permission.ts';
import type { TraceInput } from '../../trace/trace.ts';
import type { Hooks } from '../hooks/hooks.ts';
import type { Denial } from '../calls/settled.ts';

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
  /**
   * Puts the question to the host: one that fails or answers elsewhere refuses. Rejects only where the
   * code for it can't be loaded.
   */
  put(question: Question, signal: AbortSignal): Promise<Answer>;
}

// Most calls are never asked about.
const loadPutQuestion = loadOnce(() => import('./put-question.ts'));

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
      const { putQuestion } = await loadPutQuestion();
      return putQuestion(question, { canUseTool, hooks, createId }, signal);
    },
  };
}
