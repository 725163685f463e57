// Guest source. The test runner: describe, it, hooks, and runTests, which finds a project's test
// files, runs each in a graph of modules of its own and reports as vitest does.

/** A function of the kernel that returns the runner. Loaded when it is first needed. */
export const testRunnerSource = String.raw`
(function (kernel) {
  'use strict';
  const { host, parse } = kernel;
  const expect = kernel.part('expect');
  const mocks = kernel.part('mocks');
  const defaultTimeout = 5000;
  let suite;
  /** What a cell declares itself, outside of any test file: run when the cell's own code is done. */
  let cellSuite;

  const newSuite = (name, parent, mode) => ({
    name, parent, mode, children: [], hooks: { beforeAll: [], afterAll: [], beforeEach: [], afterEach: [] },
  });

  function here() {
    return suite ?? (cellSuite ??= newSuite('', undefined, 'run'));
  }

  // The options stand second or third; a number is a timeout. node:test takes a test without a name.
  function testArguments(rest, name) {
    const run = [...rest, name].find((value) => typeof value === 'function');
    const options = rest.find((value) => typeof value === 'object' && value !== null) ?? {};
    const number = rest.find((value) => typeof value === 'number');
    return { run, options, timeout: number ?? options.timeout ?? defaultTimeout };
  }
  function addTest(mode, name, rest) {
    const { run, options, timeout } = testArguments(rest, name);
    const chosen = options.only ? 'only' : options.skip ? 'skip' : options.todo || run === undefined ? 'todo' : mode;
    here().children.push({ name: String(name?.name ?? name), run, mode: chosen, timeout, fails: mode === 'fails' || options.fails === true });
  }
  function addSuite(mode, name, rest) {
    const parent = here();
    const { run, options } = testArguments(rest, name);
    const child = newSuite(String(name?.name ?? name), parent, options.only ? 'only' : options.skip ? 'skip' : mode);
    child.declare = run;
    parent.children.push(child);
  }
  // Suites declare what is in them when the file has been loaded, one after the other, so that one
  // that awaits meanwhile gets what is its own.
  async function collect(parent) {
    for (const child of parent.children) {
      if (!child.children) continue;
      suite = child;
      await child.declare?.();
      await collect(child);
    }
  }

  function fill(name, args, index) {
    if (args.length === 1 && typeof args[0] === 'object' && args[0] !== null && !Array.isArray(args[0])) {
      name = name.replace(/\$([\w.]+)/g, (whole, path) => {
        const value = path.split('.').reduce((at, key) => at?.[key], args[0]);
        return value === undefined ? whole : typeof value === 'string' ? value : kernel.inspect(value);
      });
    }
    name = name.replaceAll('%#', String(index)).replaceAll('%$', String(index + 1)).replace(/%[po]/g, '%j');
    return /%[sdifj]/.test(name) ? kernel.format(name, ...args.slice(0, (name.match(/%[sdifj]/g) ?? []).length)) : name;
  }
  // it.each([[1, 2]])('…', (a, b) => …), and each with a tagged table: 'a | b' and its values.
  function rows(table, values) {
    if (!Array.isArray(table.raw)) return table.map((row) => (Array.isArray(row) ? row : [row]));
    const names = table[0].trim().split('|').map((name) => name.trim());
    const list = [];
    for (let at = 0; at < values.length; at += names.length) {
      list.push([Object.fromEntries(names.map((name, index) => [name, values[at + index]]))]);
    }
    return list;
  }
  const each = (add, mode) => (table, ...values) => (name, ...rest) => {
    const { run } = testArguments(rest);
    rows(table, values).forEach((args, index) => {
      add(mode, fill(String(name), args, index), rest.map((value) => (value === run ? () => run(...args) : value)));
    });
  };
  function declarer(add) {
    const declare = (name, ...rest) => add('run', name, rest);
    for (const mode of ['skip', 'only', 'todo', 'fails']) {
      declare[mode] = (name, ...rest) => add(mode, name, rest);
      declare[mode].each = each(add, mode);
    }
    declare.each = each(add, 'run');
    declare.for = (table) => (name, ...rest) => {
      const { run } = testArguments(rest);
      table.forEach((row, index) => add('run', fill(String(name), Array.isArray(row) ? row : [row], index), [() => run(row, { expect })]));
    };
    declare.concurrent = declare;
    declare.sequential = declare;
    declare.skipIf = (condition) => (condition ? declare.skip : declare);
    declare.runIf = (condition) => (condition ? declare : declare.skip);
    return declare;
  }
  const it = declarer(addTest);
  const describe = declarer(addSuite);
  const hook = (kind) => (run) => { here().hooks[kind].push(run); };
  const api = {
    describe, suite: describe, it, test: it, expect,
    beforeAll: hook('beforeAll'), afterAll: hook('afterAll'),
    beforeEach: hook('beforeEach'), afterEach: hook('afterEach'),
  };
  const vi = mocks;

  function moduleFor(name) {
    if (name === 'vitest') return { ...api, vi, vitest: vi, assert: kernel.builtin('assert')() , expectTypeOf, assertType: () => {} };
    if (name === '@jest/globals') return { ...api, jest: vi, xit: it.skip, xdescribe: describe.skip, fit: it.only, fdescribe: describe.only };
    if (name === 'bun:test') return { ...api, mock: mocks.fn, spyOn: mocks.spyOn, jest: vi };
    const mock = kernel.part('node-mock');
    return Object.assign((...args) => it(...args), { ...api, test: it, default: it, before: api.beforeAll, after: api.afterAll, skip: it.skip, only: it.only, todo: it.todo, mock });
  }
  // Types are checked by a compiler, not here: any chain of calls is accepted.
  function expectTypeOf() {
    return new Proxy(() => {}, { get: () => expectTypeOf(), apply: () => expectTypeOf() });
  }

  function timed(run, milliseconds, what, context = createContext([])) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error(what + ' timed out in ' + milliseconds + 'ms.'));
      }, milliseconds);
      const end = (settle) => (value) => { clearTimeout(timer); settle(value); };
      (async () => {
        // node:test also waits for a callback, where the test takes one beside its context.
        const called = run.length < 2 ? run(context.given) : new Promise((resolve, reject) => {
          run(context.given, (error) => (error ? reject(error) : resolve()));
        });
        try { await called; } finally { await context.end(); }
      })().then(end(resolve), end(reject));
    });
  }

  const skipMark = new Error('The test skipped itself.');
  /** What vitest and node:test hand to a test, in one; and the subtests that node's may start. */
  function createContext(names) {
    const own = newSuite('', undefined, 'run');
    const cleanups = [];
    const results = [];
    let subtests = Promise.resolve();
    // One after the other, as they are asked for; what a test doesn't await is awaited at its end.
    const test = (name, ...rest) => {
      const { run, options, timeout } = testArguments(rest, name);
      const at = [...names, String(name?.name ?? name)];
      subtests = subtests.then(async () => {
        const isSkipped = options.skip || options.todo || run === undefined;
        results.push(...(isSkipped ? [{ names: at, status: 'skipped' }] : await runTest(own, { run, timeout }, at)));
      });
      return subtests;
    };
    const skip = () => { throw skipMark; };
    const given = {
      expect, test, skip, todo: skip,
      name: names.at(-1) ?? '', fullName: names.join(' > '), task: { type: 'test', name: names.at(-1) ?? '' },
      signal: undefined,
      diagnostic: (text) => kernel.print('stdout', String(text)),
      onTestFinished: (clean) => { cleanups.push(clean); },
      after: (clean) => { cleanups.push(clean); },
      beforeEach: (run) => { own.hooks.beforeEach.push(run); },
      afterEach: (run) => { own.hooks.afterEach.push(run); },
      get mock() { return kernel.part('node-mock'); },
      get assert() { return kernel.builtin('assert')(); },
    };
    async function end() {
      await subtests;
      for (const clean of cleanups) await clean();
      const isOwn = (result) => result.names.length === names.length + 1;
      const failed = results.filter((result) => result.status === 'failed' && isOwn(result)).length;
      if (failed > 0) throw new Error(failed + (failed === 1 ? ' subtest' : ' subtests') + ' failed');
    }
    return { given, results, end };
  }

  const hasOnly = (node) => node.mode === 'only' || (node.children ?? []).some(hasOnly);
  const pathOf = (node) => (node?.parent ? [...pathOf(node.parent), node.name] : []);
  const ancestors = (node) => (node ? [...ancestors(node.parent), node] : []);

  async function runSuite(node, state) {
    const results = [];
    const isLive = (child) => {
      if (child.mode === 'skip' || child.mode === 'todo' || state.isSkipped) return false;
      return !state.isOnly || state.isChosen || hasOnly(child);
    };
    const inner = (child) => ({
      ...state,
      isSkipped: state.isSkipped || child.mode === 'skip' || child.mode === 'todo',
      // What stands in a chosen suite is chosen with it, unless one of its own is.
      isChosen: child.mode === 'only' ? !child.children?.some(hasOnly) : state.isChosen,
    });
    const runs = node.children.some((child) => (child.children ? true : isLive(child)));
    let broken;
    if (runs && !state.isSkipped) {
      try { for (const run of node.hooks.beforeAll) await timed(run, defaultTimeout, 'beforeAll'); } catch (error) { broken = error; }
    }
    for (const child of node.children) {
      if (child.children) { results.push(...await runSuite(child, inner(child))); continue; }
      const names = [...pathOf(node), child.name];
      if (!isLive(child)) results.push({ names, status: 'skipped' });
      else if (broken !== undefined) results.push({ names, status: 'failed', error: broken });
      else results.push(...await runTest(node, child, names));
    }
    if (runs && !state.isSkipped) {
      try { for (const run of node.hooks.afterAll.toReversed()) await timed(run, defaultTimeout, 'afterAll'); }
      catch (error) { results.push({ names: [...pathOf(node), 'afterAll'], status: 'failed', error }); }
    }
    return results;
  }

  /** The results of its subtests, and its own. */
  async function runTest(node, test, names) {
    const context = createContext(names);
    const started = host.now();
    const chain = ancestors(node);
    let failure;
    const attempt = async (run, timeout, what, given) => {
      try { await timed(run, timeout, what, given); } catch (error) { failure ??= { error }; }
    };
    expect.begin();
    for (const run of chain.flatMap((at) => at.hooks.beforeEach)) await attempt(run, defaultTimeout, 'beforeEach');
    if (failure === undefined) {
      await attempt(test.run, test.timeout, 'The test', context);
      if (failure === undefined) try { expect.end(); } catch (error) { failure = { error }; }
    }
    const isSkipped = failure?.error === skipMark;
    if (isSkipped) failure = undefined;
    else if (test.fails) failure = failure === undefined ? { error: new Error('The test was expected to fail, but it passed.') } : undefined;
    for (const run of chain.toReversed().flatMap((at) => at.hooks.afterEach.toReversed())) await attempt(run, defaultTimeout, 'afterEach');
    const time = host.now() - started;
    const result = failure !== undefined ? { names, status: 'failed', time, error: failure.error } : { names, status: isSkipped ? 'skipped' : 'passed', time };
    return [...context.results, result];
  }

  const globals = { ...api, vi, jest: vi };
  async function runFile(file) {
    const root = newSuite('', undefined, 'run');
    const lastTimer = kernel.lastTimer();
    suite = root;
    const before = new Map();
    for (const name of Object.keys(globals)) {
      before.set(name, Object.getOwnPropertyDescriptor(globalThis, name));
      kernel.defineGlobal(name, globals[name]);
    }
    try {
      await kernel.withFreshModules(() => kernel.importFrom(file)(file));
      await collect(root);
      suite = undefined;
      const results = await runSuite(root, { isOnly: hasOnly(root), isSkipped: false, isChosen: false });
      if (results.length === 0) throw new Error('No test found in ' + file);
      return results;
    } catch (error) {
      return [{ names: [], status: 'failed', error }];
    } finally {
      suite = undefined;
      kernel.dropTimersAfter(lastTimer);
      mocks.forgetAll();
      for (const [name, own] of before) {
        if (own) Object.defineProperty(globalThis, name, own); else delete globalThis[name];
      }
    }
  }

  /** Runs what the cell has declared, if it has. Failing tests don't make the cell fail. */
  async function runDeclared() {
    const root = cellSuite;
    cellSuite = undefined;
    if (root === undefined) return;
    suite = root;
    try { await collect(root); } finally { suite = undefined; }
    const results = await runSuite(root, { isOnly: hasOnly(root), isSkipped: false, isChosen: false });
    report('this cell', results);
    const count = (status) => results.filter((result) => result.status === status).length;
    kernel.print('stdout', '\n' + tally('      Tests  ', count('failed'), count('passed'), count('skipped')));
    kernel.testFailures = (kernel.testFailures ?? 0) + count('failed');
  }

  const relative = (path) => kernel.path.relative(kernel.cwd(), path) || path;
  const titleOf = (error) => {
    const isError = error instanceof Error;
    return isError ? kernel.nameOf(error) + ': ' + error.message : 'Thrown: ' + kernel.inspect(error);
  };
  /** Where in the workspace it was thrown: the test file's own line, if the stack has one. */
  function lineIn(error, file) {
    const stack = kernel.placesOf(error);
    const at = stack.indexOf(file + ':');
    return at === -1 ? undefined : parseInt(stack.slice(at + file.length + 1), 10);
  }
  function stackOf(error) {
    return kernel.placesOf(error).split('\n').filter((line) => line !== '').slice(0, 5)
      .map((line) => '     ' + line.trim().replace(kernel.cwd() + '/', ''));
  }

  function report(file, results) {
    const failed = results.filter((result) => result.status === 'failed');
    const skipped = results.filter((result) => result.status === 'skipped').length;
    const counts = [results.length + (results.length === 1 ? ' test' : ' tests')];
    if (failed.length > 0) counts.push(failed.length + ' failed');
    if (skipped > 0) counts.push(skipped + ' skipped');
    const lines = [(failed.length > 0 ? ' ❯ ' : ' ✓ ') + file + ' (' + counts.join(' | ') + ')'];
    const isLong = results.length > 50;
    for (const result of results) {
      const name = result.names.join(' > ') || file;
      if (result.status === 'passed') { if (!isLong) lines.push('   ✓ ' + name); continue; }
      if (result.status === 'skipped') { if (!isLong) lines.push('   ↓ ' + name); continue; }
      lines.push('   ✗ ' + name, '     ' + titleOf(result.error).replaceAll('\n', '\n     '), ...stackOf(result.error));
    }
    kernel.print('stdout', lines.join('\n'));
  }

  const tally = (label, failed, passed, skipped) => {
    const parts = [[failed, 'failed'], [passed, 'passed'], [skipped, 'skipped']].filter(([count]) => count > 0);
    return label + (parts.map(([count, word]) => count + ' ' + word).join(' | ') || '0') + ' (' + (failed + passed + skipped) + ')';
  };

  /** Runs test files; without a pattern all of the workspace's. Failing tests don't make it throw. */
  async function runTests(pattern) {
    if (suite !== undefined) throw new Error('runTests was called from a test file.');
    const patterns = pattern === undefined ? [] : [pattern].flat().map(String);
    const files = parse(host.findTests(kernel.stringify(patterns)));
    if (files.length === 0) {
      throw new Error('No test files found' + (patterns.length > 0 ? ' for ' + patterns.join(', ') : '') + ': a test file is named *.test.* or *.spec.* (.ts, .tsx, .js, .jsx, .mts, .mjs, .cjs).');
    }
    const summary = { passed: 0, failed: 0, skipped: 0, failures: [] };
    let failedFiles = 0;
    for (const file of files) {
      const results = await runFile(file);
      report(relative(file), results);
      for (const result of results) {
        summary[result.status] += 1;
        if (result.status !== 'failed') continue;
        const line = lineIn(result.error, file);
        summary.failures.push({
          file: relative(file), name: result.names.join(' > '), message: titleOf(result.error), ...(line !== undefined && { line }),
        });
      }
      if (results.some((result) => result.status === 'failed')) failedFiles += 1;
    }
    kernel.print('stdout', [
      '', tally(' Test Files  ', failedFiles, files.length - failedFiles, 0),
      tally('      Tests  ', summary.failed, summary.passed, summary.skipped),
    ].join('\n'));
    kernel.testFailures = summary.failed;
    // The report has just said it all: as a cell's result the numbers are enough.
    return Object.defineProperty(summary, kernel.inspect.custom, {
      value: () => '{ passed: ' + summary.passed + ', failed: ' + summary.failed + ', skipped: ' + summary.skipped +
        ', failures: [' + (summary.failed > 0 ? ' … ' + summary.failed + ' … ' : '') + '] }',
    });
  }

  return { api, moduleFor, runDeclared, runTests };
})`;
