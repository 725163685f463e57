// The state of an answer that a person is giving. It outlives the component, so a person may look
// at another conversation and come back. With a host's drafts it also survives a reload.
import { createContext, use, useState } from 'react';

/** The values that are entered into one question so far: plain data by name. */
export type QuestionDraft = Readonly<Record<string, unknown>>;

/**
 * The host's storage of entered values, so that a reload doesn't lose them. A question that is
 * asked again keeps its id.
 */
export interface QuestionDrafts {
  /**
   * The draft that was kept for that question. Undefined: nothing was. The draft is checked before
   * it is shown.
   */
  read(questionId: string): QuestionDraft | undefined;
  /** Called with each change. */
  keep(questionId: string, draft: QuestionDraft): void;
}

/**
 * The question that is shown, and where its draft is kept. Null: only with the question's object.
 */
export const KeptDraftContext = createContext<{
  readonly questionId: string;
  readonly drafts: QuestionDrafts;
} | null>(null);

const keptOf = new WeakMap<object, Map<string, unknown>>();

/**
 * As `useState`, but the state is kept with the question's object for as long as that lives. `name`
 * is unique among the states of one question. A question that is no object keeps nothing. Given
 * `restore`, the state is kept in the {@link KeptDraftContext}, too. `restore` gives undefined for
 * a value that it doesn't know.
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

/** The `restore` for texts. */
export const restoreText = (kept: unknown): string | undefined =>
  typeof kept === 'string' ? kept : undefined;
