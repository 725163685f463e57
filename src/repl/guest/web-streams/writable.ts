// WritableStream of the Streams Standard.
import type { Kernel } from '../kernel-type.ts';
import {
  put,
  end,
  stop,
  bind,
  settle,
  refresh,
  room,
  stateOf,
  idle,
  failed,
  hasFailed,
  defer,
  sizeOf,
  markOf,
  locked,
  type Deferred,
  type State,
  type Strategy,
} from './shared.ts';

export function makeWritable(kernel: Kernel) {
  class WritableStream {
    #state: State = 'open';
    #error: unknown;
    #queue: { chunk; size: number; done: Deferred }[] = [];
    #size = 0;
    #isWriting = true;
    #closing: Deferred | undefined;
    #writer: WritableStreamDefaultWriter | undefined;
    #idle: Deferred[] = [];
    #sink;
    #controller;
    #strategy: Strategy;
    #mark: number;

    constructor(sink: any = {}, strategy: Strategy = {}) {
      this.#sink = sink;
      this.#strategy = strategy;
      this.#mark = markOf(strategy, 1);
      const control = new kernel.AbortController() as any;
      this.#controller = {
        signal: control.signal,
        abort: (reason) => control.abort(reason),
        error: (error) => this.#fail(error),
      };
      const started = sink?.start?.(this.#controller);
      Promise.resolve(started).then(
        () => {
          this.#isWriting = false;
          void this.#next();
        },
        (error) => {
          this.#isWriting = false;
          this.#fail(error);
        },
      );
    }

    #fail(error) {
      if (this.#state === 'closed' || this.#state === 'errored') return;
      this.#state = 'errored';
      this.#error = error;
      for (const { done } of this.#queue.splice(0)) done.reject(error);
      this.#size = 0;
      this.#closing?.reject(error);
      for (const idle of this.#idle.splice(0)) idle.reject(error);
      this.#writer?.[settle](error);
    }
    async #next() {
      if (this.#isWriting || this.#state === 'errored' || this.#state === 'closed') return;
      const first = this.#queue[0];
      this.#isWriting = true;
      try {
        if (first) {
          await this.#sink?.write?.(first.chunk, this.#controller);
          this.#queue.shift();
          this.#size -= first.size;
          first.done.resolve();
        } else if (this.#closing) {
          await this.#sink?.close?.();
          this.#state = 'closed';
          this.#closing.resolve();
          this.#writer?.[settle]();
        } else {
          this.#isWriting = false;
          for (const idle of this.#idle.splice(0)) idle.resolve();
          return;
        }
      } catch (error) {
        first?.done.reject(error);
        this.#fail(error);
      }
      this.#isWriting = false;
      this.#writer?.[refresh]();
      void this.#next();
    }

    get locked() {
      return this.#writer !== undefined;
    }
    get [room](): number | null {
      if (this.#state === 'errored') return null;
      return this.#state === 'closed' || this.#closing ? 0 : this.#mark - this.#size;
    }
    [stateOf](): readonly [State, unknown] {
      return [this.#state, this.#error];
    }
    [idle]() {
      const waiting = defer();
      this.#idle.push(waiting);
      void this.#next();
      return waiting.promise;
    }
    [bind](writer: WritableStreamDefaultWriter | undefined) {
      if (writer && this.#writer) throw locked('stream');
      this.#writer = writer;
    }
    [put](chunk): Promise<void> {
      if (this.#state === 'errored') return Promise.reject(this.#error);
      if (this.#state === 'closed' || this.#closing)
        return Promise.reject(new TypeError('The stream is closed, or is about to be'));
      let size: number;
      try {
        size = sizeOf(this.#strategy, chunk);
      } catch (error) {
        this.#fail(error);
        return Promise.reject(error);
      }
      const done = defer();
      this.#queue.push({ chunk, size, done });
      this.#size += size;
      void this.#next();
      return done.promise;
    }
    [end](): Promise<void> {
      if (this.#state === 'errored') return Promise.reject(this.#error);
      if (this.#state === 'closed' || this.#closing)
        return Promise.reject(new TypeError('The stream is closed, or is about to be'));
      this.#closing = defer();
      void this.#next();
      return this.#closing.promise;
    }
    async [stop](reason) {
      if (this.#state === 'closed' || this.#state === 'errored') return;
      this.#controller.abort(reason);
      this.#fail(reason);
      await this.#sink?.abort?.(reason);
    }
    async abort(reason?) {
      if (this.#writer) throw locked('stream');
      await this[stop](reason);
    }
    async close() {
      if (this.#writer) throw locked('stream');
      await this[end]();
    }
    getWriter(): WritableStreamDefaultWriter {
      return new WritableStreamDefaultWriter(this);
    }
  }

  class WritableStreamDefaultWriter {
    #stream: WritableStream | undefined;
    #closed = defer();
    #ready = defer();
    constructor(stream: WritableStream) {
      stream[bind](this);
      this.#stream = stream;
      const [state, error] = stream[stateOf]();
      if (state === 'closed') this[settle]();
      else if (state === 'errored') this[settle](error);
      else this[refresh]();
    }
    [refresh]() {
      if ((this.#stream?.[room] ?? 0) > 0) this.#ready.resolve();
    }
    [settle](...failure: unknown[]) {
      if (failure.length === 0) {
        this.#ready.resolve();
        this.#closed.resolve();
        return;
      }
      // If the promise was resolved already, it is replaced by a rejected one.
      this.#ready.reject(failure[0]);
      this.#ready = defer();
      this.#ready.reject(failure[0]);
      this.#closed.reject(failure[0]);
    }
    get #open(): WritableStream {
      if (!this.#stream) throw new TypeError('The writer was released');
      return this.#stream;
    }
    get closed() {
      return this.#closed.promise;
    }
    get ready() {
      return this.#ready.promise;
    }
    get desiredSize() {
      return this.#open[room];
    }
    get [failed](): Promise<never> {
      return this.#closed.promise.then(() => new Promise<never>(() => {}));
    }
    [hasFailed]() {
      return this.#stream?.[stateOf]()[0] === 'errored';
    }
    [idle]() {
      return this.#open[idle]();
    }
    async write(chunk?) {
      const written = this.#open[put](chunk);
      if ((this.#open[room] ?? 1) <= 0) this.#ready = defer();
      await written;
    }
    async close() {
      await this.#open[end]();
    }
    async abort(reason?) {
      await this.#open[stop](reason);
    }
    releaseLock() {
      if (!this.#stream) return;
      this.#stream[bind](undefined);
      this.#stream = undefined;
      const released = new TypeError('The writer was released');
      this.#closed.reject(released);
      this.#ready.reject(released);
    }
  }
  return { WritableStream, WritableStreamDefaultWriter };
}

export type WritableStream = InstanceType<ReturnType<typeof makeWritable>['WritableStream']>;
