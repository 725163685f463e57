// Functions, classes, generators and promises over several cells.
import { own, plain, throws, type CellSession } from './cell-session.ts';

export const functions: readonly CellSession[] = [
  plain('functions of all kinds', [
    ['const add = (a, b = 2, ...rest) => a + b + rest.length; add(1)', '3'],
    ['add(1, 1, 0, 0)', '4'],
    ['add.length', '1'],
    ['function sum() { return [...arguments].reduce((a, b) => a + b) }\nsum(1, 2, 3)', '6'],
    ['(function (n) { return n ? n * arguments.callee(n - 1) : 1 })(3)', throws('TypeError')],
    ['(function fact(n) { return n ? n * fact(n - 1) : 1 })(5)', '120'],
    [
      'const o = { v: 1, m() { return this.v }, get g() { return this.v + 1 }, set g(x) { this.v = x } }; o.m()',
      '1',
    ],
    ['o.g = 5; [o.v, o.g]', '[ 5, 6 ]'],
    ['const { m } = o; typeof m', "'function'"],
    ['m()', throws('TypeError')],
    ['m.call({ v: 3 })', '3'],
    ['const bound = m.bind({ v: 4 }); [bound(), bound.name]', "[ 4, 'bound m' ]"],
    ['function D({ a = 1, b: [c] = [2] } = {}) { return [a, c] }\nD()', '[ 1, 2 ]'],
    ['new.target', throws('SyntaxError')],
    ['(function () { return new.target })()', undefined],
    ['typeof new (function () { this.t = new.target })().t', "'function'"],
    ['((a) => (b) => a + b)(1)(2)', '3'],
    [
      'const compose = (...fs) => (x) => fs.reduceRight((v, f) => f(v), x); compose((x) => x + 1, (x) => x * 2)(5)',
      '11',
    ],
  ]),
  plain('what is not there is an error, as it is anywhere', [
    ['missing', throws('ReferenceError')],
    ['missing()', throws('ReferenceError')],
    ['typeof missing', "'undefined'"],
    ['({}).x.y', throws('TypeError')],
    ['({}).x?.y', undefined],
    ['null()', throws('TypeError')],
    ['(void 0)?.()', undefined],
    ['arguments', throws('ReferenceError')],
    ['this === globalThis', 'true'],
    ['(() => this === globalThis)()', 'true'],
    ['(function () { return this })()', undefined],
  ]),
  plain('classes with all their members', [
    [
      `class Account {
        static count = 0;
        static { this.label = "A" + Account.count }
        #balance = 0;
        owner;
        constructor(owner) { this.owner = owner; Account.count++ }
        get balance() { return this.#balance }
        set balance(v) { if (v < 0) throw new RangeError("negative"); this.#balance = v }
        #secret() { return this.owner + "!" }
        reveal() { return this.#secret() }
        static isAccount(x) { return #balance in x }
        ["dyn" + 1]() { return "dynamic" }
        *[Symbol.iterator]() { yield this.owner; yield this.#balance }
        async wait() { return await this.owner }
      }`,
      undefined,
    ],
    ['const acc = new Account("ann"); acc.balance = 5; acc.balance', '5'],
    ['[...acc]', "[ 'ann', 5 ]"],
    ['[Account.count, Account.label]', "[ 1, 'A0' ]"],
    ['acc.reveal()', "'ann!'"],
    ['[Account.isAccount(acc), Account.isAccount({})]', '[ true, false ]'],
    ['acc.dyn1()', "'dynamic'"],
    ['await acc.wait()', "'ann'"],
    ['acc.balance = -1', throws('RangeError')],
    ['Account()', throws('TypeError')],
    ['acc', "Account { owner: 'ann' }"],
    [
      'class Savings extends Account { constructor(o) { super(o); this.rate = 2 } reveal() { return super.reveal() + this.rate } }\nnew Savings("bob").reveal()',
      "'bob!2'",
    ],
    ['class Broken extends Account { constructor() { } }\nnew Broken()', throws('ReferenceError')],
    ['class Own { static #n = 0; static next() { return ++Own.#n } }\nOwn.next(); Own.next()', '2'],
    ['Object.getOwnPropertyNames(Own)', "[ 'length', 'name', 'prototype', 'next' ]"],
    ['class Err extends Error { name = "Err" }\nthrow new Err("x")', throws('Err')],
    ['Savings.name + Object.getPrototypeOf(Savings).name', "'SavingsAccount'"],
    ['class A1 { x = this.y; y = 1 }\nnew A1()', 'A1 { x: undefined, y: 1 }'],
    ['class Acc2 { static accessor = 3 }\nAcc2.accessor', '3'],
  ]),
  plain('generators and iterators', [
    [
      'function* count(n) { for (let i = 0; i < n; i++) { const got = yield i; if (got) return got } return "end" }',
      undefined,
    ],
    ['[...count(3)]', '[ 0, 1, 2 ]'],
    ['const it = count(5); it.next()', '{ value: 0, done: false }'],
    ['it.next("stop")', "{ value: 'stop', done: true }"],
    ['it.next()', '{ value: undefined, done: true }'],
    ['function* both() { yield* count(2); yield "x" }\n[...both()]', "[ 0, 1, 'x' ]"],
    ['const c = count(3); c.next(); c.return(9)', '{ value: 9, done: true }'],
    ['const d = count(3); d.next(); d.throw(new TypeError("in"))', throws('TypeError')],
    [
      'let log = []; function* closes() { try { yield 1; yield 2 } finally { log.push("closed") } }\nfor (const x of closes()) { break }\nlog',
      "[ 'closed' ]",
    ],
    ['const iterable = { *[Symbol.iterator]() { yield 1; yield 2 } }; Math.max(...iterable)', '2'],
    ['[...[1, 2].entries()]', '[ [ 0, 1 ], [ 1, 2 ] ]'],
    ['count(6).filter((x) => x % 2).map((x) => x * 10).toArray()', '[ 10, 30, 50 ]'],
    ['Iterator.from([1, 2, 3]).drop(1).take(1).toArray()', '[ 2 ]'],
    ['for (const x of 5) {}', throws('TypeError')],
    ['Array.from({ length: 2 }, (_, i) => i * i)', '[ 0, 1 ]'],
  ]),
  plain('await at the top level', [
    ['await 1', '1'],
    ['const a = await Promise.resolve({ n: 2 }), b = await a.n; b', '2'],
    ['[await 1, await Promise.resolve(2)]', '[ 1, 2 ]'],
    ['const { n: c } = await a; c', '2'],
    ['if (await true) { await "inside" }', "'inside'"],
    ['for (const x of [1, 2]) { await x }', '2'],
    ['let total = 0; for await (const x of [Promise.resolve(1), 2]) total += x\ntotal', '3'],
    [
      'async function* ticks() { yield 1; await null; yield 2 }\nconst seen = []; for await (const t of ticks()) seen.push(t)\nseen',
      '[ 1, 2 ]',
    ],
    ['await Array.fromAsync(ticks())', '[ 1, 2 ]'],
    ['await Promise.reject(new RangeError("gone"))', throws('RangeError')],
    ['try { await Promise.reject(new URIError("bad")) } catch (e) { e.name }', "'URIError'"],
    ['await { then(done) { done("thenable") } }', "'thenable'"],
    ['await (async () => { throw 5 })()', throws('Error')],
    ['await Promise.all([1, Promise.resolve(2)])', '[ 1, 2 ]'],
    [
      '(await Promise.allSettled([1, Promise.reject(2)])).map((r) => r.status)',
      "[ 'fulfilled', 'rejected' ]",
    ],
    ['await Promise.race([new Promise(() => {}), "fast"])', "'fast'"],
    ['await Promise.any([Promise.reject(1), 2])', '2'],
    ['await Promise.any([Promise.reject(1)])', throws('AggregateError')],
    ['const { promise, resolve } = Promise.withResolvers(); resolve(3); await promise', '3'],
    ['await Promise.try(() => 4)', '4'],
    ['const asyncArrow = async (x) => (await x) + 1; await asyncArrow(Promise.resolve(1))', '2'],
    ['(async () => await 1)().constructor.name', "'Promise'"],
    ['await import', throws('SyntaxError')],
  ]),
  plain('promise jobs run in their order', [
    [
      `const order = [];
       Promise.resolve().then(() => order.push("a")).then(() => order.push("c"));
       Promise.resolve().then(() => order.push("b"));
       order.push("first");
       await null; await null; await null;
       order`,
      "[ 'first', 'a', 'b', 'c' ]",
    ],
    [
      'let state = "before"; const done = (async () => { await null; state = "after" })(); state',
      "'before'",
    ],
    ['await done; state', "'after'"],
  ]),
  own('timers go on while a cell awaits', [
    ['const sleep = (ms, v) => new Promise((done) => setTimeout(done, ms, v))', undefined],
    ['await sleep(1, "woken")', "'woken'"],
    [
      'const list = []; setTimeout(() => list.push(2), 2); setTimeout(() => list.push(1), 1); await sleep(3); list',
      '[ 1, 2 ]',
    ],
    [
      'const t = setTimeout(() => list.push("never"), 1); clearTimeout(t); await sleep(2); list.length',
      '2',
    ],
    [
      'let ticks = 0; const every = setInterval(() => { if (++ticks === 3) clearInterval(every) }, 1); await sleep(6); ticks',
      '3',
    ],
    ['queueMicrotask(() => list.push("micro")); await null; list.at(-1)', "'micro'"],
    ['await new Promise(() => {})', throws('Error')],
    ['(await import("timers/promises")).setTimeout(1, "promised")', "'promised'"],
  ]),
];
