// Node's Readable.
import type { Kernel } from '../kernel-type.ts';
import { addArrayMethods } from './array-methods.ts';
import { isOf, makeSide, toChunk, type Common, type Stream } from './stream-side.ts';
import { makeFrom } from './from-iterable.ts';

interface Read {
  readonly Readable: any;
  /** Creates the state of the readable side, and takes methods from the options. */
  begin(stream: Stream, options): void;
}

export function makeReadable(kernel: Kernel, common: Common, EventEmitter): Read {
  const { fail, nextTick } = common;

  function Readable(this: Stream, options) {
    if (!isOf(this, Readable)) return new (Readable as any)(options);
    EventEmitter.call(this);
    begin(this, options);
    common.construct(this, () => readMore(this));
  }
  Object.setPrototypeOf(Readable.prototype, EventEmitter.prototype);
  Object.setPrototypeOf(Readable, EventEmitter);

  function begin(stream: Stream, options) {
    const state = makeSide(options, options?.readableObjectMode, options?.readableHighWaterMark);
    stream._readableState = Object.assign(state, {
      buffer: [],
      flowing: null,
      isPaused: false,
      ended: false,
      endEmitted: false,
      reading: false,
      needReadable: false,
      emittedReadable: false,
      readableListening: false,
      resumeScheduled: false,
      readingMore: false,
      pipes: [],
      /** Piped streams that wait for 'drain'. */
      full: new Set(),
      decoder: null,
      encoding: null,
      disturbed: false,
    });
    if (options?.encoding) stream.setEncoding(options.encoding);
    for (const name of ['read', 'destroy', 'construct'])
      if (typeof options?.[name] === 'function') stream['_' + name] = options[name];
    if (options?.signal) destroyOnAbort(stream, options.signal);
  }

  function destroyOnAbort(stream: Stream, signal) {
    const abort = () => {
      const error: any = new Error('The operation was aborted');
      stream.destroy(
        Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR', cause: signal.reason }),
      );
    };
    if (signal.aborted) nextTick(abort);
    else signal.addEventListener('abort', abort, { once: true });
  }

  function take(state, count: number) {
    if (state.length === 0) return null;
    if (state.objectMode) return state.buffer.shift();
    if (!count || count >= state.length) {
      const [first] = state.buffer;
      const all = state.decoder
        ? state.buffer.join('')
        : state.buffer.length === 1
          ? first
          : kernel.Buffer.concat(state.buffer);
      state.buffer.length = 0;
      return all;
    }
    const pieces: any[] = [];
    let missing = count;
    while (missing > 0) {
      const first = state.buffer[0];
      pieces.push(first.slice(0, missing));
      if (first.length > missing) state.buffer[0] = first.slice(missing);
      else state.buffer.shift();
      missing -= Math.min(first.length, missing);
    }
    return state.decoder ? pieces.join('') : kernel.Buffer.concat(pieces);
  }

  function countToRead(state, count: number): number {
    if (count <= 0 || (state.length === 0 && state.ended)) return 0;
    if (state.objectMode) return 1;
    if (Number.isNaN(count))
      return state.flowing && state.length > 0 ? state.buffer[0].length : state.length;
    if (count <= state.length) return count;
    return state.ended ? state.length : 0;
  }

  function add(stream: Stream, given, encoding: string | undefined, isFirst: boolean): boolean {
    const state = stream._readableState;
    if (given === null) {
      state.reading = false;
      endOfData(stream);
      return false;
    }
    let chunk = given;
    if (!state.objectMode) {
      chunk = toChunk(kernel, given, encoding);
      if (chunk === undefined) {
        fail(
          stream,
          kernel.invalidType(
            'chunk',
            'of type string or an instance of Buffer, TypedArray, or DataView',
            given,
          ),
        );
        return false;
      }
    }
    const isEmpty = !state.objectMode && chunk.length === 0;
    if (isFirst && state.endEmitted) {
      const text = 'stream.unshift() after end event';
      fail(stream, kernel.coded(Error, 'ERR_STREAM_UNSHIFT_AFTER_END_EVENT', text));
      return false;
    }
    if (!isFirst && state.ended && !isEmpty) {
      fail(stream, kernel.coded(Error, 'ERR_STREAM_PUSH_AFTER_EOF', 'stream.push() after EOF'));
      return false;
    }
    if (state.destroyed || state.errored) return false;
    if (!isFirst) state.reading = false;
    if (state.decoder && !isEmpty) {
      chunk = isFirst ? chunk.toString(state.encoding) : state.decoder.write(chunk);
    }
    if (!state.objectMode && chunk.length === 0) {
      if (!isFirst) readMore(stream);
    } else {
      keep(stream, state, chunk, isFirst);
    }
    return !state.ended && (state.length < state.highWaterMark || state.length === 0);
  }

  function keep(stream: Stream, state, chunk, isFirst: boolean) {
    const isAtOnce =
      state.flowing && state.length === 0 && !state.sync && stream.listenerCount('data') > 0;
    if (isAtOnce && !isFirst) {
      state.disturbed = true;
      stream.emit('data', chunk);
    } else {
      state.length += state.objectMode ? 1 : chunk.length;
      state.buffer[isFirst ? 'unshift' : 'push'](chunk);
      if (state.needReadable) emitReadable(stream);
    }
    readMore(stream);
  }

  function endOfData(stream: Stream) {
    const state = stream._readableState;
    if (state.ended) return;
    const rest = state.decoder?.end();
    if (rest) {
      state.buffer.push(rest);
      state.length += state.objectMode ? 1 : rest.length;
    }
    state.ended = true;
    if (state.sync) {
      emitReadable(stream);
    } else {
      state.needReadable = false;
      state.emittedReadable = true;
      emitReadableNow(stream);
    }
  }

  function emitReadable(stream: Stream) {
    const state = stream._readableState;
    state.needReadable = false;
    if (state.emittedReadable) return;
    state.emittedReadable = true;
    nextTick(emitReadableNow, stream);
  }
  function emitReadableNow(stream: Stream) {
    const state = stream._readableState;
    if (!state.destroyed && !state.errored && (state.length > 0 || state.ended)) {
      stream.emit('readable');
      state.emittedReadable = false;
    }
    state.needReadable = !state.flowing && !state.ended && state.length <= state.highWaterMark;
    flow(stream);
  }

  /** Reads ahead up to the high-water mark. */
  function readMore(stream: Stream) {
    const state = stream._readableState;
    if (state.readingMore || !state.isConstructed) return;
    state.readingMore = true;
    nextTick(() => {
      while (
        !state.reading &&
        !state.ended &&
        (state.length < state.highWaterMark || (state.flowing && state.length === 0))
      ) {
        const before = state.length;
        stream.read(0);
        if (state.length === before) break;
      }
      state.readingMore = false;
    });
  }

  function flow(stream: Stream) {
    const state = stream._readableState;
    while (state.flowing && stream.read() !== null);
  }

  function end(stream: Stream) {
    const state = stream._readableState;
    if (state.endEmitted) return;
    state.ended = true;
    nextTick(() => {
      if (state.errored || state.isCloseEmitted || state.endEmitted || state.length > 0) return;
      state.endEmitted = true;
      stream.emit('end');
      const other = stream._writableState;
      const isOpen = other && !other.ending && !other.destroyed;
      if (isOpen && stream.allowHalfOpen === false) {
        nextTick(() => stream.end());
      } else if (state.autoDestroy && (!other || (other.autoDestroy && other.finished))) {
        stream.destroy();
      }
    });
  }

  function updateListening(stream: Stream) {
    const state = stream._readableState;
    state.readableListening = stream.listenerCount('readable') > 0;
    if (state.resumeScheduled && !state.isPaused) state.flowing = true;
    else if (stream.listenerCount('data') > 0) stream.resume();
    else if (!state.readableListening) state.flowing = null;
  }

  const { on, off, removeAllListeners } = EventEmitter.prototype;
  Object.assign(Readable.prototype, {
    destroy: common.destroy,
    _destroy(error, callback) {
      callback(error);
    },
    _read() {
      throw kernel.coded(
        Error,
        'ERR_METHOD_NOT_IMPLEMENTED',
        'The _read() method is not implemented',
      );
    },
    push(chunk, encoding) {
      return add(this, chunk, encoding, false);
    },
    unshift(chunk, encoding) {
      return add(this, chunk, encoding, true);
    },
    read(this: Stream, wanted) {
      const state = this._readableState;
      let count = wanted === undefined ? NaN : Math.trunc(Number(wanted));
      const asked = count;
      if (count > state.highWaterMark) state.highWaterMark = count;
      if (count !== 0) state.emittedReadable = false;
      const isFull =
        state.highWaterMark === 0 ? state.length > 0 : state.length >= state.highWaterMark;
      if (count === 0 && state.needReadable && (isFull || state.ended)) {
        if (state.length === 0 && state.ended) end(this);
        else emitReadable(this);
        return null;
      }
      count = countToRead(state, count);
      if (count === 0 && state.ended) {
        if (state.length === 0) end(this);
        return null;
      }
      const isShort =
        state.needReadable || state.length === 0 || state.length - count < state.highWaterMark;
      const isOver =
        state.ended || state.reading || state.destroyed || state.errored || !state.isConstructed;
      if (isShort && !isOver) {
        state.reading = true;
        state.sync = true;
        if (state.length === 0) state.needReadable = true;
        try {
          this._read(state.highWaterMark);
        } catch (error) {
          fail(this, error);
        }
        state.sync = false;
        if (!state.reading) count = countToRead(state, asked);
      }
      const chunk = count > 0 ? take(state, count) : null;
      if (chunk === null) {
        state.needReadable = state.length <= state.highWaterMark;
        count = 0;
      } else {
        state.length -= state.objectMode ? 1 : chunk.length;
        state.full.clear();
      }
      if (state.length === 0) {
        if (!state.ended) state.needReadable = true;
        if (asked !== count && state.ended) end(this);
      }
      if (chunk !== null && !state.isErrorEmitted && !state.isCloseEmitted) {
        state.disturbed = true;
        this.emit('data', chunk);
      }
      return chunk;
    },
    on(this: Stream, name, listener) {
      const result = on.call(this, name, listener);
      const state = this._readableState;
      if (name === 'data') {
        state.readableListening = this.listenerCount('readable') > 0;
        if (state.flowing !== false) this.resume();
      } else if (name === 'readable' && !state.endEmitted && !state.readableListening) {
        state.readableListening = state.needReadable = true;
        state.flowing = false;
        state.emittedReadable = false;
        if (state.length > 0 || state.ended) emitReadable(this);
        else if (!state.reading) nextTick(() => this.read(0));
      }
      return result;
    },
    off(this: Stream, name, listener) {
      const result = off.call(this, name, listener);
      if (name === 'readable') nextTick(updateListening, this);
      return result;
    },
    removeAllListeners(this: Stream, name) {
      const result = removeAllListeners.call(this, name);
      if (name === 'readable' || name === undefined) nextTick(updateListening, this);
      return result;
    },
    resume(this: Stream) {
      const state = this._readableState;
      if (!state.flowing) {
        state.flowing = !state.readableListening;
        if (!state.resumeScheduled) {
          state.resumeScheduled = true;
          nextTick(() => {
            if (!state.reading) this.read(0);
            state.resumeScheduled = false;
            this.emit('resume');
            flow(this);
            if (state.flowing && !state.reading) this.read(0);
          });
        }
      }
      state.isPaused = false;
      return this;
    },
    pause(this: Stream) {
      const state = this._readableState;
      if (state.flowing !== false) {
        state.flowing = false;
        this.emit('pause');
      }
      state.isPaused = true;
      return this;
    },
    isPaused(this: Stream) {
      return this._readableState.isPaused || this._readableState.flowing === false;
    },
    setEncoding(this: Stream, encoding) {
      const state = this._readableState;
      const { StringDecoder } = kernel.part('string-decoder') as any;
      state.decoder = new StringDecoder(encoding);
      state.encoding = state.decoder.encoding;
      const text = state.buffer.map((chunk) => state.decoder.write(chunk)).join('');
      state.buffer = text === '' ? [] : [text];
      state.length = text.length;
      return this;
    },
    pipe(this: Stream, target: Stream, options) {
      const state = this._readableState;
      state.pipes.push(target);
      const { stdout, stderr } = kernel.process as any;
      const atEnd =
        options?.end === false || target === stdout || target === stderr
          ? () => stop()
          : () => target.end();
      const onData = (chunk) => {
        if (target.write(chunk) !== false) return;
        state.full.add(target);
        this.pause();
      };
      const onDrain = () => {
        state.full.delete(target);
        if (state.full.size === 0 && state.pipes.length > 0) this.resume();
      };
      const onError = (error) => {
        this.unpipe(target);
        if (target.listenerCount('error') > 0) return;
        if (target._writableState) fail(target, error);
        else target.emit('error', error);
      };
      const leave = () => this.unpipe(target);
      const stop = () => {
        off.call(this, 'data', onData);
        off.call(this, 'end', atEnd);
        for (const [name, listener] of heard) target.off?.(name, listener);
      };
      const onUnpipe = (from) => {
        if (from === this) stop();
      };
      const heard: [string, (value?) => void][] = [
        ['drain', onDrain],
        ['error', onError],
        ['close', leave],
        ['finish', leave],
        ['unpipe', onUnpipe],
      ];
      if (state.endEmitted) nextTick(atEnd);
      else this.once('end', atEnd);
      for (const [name, listener] of heard) {
        if (name === 'error' && target.prependListener) target.prependListener(name, listener);
        else target.on(name, listener);
      }
      this.on('data', onData);
      target.emit('pipe', this);
      if (target.writableNeedDrain === true) {
        state.full.add(target);
        this.pause();
      } else if (!state.flowing) {
        this.resume();
      }
      return target;
    },
    unpipe(this: Stream, target?: Stream) {
      const state = this._readableState;
      const left = state.pipes.filter((pipe) => target === undefined || pipe === target);
      state.pipes = state.pipes.filter((pipe) => !left.includes(pipe));
      if (left.length > 0 && state.pipes.length === 0) this.pause();
      for (const pipe of left) {
        state.full.delete(pipe);
        pipe.emit('unpipe', this, { hasUnpiped: false });
      }
      return this;
    },
    async *iterator(this: Stream, options?) {
      let wake = () => {};
      let isOver = false;
      let failure: unknown;
      const onReadable = () => wake();
      const onClose = () => {
        isOver = true;
        wake();
      };
      const onError = (error) => {
        failure = error;
        wake();
      };
      this.on('readable', onReadable);
      for (const [name, heard] of [
        ['end', onClose],
        ['close', onClose],
        ['error', onError],
      ] as const)
        this.on(name, heard);
      let isWhole = false;
      try {
        for (;;) {
          const chunk = this.destroyed ? null : this.read();
          if (chunk !== null) {
            yield chunk;
            continue;
          }
          failure ??= this._readableState.errored;
          if (failure) throw failure;
          if (this._readableState.endEmitted) break;
          if (isOver || this._readableState.isCloseEmitted) {
            throw kernel.coded(Error, 'ERR_STREAM_PREMATURE_CLOSE', 'Premature close');
          }
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        isWhole = true;
      } finally {
        this.off('readable', onReadable);
        for (const [name, heard] of [
          ['end', onClose],
          ['close', onClose],
        ] as const)
          this.off(name, heard);
        if ((failure || !isWhole) && options?.destroyOnReturn === false && !failure) {
          this.off('error', onError);
        } else {
          // Errors from here on are caused by leaving the loop.
          this.destroy();
        }
      }
    },
  });
  const { prototype } = Readable as any;
  prototype.addListener = prototype.on;
  prototype.removeListener = prototype.off;
  prototype[Symbol.asyncIterator] = function () {
    return this.iterator();
  };

  /** Getters for parts of the state, by Node's names. */
  const shown: Record<string, (state, stream: Stream) => unknown> = {
    readable: (state) => !state.destroyed && !state.errored && !state.endEmitted,
    readableDidRead: (state) => state.disturbed,
    readableAborted: (state) => Boolean((state.destroyed || state.errored) && !state.endEmitted),
    readableHighWaterMark: (state) => state.highWaterMark,
    readableBuffer: (state) => state.buffer,
    readableFlowing: (state) => state.flowing,
    readableLength: (state) => state.length,
    readableObjectMode: (state) => state.objectMode,
    readableEncoding: (state) => state.encoding,
    readableEnded: (state) => state.endEmitted,
    errored: (state) => state.errored,
    closed: (state) => state.closed,
    destroyed: (state) => state.destroyed,
  };
  for (const [name, read] of Object.entries(shown)) {
    Object.defineProperty(prototype, name, {
      configurable: true,
      get(this: Stream) {
        const state = this._readableState;
        return state === undefined ? undefined : read(state, this);
      },
      set(this: Stream, value) {
        // Old streams assign these properties themselves.
        if (name === 'destroyed' && this._readableState) this._readableState.destroyed = value;
        else Object.defineProperty(this, name, { value, writable: true, configurable: true });
      },
    });
  }

  Readable.from = makeFrom(kernel, Readable);
  addArrayMethods(prototype, Readable);
  return { Readable, begin };
}
