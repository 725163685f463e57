// Classes with decorators in cells and in files, by what the project's tsconfig.json says of them.
import { describe, expect, it } from 'vitest';
import { findProjectOptions } from '../../../src/repl/modules/find-project-options.ts';
import { openRepl } from '../../support/repl/repl.ts';

const legacy = '{ "compilerOptions": { "experimentalDecorators": true } }';

describe('decorators', () => {
  it('decorate a class that a cell declares, which later cells have', async () => {
    const repl = await openRepl();
    const { error } = await repl.run(
      `const upper = (method: Function, context: ClassMethodDecoratorContext) => function (this: unknown, ...args: unknown[]) { return String(method.apply(this, args)).toUpperCase(); };
@((value: Function) => { value.kind = 'decorated'; })
class Greeter {
  static made = new Greeter();
  constructor(private name: string = 'nobody') {}
  @upper greet() { return 'hello ' + this.name; }
}`,
    );
    expect(error).toBeUndefined();
    expect(
      await repl.value(
        "[new Greeter('you').greet(), Greeter.made.greet(), Greeter.kind, Greeter.name]",
      ),
    ).toBe("[ 'HELLO YOU', 'HELLO NOBODY', 'decorated', 'Greeter' ]");
  });

  it('are in a cell what the tsconfig.json of its directory says', async () => {
    const repl = await openRepl({ 'tsconfig.json': legacy });
    const seen = await repl.value(
      'const seen = []; const d = (...given: unknown[]) => { seen.push(given.length); }; class A { @d x = 1; @d m() {} n(@d a: string) {} } seen',
    );
    expect(seen).toBe('[ 3, 3, 3 ]');
  });

  it('keep the imports that only decorators and their metadata use', async () => {
    const repl = await openRepl({
      'tsconfig.json':
        '{ "extends": "./base.json", "compilerOptions": { "emitDecoratorMetadata": true } }',
      'base.json': legacy,
      'metadata.ts':
        'export const types = []; (Reflect as any).metadata = (key: string, value: unknown) => () => types.push([key, value]);',
      'service.ts':
        'export class Service {} export enum Kind { A = "a" } export interface Shape { a: 1 }',
      'mark.ts': 'export const mark = { it: () => () => {} };',
      'main.ts': `import { types } from './metadata.ts';
import { mark } from './mark.ts';
import { Kind, Service, type Shape } from './service.ts';
import type { Service as Other } from './service.ts';
@mark.it() class App { constructor(service: Service, kind: Kind, shape: Shape, other: Other) {} } export default types.flatMap(([, list]) => list.map((type) => type.name));`,
    });
    expect(await repl.value("(await import('./main.ts')).default")).toBe(
      "[ 'Service', 'String', 'Object', 'Object' ]",
    );
  });

  it('take types of files that import each other, as far as they are there', async () => {
    const entity = (name: string, other: string) => `import { mark } from './mark.ts';
import { ${other} } from './${other}.ts';
@mark export class ${name} { @mark other: ${other}; @mark others: ${other}[]; }`;
    const repl = await openRepl({
      'tsconfig.json':
        '{ "compilerOptions": { "experimentalDecorators": true, "emitDecoratorMetadata": true } }',
      'mark.ts':
        'export const seen: any[] = []; export const mark: any = () => {}; (Reflect as any).metadata = (key: string, value: any) => (target: any, name: string) => { seen.push([target.constructor.name, name, value.name]); };',
      'User.ts': entity('User', 'Post'),
      'Post.ts': entity('Post', 'User'),
    });
    expect(
      await repl.value("await import('./User.ts'); (await import('./mark.ts')).seen.join(' ')"),
    ).toBe("'Post,other,Object Post,others,Array User,other,Post User,others,Array'");
  });

  it('keep the lines of what stands behind them', async () => {
    const repl = await openRepl({
      'tsconfig.json': legacy,
      'a.ts': `const d = (...given: unknown[]): any => () => {};
@d(
  1,
) export default class A {
  @d()
  // A comment with an @.
  @d() x?: string
  constructor(
    @d('a')
    a: string,
    @d() private b: string,
  ) {
    throw new Error('here');
  }
}`,
    });
    const { error } = await repl.run("const A = (await import('./a.ts')).default; new A();");
    expect(error?.stack).toContain('a.ts:13');
  });

  it('decorate what a file exports, in each form, and in JSX', async () => {
    const repl = await openRepl({
      'tsconfig.json': legacy,
      'a.ts': `import { mark } from './mark'
@mark export class Before {}
export @mark class Behind {}
@mark export default class Both { me() { return Both } }`,
      'b.ts': "import { mark } from './mark.ts'; export default @mark class {}",
      'c.tsx':
        "import { mark } from './mark.ts'; const h = (name: string) => name; /** @jsx h */ export @mark class View<T,> { @mark title: string = 'a'; draw() { return this.title } }",
      'mark.ts':
        'export const mark: any = (made: any, key?: string) => { if (!key) made.marked = made.name };',
    });
    const marked = await repl.value(
      `const a = await import('./a.ts'), b = await import('./b.ts'), c = await import('./c.tsx');
[a.Before, a.Behind, a.default, b.default, c.View].map((one) => one.marked).concat(new a.default().me() === a.default, new c.View().draw())`,
    );
    expect(marked).toBe("[ 'Before', 'Behind', 'Both', 'default', 'View', true, 'a' ]");
  });

  it('run in JavaScript files, too', async () => {
    const repl = await openRepl({
      'a.mjs':
        "const named = (_, { name, kind }) => { const init = (value) => value + name; return kind === 'field' ? init : { init }; }; export class A { @named x = 'a '; @named accessor y = 'b '; }",
    });
    expect(await repl.value("const { A } = await import('./a.mjs'); [new A().x, new A().y]")).toBe(
      "[ 'a x', 'b y' ]",
    );
  });

  it.each([
    ['class A { m(@d a: string) {} }', 'set "experimentalDecorators": true in the tsconfig.json'],
    ['class A { @d #m() {} }', 'decorate a public one'],
    ['class A { @d constructor() {} }', 'A constructor has no decorators: its class has'],
    ['@(await d) class A {}', 'await it before the class'],
    ['@d const a = 1;', 'A decorator stands before a class'],
    ['class A { @d abstract m(): void; n() {} }', 'decorate where it is implemented'],
  ])('that can stand nowhere are refused with what to do: %s', async (code, message) => {
    const repl = await openRepl();
    const { error } = await repl.run(`const d = () => {};\n${code}`);
    expect(error).toMatchObject({ name: 'SyntaxError', line: 2 });
    expect(error?.message).toContain(message);
  });

  it.each([
    ['functions with such parameters', `class A { ${'m(@d a) {}'.repeat(3000)} }`],
    ['parameters', `class A { m(${'@d a: string,'.repeat(2000)}) {} }`],
    ['aliases', `${'type A = A | A | A;'.repeat(200)} class B { @d a: A }`],
    ['comments', `class B { @d ${'/**/'.repeat(20_000)} a }`],
    ['blanks', `class B { @d a${' '.repeat(100_000)} }`],
  ])(
    'take no time that grows with the square of %s',
    async (_, code) => {
      const repl = await openRepl({
        'tsconfig.json':
          '{ "compilerOptions": { "experimentalDecorators": true, "emitDecoratorMetadata": true } }',
      });
      // Whether it runs is of no matter here: one that took that long would outlast the test's own time.
      await repl.run(`const d = () => {};\n${code}`);
    },
    15_000,
  );
});

