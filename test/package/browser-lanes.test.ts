/** The slow lanes in other browsers run when they are asked for, and then they never pass for want of one. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findFirefox } from '../../scripts/find-firefox.mjs';
import { findWebKit } from '../../scripts/find-webkit.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const noWhere = join(root, 'no-such-firefox');

it('npm test is red, and says what to do, where it is asked for browsers that are missing', () => {
  const { status, stdout, stderr } = spawnSync(
    join(root, 'node_modules/.bin/node'),
    ['scripts/test.ts', '--project', 'firefox', '--project', 'webkit', 'test/unit/core/'],
    { cwd: root, encoding: 'utf8', env: { ...process.env, FIREFOX_PATH: noWhere, PATH: noWhere } },
  );
  expect(status).toBe(1);
  expect(stderr).toContain(`FIREFOX_PATH is ${noWhere}, but no program is there.`);
  expect(stderr).toContain('WebKitGTK, its driver or Xvfb is missing.');
  expect(stdout.trim().split('\n').at(-1)).toMatch(/^0 passed, [1-9]\d* failed$/);
});

describe('findFirefox', () => {
  it('takes FIREFOX_PATH before all others', () => {
    const environment = { FIREFOX_PATH: process.execPath, PATH: process.env['PATH'] };
    expect(findFirefox(environment)).toBe(process.execPath);
  });
});

describe('findWebKit', () => {
  it('says what to install where nothing of it is on PATH', () => {
    expect(() => findWebKit({})).toThrow(
      'apt-get install --no-install-recommends webkit2gtk-driver xvfb',
    );
  });
});
