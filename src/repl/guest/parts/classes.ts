// Functions that rewritten classes call (syntax/rewrite-classes.ts). They implement TypeScript's
// legacy decorators, and the language's decorators as of November 2023. A preview loads this file
// in its frame.
import { type Maker, LegacyClass, StandardClass } from '../class-records.ts';

export type Classes = ReturnType<typeof addClasses>;

export function addClasses() {
  return {
    legacy: (name: string, decorators: () => unknown[], make: Maker<LegacyClass>) =>
      new LegacyClass(name).make(decorators, make),
    standard: (name: string, decorators: unknown[], make: Maker<StandardClass>) =>
      new StandardClass(name, decorators).make(make),
    /** Turns a parameter decorator such as `@Inject() a` into a decorator of the method. */
    param: (index: number, decorator: Function) => (target: object, key: unknown) => {
      // The decorator's result isn't used.
      decorator(target, key, index);
    },
    bound: (owner: Record<string, Function>, name: string) => owner[name]?.bind(owner),
    /** Returns a metadata decorator, if a library such as reflect-metadata is loaded. */
    metadata(key: string, value: unknown): unknown {
      const { metadata } = Reflect as { metadata?: unknown };
      return typeof metadata === 'function' ? metadata(key, value) : undefined;
    },
    type: typeOf,
    /**
     * Reads an imported class. With circular imports the value may not exist yet, and then counts
     * as undefined, as in CommonJS.
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

/** Returns the run-time value for the name of a type: a class, or the type of an enum's values. */
function typeOf(value: unknown): unknown {
  if (typeof value === 'function') return value;
  if (typeof value !== 'object' || value === null) return Object;
  const values = Object.values(value);
  if (values.length === 0) return Object;
  if (values.every((one) => typeof one === 'string' && !(one in value))) return String;
  const isNumeric = (one: unknown) => typeof one === 'number' || typeof one === 'string';
  return values.every(isNumeric) && values.some((one) => typeof one === 'number') ? Number : Object;
}
