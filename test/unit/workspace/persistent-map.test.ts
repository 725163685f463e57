import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PersistentMap } from '../../../src/workspace/tree/persistent-map.ts';

function toObject<Value>(map: PersistentMap<Value>): Map<string, Value> {
  const entries = new Map<string, Value>();
  map.forEach((key, value) => entries.set(key, value));
  return entries;
}

// Two pairs of names that have the same 32-bit hash: such names share a place in the trie.
const colliding = ['f6059', 'f264602', 'f6058', 'f264603'];
const name = fc.oneof(
  fc.constantFrom(...colliding),
  fc.string({ maxLength: 3 }),
  fc.nat(99).map(String),
);
const steps = fc.array(fc.record({ name, value: fc.option(fc.nat(3), { nil: undefined }) }), {
  maxLength: 200,
});

function apply(
  map: PersistentMap<number>,
  list: readonly { readonly name: string; readonly value: number | undefined }[],
): PersistentMap<number> {
  let result = map;
  for (const step of list) {
    result =
      step.value === undefined ? result.delete(step.name) : result.set(step.name, step.value);
  }
  return result;
}

describe('PersistentMap', () => {
  it('holds what a Map would hold after the same steps, and never changes an older map', () => {
    fc.assert(
      fc.property(steps, steps, (first, second) => {
        const model = new Map<string, number>();
        const run = (list: typeof first) => {
          for (const step of list) {
            if (step.value === undefined) model.delete(step.name);
            else model.set(step.name, step.value);
          }
        };
        run(first);
        const before = apply(PersistentMap.empty<number>(), first);
        const beforeModel = new Map(model);
        run(second);
        const after = apply(before, second);
        expect(toObject(after)).toEqual(model);
        expect(after.size).toBe(model.size);
        expect(after.keys().sort()).toEqual([...model.keys()].sort());
        for (const key of colliding) expect(after.get(key)).toBe(model.get(key));
        expect(toObject(before)).toEqual(beforeModel);
      }),
    );
  });

  it('finds exactly the keys whose values differ', () => {
    fc.assert(
      fc.property(steps, steps, (first, second) => {
        const before = apply(PersistentMap.empty<number>(), first);
        const after = apply(before, second);
        const found = new Map<string, readonly (number | undefined)[]>();
        before.diff(after, (key, ...values) => {
          expect(found.has(key)).toBe(false);
          found.set(key, values);
        });
        const expected = new Map<string, readonly (number | undefined)[]>();
        for (const key of new Set([...before.keys(), ...after.keys()])) {
          const values = [before.get(key), after.get(key)];
          if (values[0] !== values[1]) expected.set(key, values);
        }
        expect(found).toEqual(expected);
      }),
    );
  });

  it('is the same, of whatever order, when it is made of all its entries at once', () => {
    const entries = fc.uniqueArray(fc.tuple(name, fc.nat(3)), { selector: ([key]) => key });
    fc.assert(
      fc.property(entries, steps, (list, later) => {
        const made = PersistentMap.from(list);
        expect([toObject(made), made.size]).toEqual([new Map(list), list.length]);
        const grown = list.reduce(
          (map, [key, value]) => map.set(key, value),
          PersistentMap.empty<number>(),
        );
        // Asked before it is compared, and not asked before it is.
        for (const key of [...colliding, '1']) expect(made.get(key)).toBe(grown.get(key));
        expect(made.keys().sort()).toEqual(grown.keys().sort());
        for (const one of [made, PersistentMap.from(list)]) {
          const differing: string[] = [];
          one.diff(grown, (key) => differing.push(key));
          expect(differing).toEqual([]);
          for (const [key, value] of list) expect(one.get(key)).toBe(value);
        }
        expect(toObject(apply(made, later))).toEqual(toObject(apply(grown, later)));
        // What became of it hasn't changed it.
        expect(toObject(made)).toEqual(new Map(list));
      }),
    );
  });

  it('returns itself when nothing changes', () => {
    const map = PersistentMap.empty<number>().set('a', 1);
    expect(map.set('a', 1)).toBe(map);
    expect(map.delete('b')).toBe(map);
  });

  it('looks at little of two large maps that differ in little', () => {
    let map = PersistentMap.empty<number>();
    for (let at = 0; at < 50_000; at += 1) map = map.set(`file-${at}`, at);
    const visited: string[] = [];
    map.diff(map.set('file-7', -1).delete('file-8'), (key) => visited.push(key));
    expect(visited.sort()).toEqual(['file-7', 'file-8']);
  });
});
