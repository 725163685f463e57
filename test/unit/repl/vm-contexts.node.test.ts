// Scripts in contexts of vm: each program runs in Node and in a cell, and tells the same.
import { describe, expect, it } from 'vitest';
import { tellInCell, tellInNode } from '../../support/repl/same-program.ts';

const vm =
  "const vm = require('vm'); const caught = (run) => { try { return run() } catch ({ name, code, message }) { return [name, code ?? message] } };";

describe('vm', () => {
  it.each([
    [
      'gives a script the members of its context, and takes what it makes of them',
      "const members = { a: 1, b: 2, add: (x, y) => x + y }; log(vm.runInNewContext('total = add(a, b); var list = [a], unset; for (var key in { k: 1 }); total * 2', members), Object.keys(members).sort())",
    ],
    [
      'hoists its functions, whose this is sloppy',
      "const members = {}; log(vm.runInNewContext('const first = twice(4); function twice(n) { return n * 2 } first', members), Object.keys(members), members.twice(3), vm.runInNewContext('(function () { return typeof this })()'))",
    ],
    [
      'keeps what scripts declare for later ones, and apart from the members',
      "const context = vm.createContext({ seen: [] }); new vm.Script('let count = 1; const step = 2; class Own { get n() { return count } } function up() { count += step }').runInContext(context); const up = new vm.Script('up(); seen.push(count); new Own().n'); log(up.runInContext(context), up.runInContext(context), context.seen, Object.keys(context), vm.isContext(context), vm.isContext({}))",
    ],
    [
      'hides what only the cell has',
      "log(vm.runInNewContext('[typeof process, typeof require, typeof fs, typeof Buffer, typeof setTimeout, typeof told, typeof Map, typeof JSON]'), caught(() => vm.runInNewContext('process.exit()')), caught(() => vm.runInNewContext('nothing + 1')), caught(() => vm.runInNewContext('\"use strict\"; var x = 1; x')))",
    ],
    [
      'has a global object of its own',
      "const members = { a: 1 }; const context = vm.createContext(members); log(context === members, vm.runInContext('this.b = 2; globalThis.c = 3; [a, b, c, this === globalThis, \"a\" in this, typeof this.Array]', context), members, 'b' in globalThis)",
    ],
    [
      "doesn't take a member for what runs it",
      "log(vm.runInNewContext('eval', { eval: 1 }), vm.runInNewContext('eval(\"1 + 1\")'), vm.runInContext('eval', vm.createContext({ own: 7 }))('own + 1'), vm.runInNewContext('__code', { __code: 'mine' }))",
    ],
    [
      'shares errors and promises',
      "log(await vm.runInNewContext('(async () => { await null; return value })()', { value: 7 }), caught(() => vm.runInNewContext('throw new RangeError(\"far\")')), new (vm.runInNewContext('Error'))('x').message)",
    ],
    [
      'compiles functions',
      "log(vm.compileFunction('return a + b', ['a', 'b'])(1, 2), vm.compileFunction('return a + extra', ['a'], { contextExtensions: [{ extra: 5 }] })(1), vm.compileFunction('return of', [], { parsingContext: vm.createContext({ of: 'context' }) })())",
    ],
    [
      'refuses what is no context, and what is no script',
      "log(caught(() => vm.runInContext('1', {})), caught(() => vm.createContext(1)), caught(() => new vm.Script('let = ;'))[0], caught(() => vm.runInNewContext('a b'))[0], vm.runInThisContext('1 + 1'), new vm.Script('40 + 2').runInThisContext())",
    ],
    [
      'runs templates as engines do',
      "const render = (text, data) => vm.runInNewContext('let out = \"\"; with (data) { out += ' + text.replace(/{{(.*?)}}/g, (_, name) => '` + ' + name + ' + `').replace(/^|$/g, '`') + ' } out', { data }); log(render('Hi {{name}}, {{list.length}}', { name: 'Ann', list: [1, 2] }))",
    ],
  ])('%s', async (_name, code) => {
    expect(await tellInCell(vm + code)).toEqual(await tellInNode(vm + code));
  });
});
