// The test runner: describe, it, hooks, and runTests. The last finds a project's test files, runs
// each in a graph of modules of its own and reports as vitest does.
import type { Kernel, Signal, TestRunner } from '../kernel-type.ts';
import { leaveAsFound } from '../tests/left-as-found.ts';
import { readTestConfig, useGlobals } from '../tests/config.ts';
import {
  createDeclarations,
  mochaSelf,
  type DeclareOne,
  type Run,
  type Suite,
  type Test,
} from '../tests/declarations.ts';
import { createTestReport, noTest, type TestResult } from '../tests/report.ts';

interface Runnable {
  readonly run: Run;
  readonly timeout: number;
  readonly retry?: number;
  readonly fails?: boolean;
}

/** The options that a suite inherits from the suites around it. */
interface Chosen {
  /** True if anything in the file is marked with `only`. */
  readonly isOnly: boolean;
  readonly isSkipped: boolean;
  readonly isChosen: boolean;
  /** What a hook before all of these tests has thrown. */
  readonly broken?: { readonly error: unknown };
}

/** A failed test, as runTests returns it. */
interface Failure {
  readonly file: string;
  readonly name: string;
  readonly message: string;
  readonly line?: number;
}

/** The context of a test, and what to do when the test has ended. */
interface Context {
  readonly given: object;
  readonly results: TestResult[];
  /** Waits for the subtests. Throws if one failed or the test's plan wasn't kept. */
  end(): Promise<void>;
  /** Records that the test has failed. */
  fail(error: unknown): void;
  /** Runs what the test has left to do, after its hooks. */
  clean(): Promise<void>;
}

interface Task {
  readonly name: string;
  readonly suite: Task | undefined;
}

