/** The slow lane in Firefox runs when it is asked for, and then it never passes for want of one. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findFirefox } from '../../scripts/find-firefox.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const noWhere = join(root, 'no-such-firefox');

describe('npm test -- --project firefox', () => {
  it('is red, and says what to do, where no Firefox is', () => {
    const { status, stdout, stderr } = spawnSync(
      join(root, 'node_modules/.bin/node'),
      ['scripts/test.ts', '--project', 'firefox', 'test/unit/core/'],
      { cwd: root, encoding: 'utf8', env: { ...process.env, FIREFOX_PATH: noWhere } },
    );
    expect(status).toBe(1);
    expect(stderr).toContain(`FIREFOX_PATH is ${noWhere}, but no program is there.`);
    expect(stdout.trim().split('\n').at(-1)).toMatch(/^0 passed, [1-9]\d* failed$/);
  });
});

describe('findFirefox', () => {
  it('takes FIREFOX_PATH before all others', () => {
    const environment = { FIREFOX_PATH: process.execPath, PATH: process.env['PATH'] };
    expect(findFirefox(environment)).toBe(process.execPath);
  });
});
