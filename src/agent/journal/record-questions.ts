// Records questions to a person in the journal, and gives them their ids. Used by create-session.ts.
import type { PermissionResult } from '../../core/permissions/permission.ts';
import type { Question, QuestionRecorder } from '../permissions/questions.ts';
import type { SessionFold } from './fold.ts';
import type { FoldedQuestion } from './folded.ts';
import { isSameQuestion } from './same-question.ts';
import type { SessionSteps } from '../session-steps.ts';
import type { SessionIds } from '../session/session-ids.ts';
import type { SessionJournal } from './session-journal.ts';

/** A call's question keeps its id when the turn is resumed. `opening`: left out if the host runs no steps. */
export function createQuestionRecorder(
  journal: SessionJournal,
  ids: Pick<SessionIds, 'of'>,
  opening: SessionSteps['opening'] | undefined,
): QuestionRecorder {
  /** How often each call was asked about in this turn. */
  const counts = new Map<string, number>();
  let turn: number | undefined;
  return {
    async ask(question: Question) {
      const { turn: open, entries } = journal.fold;
      // There are also questions between two turns, such as whether a branch may be merged.
      const current = open?.n ?? entries.findLast(({ type }) => type === 'result')?.n ?? 0;
      if (current !== turn) counts.clear();
      turn = current;
      const { toolUseID: callId } = question;
      for (;;) {
        const count = (counts.get(callId) ?? 0) + 1;
        counts.set(callId, count);
        const requestId = ids.of('question', current, callId, count);
        const known = journal.fold.questions.get(requestId);
        if (!known) {
          await journal.record({ type: 'question', requestId, callId, question });
          return { requestId };
        }
        // The turn was resumed. Its call asks the same question again, or another one.
        const isSame = isSameQuestion(known.question.question, question);
        if (!isSame || isOfEarlierCall(known, journal.fold)) continue;
        const answer = toAnswerOnce(known, journal.fold);
        if (answer === null) continue;
        // After a kill it isn't known whether the hooks were called.
        const waited = opening === 'woken' && ({ waited: true } as const);
        return { requestId, ...(answer && { answer }), ...waited };
      }
    },
    answer: (requestId, result) =>
      result === null
        ? journal.record({ type: 'answer', requestId, result })
        : journal.recordSafely({ type: 'answer', requestId, result }),
  };
}

/** Some servers give the calls of each reply the same ids. */
function isOfEarlierCall(
  { question: { n, callId } }: FoldedQuestion,
  { turn }: SessionFold,
): boolean {
  const { newest } = turn ?? {};
  if (!newest || n > newest.request.n) return false;
  const blocks = [...newest.blocks.values()];
  return blocks.some(({ block }) => block.type === 'tool_use' && block.id === callId);
}

/**
 * Gives the answer, without its updates of permissions if others were recorded since. Security: its
 * own were recorded right after it, and later ones beat them. Applied again, they would beat the
 * later ones.
 */
function toAnswerOnce(
  { answer }: FoldedQuestion,
  { permissions }: SessionFold,
): PermissionResult | null | undefined {
  const { n = 0, result } = answer ?? {};
  if (result?.behavior !== 'allow' || !permissions.some((entry) => entry.n > n)) return result;
  const { updatedPermissions: _, ...rest } = result;
  return rest;
}
