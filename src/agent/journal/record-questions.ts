// What the journal is told of questions to a person, and the ids that they bear. Used by create-session.ts.
import type { Question, QuestionRecorder } from '../permissions/questions.ts';
import { isSameQuestion } from './same-question.ts';
import type { SessionIds } from '../session/session-ids.ts';
import type { SessionJournal } from './session-journal.ts';

/** A call's question has the same id whenever the turn is taken up again. */
export function createQuestionRecorder(
  journal: SessionJournal,
  ids: Pick<SessionIds, 'of'>,
): QuestionRecorder {
  /** By call: how often it was asked about in this turn. */
  const counts = new Map<string, number>();
  let turn: number | undefined;
  return {
    async ask(question: Question) {
      const { turn: open, entries } = journal.fold;
      // Between two turns it is asked whether a branch may be merged.
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
        // The turn is taken up again, and its call asks the same again, or something else.
        const answer = known.answer?.result;
        const isSame = isSameQuestion(known.question.question, question);
        if (isSame && answer !== null) return { requestId, ...(answer && { answer }) };
      }
    },
    answer: (requestId, result) =>
      result === null
        ? journal.record({ type: 'answer', requestId, result })
        : journal.recordSafely({ type: 'answer', requestId, result }),
  };
}
