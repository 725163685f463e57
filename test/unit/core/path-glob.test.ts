import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePathGlob, compileRuleGlob, getGlobDirectory } from '../../../src/core/path-glob.ts';

describe('compilePathGlob', () => {
  it.each([
    // A name, and what is below it.
    ['secrets', '/work/secrets', true],
    ['secrets', '/work/secrets/key.pem', true],
    ['secrets', '/work/secrets.txt', false],
    ['secrets', '/work/src/secrets', false],
    ['secrets/', '/work/secrets/key.pem', true],
    ['.env', '/work/.env', true],
    ['.env', '/work/xenv', false],
    // Stars.
    ['*.ts', '/work/a.ts', true],
    ['*.ts', '/work/src/a.ts', false],
    ['src/*', '/work/src/a.ts', true],
    ['src/*', '/work/src/deep/a.ts', true],
    ['src/*/a.ts', '/work/src/deep/er/a.ts', false],
    ['src/**', '/work/src/deep/a.ts', true],
    ['src/**', '/work/src', false],
    ['**/*.ts', '/work/a.ts', true],
    ['**/*.ts', '/work/src/deep/a.ts', true],
    ['src/**/a.ts', '/work/src/a.ts', true],
    ['src/**/a.ts', '/work/src/x/y/a.ts', true],
    ['src/**/a.ts', '/work/src/xa.ts', false],
    ['**/.git/config', '/work/vendor/.git/config', true],
    // One character, alternatives.
    ['a?.ts', '/work/ab.ts', true],
    ['a?.ts', '/work/a/.ts', false],
    ['*.{ts,tsx}', '/work/a.tsx', true],
    ['*.{ts,tsx}', '/work/a.js', false],
    ['{src,test}/**', '/work/test/a.ts', true],
    // Where it is taken from.
    ['/etc/*', '/etc/passwd', true],
    ['/etc/*', '/work/etc/passwd', false],
    ['./src/**', '/work/src/a.ts', true],
    ['../other/**', '/other/a.ts', true],
    ['../other/**', '/work/other/a.ts', false],
    ['src//a.ts', '/work/src/a.ts', true],
    ['/**', '/work/a.ts', true],
    ['/', '/work/a.ts', true],
    // What means something in a RegExp means nothing here.
    ['a+b(c)[d].ts', '/work/a+b(c)[d].ts', true],
    ['a+b(c)[d].ts', '/work/aab(c)[d].ts', false],
    ['$&^|', '/work/$&^|', true],
    ['{a', '/work/{a', true],
  ])('judges %j against %j: %s', (glob, path, matches) => {
    expect(compilePathGlob('/work', glob).test(path)).toBe(matches);
  });

  it('takes a relative glob from the root too', () => {
    expect(compilePathGlob('/', 'src/*').test('/src/a.ts')).toBe(true);
  });

  it('matches a path that is spelled out, and all below it', () => {
    const name = fc
      .stringMatching(/^[\w.@ +$^()[\]-]{1,12}$/u)
      .filter((part) => !/^\.\.?$/u.test(part));
    const names = fc.array(name, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(names, name, (parts, below) => {
        const pattern = compilePathGlob('/work', parts.join('/'));
        const path = `/work/${parts.join('/')}`;
        expect([pattern.test(path), pattern.test(`${path}/${below}`)]).toEqual([true, true]);
        expect(pattern.test(`${path}x`)).toBe(false);
      }),
    );
  });

  it('compiles whatever it is given', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (glob) => {
        expect(compilePathGlob('/work', glob)).toBeInstanceOf(RegExp);
      }),
    );
  });
});

describe('compileRuleGlob', () => {
  it('says what compilePathGlob says, again and again, for each working directory', () => {
    const globs = Array.from({ length: 5_000 }, (_, at) => `src-${at % 4_500}/*.ts`);
    for (const cwd of ['/a', '/b', '/a']) {
      for (const glob of globs) {
        expect(compileRuleGlob(cwd, glob).source).toBe(compilePathGlob(cwd, glob).source);
      }
    }
  });
});

describe('getGlobDirectory', () => {
  it.each([
    ['src/*.ts', '/work/src'],
    ['src', '/work'],
    ['*', '/work'],
    ['/**', ''],
    ['/', ''],
    ['../a/b{c,d}', '/a'],
    ['a/./b', '/work'],
    ['src//secrets-1/**', '/work/src/secrets-1'],
  ])('%s: %s', (glob, directory) => {
    expect(getGlobDirectory('/work', glob)).toBe(directory);
  });

  it('is above whatever the glob matches', () => {
    const part = fc.constantFrom('a', 'b', '*', '**', '?', '{a,b}', '{', '}', '.', '..', '', 'a,b');
    const globs = fc.array(part, { maxLength: 5 }).map((parts) => parts.join('/'));
    const paths = fc.array(fc.constantFrom('a', 'b', 'work', '{', '}', 'a,b'), { maxLength: 5 });
    fc.assert(
      fc.property(globs, paths, fc.constantFrom('/work', '/', '/a/b'), (glob, names, cwd) => {
        const path = `/${names.join('/')}`;
        fc.pre(compilePathGlob(cwd, glob).test(path));
        expect(path.startsWith(`${getGlobDirectory(cwd, glob)}/`)).toBe(true);
      }),
    );
  });
});
