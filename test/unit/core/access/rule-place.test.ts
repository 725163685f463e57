import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPathJudge } from '../../../../src/core/access/path-access.ts';
import type { PathAccess, PathAccessRule } from '../../../../src/core/access/path-access.ts';
import { listAllowedOriginals, listOriginals } from '../../../../src/core/access/rule-place.ts';

const cwd = '/w';
const copies = [{ path: '/w/copies/one', of: '/w/app' }];

describe('listOriginals', () => {
  it.each<[string, readonly string[]]>([
    ['/w/a.txt', []],
    ['/w/.worktrees', []],
    ['/w/.worktrees/x', ['/w']],
    ['/w/.worktrees/x/src/a.txt', ['/w/src/a.txt']],
    ['/w/app/.worktrees/x/a.txt', ['/w/app/a.txt']],
    ['/w/.worktrees/x/.worktrees/y/a', ['/w/.worktrees/y/a', '/w/.worktrees/x/a', '/w/a']],
    ['/w/.worktreesx/y/a', []],
    ['/w/copies/one/a.txt', ['/w/app/a.txt']],
    ['/w/copies/one', ['/w/app']],
    ['/w/copies/one/.worktrees/x/a', ['/w/copies/one/a', '/w/app/.worktrees/x/a', '/w/app/a']],
  ])('of %s', (path, originals) => {
    expect([...listOriginals(path, { cwd, copies })].sort()).toEqual([...originals].sort());
  });

  it('comes to an end for copies of each other', () => {
    const circle = [
      { path: '/a', of: '/b' },
      { path: '/b', of: '/a' },
      { path: '/c', of: '/c/d' },
    ];
    expect(listOriginals('/a/x', { cwd, copies: circle })).toEqual(['/b/x']);
    expect(listOriginals('/c/x', { cwd, copies: circle })).toEqual([]);
  });
});

describe('listAllowedOriginals', () => {
  it.each<[string, string, readonly string[]]>([
    ['/w', '/w/.worktrees/x/src/a.txt', ['/w/src/a.txt']],
    ['/w', '/w/app/.worktrees/x/a.txt', ['/w/app/a.txt']],
    // A journal says so, and nothing else.
    ['/w', '/w/copies/one/a.txt', []],
    ['/w', '/elsewhere/.worktrees/x/a.txt', []],
    // Of a session that began in a work tree: what it is a copy of is outside.
    ['/w/.worktrees/x', '/w/.worktrees/x/a.txt', []],
    ['/w/.worktrees/x', '/w/.worktrees/x/.worktrees/y/a', ['/w/.worktrees/x/a']],
  ])('where the session began in %s, of %s', (began, path, originals) => {
    expect(listAllowedOriginals(path, { cwd: began, copies })).toEqual(originals);
  });
});

const place: PathAccess = {
  cwd: '/w/.worktrees/x',
  rulesFrom: { cwd, copies },
  roots: ['/w'],
  readOnlyRoots: [],
  rules: [],
  write: 'allow',
};
const names = fc.constantFrom('src', 'a.txt', 'secret', 'b');
const paths = fc.array(names, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
const globs = fc.constantFrom('src/**', 'secret', '*.txt', '**/a.txt', '/w/b', 'src/*/secret');
const rules = fc.array(
  fc.record({
    effect: fc.constantFrom('deny' as const, 'ask' as const),
    operation: fc.constantFrom('read' as const, 'write' as const),
    glob: globs,
  }),
  { maxLength: 4 },
);

describe('createPathJudge', () => {
  it('is never milder in a work tree than at the same path outside of it, wherever the call works', () => {
    const severity = { allow: 0, ask: 1, deny: 2, outside: 3, 'read-only': 3 } as const;
    fc.assert(
      fc.property(rules, paths, fc.constantFrom('/w', place.cwd, '/w/src'), (given, path, at) => {
        const judge = createPathJudge({ ...place, cwd: at, rules: given as PathAccessRule[] });
        for (const operation of ['read', 'write'] as const) {
          const first = severity[judge(operation, `/w/${path}`)];
          expect(severity[judge(operation, `/w/.worktrees/x/${path}`)]).toBeGreaterThanOrEqual(
            first,
          );
        }
      }),
      { numRuns: 200 },
    );
  });

  it('takes globs from where the session began', () => {
    const deny = { effect: 'deny', operation: 'read', glob: 'src/secret.txt' } as const;
    const judge = createPathJudge({ ...place, rules: [deny] });
    expect(judge('read', '/w/src/secret.txt')).toBe('deny');
    expect(judge('read', '/w/.worktrees/x/src/secret.txt')).toBe('deny');
    expect(judge('read', '/w/.worktrees/x/src/other.txt')).toBe('allow');
    const inCopy = { effect: 'deny', operation: 'read', glob: 'app/key' } as const;
    expect(createPathJudge({ ...place, rules: [inCopy] })('read', '/w/copies/one/key')).toBe(
      'deny',
    );
  });
});
