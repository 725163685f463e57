// `expect` as in vitest and jest.
import { matcherUtils } from '../tests/matcher-utils.ts';
import type { Kernel } from '../kernel-type.ts';
import { createMockMatchers, type Judgement, type Matcher } from '../tests/mock-matchers.ts';

type Settling = 'resolves' | 'rejects';

/** Returns `expect`. Loaded with the test runner. */
export function addExpect(kernel: Kernel) {
  const show = (value) => kernel.inspect(value, { markup: true });
  const mocks = kernel.part('mocks');
  const matcherOptions = { matchers: true };
  const strictOptions = { matchers: true, strict: true };

  class Asymmetric {
    declare readonly name: string;
    declare readonly asymmetricMatch: (value) => boolean;
    declare readonly sample: unknown;
    constructor(name: string, test: (value) => boolean, sample?: unknown) {
      this.name = name;
      this.asymmetricMatch = test;
      this.sample = sample;
    }
    [kernel.inspect.custom]() {
      return this.name + (this.sample === undefined ? '' : '<' + show(this.sample) + '>');
    }
  }
  const isOf = (type: Function) => (value) => {
    if (value === null || value === undefined) return false;
    const primitive = {
      String: 'string',
      Number: 'number',
      Boolean: 'boolean',
      BigInt: 'bigint',
      Symbol: 'symbol',
      Function: 'function',
      Object: 'object',
    }[type.name];
    return (primitive !== undefined && typeof value === primitive) || value instanceof type;
  };
  const asymmetric: Record<string, (sample, digits?: number) => Asymmetric> = {
    any: (type) => new Asymmetric('Any', isOf(type), type.name),
    anything: () => new Asymmetric('Anything', (value) => value !== null && value !== undefined),
    objectContaining: (sample) =>
      new Asymmetric(
        'ObjectContaining',
        (value) =>
          typeof value === 'object' &&
          value !== null &&
          Object.keys(sample).every(
            (key) => key in value && kernel.equals(value[key], sample[key], matcherOptions),
          ),
        sample,
      ),
    arrayContaining: (sample) =>
      new Asymmetric(
        'ArrayContaining',
        (value) =>
          Array.isArray(value) &&
          sample.every((item) => value.some((other) => kernel.equals(other, item, matcherOptions))),
        sample,
      ),
    stringContaining: (sample) =>
      new Asymmetric(
        'StringContaining',
        (value) => typeof value === 'string' && value.includes(sample),
        sample,
      ),
    stringMatching: (sample) =>
      new Asymmetric(
        'StringMatching',
        (value) => typeof value === 'string' && new RegExp(sample).test(value),
        sample,
      ),
    toSatisfy: (test) => new Asymmetric('ToSatisfy', (value) => Boolean(test(value))),
    closeTo: (sample, digits = 2) =>
      new Asymmetric('CloseTo', (value) => isClose(value, sample, digits), sample),
  };
  const not: Record<string, (sample) => Asymmetric> = {};
  for (const name of [
    'objectContaining',
    'arrayContaining',
    'stringContaining',
    'stringMatching',
  ]) {
    not[name] = (sample) => {
      const matcher = asymmetric[name](sample);
      return new Asymmetric(
        'Not' + matcher.name,
        (value) => !matcher.asymmetricMatch(value),
        sample,
      );
    };
  }

  const isClose = (a: number, b: number, digits: number) =>
    Object.is(a, b) || Math.abs(a - b) < 10 ** -digits / 2;
  // One entry a line, so that the lines that differ are the entries that differ.
  const lines = (value) => kernel.inspect(value, { depth: 10, breakLength: 0, markup: true });
  const differ = ([actual, expected]: readonly [unknown, unknown]) => {
    // Two texts of several lines are compared as they are.
    const areTexts = typeof actual === 'string' && typeof expected === 'string';
    const show = areTexts && (actual + expected).includes('\n') ? String : lines;
    return '\n\n- Expected\n+ Received\n\n' + kernel.diffText(show(expected), show(actual));
  };
  const keysOf = (path: unknown): PropertyKey[] =>
    Array.isArray(path)
      ? path
      : String(path)
          .replace(/\[(\w+)\]/g, '.$1')
          .split('.')
          .filter((key) => key !== '');
  function countable(value): number {
    // As in vitest: jest refuses sets and maps.
    const length = value instanceof Set || value instanceof Map ? value.size : value?.length;
    if (typeof length !== 'number') throw new TypeError(show(value) + ' has no length');
    return length;
  }
  function contains(actual, item): boolean {
    if (typeof actual === 'string') return actual.includes(item);
    if (actual === null || typeof actual !== 'object')
      throw new TypeError(show(actual) + ' can contain nothing');
    return [...actual].some((other) => Object.is(other, item));
  }
  function thrownMatches(error, expected): boolean {
    if (expected === undefined) return true;
    const message = error?.message ?? String(error);
    if (typeof expected === 'string') return message.includes(expected);
    if (expected instanceof RegExp) return expected.test(message);
    if (typeof expected === 'function') return error instanceof expected;
    if (typeof expected?.asymmetricMatch === 'function') return expected.asymmetricMatch(error);
    if (expected instanceof Error) return message === expected.message;
    return kernel.equals(error, expected, { matchers: true, subset: true });
  }
  // Each matcher returns a judgement: whether it holds, its text for the message, and the two
  // values to compare.
  const order = (name: string, sign: string, test: (a, b) => boolean) => ({
    [name]: (a, b) => ({ pass: test(a, b), text: 'to be ' + sign + ' ' + show(b) }),
  });
  const state = (name: string, text: string, test: (a) => boolean) => ({
    [name]: (a) => ({ pass: test(a), text }),
  });
  const matchers: Record<string, Matcher> = {
    toBe: (a, b) => ({
      pass: Object.is(a, b),
      text: 'to be ' + show(b) + ' // Object.is equality',
      sides: [a, b],
    }),
    toEqual: (a, b) => ({
      pass: kernel.equals(a, b, matcherOptions),
      text: 'to deeply equal ' + show(b),
      sides: [a, b],
    }),
    toStrictEqual: (a, b) => ({
      pass: kernel.equals(a, b, strictOptions),
      text: 'to strictly equal ' + show(b),
      sides: [a, b],
    }),
    toMatchObject: (a, b) => ({
      pass: kernel.equals(a, b, { matchers: true, subset: true }),
      text: 'to match object ' + show(b),
      sides: [a, b],
    }),
    toContain: (a, b) => ({ pass: contains(a, b), text: 'to include ' + show(b) }),
    toContainEqual: (a, b) => ({
      pass: [...a].some((item) => kernel.equals(item, b, matcherOptions)),
      text: 'to contain equal ' + show(b),
    }),
    toHaveLength: (a, b) => ({
      pass: countable(a) === b,
      text: 'to have length ' + b + ' but got ' + countable(a),
      sides: [countable(a), b],
    }),
    toHaveProperty: (a, path, ...rest) => {
      let at = a;
      const found = keysOf(path).every((key) => {
        if (at === null || at === undefined || !(key in Object(at))) return false;
        at = at[key];
        return true;
      });
      const isSame = rest.length === 0 || kernel.equals(at, rest[0], matcherOptions);
      const text =
        'to have property ' + show(path) + (rest.length > 0 ? ' with value ' + show(rest[0]) : '');
      return {
        pass: found && isSame,
        text,
        ...(found && rest.length > 0 && { sides: [at, rest[0]] }),
      };
    },
    toThrow: (run, expected) => {
      let thrown;
      if (typeof run !== 'function') thrown = { error: run };
      else
        try {
          run();
        } catch (error) {
          thrown = { error };
        }
      const wanted =
        expected === undefined
          ? 'an error'
          : typeof expected === 'function'
            ? expected.name
            : show(expected?.message ?? expected);
      return {
        pass: thrown !== undefined && thrownMatches(thrown.error, expected),
        text:
          'to throw ' +
          wanted +
          (thrown
            ? ', but it threw ' + show(thrown.error?.message ?? thrown.error)
            : ', but it threw nothing'),
        subject: 'function',
      };
    },
    toMatch: (a, b) => ({
      pass: typeof b === 'string' ? a.includes(b) : b.test(a),
      text: 'to match ' + show(b),
    }),
    toBeInstanceOf: (a, b) => ({ pass: a instanceof b, text: 'to be an instance of ' + b.name }),
    toBeTypeOf: (a, b) => ({
      pass: typeof a === b,
      text: 'to be of type ' + b + ', but it is ' + typeof a,
    }),
    toBeCloseTo: (a, b, digits = 2) => ({
      pass: isClose(a, b, digits),
      text: 'to be close to ' + b + ' (' + digits + ' digits)',
    }),
    toBeOneOf: (a, list) => ({
      pass: [...list].some((item) => kernel.equals(a, item, matcherOptions)),
      text: 'to be one of ' + show(list),
    }),
    toSatisfy: (a, test) => ({ pass: test(a) === true, text: 'to satisfy the predicate' }),
    ...state('toBeTruthy', 'to be truthy', (a) => Boolean(a)),
    ...state('toBeFalsy', 'to be falsy', (a) => !a),
    ...state('toBeNull', 'to be null', (a) => a === null),
    ...state('toBeUndefined', 'to be undefined', (a) => a === undefined),
    ...state('toBeDefined', 'to be defined', (a) => a !== undefined),
    ...state('toBeNullable', 'to be null or undefined', (a) => a === null || a === undefined),
    ...state('toBeNaN', 'to be NaN', (a) => Number.isNaN(a)),
    ...order('toBeGreaterThan', 'greater than', (a, b) => a > b),
    ...order('toBeGreaterThanOrEqual', 'greater than or equal to', (a, b) => a >= b),
    ...order('toBeLessThan', 'less than', (a, b) => a < b),
    ...order('toBeLessThanOrEqual', 'less than or equal to', (a, b) => a <= b),
    ...createMockMatchers(kernel),
  };
  for (const name of [
    'toMatchSnapshot',
    'toMatchInlineSnapshot',
    'toMatchFileSnapshot',
    'toThrowErrorMatchingSnapshot',
    'toThrowErrorMatchingInlineSnapshot',
  ])
    matchers[name] = (...args) => kernel.part('snapshots').matchers[name](...args);
  matchers.toThrowError = matchers.toThrow;
  matchers.toBeCalled = matchers.toHaveBeenCalled;
  matchers.toBeCalledTimes = matchers.toHaveBeenCalledTimes;
  matchers.toBeCalledWith = matchers.toHaveBeenCalledWith;

  function judge(name: string, actual, isNegated: boolean, args: unknown[], note?: string) {
    expect.count += 1;
    const check = (result: Judgement) => decide(name, actual, isNegated, result, note);
    negated = isNegated;
    const result = matchers[name](actual, ...args);
    return result instanceof Promise ? result.then(check) : check(result);
  }
  function decide(
    name: string,
    actual: unknown,
    isNegated: boolean,
    result: Judgement,
    note?: string,
  ): void {
    if (result.pass !== isNegated) return;
    const subject = result.subject
      ? 'expected ' + result.subject
      : 'expected ' + kernel.inspect(actual, { depth: 2, markup: true });
    const sentence = subject + (isNegated ? ' not ' : ' ') + result.text;
    const message =
      (note ? note + ': ' : '') +
      sentence +
      (result.sides && !isNegated ? differ(result.sides) : '');
    throw new kernel.AssertionError({
      message,
      actual: result.sides?.[0],
      expected: result.sides?.[1],
      operator: name,
    });
  }

  // vitest's expect is chai's, too: `expect(x).to.be.a('string')`. The words that may come first.
  const chaiWords = new Set(
    'to be is has have deep nested own a an include includes contain contains equal equals eq eql throw throws instanceOf instanceof ok exist empty match property lengthOf above below least most satisfy oneOf'.split(
      ' ',
    ),
  );
  /** The project's own chai does what these words say. */
  function byChai(word: string, actual, isNegated: boolean, note?: string) {
    expect.count += 1;
    const file = (running as { testPath?: string }).testPath ?? kernel.path.resolve('cell');
    let chai;
    try {
      chai = kernel.requireFrom(file)('chai');
    } catch (error) {
      throw kernel.coded(
        Error,
        'ERR_MODULE_NOT_FOUND',
        'expect(…).' +
          word +
          ' is of the package chai: add chai to the devDependencies and have it installed, or use toBe and its like. ' +
          (error as Error).message,
      );
    }
    const given = chai.expect(actual, note);
    const own = isNegated ? given.not : given;
    const found = own[word];
    if (typeof found !== 'function') return found;
    return new Proxy(found, { apply: (run, _self, args) => Reflect.apply(run, own, args) });
  }
  // Reports an unknown matcher by name. The engine would only say "not a function".
  const named = (api: object, chaiOf?: (word: string) => unknown) =>
    new Proxy(api, {
      get(target, name) {
        if (chaiOf && typeof name === 'string' && chaiWords.has(name)) return chaiOf(name);
        if (name in target || typeof name !== 'string' || !/^to[A-Z]/.test(name))
          return target[name];
        throw new TypeError(
          'expect(…).' +
            name +
            " isn't available in this test runner; there is: " +
            Object.keys(matchers).join(', '),
        );
      },
    });

  function assertions(actual, isNegated: boolean, note?: string) {
    const api: Record<string, Function> = {};
    for (const name of Object.keys(matchers))
      api[name] = (...args) => judge(name, actual, isNegated, args, note);
    return api;
  }

  function settled(promiseOrFunction, isNegated: boolean, how: Settling, note?: string) {
    const api: Record<string, Function> = {};
    const promise =
      typeof promiseOrFunction === 'function' && how === 'rejects'
        ? promiseOrFunction()
        : promiseOrFunction;
    for (const name of Object.keys(matchers)) {
      api[name] = async (...args) => {
        let value: unknown;
        let isRejected = false;
        try {
          value = await promise;
        } catch (error) {
          value = error;
          isRejected = true;
        }
        if (isRejected !== (how === 'rejects')) {
          throw new kernel.AssertionError({
            message:
              'expected the promise to ' +
              (how === 'rejects'
                ? 'reject, but it resolved to '
                : 'resolve, but it rejected with ') +
              show(value),
            operator: how,
          });
        }
        await judge(name, value, isNegated, args, note);
      };
    }
    return named(api);
  }

  function expect(actual, note?: string) {
    const build = (isNegated: boolean, more?: object): object =>
      named(
        Object.assign(
          assertions(actual, isNegated, note),
          {
            resolves: settledPair(actual, isNegated, 'resolves', note),
            rejects: settledPair(actual, isNegated, 'rejects', note),
          },
          more,
        ),
        (word) => byChai(word, actual, isNegated, note),
      );
    return build(false, { not: build(true) });
  }
  /** Repeats the assertion until the matcher holds or the time is up. */
  function poll(run: () => unknown, options: object | undefined, isNegated: boolean): object {
    const api: Record<string, Function> = {};
    for (const name of Object.keys(matchers)) {
      api[name] = async (...args) => {
        const { count } = expect;
        await mocks.waitFor(async () => {
          const value = await run();
          // The repeated assertion counts once.
          expect.count = count;
          await judge(name, value, isNegated, args);
        }, options);
      };
    }
    return named(api);
  }
  function settledPair(actual, isNegated: boolean, how: Settling, note?: string) {
    return new Proxy(
      {},
      {
        get(_target, name) {
          if (name === 'not') return settled(actual, !isNegated, how, note);
          return settled(actual, isNegated, how, note)[name];
        },
      },
    );
  }
  /** Returns the same assertions, but errors are collected instead of thrown. */
  function softly(api: object): object {
    return new Proxy(api, {
      get(target, name) {
        const found = target[name];
        if (name === 'not' || name === 'resolves' || name === 'rejects') return softly(found);
        if (typeof found !== 'function') return found;
        const keep = (error: unknown) => {
          soft.push(error);
        };
        return (...args) => {
          try {
            const result = found(...args);
            return result instanceof Promise ? result.catch(keep) : result;
          } catch (error) {
            keep(error);
          }
        };
      },
    });
  }
  /** True if the next matcher follows `not`. */
  let negated = false;
  let soft: unknown[] = [];
  let running: object = {};
  expect.count = 0;
  expect.wanted = undefined as number | undefined;
  expect.wantsAny = false;
  return Object.assign(expect, asymmetric, {
    not,
    extend(added) {
      for (const name of Object.keys(added)) {
        const ask = (actual, args: unknown[]) =>
          added[name].call(
            {
              equals: (a, b) => kernel.equals(a, b, matcherOptions),
              utils: matcherUtils(kernel, show),
              isNot: negated,
              promise: '',
            },
            actual,
            ...args,
          );
        // The message is built only when it is read, because some matchers inspect the DOM for it.
        const toJudgement = (result): Judgement => ({
          pass: result.pass,
          get text() {
            return '(' + name + '): ' + result.message();
          },
        });
        matchers[name] = (actual, ...args) => {
          const result = ask(actual, args);
          return result instanceof Promise ? result.then(toJudgement) : toJudgement(result);
        };
        // The matcher may also be part of an expected value.
        expect[name] = (...args) => new Asymmetric(name, (value) => ask(value, args).pass);
      }
    },
    addSnapshotSerializer: (serializer: object) =>
      kernel.part('snapshots').addSerializer(serializer),
    assertions(count: number) {
      expect.wanted = count;
    },
    hasAssertions() {
      expect.wantsAny = true;
    },
    unreachable(message = 'this should not be reached') {
      throw new kernel.AssertionError({ message });
    },
    fail(message = 'failed') {
      throw new kernel.AssertionError({ message });
    },
    poll(run: () => unknown, options?: object) {
      if (typeof run !== 'function') throw kernel.invalidType('run', 'of type function', run);
      return named(Object.assign(poll(run, options, false), { not: poll(run, options, true) }));
    },
    /** Errors are thrown at the end of the test. */
    soft: (actual, note) => softly(expect(actual, note)),
    getState: () => ({ ...running, assertionCalls: expect.count }),
    /** Called when a test begins. Resets the counters. */
    begin(test = {}) {
      running = test;
      soft = [];
      expect.count = 0;
      expect.wanted = undefined;
      expect.wantsAny = false;
    },
    end() {
      if (soft.length === 1) throw soft[0];
      if (soft.length > 1)
        throw new kernel.AssertionError({
          message: soft.map((error) => (error as Error).message).join('\n\n'),
        });
      if (expect.wanted !== undefined && expect.count !== expect.wanted) {
        throw new kernel.AssertionError({
          message: 'expected ' + expect.wanted + ' assertions, but there were ' + expect.count,
        });
      }
      if (expect.wantsAny && expect.count === 0)
        throw new kernel.AssertionError({ message: 'expected any assertion, but there was none' });
    },
  });
}
