/** `npm test` can't be green by accident: what is counted, and a real run without a browser. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { TestModule } from 'vitest/node';
import { chooseFilesAgain, countResults, listFlaky } from '../../scripts/count-results.ts';
import { runOrders } from '../../scripts/test-orders.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A file of a run as vitest reports it, by the states of its tests. */
function fileOf(project: string, states: string[], state = 'passed'): TestModule {
  const tests = states.map((each, index) => ({
    fullName: `test ${index}`,
    result: () => ({ state: each }),
  }));
  const module = {
    moduleId: `${project}.test.ts`,
    relativeModuleId: `${project}.test.ts`,
    project: { name: project },
    state: () => state,
    children: {
      allTests: (wanted?: string) =>
        tests.filter((test) => wanted === undefined || test.result().state === wanted),
    },
  };
  return module as unknown as TestModule;
}

describe('countResults', () => {
  it('counts the tests of all runtimes', () => {
    const modules = [
      fileOf('node', ['passed', 'failed', 'skipped'], 'failed'),
      fileOf('browser (chromium)', ['passed']),
    ];
    expect(countResults({ modules, errors: [], required: ['node', 'browser'] })).toEqual({
      passed: 2,
      failed: 1,
      skipped: 1,
      complaints: [],
    });
  });

  it('counts a runtime without tests, or with skipped ones only, as a failure', () => {
    const modules = [fileOf('node', ['passed']), fileOf('workerd', ['skipped'])];
    const { failed, complaints } = countResults({
      modules,
      errors: [],
      required: ['node', 'browser', 'workerd'],
    });
    expect([failed, ...complaints]).toEqual([
      2,
      'No test ran in "browser": that is not a pass.',
      'No test ran in "workerd": that is not a pass.',
    ]);
  });

  it('counts a run of no files as a failure', () => {
    expect(countResults({ modules: [], errors: [], required: [] })).toEqual({
      passed: 0,
      failed: 1,
      skipped: 0,
      complaints: ['No test file was run: that is not a pass.'],
    });
  });

  it('counts a run whose tests were all skipped as a failure', () => {
    const modules = [fileOf('node', ['skipped', 'skipped']), fileOf('workerd', ['skipped'])];
    expect(countResults({ modules, errors: [], required: [] })).toEqual({
      passed: 0,
      failed: 1,
      skipped: 3,
      complaints: ['No test ran: each was skipped, or has another name than -t asks for.'],
    });
  });

  it('counts errors outside tests, broken files and tests that never end as failures', () => {
    const modules = [fileOf('node', [], 'failed'), fileOf('node', ['pending'])];
    const { failed, complaints } = countResults({ modules, errors: [new Error()], required: [] });
    expect([failed, ...complaints]).toEqual([
      3,
      'node.test.ts failed outside its tests.',
      'node.test.ts: "test 0" never ended.',
      'Errors outside tests: 1; see above.',
    ]);
  });
});

describe('chooseFilesAgain', () => {
  const failed = fileOf('node', ['passed', 'failed'], 'failed');
  const choose = (modules: TestModule[], errors: unknown[] = []) =>
    chooseFilesAgain(modules, countResults({ modules, errors, required: [] }));

  it('is up to three files, each of which holds a failed test', () => {
    const passed = fileOf('node', ['passed']);
    expect(choose([passed, failed, failed, failed])).toEqual([failed, failed, failed]);
    expect(choose([passed])).toEqual([]);
  });

  it('is none where more failed, or something outside the tests', () => {
    expect(choose([failed, failed, failed, failed])).toEqual([]);
    expect(choose([failed, fileOf('node', ['passed'], 'failed')])).toEqual([]);
    expect(choose([failed], [new Error()])).toEqual([]);
  });
});

describe('listFlaky', () => {
  it('has the failed tests of the files that pass alone, each with its runtime', () => {
    const ran: (readonly string[])[] = [];
    const modules = [
      fileOf('node', ['passed', 'failed', 'failed'], 'failed'),
      fileOf('browser (chromium)', ['failed'], 'failed'),
    ];
    const flaky = listFlaky(modules, (args) => ran.push(args) === 1);
    expect(ran.map((args) => args.slice(1))).toEqual([
      ['--project', 'node'],
      ['--project', 'browser'],
    ]);
    expect(flaky).toEqual(
      ['test 1', 'test 2'].map(
        (name) => `flaky, passed alone: npm test -- node.test.ts --project node: ${name}`,
      ),
    );
  });
});

/** Runs a script of the tests, and gives its status, its lines and what it complained of. */
function runScript(script: string, args: string[], environment: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = spawnSync(
    join(root, 'node_modules/.bin/node'),
    [join('scripts', script), ...args],
    { cwd: root, encoding: 'utf8', env: { ...process.env, ...environment } },
  );
  return { status, lines: stdout.trim().split('\n'), stderr };
}

describe('npm test', () => {
  it('is red when the browser cannot start', () => {
    const args = ['--project', 'browser', 'test/unit/core/'];
    const environment = { CHROMIUM_PATH: process.execPath };
    const { status, lines, stderr } = runScript('test.ts', args, environment);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^Errors outside tests: \d+; see above\.$/m);
    expect(lines.at(-1)).toMatch(/^0 passed, [1-9]\d* failed$/);
  });

  it('is red when -t matches no test', () => {
    const args = ['--project', 'node', '-t', 'no such name', 'test/unit/core/errors.test.ts'];
    const { status, lines, stderr } = runScript('test.ts', args);
    expect(stderr).toContain('has another name than -t asks for');
    expect([status, lines.at(-1)]).toEqual([1, '0 passed, 1 failed']);
  });
});

describe('npm run test:orders', () => {
  it('runs files apart, then in three shuffled orders, prints how to repeat each, counts the green', () => {
    const ran: (readonly string[])[] = [];
    const printed: string[] = [];
    const red = runOrders(
      ['--project', 'node'],
      (args) => ran.push(args) !== 2,
      (line) => printed.push(line),
    );
    const seeds = ran.flatMap((args) => args.filter((arg) => arg.startsWith('--sequence.seed=')));
    expect([red, new Set(seeds).size]).toEqual([1, 3]);
    expect(ran).toEqual([
      ['--isolate', '--project', 'node'],
      ...seeds.map((seed) => [
        '--sequence.shuffle.files',
        '--sequence.shuffle.tests',
        seed,
        '--project',
        'node',
      ]),
    ]);
    expect(printed).toEqual([
      ...ran.map((args) => `npm test -- ${args.join(' ')}`),
      '3 of 4 runs are green',
    ]);
  });
});
