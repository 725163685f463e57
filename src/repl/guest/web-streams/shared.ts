// The common parts of both sides of the Streams Standard.

export interface Deferred {
  readonly promise: Promise<any>;
  resolve(value?): void;
  reject(error): void;
}

/** Creates a promise whose rejection may stay unhandled. */
export function defer(): Deferred {
  let resolve!: (value?) => void;
  let reject!: (error) => void;
  const promise = new Promise((yes, no) => {
    resolve = yes;
    reject = no;
  });
  promise.catch(() => {});
  return { promise, resolve, reject };
}

export type State = 'open' | 'closing' | 'closed' | 'errored';

export interface Strategy {
  readonly highWaterMark?: number;
  size?(chunk): number;
}

export const sizeOf = (strategy: Strategy | undefined, chunk) => {
  const size = Number(strategy?.size?.(chunk) ?? 1);
  if (!(size >= 0 && size < Infinity))
    throw new RangeError('The return value of a chunk size strategy is invalid: ' + size);
  return size;
};
export const markOf = (strategy: Strategy | undefined, otherwise: number) => {
  const mark = Number(strategy?.highWaterMark ?? otherwise);
  if (!(mark >= 0)) throw new RangeError('The highWaterMark is invalid: ' + mark);
  return mark;
};
export const locked = (name: string) =>
  new TypeError('The ' + name + ' is locked to a reader or writer');

// Symbols of the methods with which the classes call each other.
export const take = Symbol('take');
export const put = Symbol('put');
export const end = Symbol('end');
export const stop = Symbol('stop');
export const bind = Symbol('bind');
export const settle = Symbol('settle');
export const refresh = Symbol('refresh');
export const room = Symbol('room');
export const stateOf = Symbol('stateOf');
export const idle = Symbol('idle');
export const failed = Symbol('failed');
export const hasFailed = Symbol('hasFailed');
export const wants = Symbol('wants');
/** Has a name that other parts, and Node, know it by. */
export const disturbed = Symbol.for('nodejs.stream.disturbed');
