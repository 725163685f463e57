// Declares tests: describe, it and the hooks build a tree of suites and tests. The test runner runs
// it.
import type { Kernel } from '../kernel-type.ts';
import { withFixtures, type Fixtures } from './fixtures.ts';
import { createTestTables } from './tables.ts';

export type Run = (...args) => unknown;
type Mode = 'run' | 'skip' | 'only' | 'todo' | 'fails';

interface TestOptions {
  readonly only?: unknown;
  readonly skip?: unknown;
  readonly todo?: unknown;
  readonly fails?: unknown;
  readonly timeout?: number;
  readonly retry?: number;
}

interface TestArguments {
  readonly run: Run | undefined;
  readonly options: TestOptions;
  readonly timeout: number;
}

export interface Test {
  readonly name: string;
  readonly run: Run | undefined;
  readonly mode: Mode;
  timeout: number;
  readonly retry: number;
  readonly fails: boolean;
  readonly children?: undefined;
}

export interface Suite {
  readonly name: string;
  readonly parent: Suite | undefined;
  readonly mode: Mode;
  /** Declares the members of the suite. */
  declare?: Run | undefined;
  /** The timeout that Mocha's `this.timeout` has set for the suite. */
  timeout?: number;
  readonly children: (Suite | Test)[];
  readonly hooks: Record<'beforeAll' | 'afterAll' | 'beforeEach' | 'afterEach', Run[]>;
  /** Mocha's `this` of its hooks and tests. It inherits from that of the suite around it. */
  readonly self: object;
}

/** What declares a test or suite gives Mocha's chain, for `it(…).timeout(100)`. */
type Add = (mode: Mode, name: unknown, rest: unknown[]) => object;
export type DeclareOne = (name, ...rest) => object | void;
type Each = (table, ...values) => DeclareOne;

/** The type of `it` and `describe`. */
interface Declare
  extends DeclareOne, Record<'skip' | 'only' | 'todo' | 'fails', DeclareOne & { each: Each }> {
  each: Each;
  for: Each;
  extend(fixtures: Fixtures): Declare;
  concurrent: Declare;
  sequential: Declare;
  skipIf(condition: unknown): DeclareOne;
  runIf(condition: unknown): DeclareOne;
}

/** Returns Mocha's `this`. `change` receives a new timeout in milliseconds; 0 means none. */
export function mochaSelf(change: (limit: number) => void, skip?: () => never): object {
  const self = {
    timeout(limit?: number) {
      if (limit !== undefined) change(Number(limit));
      return self;
    },
    slow: () => self,
    retries: () => self,
    ...(skip && { skip }),
  };
  return self;
}

