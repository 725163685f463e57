// Node's `finished` and `pipeline`.
import type { Kernel } from '../kernel-type.ts';
import { isStream, type Callback, type Stream } from './stream-side.ts';

export function makePipeline(kernel: Kernel, Readable, PassThrough) {
  const nextTick = (kernel.process as unknown as { nextTick: (job, ...args) => void }).nextTick;

  function abortError(signal): Error {
    const error: any = new Error('The operation was aborted', { cause: signal?.reason });
    return Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' });
  }

  function finished(stream: Stream, given, last?) {
    const options = typeof given === 'function' ? {} : (given ?? {});
    const callback: Callback = typeof given === 'function' ? given : last;
    if (!isStream(stream)) throw kernel.invalidType('stream', 'an instance of Stream', stream);
    if (typeof callback !== 'function')
      throw kernel.invalidType('callback', 'of type function', callback);
    const reads = stream._readableState;
    const writes = stream._writableState;
    const isRead = options.readable ?? (reads ? true : stream.readable === true);
    const isWritten = options.writable ?? (writes ? true : stream.writable === true);
    let isReadOver = !isRead || Boolean(reads?.endEmitted);
    let isWriteOver = !isWritten || Boolean(writes?.finished);
    let isOver = false;
    const heard: [string, (value?) => void][] = [];
    const stop = () => {
      for (const [name, listener] of heard) stream.off(name, listener);
      options.signal?.removeEventListener?.('abort', onAbort);
    };
    const done = (error?) => {
      if (isOver) return;
      isOver = true;
      if (options.cleanup) stop();
      if (error) callback.call(stream, error);
      else callback.call(stream);
    };
    const sides = [reads, writes].filter((side) => side !== undefined);
    // Who waits for all of a stream that will close is told then, as its last listeners are.
    const waitsForClose =
      sides.some((side) => side.autoDestroy && side.emitClose) &&
      isRead === (reads !== undefined) &&
      isWritten === (writes !== undefined);
    const check = () => {
      const isClosing = waitsForClose && !sides.some((side) => side.isCloseEmitted);
      if (isReadOver && isWriteOver && !(isClosing && !stream.destroyed)) done();
    };
    const onAbort = () => {
      stop();
      done(abortError(options.signal));
    };
    const onClose = () => {
      const error = reads?.errored || writes?.errored;
      if (error) done(error);
      else if (
        (isRead && !isReadOver && !reads?.endEmitted) ||
        (isWritten && !isWriteOver && !writes?.finished)
      )
        done(kernel.coded(Error, 'ERR_STREAM_PREMATURE_CLOSE', 'Premature close'));
      else done();
    };
    heard.push(
      ['end', () => ((isReadOver = true), check())],
      ['finish', () => ((isWriteOver = true), check())],
      ['close', onClose],
    );
    if (options.error !== false) heard.push(['error', done]);
    for (const [name, listener] of heard) stream.on(name, listener);
    if (sides.some((side) => side.isCloseEmitted)) nextTick(onClose);
    else if (sides.some((side) => side.errored && side.isErrorEmitted))
      nextTick(done, reads?.errored || writes?.errored);
    else if (isReadOver && isWriteOver && sides.length > 0) nextTick(check);
    if (options.signal?.aborted) nextTick(onAbort);
    else options.signal?.addEventListener('abort', onAbort, { once: true });
    return stop;
  }

  const isIterable = (value) =>
    typeof value?.[Symbol.asyncIterator] === 'function' ||
    typeof value?.[Symbol.iterator] === 'function';

  /**
   * Runs a pipeline and calls back once. If one stream fails or is closed early, the others are
   * destroyed.
   */
  function run(given: Stream[], options, callback: Callback) {
    const steps = given.length === 1 && Array.isArray(given[0]) ? given[0] : given;
    if (steps.length < 2)
      throw kernel.coded(TypeError, 'ERR_MISSING_ARGS', 'The "streams" argument must be specified');
    const { signal } = options;
    const all: Stream[] = [];
    let isOver = false;
    let value: unknown;
    let open = 0;
    const end = (error?) => {
      if (isOver) return;
      if (error) {
        isOver = true;
        for (const stream of all) if (!stream.destroyed) stream.destroy?.(error);
        nextTick(callback, error);
      } else if ((open -= 1) === 0) {
        isOver = true;
        nextTick(callback, undefined, value);
      }
    };
    const watch = (stream: Stream, isFirst: boolean, isLast: boolean) => {
      all.push(stream);
      open += 1;
      finished(
        stream,
        { readable: !isLast && stream._readableState !== undefined, writable: !isFirst },
        end,
      );
      // A destroyed stream emits its error once more, which must not be unhandled.
      stream.on('error', () => {});
    };
    let current: Stream;
    for (const [at, step] of steps.entries()) {
      const isFirst = at === 0;
      const isLast = at === steps.length - 1;
      if (isStream(step)) {
        watch(step, isFirst, isLast);
        if (!isFirst) current.pipe(step, { end: !isLast || options.end !== false });
        current = step;
        continue;
      }
      if (typeof step !== 'function' && !(isFirst && isIterable(step)))
        throw kernel.invalidType(
          'streams[' + at + ']',
          'of type function or an instance of Stream or Iterable',
          step,
        );
      const made =
        typeof step === 'function'
          ? isFirst
            ? step({ signal })
            : step(current, { signal })
          : step;
      if (isLast && !isIterable(made)) {
        if (typeof made?.then !== 'function')
          throw kernel.coded(
            TypeError,
            'ERR_INVALID_RETURN_VALUE',
            'Expected AsyncIterable or Promise to be returned from the last step of the pipeline',
          );
        open += 1;
        made.then(
          (result) => {
            value = result;
            end();
          },
          (error) => end(error),
        );
      } else if (isLast) {
        // The values may not be read to the end.
        const through = new PassThrough({ objectMode: true });
        watch(Readable.from(made).pipe(through), true, false);
        through.resume();
        current = through;
      } else {
        if (!isIterable(made))
          throw kernel.coded(
            TypeError,
            'ERR_INVALID_RETURN_VALUE',
            'Expected AsyncIterable to be returned from a step of the pipeline',
          );
        current = Readable.from(made);
        watch(current, true, false);
      }
    }
    if (signal?.aborted) nextTick(() => end(abortError(signal)));
    else signal?.addEventListener('abort', () => end(abortError(signal)), { once: true });
    return current;
  }

  const takeOptions = (given: unknown[]): [Stream[], { signal?; end? }] => {
    const last = given.at(-1) as Stream;
    const hasOptions =
      last &&
      typeof last === 'object' &&
      !isStream(last) &&
      !isIterable(last) &&
      !Array.isArray(last);
    return hasOptions ? [given.slice(0, -1), last] : [given, {}];
  };
  function pipeline(...given) {
    const callback = given.pop();
    if (typeof callback !== 'function')
      throw kernel.invalidType('streams[stream.length - 1]', 'of type function', callback);
    return run(given, {}, callback);
  }
  const promises = {
    pipeline: (...given) =>
      new Promise((resolve, reject) => {
        run(...takeOptions(given), (error, value) => {
          if (error) reject(error);
          else resolve(value);
        });
      }),
    finished: (stream, options) =>
      new Promise<void>((resolve, reject) => {
        finished(stream, { ...options, cleanup: options?.cleanup }, (error) => {
          if (error) reject(error);
          else resolve();
        });
      }),
  };
  return { finished, pipeline, promises };
}