describe('fields', () => {
  const source = `class Base { constructor() { this.kept = 'base'; } }
class Derived extends Base { kept; own = this.given + '!'; static n = 1; #p = this.given; get p() { return this.#p } constructor(private given: string) { super(); } }
class Plain { x: number; y = 1 } export default [new Derived('g').kept, new Derived('g').own, new Derived('g').p, Derived.n, Object.keys(new Plain())];`;

  it.each([
    ['es2021', undefined, "[ 'base', 'g!', 'g', 1, [ 'y' ] ]"],
    ['es2022', undefined, "[ undefined, 'undefined!', undefined, 1, [ 'x', 'y' ] ]"],
    ['es2021', true, "[ undefined, 'undefined!', undefined, 1, [ 'x', 'y' ] ]"],
    ['esnext', false, "[ 'base', 'g!', 'g', 1, [ 'y' ] ]"],
  ])('are assigned or defined as the project has it: %s, %s', async (target, defines, expected) => {
    const options = { target, useDefineForClassFields: defines };
    const repl = await openRepl({
      'tsconfig.json': JSON.stringify({ compilerOptions: options }),
      'a.ts': source,
    });
    expect(await repl.value("(await import('./a.ts')).default")).toBe(expected);
  });

  it('keep the lines of types that stand between them', async () => {
    const repl = await openRepl({
      'tsconfig.json': '{ "compilerOptions": { "target": "es2021" } }',
      'a.ts':
        'export class A {\n  a: {\n    b: string;\n  };\n  accessor c:\n    | string\n    | Date;\n  fail() {\n    throw new Error("here");\n  }\n}',
    });
    const { error } = await repl.run("new (await import('./a.ts')).A().fail()");
    expect(error?.stack).toContain('a.ts:9');
  });

  it('are made anew when the project says another thing of them', async () => {
    const repl = await openRepl({
      'tsconfig.json': '{ "compilerOptions": { "target": "es2021" } }',
      'a.ts': source,
    });
    const keys = "(await import('./a.ts')).default[4]";
    expect(await repl.value(keys)).toBe("[ 'y' ]");
    await repl.run("fs.writeFileSync('tsconfig.json', '{}')");
    expect(await repl.value(keys)).toBe("[ 'x', 'y' ]");
  });
});

describe('findProjectOptions', () => {
  const find = (texts: Readonly<Record<string, string>>, path = '/app/src/a.ts') =>
    findProjectOptions(
      {
        existsSync: (name) => name in texts,
        statSync: (name) => ({ isFile: () => name in texts, isDirectory: () => false }),
        readFileSync: (name) => texts[name] ?? '',
      },
      path,
    );

  it('takes the nearest configuration, with what it extends of files and packages', () => {
    const texts = {
      '/app/tsconfig.json':
        '{ "extends": ["@tsconfig/node22/tsconfig.json", "./base"] } // a comment',
      '/app/base.json': '{ "compilerOptions": { "experimentalDecorators": true, } }',
      '/app/node_modules/@tsconfig/node22/tsconfig.json':
        '{ "compilerOptions": { "target": "es2021", "strict": true, "emitDecoratorMetadata": true } }',
    };
    expect(find(texts)).toEqual({
      decorators: 'legacy',
      emitsTypes: true,
      strictNullChecks: true,
      fields: 'assign',
      jsx: {},
    });
  });

  it('takes the part of a project that a configuration refers to', () => {
    const texts = {
      '/app/tsconfig.json': '{ "files": [], "references": [{ "path": "./tsconfig.app.json" }] }',
      '/app/tsconfig.app.json': '{ "compilerOptions": { "experimentalDecorators": true } }',
    };
    expect(find(texts).decorators).toBe('legacy');
  });

  it('reads none for a package', () => {
    const texts = { '/app/tsconfig.json': legacy };
    expect(find(texts, '/app/node_modules/a/index.js').decorators).toBe('standard');
  });
});