/** Returns the declaring functions, and the functions with which the runner reads the tree. */
export function createDeclarations(
  kernel: Kernel,
  defaultTimeout: () => number,
  outermostSelf: object,
) {
  const expect = kernel.part('expect');
  const { fill, rows } = createTestTables(kernel);
  /** The suite to which declarations are added. Undefined outside of a test file. */
  let suite: Suite | undefined;
  /**
   * Tests that the cell declares outside of any test file. They run when the cell's code has ended.
   */
  let cellSuite: Suite | undefined;

  const newSuite = (name: string, parent: Suite | undefined, mode: Mode): Suite => ({
    name,
    parent,
    mode,
    children: [],
    hooks: { beforeAll: [], afterAll: [], beforeEach: [], afterEach: [] },
    self: Object.create(parent?.self ?? outermostSelf),
  });

  function here(): Suite {
    return suite ?? (cellSuite ??= newSuite('', undefined, 'run'));
  }

  const timeoutOf = (node: Suite | undefined): number | undefined =>
    node && (node.timeout ?? timeoutOf(node.parent));

  // Options are the second or third argument; a number is a timeout. In node:test a test may lack a
  // name.
  function testArguments(rest: unknown[], name?: unknown): TestArguments {
    const run = [...rest, name].find((value): value is Run => typeof value === 'function');
    const options: TestOptions =
      rest.find((value) => typeof value === 'object' && value !== null) ?? {};
    const number = rest.find((value) => typeof value === 'number');
    const timeout = number ?? options.timeout ?? timeoutOf(suite ?? cellSuite) ?? defaultTimeout();
    return { run, options, timeout };
  }
  function addTest(mode: Mode, name, rest: unknown[]) {
    const { run, options, timeout } = testArguments(rest, name);
    const chosen = options.only
      ? 'only'
      : options.skip
        ? 'skip'
        : options.todo || run === undefined
          ? 'todo'
          : mode;
    const test: Test = {
      name: String(name?.name ?? name),
      run,
      mode: chosen,
      timeout,
      retry: options.retry ?? 0,
      fails: mode === 'fails' || options.fails === true,
    };
    here().children.push(test);
    return mochaSelf((limit) => (test.timeout = limit));
  }
  function addSuite(mode: Mode, name, rest: unknown[]) {
    const parent = here();
    const { run, options } = testArguments(rest, name);
    const child = newSuite(
      String(name?.name ?? name),
      parent,
      options.only ? 'only' : options.skip ? 'skip' : mode,
    );
    child.declare = run;
    parent.children.push(child);
    return mochaSelf((limit) => (child.timeout = limit));
  }
  // Suites declare their members one after the other, once the file has loaded. So members of an
  // async suite are added to that suite.
  async function collect(parent: Suite) {
    for (const child of parent.children) {
      if (!child.children) continue;
      suite = child;
      await child.declare?.call(mochaSelf((limit) => (child.timeout = limit)));
      await collect(child);
    }
  }

  const each =
    (add: Add, mode: Mode) =>
    (table, ...values) =>
    (name, ...rest) => {
      const { run } = testArguments(rest);
      rows(table, values).forEach((args, index) => {
        add(
          mode,
          fill(String(name), args, index),
          rest.map((value) => (value === run ? () => (run as Run)(...args) : value)),
        );
      });
    };
  function declarer(add: Add): Declare {
    const declare = ((name, ...rest) => add('run', name, rest)) as Declare;
    for (const mode of ['skip', 'only', 'todo', 'fails'] as const) {
      declare[mode] = Object.assign((name, ...rest) => add(mode, name, rest), {
        each: each(add, mode),
      });
    }
    declare.each = each(add, 'run');
    declare.for =
      (table) =>
      (name, ...rest) => {
        const { run } = testArguments(rest);
        table.forEach((row, index) =>
          add('run', fill(String(name), Array.isArray(row) ? row : [row], index), [
            () => (run as Run)(row, { expect }),
          ]),
        );
      };
    declare.extend = (fixtures) =>
      declarer((mode, name, rest) => {
        const { run } = testArguments(rest, name);
        return add(
          mode,
          name,
          rest.map((value) => (value === run ? withFixtures(fixtures, value as Run) : value)),
        );
      });
    declare.concurrent = declare;
    declare.sequential = declare;
    declare.skipIf = (condition) => (condition ? declare.skip : declare);
    declare.runIf = (condition) => (condition ? declare : declare.skip);
    return declare;
  }
  const it = declarer(addTest);
  const describe = declarer(addSuite);
  const hook = (kind: keyof Suite['hooks']) => (run: Run) => {
    here().hooks[kind].push(run);
  };
  const api = {
    describe,
    suite: describe,
    it,
    test: it,
    expect,
    beforeAll: hook('beforeAll'),
    afterAll: hook('afterAll'),
    beforeEach: hook('beforeEach'),
    afterEach: hook('afterEach'),
  };

  return {
    api,
    describe,
    it,
    newSuite,
    testArguments,
    collect,
    isOpen: () => suite !== undefined,
    open(root: Suite | undefined) {
      suite = root;
    },
    /** Returns and clears the tests that the cell itself has declared. */
    takeLoose() {
      const loose = cellSuite;
      cellSuite = undefined;
      return loose;
    },
  };
}
