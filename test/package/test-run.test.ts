/** `npm test` can't be green by accident: what is counted, and a real run without a browser. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { TestModule } from 'vitest/node';
import { countResults } from '../../scripts/count-results.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A file of a run as vitest reports it, by the states of its tests. */
function fileOf(project: string, states: string[], state = 'passed'): TestModule {
  const tests = states.map((each, index) => ({
    fullName: `test ${index}`,
    result: () => ({ state: each }),
  }));
  const module = {
    moduleId: `${project}.test.ts`,
    project: { name: project },
    state: () => state,
    children: { allTests: () => tests },
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

describe('npm test', () => {
  it('is red when the browser cannot start', () => {
    const { status, stdout, stderr } = spawnSync(
      join(root, 'node_modules/.bin/node'),
      ['scripts/test.ts', '--project', 'browser', 'test/unit/core/'],
      { cwd: root, encoding: 'utf8', env: { ...process.env, CHROMIUM_PATH: process.execPath } },
    );
    expect(status).toBe(1);
    expect(stderr).toMatch(/^Errors outside tests: \d+; see above\.$/m);
    expect(stdout.trim().split('\n').at(-1)).toMatch(/^0 passed, [1-9]\d* failed$/);
  });
});
