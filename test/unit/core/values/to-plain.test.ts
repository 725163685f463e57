import { expect, it } from 'vitest';
import { toPlain } from '../../../../src/core/values/to-plain.ts';

it('copies arrays and plain objects, and keeps all else', () => {
  const bytes = new Uint8Array([1]);
  const made = new Date(0);
  const own = new (class Own {})();
  const value = { list: [1, { two: null }], bytes, made, own, none: undefined };
  const copy = toPlain(value);
  expect(copy).toEqual(value);
  expect([copy === value, copy.list === value.list, copy.list[1] === value.list[1]]).toEqual([
    false,
    false,
    false,
  ]);
  expect([copy.bytes === bytes, copy.made === made, copy.own === own]).toEqual([true, true, true]);
});

it('gives what can be cloned for what is behind proxies', () => {
  const behind = new Proxy({ list: new Proxy([new Proxy({ a: 1 }, {})], {}) }, {});
  expect(() => structuredClone(behind)).toThrow(
    expect.objectContaining({ name: 'DataCloneError' }) as Error,
  );
  expect(structuredClone(toPlain(behind))).toEqual({ list: [{ a: 1 }] });
});

it('makes no prototype of a key', () => {
  const copy = toPlain(JSON.parse('{"__proto__": {"polluted": true}}') as object);
  expect('polluted' in copy).toBe(false);
  expect(Object.keys(copy)).toEqual(['__proto__']);
});
