// Node's Writable.
import type { Kernel } from '../kernel-type.ts';
import {
  defineShown,
  makeSide,
  toChunk,
  type Callback,
  type Common,
  type Stream,
} from './stream-side.ts';

interface Write {
  readonly Writable: any;
  /** Creates the state of the writable side, and takes methods from the options. */
  begin(stream: Stream, options): void;
  /** Writes buffered data once `_construct` has ended. */
  goOn(stream: Stream): void;
}

export function makeWritable(kernel: Kernel, common: Common, EventEmitter): Write {
  const { fail, nextTick } = common;

  function Writable(this: Stream, options) {
    // A Duplex also counts as a Writable, by Symbol.hasInstance.
    if (!(this instanceof Writable) && this?._writableState === undefined)
      return new (Writable as any)(options);
    EventEmitter.call(this);
    begin(this, options);
    common.construct(this, () => goOn(this));
  }
  Object.setPrototypeOf(Writable.prototype, EventEmitter.prototype);
  Object.setPrototypeOf(Writable, EventEmitter);
  Object.defineProperty(Writable, Symbol.hasInstance, {
    value(this: Function, object) {
      if (Function.prototype[Symbol.hasInstance].call(this, object)) return true;
      return this === Writable && object?._writableState !== undefined;
    },
  });

  function begin(stream: Stream, options) {
    const state = makeSide(options, options?.writableObjectMode, options?.writableHighWaterMark);
    stream._writableState = Object.assign(state, {
      decodeStrings: options?.decodeStrings !== false,
      defaultEncoding: options?.defaultEncoding ?? 'utf8',
      needDrain: false,
      ending: false,
      ended: false,
      finished: false,
      isPrefinished: false,
      isFinalCalled: false,
      writing: false,
      corked: 0,
      isClearing: false,
      /** The number of callbacks that have yet to be called. */
      pending: 0,
      writeCallback: null,
      writeLength: 0,
      buffered: [],
      onFinish: [],
    });
    for (const name of ['write', 'writev', 'destroy', 'final', 'construct'])
      if (typeof options?.[name] === 'function') stream['_' + name] = options[name];
    if (options?.signal) {
      options.signal.addEventListener('abort', () => stream.destroy(options.signal.reason), {
        once: true,
      });
    }
  }

  const error = (code: string, message: string) => kernel.coded(Error, code, message);

  function goOn(stream: Stream) {
    if (!stream._writableState.writing) clearBuffer(stream);
    finishMaybe(stream);
  }

  function put(stream: Stream, given, givenEncoding, givenCallback): boolean {
    const state = stream._writableState;
    const callback: Callback =
      typeof givenEncoding === 'function' ? givenEncoding : (givenCallback ?? (() => {}));
    let encoding =
      typeof givenEncoding === 'string' && givenEncoding ? givenEncoding : state.defaultEncoding;
    let chunk = given;
    if (chunk === null)
      throw kernel.coded(
        TypeError,
        'ERR_STREAM_NULL_VALUES',
        'May not write null values to stream',
      );
    if (!state.objectMode) {
      if (typeof chunk !== 'string' || state.decodeStrings) {
        chunk = toChunk(kernel, given, encoding);
        if (chunk === undefined)
          throw kernel.invalidType(
            'chunk',
            'of type string or an instance of Buffer, TypedArray, or DataView',
            given,
          );
        encoding = 'buffer';
      }
    }
    const failure = state.ending
      ? error('ERR_STREAM_WRITE_AFTER_END', 'write after end')
      : state.destroyed
        ? error('ERR_STREAM_DESTROYED', 'Cannot call write after a stream was destroyed')
        : undefined;
    if (failure) {
      nextTick(callback, failure);
      fail(stream, failure, true);
      return false;
    }
    state.pending += 1;
    const size = state.objectMode ? 1 : chunk.length;
    state.length += size;
    const hasRoom = state.length < state.highWaterMark;
    if (!hasRoom) state.needDrain = true;
    // New data doesn't overtake buffered data. A stream that was just constructed writes its buffer
    // one tick later.
    const waits = state.buffered.length > 0;
    if (state.writing || state.corked > 0 || state.errored || !state.isConstructed || waits) {
      state.buffered.push({ chunk, encoding, callback });
    } else {
      write(stream, state, size, callback, () => stream._write(chunk, encoding, onWriteOf(stream)));
    }
    return hasRoom && !state.errored && !state.destroyed;
  }

  function write(stream: Stream, state, size: number, callback: Callback, run: () => void) {
    state.writeLength = size;
    state.writeCallback = callback;
    state.writing = true;
    state.sync = true;
    if (state.destroyed)
      onWrite(
        stream,
        error('ERR_STREAM_DESTROYED', 'Cannot call write after a stream was destroyed'),
      );
    else run();
    state.sync = false;
  }

  const onWriteOf = (stream: Stream) => (failure?) => onWrite(stream, failure);

  function onWrite(stream: Stream, failure?) {
    const state = stream._writableState;
    const callback = state.writeCallback;
    if (typeof callback !== 'function') {
      fail(stream, error('ERR_MULTIPLE_CALLBACK', 'Callback called multiple times'));
      return;
    }
    state.writing = false;
    state.writeCallback = null;
    state.length -= state.writeLength;
    state.writeLength = 0;
    const isSync = state.sync;
    if (failure) {
      state.errored ??= failure;
      if (stream._readableState) stream._readableState.errored ??= failure;
      const tell = () => {
        state.pending -= 1;
        callback(failure);
        dropBuffered(stream);
        fail(stream, failure);
      };
      if (isSync) nextTick(tell);
      else tell();
      return;
    }
    if (state.buffered.length > 0) clearBuffer(stream);
    if (isSync) nextTick(afterWrite, stream, callback);
    else afterWrite(stream, callback);
  }

  function afterWrite(stream: Stream, callback: Callback) {
    const state = stream._writableState;
    if (!state.ending && !state.destroyed && state.length === 0 && state.needDrain) {
      state.needDrain = false;
      stream.emit('drain');
    }
    state.pending -= 1;
    callback(null);
    if (state.destroyed) dropBuffered(stream);
    finishMaybe(stream);
  }

  /** Calls back for writes that won't happen. */
  function dropBuffered(stream: Stream) {
    const state = stream._writableState;
    if (state.writing) return;
    const failure = () =>
      state.errored ??
      error('ERR_STREAM_DESTROYED', 'Cannot call write after a stream was destroyed');
    for (const { chunk, callback } of state.buffered.splice(0)) {
      state.length -= state.objectMode ? 1 : chunk.length;
      state.pending -= 1;
      callback(failure());
    }
    for (const callback of state.onFinish.splice(0)) callback(failure());
  }

  function clearBuffer(stream: Stream) {
    const state = stream._writableState;
    if (state.corked > 0 || state.isClearing || state.destroyed || !state.isConstructed) return;
    const { buffered } = state;
    state.isClearing = true;
    if (buffered.length > 1 && stream._writev) {
      const chunks = buffered.splice(0);
      state.pending -= chunks.length - 1;
      const callback = (failure) => {
        for (const chunk of chunks) chunk.callback(failure);
      };
      write(stream, state, state.length, callback, () => stream._writev(chunks, onWriteOf(stream)));
    } else {
      while (buffered.length > 0 && !state.writing) {
        const { chunk, encoding, callback } = buffered.shift();
        const size = state.objectMode ? 1 : chunk.length;
        write(stream, state, size, callback, () =>
          stream._write(chunk, encoding, onWriteOf(stream)),
        );
      }
    }
    state.isClearing = false;
  }

  const mayFinish = (state): boolean =>
    state.ending &&
    !state.destroyed &&
    state.isConstructed &&
    state.length === 0 &&
    !state.errored &&
    state.buffered.length === 0 &&
    !state.finished &&
    !state.writing &&
    !state.isErrorEmitted &&
    !state.isCloseEmitted;

  function prefinish(stream: Stream, state) {
    if (state.isPrefinished || state.isFinalCalled) return;
    if (typeof stream._final !== 'function' || state.destroyed) {
      state.isPrefinished = true;
      stream.emit('prefinish');
      return;
    }
    state.isFinalCalled = true;
    state.pending += 1;
    let isOver = false;
    const done = (failure?) => {
      if (isOver) {
        fail(stream, failure ?? error('ERR_MULTIPLE_CALLBACK', 'Callback called multiple times'));
        return;
      }
      isOver = true;
      state.pending -= 1;
      if (failure) {
        for (const callback of state.onFinish.splice(0)) callback(failure);
        fail(stream, failure, state.sync);
      } else if (mayFinish(state)) {
        state.isPrefinished = true;
        stream.emit('prefinish');
        state.pending += 1;
        nextTick(finish, stream);
      }
    };
    state.sync = true;
    try {
      stream._final(done);
    } catch (failure) {
      done(failure);
    }
    state.sync = false;
  }

  function finishMaybe(stream: Stream, isSync = false) {
    const state = stream._writableState;
    if (!mayFinish(state)) return;
    prefinish(stream, state);
    if (state.pending > 0 || !mayFinish(state)) return;
    state.pending += 1;
    const goOn = () => {
      if (mayFinish(state)) finish(stream);
      else state.pending -= 1;
    };
    if (isSync) nextTick(goOn);
    else goOn();
  }

  function finish(stream: Stream) {
    const state = stream._writableState;
    state.pending -= 1;
    if (state.finished) return;
    state.finished = true;
    for (const callback of state.onFinish.splice(0)) callback();
    stream.emit('finish');
    const other = stream._readableState;
    if (state.autoDestroy && (!other || (other.autoDestroy && other.endEmitted))) stream.destroy();
  }

  Object.assign(Writable.prototype, {
    destroy(this: Stream, failure?, callback?: Callback) {
      const state = this._writableState;
      if (!state.destroyed && (state.buffered.length > 0 || state.onFinish.length > 0))
        nextTick(dropBuffered, this);
      return common.destroy.call(this, failure, callback);
    },
    _destroy(failure, callback) {
      callback(failure);
    },
    _write(this: Stream, chunk, encoding, callback) {
      if (!this._writev)
        throw error('ERR_METHOD_NOT_IMPLEMENTED', 'The _write() method is not implemented');
      this._writev([{ chunk, encoding }], callback);
    },
    _writev: null,
    write(this: Stream, chunk, encoding, callback) {
      return put(this, chunk, encoding, callback);
    },
    cork(this: Stream) {
      this._writableState.corked += 1;
    },
    uncork(this: Stream) {
      const state = this._writableState;
      if (state.corked === 0) return;
      state.corked -= 1;
      if (!state.writing) clearBuffer(this);
    },
    setDefaultEncoding(this: Stream, encoding) {
      this._writableState.defaultEncoding = encoding;
      return this;
    },
    end(this: Stream, given?, givenEncoding?, givenCallback?) {
      const state = this._writableState;
      const callback = [given, givenEncoding, givenCallback].find(
        (value) => typeof value === 'function',
      );
      const hasChunk = given !== undefined && given !== null && typeof given !== 'function';
      if (hasChunk) {
        const encoding = typeof givenEncoding === 'string' ? givenEncoding : undefined;
        put(this, given, encoding, undefined);
      }
      if (state.corked > 0) {
        state.corked = 1;
        this.uncork();
      }
      let failure;
      if (!state.errored && !state.ending) {
        state.ending = true;
        finishMaybe(this, true);
        state.ended = true;
      } else if (state.finished) {
        failure = error(
          'ERR_STREAM_ALREADY_FINISHED',
          'Cannot call end after a stream was finished',
        );
      } else if (state.destroyed) {
        failure = error('ERR_STREAM_DESTROYED', 'Cannot call end after a stream was destroyed');
      }
      if (typeof callback === 'function') {
        if (failure) nextTick(callback, failure);
        else if (state.finished) nextTick(callback);
        else state.onFinish.push(callback);
      }
      return this;
    },
    pipe(this: Stream) {
      fail(this, error('ERR_STREAM_CANNOT_PIPE', 'Cannot pipe, not readable'));
    },
  });

  const shown: Record<string, (state) => unknown> = {
    writable: (state) => !state.destroyed && !state.errored && !state.ending && !state.ended,
    writableFinished: (state) => state.finished,
    writableEnded: (state) => state.ending,
    writableLength: (state) => state.length,
    writableHighWaterMark: (state) => state.highWaterMark,
    writableObjectMode: (state) => state.objectMode,
    writableCorked: (state) => state.corked,
    writableNeedDrain: (state) => !state.destroyed && !state.ending && state.needDrain,
    writableAborted: (state) => Boolean((state.destroyed || state.errored) && !state.finished),
    errored: (state) => state.errored,
    closed: (state) => state.closed,
    destroyed: (state) => state.destroyed,
  };
  for (const [name, read] of Object.entries(shown)) {
    defineShown(Writable.prototype, {
      // The prototype itself has no state.
      [name]: ({ _writableState: state }) => state && read(state),
    });
  }
  return { Writable, begin, goOn };
}
