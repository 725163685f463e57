// Node's streams, following its documentation, states and names.
import type { Kernel } from '../kernel-type.ts';
import {
  defaultHighWaterMark,
  isOf,
  isStream,
  makeCommon,
  type Callback,
  type Stream,
} from '../streams/stream-side.ts';
import { pipe as pipeOld } from '../streams/old-pipe.ts';
import { makePipeline } from '../streams/pipeline.ts';
import { makeReadable } from '../streams/readable.ts';
import { makeWritable } from '../streams/writable.ts';
import { addWebAdapters } from '../streams/web-adapters.ts';

/** Returns the module: the legacy Stream class, with the other classes as members. */
export function addStream(kernel: Kernel) {
  const EventEmitter = kernel.part('events') as any;
  const common = makeCommon(kernel);
  const reads = makeReadable(kernel, common, EventEmitter);
  const writes = makeWritable(kernel, common, EventEmitter);
  const { Readable } = reads;
  const { Writable } = writes;

  function Stream(this: Stream) {
    EventEmitter.call(this);
  }
  Object.setPrototypeOf(Stream.prototype, EventEmitter.prototype);
  Object.setPrototypeOf(Stream, EventEmitter);
  Stream.prototype.pipe = pipeOld;
  for (const Kind of [Readable, Writable]) {
    Object.setPrototypeOf(Kind.prototype, Stream.prototype);
    Object.setPrototypeOf(Kind, Stream);
  }

  function Duplex(this: Stream, options) {
    if (!isOf(this, Duplex)) return new (Duplex as any)(options);
    EventEmitter.call(this);
    reads.begin(this, options);
    writes.begin(this, options);
    this.allowHalfOpen = options?.allowHalfOpen !== false;
    if (options?.readable === false) {
      Object.assign(this._readableState, { ended: true, endEmitted: true });
    }
    if (options?.writable === false) {
      Object.assign(this._writableState, { ending: true, ended: true, finished: true });
    }
    common.construct(this, () => {
      writes.goOn(this);
      this.read(0);
    });
  }
  Object.setPrototypeOf(Duplex.prototype, Readable.prototype);
  Object.setPrototypeOf(Duplex, Readable);
  for (const [name, property] of Object.entries(
    Object.getOwnPropertyDescriptors(Writable.prototype),
  )) {
    const isOwn = ['constructor', 'pipe', 'closed', 'destroyed', 'errored'].includes(name);
    if (!isOwn) Object.defineProperty(Duplex.prototype, name, property);
  }

  const waiting = Symbol('callback');
  function Transform(this: Stream, options) {
    if (!isOf(this, Transform)) return new (Transform as any)(options);
    Duplex.call(this, options);
    // A transform pushes on demand, so the readable side must not read ahead by itself.
    this._readableState.sync = false;
    this[waiting] = null;
    for (const name of ['transform', 'flush'])
      if (typeof options?.[name] === 'function') this['_' + name] = options[name];
    // Also flushes in a subclass that defines its own `_final`.
    this.on('prefinish', () => {
      if (this._final !== final) final.call(this);
    });
  }
  Object.setPrototypeOf(Transform.prototype, Duplex.prototype);
  Object.setPrototypeOf(Transform, Duplex);

  function final(this: Stream, callback?: Callback) {
    const end = () => {
      this.push(null);
      callback?.();
    };
    if (typeof this._flush !== 'function' || this.destroyed) {
      end();
      return;
    }
    this._flush((error, data) => {
      if (error) {
        if (callback) callback(error);
        else this.destroy(error);
        return;
      }
      if (data !== undefined && data !== null) this.push(data);
      end();
    });
  }
  Object.assign(Transform.prototype, {
    _final: final,
    _transform() {
      throw kernel.coded(
        Error,
        'ERR_METHOD_NOT_IMPLEMENTED',
        'The _transform() method is not implemented',
      );
    },
    _write(this: Stream, chunk, encoding, callback) {
      const state = this._readableState;
      const before = state.length;
      this._transform(chunk, encoding, (error, value) => {
        if (error) {
          callback(error);
          return;
        }
        if (value !== undefined && value !== null) this.push(value);
        const goesOn =
          this._writableState.ended ||
          before === state.length ||
          state.length < state.highWaterMark;
        if (goesOn) callback();
        else this[waiting] = callback;
      });
    },
    _read(this: Stream) {
      const callback = this[waiting];
      this[waiting] = null;
      callback?.();
    },
  });

  function PassThrough(this: Stream, options) {
    if (!isOf(this, PassThrough)) return new (PassThrough as any)(options);
    Transform.call(this, options);
  }
  Object.setPrototypeOf(PassThrough.prototype, Transform.prototype);
  Object.setPrototypeOf(PassThrough, Transform);
  PassThrough.prototype._transform = (chunk, _encoding, callback) => {
    callback(null, chunk);
  };

  const { finished, pipeline, promises } = makePipeline(kernel, Readable, PassThrough);
  addWebAdapters(kernel, { Readable, Writable, Duplex, finished });
  return Object.assign(Stream, {
    ...kernel
      .part('absent')
      .functionsOf('stream', ". It isn't available in this sandbox: use pipeline, or a Transform"),
    Stream,
    Readable,
    Writable,
    Duplex,
    Transform,
    PassThrough,
    finished,
    pipeline,
    promises,
    addAbortSignal(signal, stream: Stream) {
      const abort = () => {
        const error: any = new Error('The operation was aborted', { cause: signal.reason });
        stream.destroy(Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' }));
      };
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort, { once: true });
      return stream;
    },
    isReadable: (stream: Stream) => isStream(stream) && Boolean(stream.readable),
    isWritable: (stream: Stream) => isStream(stream) && Boolean(stream.writable),
    isDestroyed: (stream: Stream) => Boolean(stream?.destroyed),
    destroy: (stream: Stream, error?: unknown) => {
      stream.destroy(error);
    },
    isErrored: (stream: Stream) => Boolean(stream?.errored),
    isDisturbed: (stream: Stream) => Boolean(stream?.readableDidRead),
    getDefaultHighWaterMark: (isObjects: boolean) => (isObjects ? 16 : defaultHighWaterMark),
    // Old packages call these functions by their internal names.
    _isUint8Array: (value: unknown) => value instanceof Uint8Array,
    _uint8ArrayToBuffer: (bytes) => kernel.toBuffer(bytes),
  });
}
