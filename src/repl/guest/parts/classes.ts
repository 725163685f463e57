// The functions that rewritten classes call (syntax/rewrite-classes.ts). They are for TypeScript's
// legacy decorators, and those of the language in the version of November 2023. A preview has it in
// its frame.
import { type Maker, LegacyClass, StandardClass } from '../class-records.ts';

export type Classes = ReturnType<typeof addClasses>;

export function addClasses() {
  return {
    legacy: (name: string, decorators: () => unknown[], make: Maker<LegacyClass>) =>
      new LegacyClass(name).make(decorators, make),
    standard: (name: string, decorators: unknown[], make: Maker<StandardClass>) =>
      new StandardClass(name, decorators).make(make),
    /** `@Inject() a` as a decorator of the element with that parameter. */
    param: (index: number, decorator: Function) => (target: object, key: unknown) => {
      // The result of the decorator isn't used.
      decorator(target, key, index);
    },
    bound: (owner: Record<string, Function>, name: string) => owner[name]?.bind(owner),
    /** A decorator, if something like reflect-metadata is there. */
    metadata(key: string, value: unknown): unknown {
      const { metadata } = Reflect as { metadata?: unknown };
      return typeof metadata === 'function' ? metadata(key, value) : undefined;
    },
    type: typeOf,
    /**
     * Modules may import each other. A value that isn't there yet counts as no class, as in
     * CommonJS.
     */
    imported(read: () => unknown): unknown {
      try {
        return typeOf(read());
      } catch (error) {
        if (error instanceof ReferenceError) return Object;
        throw error;
      }
    },
  };
}

/** The value of a type's name at run time: a class, or the kind of an enum's values. */
function typeOf(value: unknown): unknown {
  if (typeof value === 'function') return value;
  if (typeof value !== 'object' || value === null) return Object;
  const values = Object.values(value);
  if (values.length === 0) return Object;
  if (values.every((one) => typeof one === 'string' && !(one in value))) return String;
  const isNumeric = (one: unknown) => typeof one === 'number' || typeof one === 'string';
  return values.every(isNumeric) && values.some((one) => typeof one === 'number') ? Number : Object;
}
