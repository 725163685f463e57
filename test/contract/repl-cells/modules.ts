// Imports of cells and modules of the workspace; TypeScript.
import { own, throws, type CellSession } from './cell-session.ts';

export const modules: readonly CellSession[] = [
  own(
    'imports stay for later cells, live and not to be assigned',
    [
      [
        'import def, { n, up as raise } from "./live.mjs"; import * as all from "./live.mjs"; [n, def]',
        "[ 0, 'default' ]",
      ],
      ['raise(); [n, all.n]', '[ 1, 1 ]'],
      ['n = 5', throws('TypeError', { message: "'n' is read-only" })],
      ['all.n = 5', throws('TypeError')],
      ['def = 1', throws('TypeError')],
      ['all', "Object [Module] { default: 'default', n: 1, up: [Function: up] }"],
      ['const read = () => n; raise(); read()', '2'],
      ['let n = 9; read()', '9'],
      ['used(); import { n as used2 } from "./live.mjs"; function used() { return used2 }', '0'],
      ['used2', '0'],
      ['const early = join("a", "b"); import { join } from "node:path"; early', "'a/b'"],
      ['import "./live.mjs"', undefined],
      ['import data from "./data.json" with { type: "json" }; data', '{ v: [ 1, 2 ] }'],
      ['(await import("./live.mjs")).default', "'default'"],
      ['const { join: dynamic } = await import("path"); dynamic === join', 'true'],
      ['require("./common.cjs").twice(4)', '8'],
      [
        'import common, { twice } from "./common.cjs"; [common.twice === twice, twice(1)]',
        '[ true, 2 ]',
      ],
      [
        '[import.meta.filename.replace(/\\d+/, "n"), import.meta.dirname]',
        "[ '/work/cell-n', '/work' ]",
      ],
      ['import.meta.resolve("./live.mjs")', "'file:///work/live.mjs'"],
      ['import { "odd name" as odd } from "./odd.mjs"; odd', '1'],
      [
        'import { read as readLater } from "./reads.mjs"; fs.writeFileSync("note.txt", "x"); readLater()',
        {
          value: "'x'",
          files: {
            'live.mjs':
              'export let n = 0;\nexport const up = () => { n += 1 };\nexport default "default";',
            'data.json': '{"v": [1, 2]}',
            'common.cjs': 'exports.twice = (x) => x * 2;',
            'odd.mjs': 'const a = 1; export { a as "odd name" };',
            'reads.mjs':
              'import fs from "fs"; export const read = () => fs.readFileSync("note.txt", "utf8");',
            'note.txt': 'x',
          },
        },
      ],
    ],
    {
      'live.mjs':
        'export let n = 0;\nexport const up = () => { n += 1 };\nexport default "default";',
      'data.json': '{"v": [1, 2]}',
      'common.cjs': 'exports.twice = (x) => x * 2;',
      'odd.mjs': 'const a = 1; export { a as "odd name" };',
      'reads.mjs':
        'import fs from "fs"; export const read = () => fs.readFileSync("note.txt", "utf8");',
    },
  ),
  own('exports of a cell are variables like others', [
    ['export const a = 1; export let b = 2; export function f() { return a + b }\nf()', '3'],
    ['[a, b, f()]', '[ 1, 2, 3 ]'],
    ['export class K {}\nK.name', "'K'"],
    ['let c = 1; export { c }; c', '1'],
    ['export default 5', '5'],
    ['export default function named() { return 6 }\nnamed()', '6'],
    ['export default class Named {}\nnew Named()', 'Named {}'],
    ['export default () => 1', '[Function (anonymous)]'],
    ['export * from "path"', throws('SyntaxError')],
    ['export { join } from "path"', throws('SyntaxError')],
    ['export { missing }', throws('SyntaxError')],
  ]),
  own(
    'modules that import each other',
    [
      ['import { isEven } from "./even.mjs"; [isEven(4), isEven(3)]', '[ true, false ]'],
      ['import { value } from "./hoisted-a.mjs"; value', "'from a'"],
      ['import "./early-a.mjs"', throws('ReferenceError')],
      ['import { x } from "./circle-a.mjs"', throws('SyntaxError')],
      ['import { keys } from "./self.mjs"; keys', "[ 'keys' ]"],
      ['import * as stars from "./stars-a.mjs"; Object.keys(stars)', "[ 'a', 'b' ]"],
      ['require("./partial-a.cjs")', "{ done: true, saw: [ 'done' ] }"],
      ['import { late } from "./tla-a.mjs"; late', "'late'"],
      ['import { Child } from "./child.mjs"; new Child().hello()', "'hello'"],
      ['1', '1'],
    ],
    {
      'even.mjs':
        'import { isOdd } from "./odd.mjs"; export const isEven = (n) => n === 0 || isOdd(n - 1);',
      'odd.mjs':
        'import { isEven } from "./even.mjs"; export const isOdd = (n) => n !== 0 && isEven(n - 1);',
      'hoisted-a.mjs':
        'export { value } from "./hoisted-b.mjs"; export function name() { return "a" }',
      'hoisted-b.mjs':
        'import { name } from "./hoisted-a.mjs"; export const value = "from " + name();',
      'early-a.mjs': 'import "./early-b.mjs"; export const a = 1;',
      'early-b.mjs': 'import { a } from "./early-a.mjs"; export const b = a;',
      'circle-a.mjs': 'export { x } from "./circle-b.mjs";',
      'circle-b.mjs': 'export { x } from "./circle-a.mjs";',
      'self.mjs': 'import * as self from "./self.mjs"; export const keys = Object.keys(self);',
      'stars-a.mjs': 'export * from "./stars-b.mjs"; export const a = 1;',
      'stars-b.mjs': 'export * from "./stars-a.mjs"; export const b = 2;',
      'partial-a.cjs': 'exports.done = true; exports.saw = require("./partial-b.cjs").saw;',
      'partial-b.cjs': 'exports.saw = Object.keys(require("./partial-a.cjs"));',
      'tla-a.mjs': 'import "./tla-b.mjs"; export const late = await Promise.resolve("late");',
      'tla-b.mjs': 'import "./tla-a.mjs"; await null;',
      'child.mjs': 'import { Parent } from "./parent.mjs"; export class Child extends Parent {}',
      'parent.mjs':
        'import { Child } from "./child.mjs"; export class Parent { hello() { return Child ? "hello" : "" } }',
    },
  ),
  own(
    'modules that are not there, or are none',
    [
      [
        'import "./none.mjs"',
        throws('Error', {
          message: "Cannot find module './none.mjs', imported from /work/cell-1:1",
        }),
      ],
      ['try { await import("./none.mjs") } catch (e) { e.code }', "'ERR_MODULE_NOT_FOUND'"],
      [
        'import "https://example.com/x.js"',
        throws('Error', {
          message:
            "Cannot find module 'https://example.com/x.js', imported from /work/cell-3:1. Modules come from files of the workspace only",
        }),
      ],
      [
        'import { nope } from "./fine.mjs"',
        throws('SyntaxError', { message: "The module './fine.mjs' has no export named 'nope'" }),
      ],
      [
        '\nimport "./asks.mjs"',
        throws('Error', {
          line: 2,
          message: "Cannot find module './gone.mjs', imported from /work/asks.mjs:2",
        }),
      ],
      [
        'import "./broken.mjs"',
        throws('SyntaxError', {
          message: 'Unexpected token (/work/broken.mjs:2:9), imported from /work/cell-6:1',
        }),
      ],
      ['import "./throws.mjs"', throws('TypeError', { message: 'while loading' })],
      ['await import("./throws.mjs").catch((e) => e.message)', "'while loading'"],
      ['require("./awaits.mjs")', throws('Error')],
      ['import v from "./awaits.mjs"; v', '1'],
      ['require("./bad.json")', throws('SyntaxError')],
      [
        'import "./wants.mjs"',
        throws('SyntaxError', {
          message:
            "The module './fine.mjs' has no export named 'other', imported from /work/wants.mjs:1",
        }),
      ],
      ['import "./fine.mjs"; "alive"', "'alive'"],
    ],
    {
      'fine.mjs': 'export const fine = 1;',
      'asks.mjs': '\nimport "./gone.mjs";',
      'broken.mjs': '\nlet a = ;',
      'throws.mjs': 'throw new TypeError("while loading");',
      'awaits.mjs': 'export default await 1;',
      'bad.json': '{,}',
      'wants.mjs': 'import { other } from "./fine.mjs"; other;',
    },
  ),
  own(
    'TypeScript in cells',
    [
      ['const n: number = 1; let s: string | undefined; n', '1'],
      ['interface Named { name: string }\nconst a: Named = { name: "a" }; a', "{ name: 'a' }"],
      ['type Pair<T> = [T, T]; const pair: Pair<number> = [1, 2]; pair', '[ 1, 2 ]'],
      [
        'function first<T>(items: readonly T[]): T | undefined { return items[0] }\nfirst<number>([3])',
        '3',
      ],
      ['enum Kind { A = 1, B, C = "c" }\n[Kind.B, Kind[1], Kind.C]', "[ 2, 'A', 'c' ]"],
      ['enum Kind { D }\nKind', "{ '0': 'D', D: 0 }"],
      ['const enum Small { X = 5 }\nSmall.X', '5'],
      [
        'class P { constructor(private x: number, readonly y = 2) {} sum(): number { return this.x + this.y } }\nnew P(1).sum()',
        '3',
      ],
      [
        'abstract class Shape { abstract area(): number; describe() { return `area ${this.area()}` } }\nclass Sq extends Shape { override area() { return 4 } }\nnew Sq().describe()',
        "'area 4'",
      ],
      ['const box = { v: 1 } satisfies object; (box as any).v!', '1'],
      ['const generic = <T,>(x: T): T => x; generic("g")', "'g'"],
      ['function over(a: string): string;\nfunction over(a: any) { return a }\nover(2)', '2'],
      ['declare const outside: number; typeof outside', "'undefined'"],
      [
        'import type { Missing } from "./missing.ts"; import { type Other } from "./types.ts"; 1',
        '1',
      ],
      ['import { helper, type Kind2 } from "./types.ts"; helper(1)', '2'],
      ['import { Shape2 } from "./types"; typeof Shape2', "'undefined'"],
      ['let [x, y]: [number, string] = [1, "y"]; x + y', "'1y'"],
      ['const opt = (a?: { b?: number }) => a?.b ?? 0; opt({ b: 2 })', '2'],
      [
        'function isText(v: unknown): v is string { return typeof v === "string" }\nisText("s")',
        'true',
      ],
      ['let v = <any>5; v', '5'],
      ['for (const k of Object.keys({ z: 1 }) as string[]) { k }', "'z'"],
      ['try { throw new Error("e") } catch (e: unknown) { (e as Error).message }', "'e'"],
      ['const as = 1, type = 2, of = 3; as + type + of', '6'],
      ['export type T = string; export interface I {}\nexport const kept = 1; kept', '1'],
      ['let q: number = ;', throws('SyntaxError')],
      [
        'abstract class Z { protected static readonly k: string = "k"; static get() { return this.k } }\nZ.get()',
        "'k'",
      ],
    ],
    {
      'types.ts':
        'export interface Shape2 { a: number }\nexport type Kind2 = 1;\nexport type Other = 2;\nexport const helper = (n: number): number => n + 1;',
    },
  ),
  own(
    'JSX in cells and modules',
    [
      [
        'const React = { createElement: (...parts) => parts };\nfunction view() { return <b id="1">{2}</b> }\nview()',
        "[ 'b', { id: '1' }, 2 ]",
      ],
      ['import { item } from "./item.jsx"; item', "[ 'i', null, 'text' ]"],
      ['<b>alone</b>', throws('Error')],
    ],
    {
      'item.jsx':
        'const React = { createElement: (...parts) => parts };\nexport const item = <i>text</i>;',
    },
  ),
];
