// What is wrong with questions, or with the answers that a host brought. The model never goes on from an answer
// that nobody gave.
import type { AnsweredInput } from './schema.ts';

/** A sentence; undefined: each is a question of its own. */
export function findQuestionMistake({
  questions,
}: Pick<AnsweredInput, 'questions'>): string | undefined {
  const texts = questions.map(({ question }) => question);
  const twice = findTwice(texts);
  if (twice !== undefined) return `"${twice}" is asked twice: ask each question once.`;
  for (const { question, options } of questions) {
    const label = findTwice(options.map((option) => option.label));
    if (label !== undefined) {
      return `"${question}" has the option "${label}" twice: give each a label of its own.`;
    }
  }
  return undefined;
}

/** A sentence; undefined: each question has its answer, and nothing else has one. */
export function findAnswerMistake({
  questions,
  answers,
  annotations,
}: AnsweredInput): string | undefined {
  if (!answers) {
    return 'The questions were allowed, but none was answered: an answer brings `answers`, by each question’s text, in its updatedInput. Ask again, or decide by yourself and say what you assumed.';
  }
  const asked = new Set(questions.map(({ question }) => question));
  const foreign = [...Object.keys(answers), ...Object.keys(annotations ?? {})].find(
    (question) => !asked.has(question),
  );
  if (foreign !== undefined) {
    return `The answers name "${foreign}", which nobody asked. They must name the questions by their texts. Ask again.`;
  }
  const missing = [...asked].find((question) => (own(answers, question) ?? '').trim() === '');
  if (missing === undefined) return undefined;
  return `"${missing}" has no answer. Ask again, or decide by yourself and say what you assumed.`;
}

/** Security: a question may be called as what every object has. */
function own(answers: Readonly<Record<string, string>>, question: string): string | undefined {
  return Object.hasOwn(answers, question) ? answers[question] : undefined;
}

function findTwice(texts: readonly string[]): string | undefined {
  return texts.find((text, at) => texts.indexOf(text) !== at);
}
