// A cache with one value for each key.

interface Kept<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
}

/** The key's value. If there is none yet, it is created and kept. */
export function getOrMake<Key, Value>(kept: Kept<Key, Value>, key: Key, make: () => Value): Value {
  const known = kept.get(key);
  if (known !== undefined) return known;
  const value = make();
  kept.set(key, value);
  return value;
}
