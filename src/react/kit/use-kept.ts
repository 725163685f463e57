// State of what a person answers a question with. It outlives what shows it: who looks at another conversation and
// comes back goes on where they were.
import { useState } from 'react';

const keptOf = new WeakMap<object, Map<string, unknown>>();

/**
 * As `useState`, but kept with the question for as long as that object lives. `name` is unique among what is kept with
 * it. What is no object keeps nothing.
 */
export function useKept<T>(
  question: unknown,
  name: string,
  first: () => T,
): readonly [T, (next: T) => void] {
  const [value, setValue] = useState(() => {
    const kept = isObject(question) ? keptOf.get(question) : undefined;
    return kept?.has(name) ? (kept.get(name) as T) : first();
  });
  const set = (next: T) => {
    if (isObject(question)) {
      const kept = keptOf.get(question) ?? new Map<string, unknown>();
      keptOf.set(question, kept.set(name, next));
    }
    setValue(() => next);
  };
  return [value, set];
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
