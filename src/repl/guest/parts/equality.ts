// Deep equality for assert, expect and util. Their rules differ by options.
import type { EqualityOptions, Kernel } from '../kernel-type.ts';

/** Adds `equals` to the kernel. */
export function addEquality(kernel: Kernel) {
  const toText = Function.prototype.call.bind(Object.prototype.toString);
  const isObject = (value): boolean => typeof value === 'object' && value !== null;

  /**
   * Options: strict (prototypes, holes and undefined properties count), loose (== for primitives),
   * matchers (asymmetric matchers are called), subset (only expected properties must exist).
   */
  kernel.equals = equals;
  function equals(
    actual,
    expected,
    options: EqualityOptions = {},
    seen: [unknown, unknown][] = [],
  ): boolean {
    if (options.matchers && typeof expected?.asymmetricMatch === 'function') {
      return expected.asymmetricMatch(actual);
    }
    if (options.matchers && typeof actual?.asymmetricMatch === 'function') {
      return actual.asymmetricMatch(expected);
    }
    if (Object.is(actual, expected)) return true;
    if (!isObject(actual) || !isObject(expected)) {
      if (typeof actual === 'function' || typeof expected === 'function') return false;
      if (options.loose !== true || isObject(actual) || isObject(expected)) return false;
      // oxlint-disable-next-line eqeqeq -- what assert.equal promises
      return actual == expected;
    }
    if (seen.some(([a, b]) => a === actual && b === expected)) return true;
    const next: [unknown, unknown][] = [...seen, [actual, expected]];
    const same = (a, b) => kernel.equals(a, b, options, next);
    const keysOf = (value) =>
      [
        ...Object.keys(value),
        ...Object.getOwnPropertySymbols(value).filter((key) =>
          Object.prototype.propertyIsEnumerable.call(value, key),
        ),
      ].filter((key) => options.strict || options.keepUndefined || value[key] !== undefined);
    // An object says what must be there, also of an error or a list.
    if (options.subset && toText(expected) === '[object Object]')
      return keysOf(expected).every((key) => key in actual && same(actual[key], expected[key]));
    if (options.strict && Object.getPrototypeOf(actual) !== Object.getPrototypeOf(expected))
      return false;
    if (Array.isArray(actual) !== Array.isArray(expected)) return false;
    if (toText(actual) !== toText(expected)) return false;
    if (actual instanceof Date) return Object.is(actual.getTime(), expected.getTime());
    if (actual instanceof RegExp) return String(actual) === String(expected);
    const isSealed =
      actual instanceof Promise || actual instanceof WeakMap || actual instanceof WeakSet;
    // Node tells two of them apart; jest and vitest compare what can be seen of them.
    if (isSealed && !options.matchers) return false;
    if (actual instanceof Error && expected instanceof Error) {
      if (actual.message !== expected.message || actual.name !== expected.name) return false;
    }
    if (actual instanceof String || actual instanceof Number || actual instanceof Boolean) {
      if (!Object.is(actual.valueOf(), expected.valueOf())) return false;
    }
    if (ArrayBuffer.isView(actual) || actual instanceof ArrayBuffer) {
      const bytes = (value) =>
        ArrayBuffer.isView(value)
          ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
          : new Uint8Array(value);
      const [a, b] = [bytes(actual), bytes(expected)];
      return a.length === b.length && a.every((byte, at) => byte === b[at]);
    }
    if (actual instanceof Set && expected instanceof Set) {
      if (actual.size !== expected.size) return false;
      return [...expected].every(
        (item) => actual.has(item) || [...actual].some((other) => same(other, item)),
      );
    }
    if (actual instanceof Map && expected instanceof Map) {
      if (actual.size !== expected.size) return false;
      return [...expected].every(([key, item]) =>
        actual.has(key)
          ? same(actual.get(key), item)
          : [...actual].some(([otherKey, other]) => same(otherKey, key) && same(other, item)),
      );
    }
    if (Array.isArray(actual) && actual.length !== expected.length) return false;
    if (options.strict && Array.isArray(actual)) {
      for (let at = 0; at < actual.length; at += 1)
        if (at in actual !== at in expected) return false;
    }
    const expectedKeys = keysOf(expected);
    if (options.subset && !Array.isArray(expected)) {
      return expectedKeys.every((key) => key in actual && same(actual[key], expected[key]));
    }
    const actualKeys = keysOf(actual);
    return (
      actualKeys.length === expectedKeys.length &&
      expectedKeys.every((key) => Object.hasOwn(actual, key) && same(actual[key], expected[key]))
    );
  }
}