/** Returns the runner. Loaded on first use. */
export function addTestRunner(kernel: Kernel): TestRunner {
  const { host, parse } = kernel;
  const expect = kernel.part('expect');
  const mocks = kernel.part('mocks');
  const snapshots = () => kernel.part('snapshots');
  const { lineIn, relative, report, tally, titleOf } = createTestReport(kernel);
  // Saved now, because a test may replace the globals.
  const { setTimeout, clearTimeout } = (kernel.builtin('timers') as () => typeof globalThis)();
  let writtenSnapshots = 0;
  let runningFile: string | undefined;
  const usualTimeout = 5000;
  let defaultTimeout = usualTimeout;
  /** The test or hook that runs. Undefined between them. */
  let running: { fail(error: unknown): void; limitTo(milliseconds: number): void } | undefined;
  const declarations = createDeclarations(
    kernel,
    () => defaultTimeout,
    mochaSelf((limit) => running?.limitTo(limit), skip),
  );
  const { api, describe, it, newSuite, testArguments } = declarations;
  const vi = Object.assign(mocks, {
    setConfig({ testTimeout }: { readonly testTimeout?: number }) {
      if (testTimeout !== undefined) defaultTimeout = testTimeout;
    },
    resetConfig() {
      defaultTimeout = usualTimeout;
    },
    // jest's name for the same function.
    setTimeout(milliseconds: number) {
      defaultTimeout = milliseconds;
      return vi;
    },
  });
  const otherNames = {
    xit: it.skip,
    xtest: it.skip,
    xdescribe: describe.skip,
    fit: it.only,
    fdescribe: describe.only,
  };
  const ofMocha = {
    before: api.beforeAll,
    after: api.afterAll,
    context: describe,
    specify: it,
    xcontext: describe.skip,
    xspecify: it.skip,
  };
  let contextOfTest: object | undefined;
  const ofRunningTest = (name: 'onTestFinished' | 'onTestFailed') => (clean: () => unknown) => {
    if (contextOfTest === undefined)
      throw new Error(name + ' is for a test that runs: call it in one.');
    contextOfTest[name](clean);
  };
  const ofVitest = {
    vi,
    vitest: vi,
    expectTypeOf,
    assertType: () => {},
    onTestFinished: ofRunningTest('onTestFinished'),
    onTestFailed: ofRunningTest('onTestFailed'),
  };

  function moduleFor(name: string) {
    if (name === 'vitest') return { ...api, ...ofVitest, assert: kernel.assert };
    if (name === '@jest/globals') return { ...api, jest: vi, ...otherNames };
    if (name === 'mocha') return { ...api, ...otherNames, ...ofMocha };
    if (name === 'bun:test') return { ...api, mock: mocks.fn, spyOn: mocks.spyOn, jest: vi };
    const { mock } = kernel.part('node-mock');
    const all = Object.assign((...args: Parameters<DeclareOne>) => it(...args), {
      ...api,
      before: api.beforeAll,
      after: api.afterAll,
      skip: it.skip,
      only: it.only,
      todo: it.todo,
      mock,
    });
    // As in Node, the module, `test` and `it` are one function, which has the other names, too.
    return Object.assign(all, { it: all, test: all, default: all });
  }
  // Types aren't checked at run time, so any chain of calls is accepted.
  function expectTypeOf() {
    return new Proxy(() => {}, { get: () => expectTypeOf(), apply: () => expectTypeOf() });
  }

  /**
   * True if the test takes a `done` callback, as in jest and mocha. vitest's context is told from
   * it by the parameter's name.
   */
  const takesDone = (run: Run) =>
    run.length === 1 &&
    /^(?:async\s*)?(?:function\b[^(]*|[\w$]+\s*)?\(?\s*(?:done|cb|callback|next)\b/.test(
      String(run),
    );
  /** Runs tests. Errors that none of them has caught are failures: of the running one, or of all. */
  async function catching(run: () => Promise<TestResult[]>): Promise<TestResult[]> {
    const strays: TestResult[] = [];
    kernel.takeUncaught = (error) => {
      if (error === kernel.exitSignal) return false;
      if (running) running.fail(error);
      else strays.push({ names: [], status: 'failed', error });
      return true;
    };
    try {
      const results = await run();
      // The host tells of rejections that nobody handled when there is nothing left to do at once.
      await new Promise((resolve) => setTimeout(resolve, 0));
      return [...results, ...strays];
    } finally {
      kernel.takeUncaught = undefined;
      running = undefined;
    }
  }
  const withDone = (start: (done: (error?: unknown) => void) => unknown) =>
    new Promise<void>((resolve, reject) => {
      const done = (error?: unknown) => (error ? reject(error) : resolve());
      const result = start(Object.assign(done, { fail: reject }));
      if (result instanceof Promise) result.catch(reject);
    });

  function timed(
    run: Run,
    milliseconds: number,
    what: string,
    self: object,
    { given, end: finish }: { readonly given: object; end?(): Promise<void> },
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      let timer: object | undefined;
      const outer = running;
      const end = (settle: (value) => void) => (value) => {
        clearTimeout(timer as object);
        if (running === own) running = outer;
        settle(value);
      };
      const own = {
        fail: end(reject),
        limitTo(limit: number) {
          clearTimeout(timer as object);
          const late = () => own.fail(new Error(what + ' timed out in ' + limit + 'ms.'));
          timer = limit > 0 ? setTimeout(late, limit) : undefined;
        },
      };
      running = own;
      own.limitTo(milliseconds);
      (async () => {
        try {
          if (takesDone(run)) return await withDone((done) => run.call(self, done));
          // node:test also waits for a callback, if the test takes one after its context.
          return await (run.length < 2
            ? run.call(self, given)
            : withDone((done) => run(given, done)));
        } finally {
          await finish?.();
        }
      })().then(end(resolve), own.fail);
    });
  }

  const skipMark = new Error('The test skipped itself.');
  function skip(): never {
    throw skipMark;
  }
  /** The context of vitest and node:test combined, and the subtests that node:test may start. */
  function createContext(names: string[], node: Suite): Context {
    const own = newSuite('', undefined, 'run');
    const cleanups: (() => unknown)[] = [];
    const task = { ...toTask('test', names.at(-1) ?? '', node), result: { state: 'run' } };
    const results: TestResult[] = [];
    let subtests = Promise.resolve();
    let ending: { readonly signal: Signal; abort(): void } | undefined;
    const checked = { planned: undefined as number | undefined, count: 0 };
    let assert: object | undefined;
    let mock: { reset(): void } | undefined;
    // Runs them one after the other, in their order. A test that isn't awaited is awaited at its
    // parent's end.
    const test = (name, ...rest: unknown[]) => {
      const { run, options, timeout } = testArguments(rest, name);
      checked.count += 1;
      const at = [...names, String(name?.name ?? name)];
      subtests = subtests.then(async () => {
        if (options.skip || options.todo || run === undefined)
          results.push({ names: at, status: 'skipped' });
        else results.push(...(await runTest(own, { run, timeout }, at)));
      });
      return subtests;
    };
    const given = {
      expect,
      test,
      skip,
      todo: skip,
      name: task.name,
      fullName: names.join(' > '),
      task,
      get signal() {
        ending ??= new kernel.AbortController();
        return ending.signal;
      },
      plan(count: number) {
        checked.planned = count;
      },
      diagnostic: (text) => kernel.print('stdout', String(text)),
      onTestFinished: (clean) => {
        cleanups.push(clean);
      },
      onTestFailed: (clean) => {
        cleanups.push(() => task.result.state === 'fail' && clean(given));
      },
      after: (clean) => {
        cleanups.push(clean);
      },
      beforeEach: (run) => {
        own.hooks.beforeEach.push(run);
      },
      afterEach: (run) => {
        own.hooks.afterEach.push(run);
      },
      get mock() {
        return (mock ??= kernel.part('node-mock').createTracker());
      },
      get assert() {
        return (assert ??= counting(kernel.assert, () => (checked.count += 1)));
      },
    };
    async function end() {
      await subtests;
      ending?.abort();
      const isOwn = (result: TestResult) => result.names.length === names.length + 1;
      const failed = results.filter((result) => result.status === 'failed' && isOwn(result)).length;
      if (failed > 0)
        throw new Error(failed + (failed === 1 ? ' subtest' : ' subtests') + ' failed');
      const { planned, count } = checked;
      if (planned !== undefined && planned !== count)
        throw new Error('plan expected ' + planned + ' assertions but received ' + count);
    }
    contextOfTest = given;
    async function clean() {
      if (contextOfTest === given) contextOfTest = undefined;
      for (const cleanup of cleanups) await cleanup();
      mock?.reset();
    }
    const fail = (error: unknown) => {
      task.result = Object.assign(task.result, { state: 'fail', errors: [error] });
    };
    return { given, results, end, fail, clean };
  }

  /** vitest's record of a test or suite, and of the suites around it. */
  const toTask = (type: 'suite' | 'test', name: string, around: Suite | undefined): Task => ({
    ...{ type, name, mode: 'run', meta: {}, file: { filepath: runningFile } },
    suite: around?.parent && toTask('suite', around.name, around.parent),
  });

  /** The functions of `assert`; each call is told. */
  const counting = (functions: object, tell: () => void): object =>
    Object.fromEntries(
      Object.entries(functions).map(([name, run]) => [
        name,
        (...args) => {
          tell();
          return run(...args);
        },
      ]),
    );

  const hasOnly = (node: Suite | Test): boolean =>
    node.mode === 'only' || (node.children ?? []).some(hasOnly);
  const pathOf = (node: Suite): string[] =>
    node.parent ? [...pathOf(node.parent), node.name] : [];
  const ancestors = (node: Suite | undefined): Suite[] =>
    node ? [...ancestors(node.parent), node] : [];

  async function runSuite(node: Suite, state: Chosen): Promise<TestResult[]> {
    const results: TestResult[] = [];
    const isLive = (child: Test) => {
      if (child.mode === 'skip' || child.mode === 'todo' || state.isSkipped) return false;
      return !state.isOnly || state.isChosen || hasOnly(child);
    };
    const inner = (child: Suite): Chosen => ({
      ...state,
      isSkipped: state.isSkipped || child.mode === 'skip' || child.mode === 'todo',
      // Members of a chosen suite run, unless one of them is itself marked with `only`.
      isChosen: child.mode === 'only' ? !child.children?.some(hasOnly) : state.isChosen,
    });
    const runs = node.children.some((child) => (child.children ? true : isLive(child)));
    let { broken } = state;
    const context = createContext(pathOf(node), node);
    if (runs && !state.isSkipped && !broken) {
      try {
        for (const run of node.hooks.beforeAll) {
          const cleanup = await timed(run, defaultTimeout, 'beforeAll', node.self, context);
          if (typeof cleanup === 'function') node.hooks.afterAll.unshift(cleanup as Run);
        }
      } catch (error) {
        broken = { error };
      }
    }
    for (const child of node.children) {
      if (child.children) {
        results.push(...(await runSuite(child, { ...inner(child), ...(broken && { broken }) })));
        continue;
      }
      const names = [...pathOf(node), child.name];
      if (!isLive(child) || broken?.error === skipMark) results.push({ names, status: 'skipped' });
      else if (broken) results.push({ names, status: 'failed', error: broken.error });
      else results.push(...(await runTest(node, child as Runnable, names)));
    }
    if (runs && !state.isSkipped) {
      try {
        for (const run of node.hooks.afterAll.toReversed())
          await timed(run, defaultTimeout, 'afterAll', node.self, context);
        await context.clean();
      } catch (error) {
        results.push({ names: [...pathOf(node), 'afterAll'], status: 'failed', error });
      }
    }
    return results;
  }

  /** Returns the results of the subtests and of the test itself. */
  async function runTest(node: Suite, test: Runnable, names: string[]): Promise<TestResult[]> {
    const started = host.now();
    let left = test.retry ?? 0;
    let { context, error } = await tryTest(node, test, names);
    for (; error !== undefined && error !== skipMark && left > 0; left -= 1)
      ({ context, error } = await tryTest(node, test, names));
    const isSkipped = error === skipMark;
    const hasFailed = error !== undefined && !isSkipped;
    const time = host.now() - started;
    if (test.fails && !isSkipped)
      error = hasFailed ? undefined : new Error('The test was expected to fail, but it passed.');
    const result: TestResult =
      error !== undefined && !isSkipped
        ? { names, status: 'failed', time, error }
        : { names, status: isSkipped ? 'skipped' : 'passed', time };
    return [...context.results, result];
  }

  /** Runs the test once with its hooks. `error` is the first that any of them threw. */
  async function tryTest(node: Suite, test: Runnable, names: string[]) {
    const context = createContext(names, node);
    const chain = ancestors(node);
    /** Functions that hooks have returned, called when the test has ended. */
    const cleanups: Run[] = [];
    let failure: { error: unknown } | undefined;
    // The hooks have the context of the test.
    const { given } = context;
    const attempt = async (
      run: Run,
      timeout: number,
      what: string,
      { self }: Suite,
      end?: () => Promise<void>,
    ) => {
      try {
        return await timed(run, timeout, what, self, { given, ...(end && { end }) });
      } catch (error) {
        failure ??= { error };
        return undefined;
      }
    };
    const shown = { title: names.at(-1), fullTitle: () => names.join(' '), state: 'passed' };
    for (const at of chain) Object.assign(at.self, { test: shown, currentTest: shown });
    expect.begin({
      currentTestName: names.join(' > '),
      ...(runningFile !== undefined && { testPath: runningFile }),
    });
    snapshots().beginTest(names);
    for (const at of chain)
      for (const run of at.hooks.beforeEach) {
        const cleanup = await attempt(run, defaultTimeout, 'beforeEach', at);
        if (typeof cleanup === 'function') cleanups.push(cleanup as Run);
      }
    if (failure === undefined) {
      await attempt(test.run, test.timeout, 'The test', node, context.end);
      if (failure === undefined)
        try {
          expect.end();
        } catch (error) {
          failure = { error };
        }
    }
    if (failure) {
      shown.state = 'failed';
      if (failure.error !== skipMark) context.fail(failure.error);
    }
    for (const at of chain.toReversed())
      for (const run of at.hooks.afterEach.toReversed())
        await attempt(run, defaultTimeout, 'afterEach', at);
    for (const run of [...cleanups.toReversed(), () => context.clean()])
      await attempt(run, defaultTimeout, 'afterEach', node);
    return { context, error: failure?.error };
  }

  const globals: Record<string, unknown> = {
    ...{ ...api, ...otherNames, ...ofMocha, ...ofVitest },
    jest: vi,
  };
  async function runFile(file: string, mayBeEmpty: boolean): Promise<TestResult[]> {
    const root = newSuite('', undefined, 'run');
    const lastTimer = kernel.lastTimer();
    const ports = Object.keys(kernel.servers);
    declarations.open(root);
    runningFile = file;
    snapshots().beginFile(file);
    const putBack = leaveAsFound(kernel);
    for (const [name, value] of Object.entries({ NODE_ENV: 'test', VITEST: 'true' }))
      if (kernel.process.env[name] === undefined) mocks.stubEnv(name, value);
    // Node's runner has no limit. This is one, so that a test that never ends can be named.
    if (/['"]node:test['"]/.test(host.readText(file))) defaultTimeout = 30_000;
    for (const name of Object.keys(globals)) kernel.defineGlobal(name, globals[name]);
    let closeDom: (() => Promise<void>) | undefined;
    try {
      closeDom = await kernel.part('test-dom').open(file);
      // Imports during a test use the same graph and replacements as the file.
      const results = await kernel.withFreshModules(async () => {
        const config = readTestConfig(kernel, file);
        useGlobals(kernel, config);
        for (const setup of config.setupFiles) await kernel.importFrom(config.path)(setup);
        await kernel.importFrom(file)(file);
        await declarations.collect(root);
        declarations.open(undefined);
        return catching(() =>
          runSuite(root, { isOnly: hasOnly(root), isSkipped: false, isChosen: false }),
        );
      });
      if (results.length === 0 && !mayBeEmpty) throw new Error(noTest(file));
      writtenSnapshots += snapshots().endFile();
      kernel.tellEnd(0, true);
      return results;
    } catch (error) {
      return [{ names: [], status: 'failed', error }];
    } finally {
      declarations.open(undefined);
      runningFile = undefined;
      await closeDom?.();
      snapshots().beginFile(undefined);
      kernel.dropTimersAfter(lastTimer);
      if (kernel.hasPart('http')) kernel.part('http').closeOthers(ports);
      mocks.forgetAll();
      vi.resetConfig();
      putBack();
    }
  }

  /** Runs the tests that the cell itself has declared. Failing tests don't make the cell fail. */
  async function runDeclared() {
    const root = declarations.takeLoose();
    if (root === undefined) return;
    declarations.open(root);
    try {
      await declarations.collect(root);
    } finally {
      declarations.open(undefined);
    }
    const results = await catching(() =>
      runSuite(root, { isOnly: hasOnly(root), isSkipped: false, isChosen: false }),
    );
    report('this cell', results);
    const count = (status: TestResult['status']) =>
      results.filter((result) => result.status === status).length;
    kernel.print(
      'stdout',
      '\n' + tally('      Tests  ', count('failed'), count('passed'), count('skipped')),
    );
    kernel.testFailures = (kernel.testFailures ?? 0) + count('failed');
  }

  /** Runs test files; without a pattern, all in the workspace. Doesn't throw if tests fail. */
  async function runTests(pattern: unknown) {
    if (declarations.isOpen()) throw new Error('runTests was called from a test file.');
    const patterns = pattern === undefined ? [] : [pattern].flat().map(String);
    const files: string[] = parse(host.findTests(kernel.stringify(patterns)));
    if (files.length === 0) {
      throw new Error(
        'No test files found' +
          (patterns.length > 0 ? ' for ' + patterns.join(', ') : '') +
          ': a test file is named *.test.* or *.spec.* (.ts, .tsx, .js, .jsx, .mts, .mjs, .cjs). ' +
          "Others are run by their path or by a glob, as runTests('test/**/*.js').",
      );
    }
    // A glob may match helpers, too.
    const isHelper = (file: string) =>
      !/\.(?:test|spec)\.[cm]?[jt]sx?$/.test(file) &&
      !patterns.some((name) => kernel.path.resolve(name) === file);
    const summary = { passed: 0, failed: 0, skipped: 0, failures: [] as Failure[] };
    let failedFiles = 0;
    let emptyFiles = 0;
    writtenSnapshots = 0;
    for (const file of files) {
      const results = await runFile(file, isHelper(file));
      if (results.length === 0) {
        kernel.print('stdout', '   ' + relative(file) + ' (no tests)');
        emptyFiles += 1;
        continue;
      }
      report(relative(file), results);
      for (const result of results) {
        summary[result.status] += 1;
        if (result.status !== 'failed') continue;
        const line = lineIn(result.error, file);
        summary.failures.push({
          file: relative(file),
          name: result.names.join(' > '),
          message: titleOf(result.error),
          ...(line !== undefined && { line }),
        });
      }
      if (results.some((result) => result.status === 'failed')) failedFiles += 1;
    }
    if (emptyFiles === files.length) throw new Error(noTest('these files'));
    kernel.part('test-dom').forget();
    kernel.print(
      'stdout',
      [
        '',
        ...(writtenSnapshots > 0 ? ['  Snapshots  ' + writtenSnapshots + ' written'] : []),
        tally(' Test Files  ', failedFiles, files.length - failedFiles - emptyFiles, 0),
        tally('      Tests  ', summary.failed, summary.passed, summary.skipped),
      ].join('\n'),
    );
    kernel.testFailures = summary.failed;
    // The report was printed already, so the numbers are enough as the cell's result.
    return Object.defineProperty(summary, kernel.inspect.custom, {
      value: () =>
        '{ passed: ' +
        summary.passed +
        ', failed: ' +
        summary.failed +
        ', skipped: ' +
        summary.skipped +
        ', failures: [' +
        (summary.failed > 0 ? ' … ' + summary.failed + ' … ' : '') +
        '] }',
    });
  }

  return { api, moduleFor, runDeclared, runTests };
}
