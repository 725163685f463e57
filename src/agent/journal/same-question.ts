// Whether an answer in the journal may be taken for a question that is asked when a call runs again.
// Used by record-questions.ts.
import type { QuestionRecord } from '../../core/session/journal.ts';

type Question = Pick<QuestionRecord['question'], 'toolName' | 'input' | 'changes' | 'principal'>;

/**
 * Security: an answer holds only for the input and the changes that were asked about. A call that runs again may come
 * to others. How it is told may differ: titles and what is suggested go by the rules of the day.
 */
export function isSameQuestion(recorded: Question, asked: Question): boolean {
  return toSubject(recorded) === toSubject(asked);
}

function toSubject({ toolName, input, changes, principal }: Question): string {
  return JSON.stringify({ toolName, input, changes, principal });
}
