// The array methods of Node's Readable.
import type { Stream } from './stream-side.ts';

/** Adds the methods. Each reads the stream to its end, one element at a time. */
export function addArrayMethods(prototype, Readable) {
  const makers: Record<string, (stream: Stream, call) => AsyncGenerator> = {
    async *map(stream, call) {
      for await (const value of stream) yield await call(value, {});
    },
    async *filter(stream, call) {
      for await (const value of stream) if (await call(value, {})) yield value;
    },
    async *flatMap(stream, call) {
      for await (const value of stream) yield* await call(value, {});
    },
    async *take(stream, count) {
      let left = count;
      if (left <= 0) return;
      for await (const value of stream) {
        yield value;
        if ((left -= 1) <= 0) return;
      }
    },
    async *drop(stream, count) {
      let left = count;
      for await (const value of stream) if ((left -= 1) < 0) yield value;
    },
  };
  for (const [name, make] of Object.entries(makers)) {
    prototype[name] = function (call) {
      return Readable.from(make(this, call));
    };
  }
  const readers: Record<string, (this: Stream, ...args) => Promise<unknown>> = {
    async forEach(call) {
      for await (const value of this) await call(value, {});
    },
    async toArray() {
      const values: unknown[] = [];
      for await (const value of this) values.push(value);
      return values;
    },
    async some(call) {
      for await (const value of this) if (await call(value, {})) return true;
      return false;
    },
    async every(call) {
      for await (const value of this) if (!(await call(value, {}))) return false;
      return true;
    },
    async find(call) {
      for await (const value of this) if (await call(value, {})) return value;
      return undefined;
    },
    async reduce(call, ...initial) {
      let [result] = initial;
      let isFirst = initial.length === 0;
      for await (const value of this) {
        result = isFirst ? value : await call(result, value, {});
        isFirst = false;
      }
      if (isFirst) throw new TypeError('Reduce of an empty stream requires an initial value');
      return result;
    },
  };
  Object.assign(prototype, readers);
}
