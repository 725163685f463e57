import { describe, expect, it } from 'vitest';
import { compileFileType } from '../../../../src/search/file-types.ts';
import { compileGlobs, splitGlobs } from '../../../../src/core/glob/search-glob.ts';

const matches = (glob: string, path: string) =>
  compileGlobs('/', [glob]).verdict(`/${path}`, false) === 'included';

describe('a glob', () => {
  it.each([
    ['*.ts', 'a.ts', 'src/deep/a.ts', '.hidden.ts'],
    ['/*.ts', 'a.ts'],
    ['src/*.ts', 'src/a.ts'],
    ['src/**', 'src/a.ts', 'src/deep/a.ts'],
    ['src/**/a.ts', 'src/a.ts', 'src/x/y/a.ts'],
    ['**/a.ts', 'a.ts', 'x/y/a.ts'],
    ['**', 'a', 'x/y/a.ts'],
    ['a?c', 'abc', 'x/a.c'],
    ['[a-c]x', 'bx'],
    ['[!a-c]x', 'dx'],
    ['[^a-c]x', 'dx'],
    ['a[!x]c', 'a/c'],
    ['[]]x', ']x'],
    ['[a-]x', '-x', 'ax'],
    ['{a,b/c}.ts', 'a.ts', 'b/c.ts'],
    ['{a,{b,c}}.ts', 'a.ts', 'c.ts'],
    ['a\\*b', 'a*b'],
    ['a+(b)', 'a+(b)'],
    ['x{1..3}', 'x1..3'],
  ])('%s finds what it should', (glob, ...paths) => {
    expect(paths.filter((path) => !matches(glob, path))).toEqual([]);
  });

  it.each([
    ['*.ts', 'a.tsx', 'a.ts/b'],
    ['/*.ts', 'src/a.ts'],
    ['src/*.ts', 'src/deep/a.ts', 'x/src/a.ts'],
    ['src/**', 'src', 'lib/src/a.ts'],
    ['a?c', 'a/c', 'abbc'],
    ['[!a]x', 'ax'],
    ['*.TS', 'a.ts'],
    ['a**b', 'a/b'],
    ['a+(b)', 'ab', 'abb'],
    ['x{1..3}', 'x2'],
  ])('%s finds nothing else', (glob, ...paths) => {
    expect(paths.filter((path) => matches(glob, path))).toEqual([]);
  });

  it.each([
    ['[a', /class is never closed/],
    ['{a,b', /brace is never closed/],
    ['a}', /never opened/],
    ['a\\', /backslash ends it/],
    ['[z-a]', /runs backwards/],
  ])('%s is refused with what to write instead', (glob, message) => {
    expect(() => compileGlobs('/', [glob])).toThrow(message);
  });
});

describe('a set of globs', () => {
  it('is decided by the last that matches', () => {
    const globs = compileGlobs('/', ['*.ts', '!*.test.ts', 'keep.test.ts']);
    const verdicts = ['a.ts', 'a.test.ts', 'keep.test.ts', 'a.md'].map((name) =>
      globs.verdict(`/${name}`, false),
    );
    expect(verdicts).toEqual(['included', 'excluded', 'included', 'excluded']);
  });

  it('leaves all others to other rules where it only leaves out', () => {
    const globs = compileGlobs('/', ['!*.md']);
    expect(globs.verdict('/a.md', false)).toBe('excluded');
    expect(globs.verdict('/a.ts', false)).toBe('none');
  });

  it('never leaves out a directory that may hold what is asked for', () => {
    expect(compileGlobs('/', ['*.ts']).verdict('/src', true)).toBe('none');
    expect(compileGlobs('/', ['*.ts', '!src']).verdict('/src', true)).toBe('excluded');
  });

  it('takes a glob with a slash at its end for directories alone', () => {
    const globs = compileGlobs('/', ['!build/']);
    expect(globs.verdict('/build', true)).toBe('excluded');
    expect(globs.verdict('/build', false)).toBe('none');
  });

  it('is relative to its root; of paths outside it knows whole ones, as ripgrep does', () => {
    const verdicts = (glob: string) => {
      const globs = compileGlobs('/work', [glob]);
      return ['/work/a.ts', '/other/src/a.ts'].map((path) => globs.verdict(path, false));
    };
    expect(verdicts('/a.ts')).toEqual(['included', 'excluded']);
    expect(verdicts('*.ts')).toEqual(['included', 'included']);
    expect(verdicts('src/*.ts')).toEqual(['excluded', 'excluded']);
    expect(verdicts('**/src/*.ts')).toEqual(['excluded', 'included']);
    expect(verdicts('!*.ts')).toEqual(['excluded', 'excluded']);
  });
});

// Each has more ways to match than an engine that tries them all gets through in years.
describe('a hostile glob', () => {
  it.each([
    ['stars', `${'*a'.repeat(30)}b`],
    ['stars of every kind', `${'**/*a*'.repeat(20)}b`],
    ['folders', `${'**/a*/'.repeat(20)}b`],
    ['braces', `${'{a,aa}'.repeat(60)}b`],
    ['braces of stars', `${'{*a,*aa,a*}'.repeat(30)}b`],
    ['braces in braces', `${'{a,'.repeat(90)}*a*a*a*${'}'.repeat(90)}${'*a'.repeat(12)}b`],
    ['classes', `${'[a-z]*'.repeat(30)}B`],
  ])('of %s is answered by the length of the path alone', (_what, glob) => {
    const name = 'a'.repeat(250);
    const paths = [name, `${`${name}/`.repeat(15)}${name}c`];
    expect(paths.filter((path) => matches(glob, path))).toEqual([]);
    expect(matches(`{${glob},**/*c}`, paths[1] ?? '')).toBe(true);
  });

  it.each([
    ['a glob that is too long', 'a'.repeat(10_001), /longer than 10000 characters/],
    ['braces too deep in each other', '{'.repeat(101), /more than 100 braces/],
  ])('is refused: %s', (_what, glob, message) => {
    expect(() => compileGlobs('/', [glob])).toThrow(message);
  });
});

describe('splitGlobs', () => {
  it.each([
    ['*.ts', ['*.ts']],
    ['*.ts,*.md  src/**', ['*.ts', '*.md', 'src/**']],
    ['*.{ts,tsx} *.md', ['*.{ts,tsx}', '*.md']],
    ['*.{ts,{mts,cts}},!*.test.ts,', ['*.{ts,{mts,cts}}', '!*.test.ts']],
    ['{a,b', ['{a,b']],
    ['', []],
  ])('splits %j', (list, globs) => {
    expect(splitGlobs(list)).toEqual(globs);
  });
});

describe('compileFileType', () => {
  it.each([
    ['ts', '/src/a.tsx', true],
    ['ts', '/src/a.js', false],
    ['make', '/deep/Makefile', true],
    ['c', '/a.H', true],
    ['all', '/a.rs', true],
    ['all', '/a.unheard-of', false],
  ])('%s: %s is one: %s', (type, path, isOne) => {
    expect(compileFileType(type)(path)).toBe(isOne);
  });

  it.each(['nope', '', 'ts: *.ts'])('refuses %j, with what there is', (type) => {
    expect(() => compileFileType(type)).toThrow(/no file type.*glob/);
  });
});
