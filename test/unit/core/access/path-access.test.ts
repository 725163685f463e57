import { describe, expect, it } from 'vitest';
import { createPathJudge } from '../../../../src/core/access/path-access.ts';
import type { PathAccess } from '../../../../src/core/access/path-access.ts';

const access: PathAccess = {
  cwd: '/work',
  roots: ['/work', '/extra'],
  readOnlyRoots: ['/session/1'],
  rules: [
    { effect: 'deny', operation: 'read', glob: 'secrets' },
    { effect: 'deny', operation: 'write', glob: 'docs/**' },
    { effect: 'ask', operation: 'write', glob: '**/package.json' },
    { effect: 'ask', operation: 'read', glob: 'private/**' },
    { effect: 'deny', operation: 'read', glob: 'private/key' },
  ],
  write: 'allow',
};

describe('createPathJudge', () => {
  it.each([
    ['read', '/work/a.ts', 'allow'],
    ['write', '/work/a.ts', 'allow'],
    ['read', '/extra/a.ts', 'allow'],
    ['write', '/extra/a.ts', 'allow'],
    ['read', '/', 'outside'],
    ['read', '/workshop/a.ts', 'outside'],
    ['write', '/etc/passwd', 'outside'],
    // The session's own files.
    ['read', '/session/1/x.txt', 'allow'],
    ['write', '/session/1/x.txt', 'read-only'],
    ['read', '/session/2/x.txt', 'outside'],
    // Rules.
    ['read', '/work/secrets/key', 'deny'],
    ['write', '/work/secrets/key', 'deny'],
    ['read', '/work/docs/a.md', 'allow'],
    ['write', '/work/docs/a.md', 'deny'],
    ['write', '/work/lib/package.json', 'ask'],
    ['read', '/work/lib/package.json', 'allow'],
    ['read', '/work/private/a', 'ask'],
    ['read', '/work/private/key', 'deny'],
  ] as const)('%s of %s: %s', (operation, path, verdict) => {
    expect(createPathJudge(access)(operation, path)).toBe(verdict);
  });

  it('lets nobody write the sessions’ own files, also where all may be written', () => {
    const judge = createPathJudge({ ...access, cwd: '/', roots: ['/'], rules: [] });
    const paths = ['/sessions', '/session', '/session/1', '/session/1/x.txt'];
    const verdicts = paths.map((path) => [judge('read', path), judge('write', path)]);
    expect(verdicts).toEqual([['allow', 'allow'], ...Array(3).fill(['allow', 'read-only'])]);
  });

  it('gives a call that was judged read-only no way to write', () => {
    const judge = createPathJudge({ ...access, write: 'deny' });
    expect([judge('write', '/work/a.ts'), judge('read', '/work/a.ts')]).toEqual([
      'read-only',
      'allow',
    ]);
  });
});
