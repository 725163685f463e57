// The matchers of `expect` for mock functions.
import type { Kernel, Mock } from '../kernel-type.ts';

/**
 * A matcher's result: whether it holds, how the error message says it, and the two values to
 * compare.
 */
export interface Judgement {
  readonly pass: boolean;
  readonly text: string;
  readonly sides?: readonly [unknown, unknown];
  /** Describes what was expected, if the value alone says nothing. */
  readonly subject?: string;
}

/** A matcher. One that a program adds may return a promise. */
export type Matcher = (actual, ...args) => Judgement | Promise<Judgement>;

/** Returns the matchers. */
export function createMockMatchers(kernel: Kernel): Record<string, Matcher> {
  const show = (value) => kernel.inspect(value, { markup: true });
  const mocks = kernel.part('mocks');
  const matcherOptions = { matchers: true };
  function calls(value): unknown[][] {
    if (!mocks.isMock(value)) throw new TypeError(show(value) + ' is not a mock function (vi.fn)');
    return value.mock.calls;
  }
  const returned = (value) => (
    calls(value),
    (value as Mock).mock.results.filter((result) => result.type === 'return')
  );
  const callsText = (list: unknown[][]) =>
    list.length === 0
      ? 'no calls'
      : list.map((args) => '(' + args.map(show).join(', ') + ')').join(', ');

  const resultText = (results: readonly { readonly value: unknown }[]) =>
    results.length === 0 ? 'nothing' : results.map(({ value }) => show(value)).join(', ');
  const resolved = (value) => (
    calls(value),
    (value as Mock).mock.settledResults.filter((result) => result.type === 'fulfilled')
  );
  /** The position of the mock's first call among the calls of all mocks. */
  const firstOrder = (value) => (calls(value), (value as Mock).mock.invocationCallOrder);
  const isSame = (a, b) => kernel.equals(a, b, matcherOptions);

  return {
    toHaveBeenCalled: (a) => ({
      pass: calls(a).length > 0,
      text: 'to have been called',
      subject: 'mock',
    }),
    toHaveBeenCalledTimes: (a, times) => ({
      pass: calls(a).length === times,
      text:
        'to have been called ' + times + ' times, but it was called ' + calls(a).length + ' times',
      subject: 'mock',
    }),
    toHaveBeenCalledOnce: (a) => ({
      pass: calls(a).length === 1,
      text: 'to have been called once, but it was called ' + calls(a).length + ' times',
      subject: 'mock',
    }),
    toHaveBeenCalledWith: (a, ...args) => ({
      pass: calls(a).some((call) => kernel.equals(call, args, matcherOptions)),
      text: 'to have been called with ' + callsText([args]) + '; it got ' + callsText(calls(a)),
      subject: 'mock',
    }),
    toHaveBeenLastCalledWith: (a, ...args) => ({
      pass: kernel.equals(calls(a).at(-1), args, matcherOptions),
      text:
        'to have been last called with ' +
        callsText([args]) +
        '; it got ' +
        callsText(calls(a).slice(-1)),
      subject: 'mock',
    }),
    toHaveBeenNthCalledWith: (a, nth, ...args) => ({
      pass: kernel.equals(calls(a)[nth - 1], args, matcherOptions),
      text:
        'to have been called with ' +
        callsText([args]) +
        ' at call ' +
        nth +
        '; it got ' +
        callsText(calls(a).slice(nth - 1, nth)),
      subject: 'mock',
    }),
    toHaveBeenCalledExactlyOnceWith: (a, ...args) => ({
      pass: calls(a).length === 1 && kernel.equals(calls(a)[0], args, matcherOptions),
      text:
        'to have been called once, with ' + callsText([args]) + '; it got ' + callsText(calls(a)),
      subject: 'mock',
    }),
    toHaveReturned: (a) => ({
      pass: returned(a).length > 0,
      text: 'to have returned',
      subject: 'mock',
    }),
    toHaveReturnedTimes: (a, times) => ({
      pass: returned(a).length === times,
      text:
        'to have returned ' + times + ' times, but it returned ' + returned(a).length + ' times',
      subject: 'mock',
    }),
    toHaveReturnedWith: (a, value) => ({
      pass: returned(a).some((result) => kernel.equals(result.value, value, matcherOptions)),
      text: 'to have returned ' + show(value),
      subject: 'mock',
    }),
    toHaveLastReturnedWith: (a, value) => ({
      pass: returned(a).length > 0 && isSame(returned(a).at(-1)?.value, value),
      text: 'to have last returned ' + show(value) + '; it gave ' + resultText(returned(a)),
      subject: 'mock',
    }),
    toHaveNthReturnedWith: (a, nth, value) => ({
      pass: returned(a).length >= nth && isSame(returned(a)[nth - 1].value, value),
      text:
        'to have returned ' +
        show(value) +
        ' at call ' +
        nth +
        '; it gave ' +
        resultText(returned(a)),
      subject: 'mock',
    }),
    toHaveResolved: (a) => ({
      pass: resolved(a).length > 0,
      text: 'to have resolved',
      subject: 'mock',
    }),
    toHaveResolvedTimes: (a, times) => ({
      pass: resolved(a).length === times,
      text: 'to have resolved ' + times + ' times, but it did ' + resolved(a).length + ' times',
      subject: 'mock',
    }),
    toHaveResolvedWith: (a, value) => ({
      pass: resolved(a).some((result) => isSame(result.value, value)),
      text: 'to have resolved with ' + show(value) + '; it gave ' + resultText(resolved(a)),
      subject: 'mock',
    }),
    toHaveBeenCalledBefore: (a, b) => ({
      pass: firstOrder(a).length > 0 && (firstOrder(b)[0] ?? Infinity) > firstOrder(a)[0],
      text: 'to have been called before the other',
      subject: 'mock',
    }),
    toHaveBeenCalledAfter: (a, b) => ({
      pass: firstOrder(b).length > 0 && (firstOrder(a).at(-1) ?? -1) > firstOrder(b)[0],
      text: 'to have been called after the other',
      subject: 'mock',
    }),
  };
}
