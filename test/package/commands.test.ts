/** The commands around the tests tell the truth in their last line and their exit status. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'commands-'));
});

afterEach(() => rmSync(folder, { recursive: true, maxRetries: 5 }));

/** Runs .ci/run with a stand-in for npm whose `test` and `run check` do as they are told. */
function runCi(test: string, check: string) {
  writeFileSync(
    join(folder, 'npm'),
    `#!/bin/sh\nif [ "$1" = test ]; then ${test}; else ${check}; fi\n`,
  );
  chmodSync(join(folder, 'npm'), 0o755);
  const { status, stdout } = spawnSync('bash', [join(root, '.ci/run')], {
    env: { ...process.env, PATH: folder + delimiter + process.env['PATH'] },
    encoding: 'utf8',
  });
  return [status, stdout.trim().split('\n').at(-1)];
}

describe.skipIf(process.platform === 'win32')('.ci/run', () => {
  it.each([
    ['all is green', 'echo 5 passed, 0 failed', 'true', [0, '5 passed, 0 failed']],
    ['tests fail', 'echo 5 passed, 2 failed; exit 1', 'true', [1, '5 passed, 2 failed']],
    ['a check is red', 'echo 5 passed, 0 failed', 'exit 1', [1, '5 passed, 1 failed']],
    ['both are red', 'echo 5 passed, 2 failed; exit 1', 'exit 1', [1, '5 passed, 3 failed']],
    ['the run breaks early', 'echo broken; exit 1', 'true', [1, '0 passed, 1 failed']],
    [
      'the run ends red after its count',
      'echo 5 passed, 0 failed; exit 1',
      'true',
      [1, '5 passed, 1 failed'],
    ],
    ['nothing was counted', 'true', 'true', [1, '0 passed, 1 failed']],
  ])('ends with figures and status when %s', (_case, test, check, expected) => {
    expect(runCi(test, check)).toEqual(expected);
  });
});

describe('npm run bench', () => {
  it('refuses a suite that is not there, and lists those that are', () => {
    const { status, stderr } = spawnSync(process.execPath, ['scripts/bench.ts', 'no-such-suite'], {
      cwd: root,
      encoding: 'utf8',
    });
    expect(status).toBe(2);
    expect(stderr).toMatch(/^usage: npm run bench -- <suite> \[--json\]\nsuites: /);
  });
});

describe('npm run check', () => {
  it('refuses a lane that is not there, and lists those that are', () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/check.ts', 'tpyes'], {
      cwd: root,
      encoding: 'utf8',
    });
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^No lane's name begins with "tpyes"\.\nlanes: types: .* \| lint/);
  });
});
