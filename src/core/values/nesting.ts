// Limits the depth of a value. Security: a model's server may send values so deep that they can be parsed, but that
// JSON.stringify and structured cloning overflow the stack.

/** 500 levels: more than any real input has. A worker's stack is enough for several thousand. */
export const maxInputDepth = 500;

/** Walks level by level, so that it works at any depth. */
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
