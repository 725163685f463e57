import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAbortError, isAbortError, throwIfAborted } from '../../../src/core/async/abort.ts';
import {
  fromSerializedError,
  SdkError,
  ToolError,
  toSerializedError,
} from '../../../src/core/errors.ts';
import type { ErrorCode } from '../../../src/core/errors.ts';

const data = fc.dictionary(fc.string(), fc.jsonValue());
const code = fc.constantFrom<ErrorCode>(
  'ECONFLICT',
  'ENOENT',
  'tool-failed',
  'aborted',
  'internal',
);
const error = fc
  .record({ code, message: fc.string(), data, isTool: fc.boolean() })
  .map((given) =>
    given.isTool
      ? new ToolError(given.message, given)
      : new SdkError(given.code, given.message, given),
  );

describe('toSerializedError', () => {
  it('is what fromSerializedError turns back, also after a structured clone', () => {
    fc.assert(
      fc.property(error, (original) => {
        const back = fromSerializedError(structuredClone(toSerializedError(original)));
        expect(toSerializedError(back)).toEqual(toSerializedError(original));
        expect(back.constructor).toBe(original.constructor);
        expect(SdkError.isInstance(back)).toBe(true);
      }),
    );
  });

  it.each([
    [new TypeError('x is no function'), { name: 'TypeError', message: 'x is no function' }],
    ['a string', { name: 'Error', message: 'a string' }],
    [undefined, { name: 'Error', message: 'undefined' }],
    [null, { name: 'Error', message: 'null' }],
  ])('gives a foreign error the code internal: %s', (thrown, expected) => {
    const { stack: _, ...serialized } = toSerializedError(thrown);
    expect(serialized).toEqual({ ...expected, code: 'internal', data: {} });
  });
});

describe('SdkError.isInstance', () => {
  it('knows errors of another copy of this package by their brand', () => {
    const foreign = Object.assign(new Error('x'), { code: 'ENOENT', data: {} });
    Object.defineProperty(foreign, Symbol.for('rockpool.SdkError'), { value: true });
    expect([SdkError.isInstance(foreign), SdkError.isInstance(new Error('x'))]).toEqual([
      true,
      false,
    ]);
  });
});

describe('abort', () => {
  it('is told by its code or by the name that the platform gives it', () => {
    const platform = new DOMException('stopped', 'AbortError');
    expect([createAbortError('x'), platform, new Error('x')].map(isAbortError)).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('keeps the aborter’s own error', () => {
    const reason = createAbortError('first');
    const controller = new AbortController();
    controller.abort(reason);
    expect(() => throwIfAborted(controller.signal)).toThrow(reason);
    expect(createAbortError(reason)).toBe(reason);
  });
});
