// Node's Readable.from.
import type { Kernel } from '../kernel-type.ts';

/** Creates Readable.from, which reads an iterable step by step. */
export function makeFrom(kernel: Kernel, Readable) {
  const { nextTick } = kernel.process as unknown as { nextTick: (job, ...args) => void };
  return (source, options?) => {
    if (typeof source === 'string' || kernel.plainBytes(source) !== undefined) {
      return new (Readable as any)({
        objectMode: true,
        ...options,
        read() {
          this.push(source);
          this.push(null);
        },
      });
    }
    const iterate = source?.[Symbol.asyncIterator] ?? source?.[Symbol.iterator];
    if (typeof iterate !== 'function')
      throw kernel.invalidType('iterable', 'an instance of Iterable', source);
    const isAsync = iterate === source[Symbol.asyncIterator];
    const iterator = iterate.call(source);
    const readable = new (Readable as any)({ objectMode: true, highWaterMark: 1, ...options });
    let isReading = false;
    readable._read = () => {
      if (isReading) return;
      isReading = true;
      void step();
    };
    const step = async () => {
      for (;;) {
        try {
          const next = iterator.next();
          const { value, done } = isAsync ? await next : next;
          if (done) {
            readable.push(null);
            return;
          }
          const chunk = typeof value?.then === 'function' ? await value : value;
          if (chunk === null) {
            isReading = false;
            throw kernel.coded(
              TypeError,
              'ERR_STREAM_NULL_VALUES',
              'May not write null values to stream',
            );
          }
          if (readable.push(chunk)) continue;
          isReading = false;
        } catch (error) {
          readable.destroy(error);
        }
        return;
      }
    };
    readable._destroy = (error, callback) => {
      const close = async () => {
        if (error && typeof iterator.throw === 'function') {
          const { done } = await iterator.throw(error);
          if (done) return;
        }
        await iterator.return?.();
      };
      close().then(
        () => nextTick(callback, error),
        (failure) => nextTick(callback, failure ?? error),
      );
    };
    return readable;
  };
}
