// Keeps the entered answers to a conversation's open questions for this tab. After a reload the questions are asked
// again, and a half-written answer must not be lost.
import type { PageSession, QuestionDraft, QuestionDrafts } from 'rockpool/react';

const keyOf = (id: string) => `rockpool-demo:answers:${id}`;

/** Dispose it before the conversation: the questions that the conversation withdraws then are asked again later. */
export interface KeptAnswers extends QuestionDrafts, Disposable {}

/**
 * The answers in the conversation with that id. A question's values are removed when it is answered
 * or withdrawn.
 */
export function keepAnswers(
  id: string,
  { permissions }: Pick<PageSession, 'permissions'>,
): KeptAnswers {
  const drafts = new Map(Object.entries(readAll(id)));
  const write = () => {
    const all = Object.fromEntries(drafts);
    try {
      if (drafts.size === 0) sessionStorage.removeItem(keyOf(id));
      else sessionStorage.setItem(keyOf(id), JSON.stringify(all));
    } catch {
      // Storage is blocked or full: the values are still in the card.
    }
  };
  const end = permissions.onEvent(({ type, question }) => {
    if (type !== 'asked' && drafts.delete(question.id)) write();
  });
  return {
    read: (questionId) => drafts.get(questionId),
    keep(questionId, draft) {
      drafts.set(questionId, draft);
      write();
    },
    [Symbol.dispose]: end,
  };
}

function readAll(id: string): Readonly<Record<string, QuestionDraft>> {
  try {
    const text = sessionStorage.getItem(keyOf(id));
    return text === null ? {} : (JSON.parse(text) as Record<string, QuestionDraft>);
  } catch {
    // Storage is blocked: nothing was kept.
    return {};
  }
}
