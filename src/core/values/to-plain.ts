// Frameworks keep data behind proxies (Vue's `reactive`, Svelte's `$state`), which can't be sent to a worker.

/** Copies arrays and plain objects, however deep, so that none is a proxy. All else is kept as it is. */
export function toPlain<T>(value: T): T {
  // The casts: a copy has the type of its original.
  if (Array.isArray(value)) return value.map(toPlain) as T;
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, toPlain(one)])) as T;
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const parent: unknown = Object.getPrototypeOf(value);
  return parent === Object.prototype || parent === null;
}
