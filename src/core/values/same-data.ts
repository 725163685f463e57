// Deep equality of plain data: objects, arrays and primitives.

/** The order of keys doesn't matter. A missing key differs from one whose value is undefined. */
export function isSameData(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(other, key)) return false;
    if (!isSameData((one as Fields)[key], (other as Fields)[key])) return false;
  }
  return true;
}

type Fields = Readonly<Record<string, unknown>>;
