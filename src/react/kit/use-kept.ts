// State of what a person answers a question with. It outlives what shows it: who looks at another conversation and
// comes back goes on where they were. With the drafts of a host it outlives the page, too.
import { createContext, use, useState } from 'react';

/** What is entered into one question by now: plain data by name. */
export type QuestionDraft = Readonly<Record<string, unknown>>;

/**
 * Where a host keeps what is entered into questions, so that a reload doesn't lose it. A question that is put again has
 * the id that it had.
 */
export interface QuestionDrafts {
  /** What was kept of that question; undefined: nothing. It is checked before it is shown. */
  read(questionId: string): QuestionDraft | undefined;
  /** Called with each change. */
  keep(questionId: string, draft: QuestionDraft): void;
}

/** The question that is shown, and where its draft is kept; null: with the question's object alone. */
export const KeptDraftContext = createContext<{
  readonly questionId: string;
  readonly drafts: QuestionDrafts;
} | null>(null);

const keptOf = new WeakMap<object, Map<string, unknown>>();

/**
 * As `useState`, but kept with the question for as long as that object lives. `name` is unique among what is kept with
 * it. What is no object keeps nothing. Given `restore`, it is kept in the {@link KeptDraftContext}, too: `restore` gives
 * undefined for what it doesn't know.
 */
export function useKept<T>(
  question: unknown,
  name: string,
  first: () => T,
  restore?: (kept: unknown) => T | undefined,
): readonly [T, (next: T) => void] {
  const context = use(KeptDraftContext);
  const host = restore ? context : null;
  const [value, setValue] = useState(() => {
    const kept = isObject(question) ? keptOf.get(question) : undefined;
    if (kept?.has(name)) return kept.get(name) as T;
    return restore?.(host?.drafts.read(host.questionId)?.[name]) ?? first();
  });
  const set = (next: T) => {
    if (isObject(question)) {
      const kept = keptOf.get(question) ?? new Map<string, unknown>();
      keptOf.set(question, kept.set(name, next));
    }
    host?.drafts.keep(host.questionId, {
      ...host.drafts.read(host.questionId),
      [name]: next,
    });
    setValue(() => next);
  };
  return [value, set];
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** For texts. */
export const restoreText = (kept: unknown): string | undefined =>
  typeof kept === 'string' ? kept : undefined;
