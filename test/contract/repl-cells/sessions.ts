// What this session adds to a console's. That is names of its own for built-ins, things disposed
// of, cells that leave all or nothing, and lines in errors.
import { own, plain, throws, type CellSession } from './cell-session.ts';

export const sessions: readonly CellSession[] = [
  plain('a variable may have the name of a built-in', [
    ['const name = "n"; name', "'n'"],
    ['let status = 1; var event = 2; const top = 3; [status, event, top]', '[ 1, 2, 3 ]'],
    ['const fetch = () => "mine"; fetch()', "'mine'"],
    ['let process = 2; process', '2'],
    ['const console = { log: () => 9 }; console.log()', '9'],
    ['var require = 5; require', '5'],
    ['const length = 1, self = 2, window = 3, global = 4; length + self + window + global', '10'],
    ['class URL { get mine() { return 1 } }\nnew URL().mine', '1'],
    ['var Buffer = 1; Buffer', '1'],
    [
      'const constructor = 1, toString = 2, __proto__ = 3; [constructor, toString, __proto__]',
      '[ 1, 2, 3 ]',
    ],
  ]),
  own('a session that takes names of the language still works, and shows its values', [
    ['class Map { hi() { return "mine" } }\nnew Map().hi()', "'mine'"],
    ['[new Set([1]), { a: 1 }]', '[ Set(1) { 1 }, { a: 1 } ]'],
    ['const Object = 1, Array = 2, String = 3; [Object, Array, String]', '[ 1, 2, 3 ]'],
    ['let JSON = 1, Promise = 2, Symbol = 3, Error = 4, RegExp = 5; await 6', '6'],
    ['[{ a: [1] }, /x/, new Date(0)]', '[ { a: [ 1 ] }, /x/, 1970-01-01T00:00:00.000Z ]'],
    ['missing', throws('ReferenceError')],
    ['const globalThis = 7; globalThis', '7'],
    [
      'console.log({ a: 1 }); fs.writeFileSync("a.txt", "x")',
      { stdout: '{ a: 1 }\n', files: { 'a.txt': 'x' } },
    ],
    ['import { readFileSync } from "fs"; readFileSync("a.txt", "utf8")', "'x'"],
    ['await new (class { then(done) { done("still") } })()', "'still'"],
  ]),
  plain('using disposes of things at the end of a block', [
    ['const log = []; const open = (n) => ({ n, [Symbol.dispose]() { log.push(n) } })', undefined],
    ['{ using a = open("a"), b = open("b"); log.push("in") }\nlog', "[ 'in', 'b', 'a' ]"],
    ['function f() { using c = open("c"); return c.n }\n[f(), log.at(-1)]', "[ 'c', 'c' ]"],
    ['try { using d = open("d"); throw new TypeError("x") } catch { log.at(-1) }', "'d'"],
    [
      'for (using e of [open("e1"), open("e2")]) log.push("body")\nlog.slice(-4)',
      "[ 'body', 'e1', 'body', 'e2' ]",
    ],
    ['{ using nothing = null }', undefined],
    ['{ using wrong = {} }', throws('TypeError')],
    [
      'const stack = new DisposableStack(); stack.defer(() => log.push("deferred")); stack.dispose(); log.at(-1)',
      "'deferred'",
    ],
    [
      '{ await using g = { async [Symbol.asyncDispose]() { await null; log.push("async") } } }\nlog.at(-1)',
      "'async'",
    ],
    [
      'try { using h = { [Symbol.dispose]() { throw new Error("in dispose") } }; throw new Error("in body") } catch (e) { [e.name, e.suppressed.message] }',
      "[ 'SuppressedError', 'in body' ]",
    ],
  ]),
  own('using at the top level disposes of things at the end of the cell', [
    ['const log = []; const open = (n) => ({ n, [Symbol.dispose]() { log.push(n) } })', undefined],
    ['using a = open("a"), b = open("b"); log.length', '0'],
    ['log', "[ 'b', 'a' ]"],
    ['a.n', "'a'"],
    ['a = 1', throws('TypeError')],
    ['using c = open("c"); function seesC() { return c.n }\nseesC()', "'c'"],
    [
      'await using d = { async [Symbol.asyncDispose]() { await null; log.push("d") } }; "value"',
      "'value'",
    ],
    ['log.slice(2)', "[ 'c', 'd' ]"],
    [
      'using bad = { [Symbol.dispose]() { throw new RangeError("in dispose") } }; 1',
      throws('RangeError'),
    ],
    ['using e = open("e"); throw new TypeError("x")', throws('TypeError')],
    ['log.slice(2)', "[ 'c', 'd' ]"],
    ['using f = 1', throws('TypeError')],
    ['early; using early = open("early")', throws('ReferenceError')],
  ]),
  own('a cell that fails leaves nothing', [
    [
      'let n = 1; const list = [1]; fs.writeFileSync("kept.txt", "old")',
      { files: { 'kept.txt': 'old' } },
    ],
    [
      'n = 2; list.push(2); fs.writeFileSync("kept.txt", "new"); throw new Error("no")',
      throws('Error', { message: 'no' }),
    ],
    ['[n, list]', '[ 1, [ 1 ] ]'],
    ['fs.unlinkSync("kept.txt"); missing', throws('ReferenceError')],
    [
      'fs.mkdirSync("d"); fs.writeFileSync("d/x", ""); await Promise.reject(new TypeError("late"))',
      throws('TypeError'),
    ],
    [
      'const fresh = 1; throw "thrown"',
      throws('Error', { message: "The cell threw what is no Error: 'thrown'" }),
    ],
    ['typeof fresh', "'undefined'"],
    ['n = 3; list.push(3); function f() { return 1 }\nJSON.parse("{")', throws('SyntaxError')],
    ['typeof f', "'undefined'"],
    ['class K {}\nimport { join } from "path"; nope()', throws('ReferenceError')],
    ['[typeof K, typeof join]', "[ 'undefined', 'undefined' ]"],
    [
      'globalThis.added = 1; Array.prototype.extra = 1; Object.prototype.evil = 2; throw 1',
      throws('Error'),
    ],
    ['[globalThis.added, [].extra, ({}).evil]', '[ undefined, undefined, undefined ]'],
    ['n = 9; let syntax = ;', throws('SyntaxError')],
    [
      'fs.writeFileSync("a.txt", "1"); try { throw 1 } catch {} n = 5',
      { value: '5', files: { 'kept.txt': 'old', 'a.txt': '1' } },
    ],
    [
      'fs.appendFileSync("a.txt", "2"); process.nextTick(() => {}); fs.readFileSync("a.txt", "utf8")',
      { value: "'12'", files: { 'kept.txt': 'old', 'a.txt': '12' } },
    ],
    [
      'fs.rmSync("a.txt"); fs.renameSync("kept.txt", "moved.txt"); n',
      { value: '5', files: { 'moved.txt': 'old' } },
    ],
    [
      'fs.readFileSync("kept.txt")',
      throws('Error', { message: "ENOENT: no such file or directory, open 'kept.txt'" }),
    ],
    ['fs.readFileSync("moved.txt", "utf8")', "'old'"],
  ]),
  own('errors name the line of the cell', [
    ['\n\nmissing', throws('ReferenceError', { line: 3 })],
    ['const a = 1;\n\nnull.x', throws('TypeError', { line: 3 })],
    ['function inner() {\n  throw new RangeError("deep")\n}', undefined],
    ['1;\n2;\ninner()', throws('RangeError', { line: 3 })],
    ['await null;\nawait null;\nthrow new Error("after awaits")', throws('Error', { line: 3 })],
    ['const text = `\n\n`;\nmissing', throws('ReferenceError', { line: 4 })],
    ['/*\n*/\nimport "./none.js";', throws('Error', { line: 3 })],
    [
      'import { join } from "path";\nimport { nope } from "fs";',
      throws('SyntaxError', { line: 2 }),
    ],
    [
      'let typed: number = 1;\ninterface A {\n  a: string\n}\nmissing',
      throws('ReferenceError', { line: 5 }),
    ],
    ['class K {\n  m() {\n    missing\n  }\n}\nnew K().m()', throws('ReferenceError', { line: 3 })],
    ['const o = {\n  a: 1,\n  b: missing,\n}', throws('ReferenceError', { line: 3 })],
    ['[1].map((x) =>\n  x.y.z)', throws('TypeError', { line: 2 })],
    [
      'if (true) {\n  for (const x of [1]) {\n    missing\n  }\n}',
      throws('ReferenceError', { line: 3 }),
    ],
    ['ok();\nfunction ok() {\n  missing\n}', throws('ReferenceError', { line: 3 })],
    ['\r\n\r\nmissing', throws('ReferenceError', { line: 3 })],
    ['new Promise((_, no) => no(\n  new Error("x")))', throws('Error', { line: 2 })],
  ]),
  own('code that is none is shown with its line, and a caret', [
    [
      'const = 3',
      throws('SyntaxError', { line: 1, message: 'Unexpected token (1:7)\n  const = 3\n        ^' }),
    ],
    [
      'let ok = 1;\nfoo(;',
      throws('SyntaxError', { line: 2, message: 'Unexpected token (2:5)\n  foo(;\n      ^' }),
    ],
    [
      'let a: number = 1;\nlet b = ;',
      throws('SyntaxError', {
        line: 2,
        message: 'Unexpected token (2:9)\n  let b = ;\n          ^',
      }),
    ],
    [
      'let twice;\n\tlet twice',
      throws('SyntaxError', {
        line: 2,
        message: "Identifier 'twice' has already been declared (2:6)\n   let twice\n       ^",
      }),
    ],
    [
      '1;\nexport * from "m"',
      throws('SyntaxError', {
        line: 2,
        message: `A cell can't re-export from a module; import the names instead. (2:1)\n  export * from "m"\n  ^`,
      }),
    ],
    [
      'let undefined = 1',
      throws('SyntaxError', {
        message: "Identifier 'undefined' has already been declared (1:1)\n  let undefined = 1\n  ^",
      }),
    ],
    [
      '{\n  namespace N { export const a = 1 }\n}',
      throws('SyntaxError', {
        line: 2,
        message:
          'A namespace stands at the top level, or in another one (2:15)\n    namespace N { export const a = 1 }\n                ^',
      }),
    ],
  ]),
  own('what is printed comes out, in order', [
    [
      'console.log("a", 1, { b: [2] }); console.log("%s is %d", "x", 5)',
      { stdout: 'a 1 { b: [ 2 ] }\nx is 5\n' },
    ],
    ['for (const x of [1, 2]) console.log(x)', { stdout: '1\n2\n' }],
    ['await null; console.log("later"); "value"', { value: "'value'", stdout: 'later\n' }],
    ['console.log("before"); throw new Error("x")', throws('Error', { stdout: 'before\n' })],
    ['console.log()', { stdout: '\n' }],
  ]),
];
