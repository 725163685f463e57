import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  basename,
  dirname,
  extname,
  isInside,
  joinPath,
  normalizePath,
  relativePath,
  resolvePath,
} from '../../../src/core/path.ts';

const part = fc.oneof(
  fc.constantFrom('.', '..', '', 'a', 'b', 'src', '.git', 'a.ts'),
  fc.string({ maxLength: 5 }).map((name) => name.replaceAll('/', '')),
);
const anyPath = fc.array(part, { maxLength: 8 }).map((parts) => parts.join('/'));
const normalPath = anyPath.map(normalizePath);

describe('normalizePath', () => {
  it.each([
    ['', '/'],
    ['/', '/'],
    ['a', '/a'],
    ['/a//b/', '/a/b'],
    ['/a/./b', '/a/b'],
    ['/a/../b', '/b'],
    ['/../../b', '/b'],
    ['/a/...', '/a/...'],
  ])('makes %j into %j', (path, normal) => {
    expect(normalizePath(path)).toBe(normal);
  });

  it('gives a path that has nothing left to normalise', () => {
    fc.assert(
      fc.property(anyPath, (path) => {
        const normal = normalizePath(path);
        expect(normalizePath(normal)).toBe(normal);
        const names = normal.split('/').slice(1);
        const isOdd = (name: string) => name === '.' || name === '..' || name === '';
        expect(normal === '/' || !names.some(isOdd)).toBe(true);
      }),
    );
  });
});

describe('resolvePath', () => {
  it('never leaves a root that the result is then held against', () => {
    fc.assert(
      fc.property(anyPath, (path) => {
        const resolved = resolvePath('/work', path);
        expect(isInside('/', resolved)).toBe(true);
        expect(resolved).toBe(normalizePath(resolved));
      }),
    );
  });

  it('takes a relative path from the directory and an absolute one as it is', () => {
    expect(resolvePath('/work', 'src/a.ts')).toBe('/work/src/a.ts');
    expect(resolvePath('/work', '../b')).toBe('/b');
    expect(resolvePath('/work', '/etc/x')).toBe('/etc/x');
  });
});

describe('relativePath', () => {
  it.each([
    ['/work', '/work', '.'],
    ['/work', '/work/src/a.ts', 'src/a.ts'],
    ['/work/src', '/work/b.ts', '../b.ts'],
    ['/', '/a', 'a'],
    ['/a', '/', '..'],
    ['/work', '/workshop', '../workshop'],
  ])('says how %j sees %j: %j', (directory, path, relative) => {
    expect(relativePath(directory, path)).toBe(relative);
  });

  it('is the inverse of resolvePath', () => {
    fc.assert(
      fc.property(normalPath, normalPath, (directory, path) => {
        expect(resolvePath(directory, relativePath(directory, path))).toBe(path);
      }),
    );
  });
});

describe('isInside', () => {
  it.each([
    ['/work', '/work', true],
    ['/work', '/work/a', true],
    ['/work', '/workshop', false],
    ['/work', '/', false],
    ['/', '/anything', true],
  ])('judges %j and %j: %s', (directory, path, inside) => {
    expect(isInside(directory, path)).toBe(inside);
  });
});

describe('dirname, basename, joinPath', () => {
  it('take a path apart and put it together again', () => {
    fc.assert(
      fc.property(normalPath, (path) => {
        expect(joinPath(dirname(path), basename(path))).toBe(path);
      }),
    );
  });
});

describe('extname', () => {
  it.each([
    ['/a/b.ts', '.ts'],
    ['/a/b.test.ts', '.ts'],
    ['/a/.gitignore', ''],
    ['/a.b/c', ''],
    ['/a/b.', '.'],
  ])('of %j is %j', (path, extension) => {
    expect(extname(path)).toBe(extension);
  });
});
