// The common parts of both sides of Node's streams: construction, failure and close.
import type { Kernel } from '../kernel-type.ts';

export type Callback = (error?: unknown, value?: unknown) => void;

/** The state that readable and writable sides share. Each side has further fields. */
export interface SideState {
  objectMode: boolean;
  highWaterMark: number;
  length: number;
  isConstructed: boolean;
  autoDestroy: boolean;
  emitClose: boolean;
  destroyed: boolean;
  errored: unknown;
  isErrorEmitted: boolean;
  closed: boolean;
  sync: boolean;
  [own: string]: any;
}

/** A stream of either side. A program may have added any property. */
export type Stream = any;

export const defaultHighWaterMark = 64 * 1024;

export function makeSide(options, isObjects: boolean, highWaterMark: unknown): SideState {
  const objectMode = Boolean(options?.objectMode || isObjects);
  return {
    objectMode,
    highWaterMark: Number(
      highWaterMark ?? options?.highWaterMark ?? (objectMode ? 16 : defaultHighWaterMark),
    ),
    length: 0,
    isConstructed: true,
    autoDestroy: options?.autoDestroy !== false,
    emitClose: options?.emitClose !== false,
    destroyed: false,
    errored: null,
    isErrorEmitted: false,
    closed: false,
    sync: true,
  };
}

const sidesOf = (stream: Stream): SideState[] =>
  [stream._readableState, stream._writableState].filter((side) => side !== undefined);

/**
 * True if a constructor was called with `new` or by a subclass. Old programs call it as a function.
 */
export const isOf = (stream: Stream, Kind: Function): boolean => stream instanceof Kind;

/**
 * Defines properties that read the stream's state. Each can be replaced, because old programs
 * define their own.
 */
export function defineShown(
  prototype: object,
  shown: Readonly<Record<string, (stream: Stream) => unknown>>,
) {
  for (const [name, read] of Object.entries(shown)) {
    Object.defineProperty(prototype, name, {
      configurable: true,
      get(this: Stream) {
        return read(this);
      },
      set(this: Stream, value) {
        Object.defineProperty(this, name, { value, writable: true, configurable: true });
      },
    });
  }
}

export const isStream = (value): boolean =>
  value !== null && typeof value === 'object' && typeof value.on === 'function';

/** Converts a value that was given to a byte stream. Undefined if it is neither text nor bytes. */
export function toChunk(kernel: Kernel, value, encoding?: string) {
  if (typeof value === 'string') return kernel.Buffer.from(value, encoding ?? 'utf8');
  if (value instanceof kernel.Buffer) return value;
  const bytes = kernel.plainBytes(value);
  return bytes && ArrayBuffer.isView(value) ? kernel.toBuffer(bytes) : undefined;
}

/** Returns the members of both kinds of streams, and the function with which a stream fails. */
export function makeCommon(kernel: Kernel) {
  const { nextTick } = kernel.process as unknown as { nextTick: (job, ...args) => void };

  function emitErrorAndClose(stream: Stream, error: unknown) {
    const sides = sidesOf(stream);
    if (error && !sides.some((side) => side.isErrorEmitted)) {
      for (const side of sides) side.isErrorEmitted = true;
      stream.emit('error', error);
    }
    for (const side of sides) side.isCloseEmitted = true;
    if (sides.some((side) => side.emitClose)) stream.emit('close');
  }

  function destroy(this: Stream, error?: unknown, callback?: Callback) {
    const sides = sidesOf(this);
    if (sides.some((side) => side.destroyed)) {
      callback?.();
      return this;
    }
    for (const side of sides) {
      if (error) side.errored ??= error;
      side.destroyed = true;
    }
    const end = () =>
      this._destroy(error ?? null, (failure) => {
        for (const side of sides) {
          if (failure) side.errored ??= failure;
          side.closed = true;
        }
        callback?.(failure);
        nextTick(emitErrorAndClose, this, failure);
      });
    if (sides.every((side) => side.isConstructed)) end();
    else this.once('constructed', end);
    return this;
  }

  /** Fails a stream: destroys it, or emits the error if it doesn't destroy itself. */
  function fail(stream: Stream, error: unknown, isLater = false) {
    const sides = sidesOf(stream);
    if (sides.some((side) => side.destroyed)) return;
    if (sides.some((side) => side.autoDestroy)) {
      stream.destroy(error);
      return;
    }
    for (const side of sides) side.errored ??= error;
    const tell = () => {
      if (sides.some((side) => side.isErrorEmitted)) return;
      for (const side of sides) side.isErrorEmitted = true;
      stream.emit('error', error);
    };
    if (isLater) nextTick(tell);
    else tell();
  }

  /** Runs the stream's `_construct`. Nothing is read or written before it has ended. */
  function construct(stream: Stream, goOn: () => void) {
    if (typeof stream._construct !== 'function') return;
    const sides = sidesOf(stream);
    for (const side of sides) side.isConstructed = false;
    nextTick(() =>
      stream._construct((error) => {
        for (const side of sides) side.isConstructed = true;
        const isDestroyed = sides.some((side) => side.destroyed);
        stream.emit('constructed');
        if (error) fail(stream, error, true);
        else if (!isDestroyed) nextTick(goOn);
      }),
    );
  }

  return { destroy, fail, construct, nextTick };
}

export type Common = ReturnType<typeof makeCommon>;
