// What a namespace is in a cell and in a module is what TypeScript makes of it. Each program runs
// as TypeScript compiles it, and in a session. Each leaves what it has seen in `log`.
import { runInNewContext } from 'node:vm';
import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';
import { openRepl, type ReplBench } from '../../support/repl/repl.ts';

const programs = {
  variables: `
    namespace A {
      export const one: number = 1, two = one + 1;
      export let later: string;
      later = 'set';
      later += '!';
      export const { p, q: [r = two], ...rest }: any = { p: 1, q: [], s: 3 }
      export const [first, , third] = [1, 2, 3];
      export var counted = 0;
      for (counted of [1, 2]) log.push(counted);
      counted++;
      ({ p: counted } = { p: 9 });
      const own = { one, two, f: (one: number) => one, later };
      log.push(own.f(7), own);
      { const two = 'inner'; log.push(two); }
      try { throw 1 } catch (one) { log.push(one, typeof two) }
    }
    log.push(A, Object.keys(A));
  `,
  decorated: `
    const named = (text: string) => (_value: unknown, { name }: { name: string }) => void log.push(text, name);
    namespace A {
      @named('one') @named('two (}')
      export abstract class First { static x = 1 }
      @named('three') export class Second extends First {}
      @named('four') class Hidden {}
      export const own = [Second.x, Hidden.name];
    }
    log.push(Object.keys(A), A.own);
  `,
  functions: `
    namespace A {
      export const bare = function (this: unknown) { return this === undefined }
      export function over(a: string): string;
      export function over(a: number): number;
      export function over(a: any) { return a >= 2 ? bare() : hoisted() }
      bare()
      log.push(bare(), bare?.(), over(2), over(1))
      export async function* many() { yield bare\`\` }
      function hoisted() { return 'hoisted' }
      if (true) bare()
      else bare()
    }
    log.push(A.over(3), Object.keys(A), A.bare.name, A.over.name);
  `,
  classes: `
    namespace A {
      export const base = 3;
      export abstract class Shape { constructor(readonly sides = base) {} abstract area(): number }
      export class Square extends Shape { static made = 0; area() { return this.sides + base } }
      export interface Named { name: string }
      class Hidden {}
      log.push(Hidden.name);
      export type Alias = Named;
      const after = 1;
    }
    log.push(new A.Square().area(), Object.keys(A));
  `,
  enums: `
    namespace A {
      export enum Kind { One = 1, Two }
      export const enum Flag { Off = 'off' }
      enum Hidden { A }
      log.push(Hidden.A, Kind.Two, Flag.Off);
    }
    namespace A { export enum Kind { Three = 3 } export const kind = Kind.Three }
    log.push(A.Kind, Object.keys(A), A.kind);
  `,
  'dots and nesting': `
    namespace A.B.C {
      export const x = 1;
      export namespace D { export const y = x + 1; export namespace A { export const z = y } }
      namespace Own { export const hidden = D.y }
      log.push(Own.hidden);
    }
    namespace A.B { export const viaC = C.x + C.D.A.z; namespace C { } }
    namespace A { log.push(B.viaC) }
    namespace A { export namespace B { log.push(viaC); export let w = viaC } log.push(B.w) }
    log.push(A);
  `,
  'merged ones': `
    class Box { static of() { return Box.size } }
    namespace Box { export const size = 4; export class Inner {} }
    function call() { return call.count }
    namespace call { export let count = 1; count += 1 }
    enum Color { Red, Green }
    namespace Color { export function parse(text: string) { return Color[text as keyof typeof Color] } }
    namespace Parts { export class Part { n = Part.start } export namespace Part { export const start = 5 } }
    namespace Parts { export function make() { return new Part().n } }
    log.push(Box.of(), Object.keys(Box), call(), Color.parse('Green'), Parts.make());
  `,
  'a name that is taken inside': `
    namespace Tool {
      export const a = 1;
      export class Tool { get() { return a } }
      export function use(Tool_1: number) { return Tool_1 + a }
    }
    log.push(new Tool.Tool().get(), Tool.use(2), Object.keys(Tool));
  `,
  aliases: `
    namespace Deep.Er { export const n = 1; export type T = string }
    import Short = Deep.Er;
    namespace User { export import Named = Deep.Er; import Own = Deep.Er; log.push(Own.n, Named.n) }
    log.push(Short.n, User.Named.n, Object.keys(User));
  `,
  'an alias that is exported': `
    namespace Deep { export const n = 1 }
    export import Short = Deep;
    log.push(Object.keys(Short));
  `,
  'types alone': `
    namespace Only { export interface I { a: string } export namespace More { export type T = I } }
    declare namespace Told { const x: number }
    const text = \`
    namespace Text { export const a = 1 }\`; // namespace Comment { const a = 1 }
    const Only: Only.More.T = { a: 'free' };
    log.push(Only.a, text, typeof Told);
  `,
  'lines and odd places': `
    let n: number = 1; namespace Late { export let a = n }
    namespace Broken
      .Over
    {
      export const re = /[}{'"\`]/gu, s = '}', t = \`}\${ \`{\` }\`;
      export const many = [
        1,
      ],
        last = new Error('x').message
    }
    /* before */ namespace Behind { export const a = 1 }
    log.push(Late.a, Broken.Over.s, Broken.Over.many, Broken.Over.last, Behind.a);
  `,
};

const prelude = 'const log: any[] = [];';

function runAsTypescript(program: string): unknown {
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext };
  const { outputText } = ts.transpileModule(prelude + program, { compilerOptions });
  const text = outputText.replaceAll(/^export /gmu, '');
  return JSON.parse(
    String(runInNewContext(`'use strict';(() => {${text}\nreturn JSON.stringify(log);})()`)),
  );
}

describe('namespaces', () => {
  let repl: ReplBench;
  beforeAll(async () => {
    const files = Object.entries(programs).map(([name, program]) => [
      `${name}.ts`,
      `${prelude}${program}\nexport { log };`,
    ]);
    repl = await openRepl(Object.fromEntries(files));
  }, 30_000);

  it.each(Object.entries(programs))('are as TypeScript makes them: %s', async (name, program) => {
    const inModule = await repl.run(`JSON.stringify((await import('./${name}.ts')).log)`);
    expect(inModule.error).toBeUndefined();
    const inCell = await repl.run(`${prelude}${program}\nJSON.stringify(log)`);
    expect(inCell.error).toBeUndefined();
    const expected = runAsTypescript(program);
    expect(JSON.parse(String(inModule.value))).toEqual(expected);
    expect(JSON.parse(String(inCell.value))).toEqual(expected);
  });
});
