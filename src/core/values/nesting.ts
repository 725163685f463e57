// Limits how deep a value is nested. Security: a model's server may send values so deep that they
// can be parsed but not written again. JSON.stringify and structured cloning run out of stack.

/** 500 levels: more than any input has on purpose; a worker's stack bears several thousand. */
export const maxInputDepth = 500;

/** Walks level by level, so that no depth is too much for it. */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  let level: readonly object[] = isObject(value) ? [value] : [];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    level = level.flatMap((item) => Object.values(item).filter(isObject));
  }
  return false;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
