// Node's `assert` and `assert/strict`.
import type { AssertionDetails, EqualityOptions, Kernel } from '../kernel-type.ts';

type Test = (actual: unknown, expected: unknown) => boolean;

/** The module: a function that has all other assertions as properties. */
interface Assert {
  (value: unknown, message?: unknown): void;
  [name: string]: Function;
}

/** Defines both modules, and adds AssertionError to the kernel. */
export function addAssert(kernel: Kernel) {
  class AssertionError extends Error {
    declare readonly generatedMessage: boolean;
    declare readonly actual: unknown;
    declare readonly expected: unknown;
    declare readonly operator: string | undefined;
    constructor(options: AssertionDetails) {
      super(options.message);
      this.name = 'AssertionError';
      this.code = 'ERR_ASSERTION';
      this.generatedMessage = options.generatedMessage === true;
      this.actual = options.actual;
      this.expected = options.expected;
      this.operator = options.operator;
    }
  }
  kernel.AssertionError = AssertionError;
  // Not enumerable, because the message already has these values.
  for (const key of ['code', 'generatedMessage', 'actual', 'expected', 'operator']) {
    Object.defineProperty(AssertionError.prototype, key, {
      configurable: true,
      set(value) {
        Object.defineProperty(this, key, { value, writable: true, configurable: true });
      },
    });
  }

  function fail(
    message: unknown,
    generated: string,
    details: Omit<AssertionDetails, 'message'>,
  ): never {
    if (message instanceof Error) throw message;
    throw new AssertionError({
      ...details,
      message: (message ?? generated) as string,
      generatedMessage: message === undefined,
    });
  }
  const compare = (text, actual, expected) =>
    text +
    '\n\n+ actual\n- expected\n\n' +
    kernel.diffText(kernel.inspect(expected), kernel.inspect(actual));

  function matches(error, expected, message: unknown) {
    if (expected === undefined) return;
    if (expected instanceof RegExp) {
      if (!expected.test(String(error)))
        fail(
          message,
          'The error ' + kernel.inspect(String(error)) + ' does not match ' + expected,
          { actual: error, expected },
        );
    } else if (typeof expected === 'function') {
      if (expected.prototype !== undefined && error instanceof expected) return;
      if (Error.isPrototypeOf(expected) || expected === Error) {
        const [given, said] =
          error instanceof Error
            ? [error.name, '\n\nError message:\n\n' + error.message]
            : [kernel.inspect(error), ''];
        fail(
          message,
          'The error is expected to be an instance of "' +
            expected.name +
            '". Received "' +
            given +
            '"' +
            said,
          { actual: error, expected },
        );
      }
      if (expected.call({}, error) !== true)
        fail(message, 'The validation function did not return true', { actual: error, expected });
    } else {
      for (const key of Object.keys(expected)) {
        const isMatch =
          expected[key] instanceof RegExp && typeof error?.[key] === 'string'
            ? expected[key].test(error[key])
            : kernel.equals(error?.[key], expected[key], { strict: true });
        if (!isMatch)
          fail(message, compare('The error differs in ' + key + ':', error?.[key], expected[key]), {
            actual: error,
            expected,
          });
      }
    }
  }

  function build(isStrict: boolean) {
    const assert = ((value: unknown, message?: unknown) => assert.ok(value, message)) as Assert;
    const add = (name: string, test: Test, text: string) => {
      assert[name] = (actual, expected, message) => {
        if (!test(actual, expected))
          fail(message, compare(text, actual, expected), { actual, expected, operator: name });
      };
    };
    assert.ok = (value, message) => {
      if (!value)
        fail(message, 'The expression evaluated to a falsy value: ' + kernel.inspect(value), {
          actual: value,
          expected: true,
          operator: '==',
        });
    };
    const deep =
      (options: EqualityOptions): Test =>
      (a, b) =>
        kernel.equals(a, b, options);
    const not =
      (test: Test): Test =>
      (a, b) =>
        !test(a, b);
    const loose: Test = (a, b) =>
      kernel.equals(a, b, { loose: true }) && (typeof a !== 'object' || a === b || a === null);
    add('strictEqual', Object.is, 'Expected values to be strictly equal:');
    add(
      'notStrictEqual',
      not(Object.is),
      'Expected "actual" to be strictly unequal to "expected":',
    );
    add('deepStrictEqual', deep({ strict: true }), 'Expected values to be strictly deep-equal:');
    add(
      'notDeepStrictEqual',
      not(deep({ strict: true })),
      'Expected values not to be strictly deep-equal:',
    );
    add(
      'partialDeepStrictEqual',
      deep({ subset: true, keepUndefined: true }),
      'Expected values to be partially and strictly deep-equal:',
    );
    if (isStrict) {
      for (const name of ['Equal', 'DeepEqual']) {
        const strictName = name === 'Equal' ? 'strictEqual' : 'deepStrictEqual';
        assert[name[0].toLowerCase() + name.slice(1)] = assert[strictName];
        assert['not' + name] = assert['not' + strictName[0].toUpperCase() + strictName.slice(1)];
      }
    } else {
      add('equal', loose, 'Expected values to be loosely equal:');
      add('notEqual', not(loose), 'Expected values to be loosely unequal:');
      add(
        'deepEqual',
        deep({ loose: true, keepUndefined: true }),
        'Expected values to be loosely deep-equal:',
      );
      add(
        'notDeepEqual',
        not(deep({ loose: true, keepUndefined: true })),
        'Expected values not to be loosely deep-equal:',
      );
    }
    assert.match = (text, pattern, message) => {
      if (!pattern.test(text))
        fail(
          message,
          'The input did not match the regular expression ' +
            pattern +
            '. Input: ' +
            kernel.inspect(text),
          { actual: text, expected: pattern },
        );
    };
    assert.doesNotMatch = (text, pattern, message) => {
      if (pattern.test(text))
        fail(
          message,
          'The input was expected not to match the regular expression ' +
            pattern +
            '. Input: ' +
            kernel.inspect(text),
          { actual: text, expected: pattern },
        );
    };
    assert.fail = (message = 'Failed') => fail(message, 'Failed', { operator: 'fail' });
    assert.ifError = (value) => {
      if (value === null || value === undefined) return;
      const said =
        typeof value?.message === 'string'
          ? value.message || value.constructor?.name
          : kernel.inspect(value);
      fail(undefined, 'ifError got unwanted exception: ' + said, {
        actual: value,
        expected: null,
        operator: 'ifError',
      });
    };
    const split = (expected?: unknown, message?: unknown) =>
      typeof expected === 'string' ? [undefined, expected] : [expected, message];
    const mustRun = (run: unknown) => {
      if (typeof run !== 'function') throw kernel.invalidType('fn', 'of type function', run);
    };
    assert.throws = (run, ...rest) => {
      mustRun(run);
      const [expected, message] = split(...rest);
      try {
        run();
      } catch (error) {
        matches(error, expected, message);
        return;
      }
      fail(message, 'Missing expected exception.', { operator: 'throws', expected });
    };
    assert.doesNotThrow = (run, message) => {
      mustRun(run);
      try {
        run();
      } catch (error) {
        fail(
          typeof message === 'string' ? message : undefined,
          'Got unwanted exception: ' + (error as Error | undefined)?.message,
          { actual: error },
        );
      }
    };
    assert.rejects = async (promiseOrFunction, ...rest) => {
      const [expected, message] = split(...rest);
      try {
        await (typeof promiseOrFunction === 'function' ? promiseOrFunction() : promiseOrFunction);
      } catch (error) {
        matches(error, expected, message);
        return;
      }
      fail(message, 'Missing expected rejection.', { operator: 'rejects', expected });
    };
    assert.doesNotReject = async (promiseOrFunction, message) => {
      try {
        await (typeof promiseOrFunction === 'function' ? promiseOrFunction() : promiseOrFunction);
      } catch (error) {
        fail(
          typeof message === 'string' ? message : undefined,
          'Got unwanted rejection: ' + (error as Error | undefined)?.message,
          { actual: error },
        );
      }
    };
    assert.AssertionError = AssertionError;
    return assert;
  }
  const assert = build(false);
  const strict = build(true);
  assert.strict = strict;
  strict.strict = strict;
  assert.default = assert;
  strict.default = strict;
  kernel.assert = assert;
  kernel.strictAssert = strict;
}
