// ReadableStream of the Streams Standard.
import {
  take,
  stop,
  bind,
  settle,
  idle,
  failed,
  hasFailed,
  defer,
  disturbed,
  sizeOf,
  markOf,
  locked,
  wants,
  type Deferred,
  type State,
  type Strategy,
} from './shared.ts';
import type { WritableStream } from './writable.ts';

export class ReadableStream {
  #state: State = 'open';
  #error: unknown;
  #chunks: { chunk; size: number }[] = [];
  #size = 0;
  #waiting: Deferred[] = [];
  #reader: ReadableStreamDefaultReader | undefined;
  #isPulling = false;
  #pullsAgain = false;
  #isStarted = false;
  #isDisturbed = false;
  #source;
  #controller;
  #mark: number;

  constructor(source: any = {}, strategy: Strategy = {}) {
    this.#source = source;
    this.#mark = markOf(strategy, source?.type === 'bytes' ? 0 : 1);
    // oxlint-disable-next-line no-this-alias -- for the controller's getter and methods
    const stream = this;
    this.#controller = {
      get desiredSize() {
        if (stream.#state === 'errored') return null;
        return stream.#state === 'closed' ? 0 : stream.#mark - stream.#size;
      },
      enqueue(chunk) {
        if (stream.#state !== 'open')
          throw new TypeError('The stream is closed, or is about to be');
        const reader = stream.#waiting.shift();
        if (reader) {
          reader.resolve({ done: false, value: chunk });
        } else {
          let size: number;
          try {
            size = sizeOf(strategy, chunk);
          } catch (error) {
            stream.#fail(error);
            throw error;
          }
          stream.#chunks.push({ chunk, size });
          stream.#size += size;
        }
        stream.#pull();
      },
      close() {
        if (stream.#state !== 'open')
          throw new TypeError('The stream is closed, or is about to be');
        stream.#state = 'closing';
        stream.#endIfEmpty();
      },
      error(error) {
        stream.#fail(error);
      },
      byobRequest: null,
    };
    const started = source?.start?.(this.#controller);
    Promise.resolve(started).then(
      () => {
        this.#isStarted = true;
        this.#pull();
      },
      (error) => this.#fail(error),
    );
  }

  static from(source): ReadableStream {
    const iterate = source?.[Symbol.asyncIterator] ?? source?.[Symbol.iterator];
    if (typeof iterate !== 'function') throw new TypeError('ReadableStream.from: not iterable');
    const iterator = iterate.call(source);
    return new ReadableStream(
      {
        async pull(controller) {
          const { value, done } = await iterator.next();
          if (done) controller.close();
          else controller.enqueue(await value);
        },
        async cancel(reason) {
          await iterator.return?.(reason);
        },
      },
      { highWaterMark: 0 },
    );
  }

  #fail(error) {
    if (this.#state === 'closed' || this.#state === 'errored') return;
    this.#state = 'errored';
    this.#error = error;
    this.#chunks = [];
    this.#size = 0;
    for (const reader of this.#waiting.splice(0)) reader.reject(error);
    this.#reader?.[settle](error);
  }
  #endIfEmpty() {
    if (this.#state !== 'closing' || this.#chunks.length > 0) return;
    this.#state = 'closed';
    for (const reader of this.#waiting.splice(0)) reader.resolve({ done: true, value: undefined });
    this.#reader?.[settle]();
  }
  #pull() {
    if (!this.#isStarted || this.#state !== 'open') return;
    if (this.#waiting.length === 0 && this.#mark - this.#size <= 0) return;
    if (typeof this.#source?.pull !== 'function') return;
    if (this.#isPulling) {
      this.#pullsAgain = true;
      return;
    }
    this.#isPulling = true;
    // No async function: it would settle later than the standard says, after a read that this answers.
    let pulled: Promise<unknown>;
    try {
      pulled = Promise.resolve(this.#source.pull(this.#controller));
    } catch (error) {
      pulled = Promise.reject(error);
    }
    pulled.then(
      () => {
        this.#isPulling = false;
        if (!this.#pullsAgain) return;
        this.#pullsAgain = false;
        this.#pull();
      },
      (error) => this.#fail(error),
    );
  }

  get locked() {
    return this.#reader !== undefined;
  }
  /** Node's name for it: true once something has read from the stream, or has cancelled it. */
  get [disturbed](): boolean {
    return this.#isDisturbed;
  }
  [take](): Promise<{ value; done: boolean }> {
    this.#isDisturbed = true;
    if (this.#state === 'errored') return Promise.reject(this.#error);
    const first = this.#chunks.shift();
    if (first) {
      this.#size -= first.size;
      this.#endIfEmpty();
      this.#pull();
      return Promise.resolve({ done: false, value: first.chunk });
    }
    if (this.#state === 'closed') return Promise.resolve({ done: true, value: undefined });
    const reader = defer();
    this.#waiting.push(reader);
    this.#pull();
    return reader.promise;
  }
  /** True if a chunk would be consumed at once, or if there is room in the queue. */
  [wants](): boolean {
    return this.#waiting.length > 0 || this.#mark - this.#size > 0;
  }
  async [stop](reason) {
    this.#isDisturbed = true;
    if (this.#state === 'errored') throw this.#error;
    if (this.#state === 'closed') return;
    this.#chunks = [];
    this.#size = 0;
    this.#state = 'closing';
    this.#endIfEmpty();
    await this.#source?.cancel?.(reason);
  }
  [bind](reader: ReadableStreamDefaultReader | undefined) {
    if (reader && this.#reader) throw locked('stream');
    if (!reader) {
      const failure = new TypeError('The reader was released');
      for (const waiting of this.#waiting.splice(0)) waiting.reject(failure);
    }
    this.#reader = reader;
    if (reader && this.#state === 'closed') reader[settle]();
    if (reader && this.#state === 'errored') reader[settle](this.#error);
  }

  async cancel(reason?) {
    if (this.#reader) throw locked('stream');
    await this[stop](reason);
  }
  getReader(options?: { mode?: string }): ReadableStreamDefaultReader {
    if (options?.mode !== undefined)
      throw new TypeError("A BYOB reader isn't available in this sandbox: use getReader()");
    return new ReadableStreamDefaultReader(this);
  }
  pipeThrough(transform: { readable: ReadableStream; writable: WritableStream }, options?) {
    this.pipeTo(transform.writable, options).catch(() => {});
    return transform.readable;
  }
  async pipeTo(target: WritableStream, options: any = {}) {
    const reader = this.getReader();
    const writer = target.getWriter();
    const { signal } = options;
    let isAborted = false;
    const aborted = defer();
    const abort = () => {
      isAborted = true;
      aborted.reject(signal.reason);
    };
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
    try {
      let failure: { error } | undefined;
      try {
        for (;;) {
          await Promise.race([writer.ready, aborted.promise]);
          let step;
          try {
            step = await Promise.race([reader.read(), aborted.promise, writer[failed]]);
          } catch (error) {
            failure = { error };
            const isOurs = !isAborted && !writer[hasFailed]();
            if ((isOurs || isAborted) && !options.preventAbort) await writer.abort(error);
            throw error;
          }
          if (step.done) break;
          writer.write(step.value).catch(() => {});
        }
        if (!options.preventClose) await writer.close();
        else await writer[idle]();
      } catch (error) {
        if ((!failure || isAborted || writer[hasFailed]()) && !options.preventCancel)
          await reader.cancel(error).catch(() => {});
        throw error;
      }
    } finally {
      signal?.removeEventListener('abort', abort);
      reader.releaseLock();
      writer.releaseLock();
    }
  }
  tee(): [ReadableStream, ReadableStream] {
    const reader = this.getReader();
    const controllers: any[] = [];
    const left = [false, false];
    let isReading = false;
    const pull = async () => {
      if (isReading) return;
      isReading = true;
      try {
        const { value, done } = await reader.read();
        isReading = false;
        for (const [at, controller] of controllers.entries()) {
          if (left[at]) continue;
          if (done) controller.close();
          else controller.enqueue(value);
        }
      } catch (error) {
        for (const controller of controllers) controller.error(error);
      }
    };
    const make = (at: number) =>
      new ReadableStream({
        start(controller) {
          controllers[at] = controller;
        },
        pull,
        async cancel(reason) {
          left[at] = true;
          if (left.every(Boolean)) await reader.cancel(reason);
        },
      });
    return [make(0), make(1)];
  }
  async *values(options?: { preventCancel?: boolean }) {
    const reader = this.getReader();
    let isOver = false;
    try {
      for (;;) {
        const { value, done } = await reader.read();
        if (done) {
          isOver = true;
          return;
        }
        yield value;
      }
    } catch (error) {
      isOver = true;
      throw error;
    } finally {
      if (!isOver && !options?.preventCancel) await reader.cancel();
      reader.releaseLock();
    }
  }
  [Symbol.asyncIterator]() {
    return this.values();
  }
}

export class ReadableStreamDefaultReader {
  #stream: ReadableStream | undefined;
  #closed = defer();
  constructor(stream: ReadableStream) {
    stream[bind](this);
    this.#stream = stream;
  }
  get closed() {
    return this.#closed.promise;
  }
  [settle](...failure: unknown[]) {
    if (failure.length > 0) this.#closed.reject(failure[0]);
    else this.#closed.resolve();
  }
  read(): Promise<{ value; done: boolean }> {
    return this.#stream?.[take]() ?? Promise.reject(new TypeError('The reader was released'));
  }
  async cancel(reason?) {
    if (!this.#stream) throw new TypeError('The reader was released');
    await this.#stream[stop](reason);
  }
  releaseLock() {
    this.#stream?.[bind](undefined);
    this.#stream = undefined;
    this[settle](new TypeError('The reader was released'));
  }
}
