import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compilePathGlob,
  compileRuleGlob,
  getGlobDirectory,
} from '../../../../src/core/glob/path-glob.ts';
import { runsHere } from '../../../support/runs-here.ts';

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
    // Letters with two forms.
    ['caf\u00e9/**', '/work/cafe\u0301/a.ts', true],
    ['cafe\u0301', '/work/caf\u00e9', true],
    ['*\u00e9.ts', '/work/caf\u0065\u0301.ts', true],
    ['caf\u00e9', '/work/cafe', false],
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
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (glob, path) => {
        expect(compilePathGlob('/work', glob).test(`/work/${path}`)).toBeTypeOf('boolean');
      }),
    );
  });

  it('says what an expression would that tries all ways', () => {
    const part = fc.constantFrom(
      ...['a', 'b', '*', '**', '?', '{', '}', ',', '/', '/**/', '.', '/./', '\u{1f600}'],
    );
    const globs = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''));
    const names = fc.array(fc.constantFrom('a', 'b', '/', '{', '}', ',', '.', '\u{1f600}'), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(globs, names, (glob, parts) => {
        const path = `/${parts.join('')}`;
        // Where it is taken from is another matter.
        fc.pre(!/^\.\.?(?:\/|$)/u.test(glob));
        const absolute = `/${glob}`.replace(/\/{2,}/gu, '/').replace(/\/$/u, '');
        expect(compilePathGlob('/', glob).test(path)).toBe(toExpression(absolute).test(path));
      }),
      { numRuns: runsHere(5_000) },
    );
  });

  it.each([
    ['stars', '*a*a*a*a*a*ab', 'a'.repeat(120)],
    ['deep stars', '**a**a**a**a**a**ab', 'a/'.repeat(2_000)],
    ['alternatives', '{a,aa}'.repeat(80), 'a'.repeat(4_000)],
    ['nested alternatives', '{a,'.repeat(100) + 'b' + '}'.repeat(100) + 'c', 'a'.repeat(4_000)],
    ['single characters', `*a${'?'.repeat(400)}`, 'ab'.repeat(2_000)],
  ])('takes time by the lengths alone: %s', (_, glob, name) => {
    const compiled = compilePathGlob('/work', glob);
    const start = performance.now();
    expect(compiled.test(`/work/${name}`)).toBe(false);
    // Trying all ways, most of these take longer than anybody has waited; 227 s one of them. A machine that is busy
    // with other things must not fail the others.
    expect(performance.now() - start).toBeLessThan(20_000);
  });

  it('refuses a glob that nobody wrote by hand, and says how long one may be', () => {
    expect(() => compilePathGlob('/work', 'a'.repeat(500))).not.toThrow();
    expect(() => compilePathGlob('/work', 'a'.repeat(501))).toThrow(
      /has 501 characters, and at most 500 are taken: write several shorter ones/u,
    );
  });
});

describe('a glob of more states than are kept', () => {
  it('says the same', () => {
    const glob = `*a${'?'.repeat(12)}b{c,d}`;
    const compiled = compilePathGlob('/', glob);
    const expression = toExpression(`/${glob}`);
    let seed = 1;
    for (let run = 0; run < 3_000; run += 1) {
      let path = '/';
      for (let at = 0; at < 40; at += 1) {
        seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
        path += 'aaabbc'.charAt((seed >> 16) % 6);
      }
      const whole = run % 2 === 0 ? path : `${path}/below`;
      expect(compiled.test(whole), whole).toBe(expression.test(whole));
    }
  });
});

describe('compileRuleGlob', () => {
  it('holds from where it is taken, again and again, for each working directory', () => {
    const globs = Array.from({ length: 5_000 }, (_, at) => `src-${at % 4_500}/*.ts`);
    for (const cwd of ['/a', '/b', '/a']) {
      for (const glob of globs) {
        const [name = ''] = glob.split('/');
        expect(compileRuleGlob(cwd, glob).test(`${cwd}/${name}/a.ts`)).toBe(true);
        expect(compileRuleGlob(cwd, glob).test(`/c/${name}/a.ts`)).toBe(false);
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

/** The same language by JavaScript's own engine, which tries one way after the other. */
function toExpression(glob: string): RegExp {
  let source = '';
  let depth = 0;
  for (let at = 0; at < glob.length; at += 1) {
    const char = glob.charAt(at);
    if (glob.startsWith('/**/', at)) {
      source += '/(?:.*/)?';
      at += 3;
      while (glob.startsWith('**/', at + 1)) at += 3;
    } else if (glob.startsWith('**', at)) {
      source += '.*';
      at += 1;
    } else if (char === '*') source += '[^/]*';
    else if (char === '?') source += '[^/]';
    else if (char === '{' && glob.includes('}', at)) {
      source += '(?:';
      depth += 1;
    } else if (char === '}' && depth > 0) {
      source += ')';
      depth -= 1;
    } else if (char === ',' && depth > 0) source += '|';
    else if (char === '.' && glob.startsWith('/./', at - 1)) at += 1;
    else source += char.replace(/[\\^$.|+()[\]{}]/u, '\\$&');
  }
  return new RegExp(`^${source}${')'.repeat(depth)}(?:/.*)?$`, 'su');
}
