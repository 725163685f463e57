// Programs with decorators, each of which notes in `log` what happens in which order.

/** Stands before each program. `d` is a decorator that notes what it is given, `e` one that is made by a call. */
export const prelude = `const log: any[] = [];
const shown = (c: any) => (typeof c === 'object' ? [c.kind, String(c.name), c.static, c.private].join() : String(c));
const d = (n: string) => (...a: any[]): any => { log.push([n, a.length, typeof a[0], shown(a[1]), typeof a[2]]); };
const e = (n: string) => { log.push('made ' + n); return d(n); };
(Reflect as any).metadata = (k: string, v: any) => (t: any, p: any) => { log.push([k, typeof t, String(p), Array.isArray(v) ? v.map((x) => x && x.name) : v && v.name]); };
`;

/** With `experimentalDecorators`. */
export const legacyPrograms: Readonly<Record<string, string>> = {
  order: `@e('c1') @e('c2') class A { @e('s') static s = 1; @e('f') f: string = 'x'; @e('m1') @e('m2') m(@e('p0') a: string, b: number, @e('p2') c: Date): void {} @e('g') get g(): number { return 1 } @e('sm') static sm() {} constructor(@e('q') private q: string, r?: A) {} }
 log.push(A.name, new A('q').f, (new A('q') as any).q);`,
  replace: `const rep = (C: any) => class extends C { extra = 1 };
 @rep class B { static self = B; me() { return B } static make() { return new B() } }
 log.push((B.make() as any).extra, new B().me() === B, B.self === B);`,
  descriptors: `const dbl = (t: any, k: string, desc: any) => { const o = desc.value; return { ...desc, value(...a: any[]) { return o.apply(this, a) * 2 } } };
 const ro = (t: any, k: string): any => ({ get() { return 'got ' + k }, set(v: any) { log.push(['set', v]) }, configurable: true });
 class C { @dbl n() { return 21 } @dbl static n2(x: number) { return x } }
 log.push(new C().n(), C.n2(4));`,
  computed: `const k = 'key', s = Symbol('s'); let n = 0;
 class D { @d('a') [k] = 1; @d('b') [s]() { return 1 } @d('c') ['lit']: number = 2; @d('n') 42 = 1; @d('st') 'a b' = 3; @d('cc') ['x' + n++]() {} }
 log.push(n, Object.keys(new D()));`,
  types: `enum Num { A, B } enum Str { A = 'a' } type Id = string; type Fn = () => void; interface I { a: 1 } class X {} 
 class T { @d('1') a: string; @d('2') b: number[]; @d('3') c: X; @d('4') e1: Num; @d('5') e2: Str; @d('6') id: Id; @d('7') fn: Fn; @d('8') i: I; @d('9') u: string | number; @d('10') su: 'a' | 'b'; @d('11') p: Promise<string>; @d('12') n: null; @d('13') o: { a: 1 }; @d('14') t: [1]; @d('15') any: any; @d('16') m: Map<string, X[]>; @d('17') opt?: boolean; @d('18') bang!: Date; @d('19') nul: string | null; @d('20') f2: (a: string) => X; @d('21') big: bigint; @d('22') sym: symbol; @d('23') ro: readonly string[]; @d('24') tpl: \`a\${string}\`; @d('25') un; @d('26') q = 5; @d('27') cond: X extends string ? number : 3; @d('28') idx: I['a']; @d('29') ty: typeof log; @d('30') par: (string); @d('31') inter: X & I; @d('32') b2: true | false; @d('33') und: X | undefined; @d('34') never: never; @d('35') unk: unknown; @d('36') uint: Uint8Array; @d('37') nested: X[][]; @d('38') ctor: new () => X; @d('39') gen: <Q>(a: Q) => Q; @d('40') neg: -1;
  @d('m') meth(a: string, { b }: I, [c]: string[], e: X = new X(), ...rest: number[]): Promise<X> { return null! } @d('n') async as() {} @d('ms') st<Q>(a: Q): a is Q { return true } @d('v') vo(): void {}
  @d('acc') get acc(): string { return '' } set acc(v: string) {} @d('acc2') set acc2(v: X) {} }`,
  paramsOnly: `class S { constructor(@e('a') a: string, @e('b') @e('b2') public b = 3) { log.push(b) } m(@e('x') x: Date) {} static sm(@e('y') y?: RegExp) {} } new S('');`,
  inject: `class Dep {} @d('c') class Svc { constructor(private readonly dep: Dep, private n: number = 4) {} get() { return [this.dep instanceof Dep, this.n] } } log.push(new Svc(new Dep()).get());`,
  noCtor: `@d('c') class N {} @d('c2') class M extends N {} log.push(M.name);`,
  forward: `class P { @d('x') child: () => Q; @e('y') m(): string { return '' } } class Q {}`,
  asi: `class Z {
   @d('a') x?: string
   @d('b') y: number
   @d('c') private readonly z = (1, 2)
   @d('d')
   // comment @not
   @d('e') /* c */ m() { return 1 }
   @d('f') static async *g() {}
   @d('g') declare w: string
   @d('h') declare readonly v: Date;
 } log.push(Object.keys(new Z()));`,
  exprs: `const o = { a: { b: d('ab'), c: () => d('abc') } };
 @o.a.b @o.a.c() @(d('paren')) @(true ? d('t') : d('f')) class Y { @o.a.b x = 1 }`,
  generics: `const g = <T,>(x: T) => d('g'); @g<string>('a') class W<T> extends Map<string, T> { m(@g<{ a: number }>({ a: 1 }) a: T) {} }`,
  nested: `@d('outer') class O { @d('f') inner = (() => { @d('in') class I2 { @d('x') x = 1 } return I2.name })() ; @d('g') m() { @d('deep') class I3 {} return I3.name } } log.push(new O().inner, new O().m());`,
  expression: `const K = class { x = 1 }; class L { @d('z') a = class {}; } log.push(K.name);`,
  paramText: `class R { m(@e('a)(b') a: string, @d(\`\${'x'})\`) b: string, @d('re' + /[)]\\//.source) c: any, @d(((z: string) => z)('f')) dd: string) { return [a, b] } } log.push(new R().m('1', '2', 3, '4'));`,
  lines: `class U {
   constructor(
     @e('multi')
     a: string,
     @e(
       'line'
     ) b: string,
   ) {}
 }`,
  statics: `@d('c') class V { static a = 1; static b = V.a + 1; static { log.push(V.b) } @d('m') static m() { return V.b } #p = 3; get p() { return this.#p } } log.push(V.m(), new V().p);`,
  overloads: `class OV { over(a: string): void; over(a: number): void; @d('o') over(a: any) {} }`,
  accessor: `class AC { @d('acc') accessor a = 1; static accessor b = 2; accessor c: string } const ac = new AC(); ac.a++; log.push(ac.a, AC.b, ac.c);`,
  exportless: `abstract class AB { @d('x') abstract y: string; @d('z') z = 1 }`,
  seq: `class M { @d('a') declare a: string
  @e('b')
  declare readonly b: number
  @d('c') public static override c?: Date = null
  @(d('z')) declare private z: Date | null; @d('q') protected declare q: string }
 class X1 {} log.push(Object.keys(new M()))`,
  ctorMods: `@d('c') class A { constructor(@e('x') private readonly x: string, @e('y') public override readonly y = 1, protected z?: Date, @e('r') ...rest: Map<string, number>[]) { log.push([this.x, this.y, this.z, rest.length]) } } new A('a', 2, undefined, null!, null!)`,
  superPos: `class B { b = 1 } class C extends B { c = this.p + this.b; constructor(private p: number) { const q = 1; super(); log.push([this.c, q]) } d = 5 } log.push(new C(3).d)`,
  angular: `@e({ selector: 'app', template: \`<div \${1}>{{ x }}</div>\`, styles: ['a{}'] } as any)
 class App { @e('in') name = \`n\${1}\${2}\`; @e('b') b: Date = new Date(0); @e('out') out: Map<string, Date> = null!; @e('vc') set el(x: Date) {} @e('host') onClick(ev: RegExp): void {} }`,
  cycles: `class Node1 { @d('kids') kids: Node1[]; @d('parent') parent: Node1; @d('m') m(n: Node1): Node1 { return n } }`,
  getset: `class G { #v = 1; @d('v') get v(): number { return this.#v } set v(x) { this.#v = x } static get s(): Date { return null! } @d('s') static set s(v) {} @d('k') get ['c']() { return 1 } }`,
  returnObj: `const cls = (o: any) => (C: any) => { C.o = o; return C }; @cls({ a: 1, b: [() => 2] }) class R { static o: any; f() { return R.o.b[0]() } } log.push(new R().f())`,
  callThis: `const ctx = { n: 4, d(...a: any[]) { log.push(this === undefined ? 'none' : this === ctx) } }; class T { @ctx.d x = 1; @(ctx.d) y() {} }`,
  fnTypes: `class F { @d('a') a: (x: { y: string }) => void = () => {}; @d('b') b: { new (): F }; @d('c') c: Array<() => void>; @d('d') d?: ((a: string) => number) | null; @d('e') e: Promise<Array<Map<string, Set<number>>>> = null!; @d('f') f = <T,>(x: T): T => x; @d('g') g: [a: string, b?: number]; @d('h') h: keyof F; @d('i') i: F['a']; @d('j') j: unique symbol; @d('k') k: \`x\`; @d('l') l: import('fs').Stats; @d('n') n: string & { __brand: 'x' }; @d('o') o: asserts; @d('p') p: Record<string, any>; @d('q') q: Readonly<F>; @d('s') s: 1n; @d('t') t: number | 1 | 2; @d('u') u: undefined | null; @d('v') v: (string | number)[]; @d('w') w: | 'a' | 'b'; @d('x') x: object; @d('y') y: this; @d('z') z: F extends string ? 'a' : 'b' } type asserts = 1;`,
  newlines: `class N {
    @d('a')
    a
      : string
    @d('b')
    b?
      : number = 3
    @d('c') c(
      x: string,
      // ) comment
      y: /* ) */ number,
    ): Promise<
      string
    > { return null! }
    @d('d') 'quoted name': string
    @d('e') 12: number
    @d('f') async *'gen'(): AsyncGenerator<number> {}
  }`,
  shadow: `const String2 = String; function f() { class Inner {} @d('c') class UsesInner { constructor(a: Inner, b: typeof Inner) {} @d('p') p: Inner } } f()`,
  staticThis: `class S { @d('a') static a = this.name; static b = S.a + '!'; @d('f') f = S.b; static #c = 1; static c() { return this.#c } } log.push(S.b, new S().f, S.c())`,
  abstractC: `@d('a') abstract class Q1 { abstract m(): void; @d('n') n(): void {} protected abstract readonly k: string; constructor(@e('p') protected p: string) {} } class Q2 extends Q1 { m() {} k = 'k' } log.push(new Q2('x').k)`,
  deepExpr: `const v = [class { x = 1 }, (() => { @d('in') class Z1 { @d('q') q: string = 'a' } return new Z1().q })()]; log.push(v[1])`,
  paramResults: `const p = (...a: any[]): any => class Other {}; class A { m(@p x: string) { return 1 } constructor(@p y: Date) {} } log.push(A.name, new A(null!).m(''));`,
  inArrows: `const run = (f: () => any) => f(); log.push(run(() => { const re = () => { return /[(]'(@x, @y)/.source }; class A { constructor(@e('a') a: string, @e('b') public b: Date) {} m(@e('c') c: RegExp) { return re() } } return new A('', null!).m(null!) }));`,
  computedParam: `const k = 'kk'; class A { ['mk'](@e('a') a: string) {} @d('f') [('f' + k)]: string; @d('g') [(log.push('key'), 'g')] /* ] */ : Date; @d('n') n(a: string /* ) */, ) /* (x) */ { return 1 } @d('o') o() // )
  { return 2 } } log.push(Object.getOwnPropertyNames(A.prototype));`,
  named: `class X {} interface I { a: 1 } type Also = X; type Day = Date; enum Kind { A = 'a' } enum Num { B }
 class T { @d('1') a: Also; @d('2') b: Day; @d('3') i: I; @d('4') k: Kind.A; @d('5') n: Num.B | null; m(@e('r') ...rest: X[][]) {} m2(@e('q') ...rest: Array<X>) {} m3(@e('s') ...rest: X[]) {} }`,
  cond: `if (true) { @d('blk') class Blk {} log.push(Blk.name) } switch (1) { case 1: @d('sw') class Sw {} log.push(Sw.name) } for (const i of [1]) { @d('fo') class Fo { m() { return i } } log.push(new Fo().m()) }`,
};

/** Without it. */
export const standardPrograms: Readonly<Record<string, string>> = {
  order: `@e('c1') @e('c2') class A { @e('s') static s = 1; @e('f') f = 'x'; @e('m1') @e('m2') m() {} @e('g') get g() { return 1 } @e('st') set st(v) {} @e('sm') static sm() {} @e('acc') accessor acc = 3; @e('sacc') static accessor sacc = 3 } log.push(A.name, new A().f, new A().acc, A.sacc);`,
  replace: `const rep = (C: any, c: any) => class extends C { extra = 1 };
 @rep class B { me() { return B } static make() { return new B() } }
 log.push((B.make() as any).extra, new B().me() === B);`,
  inits: `const add = (n: number) => (v: any, c: any) => (x: number) => x * 10 + n;
 class C { @add(1) @add(2) a = 0; @add(3) static b = 4; @add(5) c; @add(6) #p = 1; get p() { return this.#p } }
 log.push(new C().a, C.b, String(new C().c), new C().p);`,
  methods: `const dbl = (f: any, c: any) => function (this: any, ...a: any[]) { return f.apply(this, a) * 2 };
 class D { v = 3; @dbl n() { return this.v } @dbl static s() { return 4 } @dbl get g() { return 5 } @dbl ['comp' + 1]() { return 6 } } const x: any = new D(); log.push(x.n(), D.s(), x.g, x.comp1());`,
  bound: `const bound = (f: any, c: any) => { c.addInitializer(function (this: any) { log.push('init ' + String(c.name)); this[c.name] = this[c.name].bind(this) }) };
 class E { v = 7; @bound m() { return this.v } } const m = new E().m; log.push(m());
 class F extends E { w = 8; @bound n() { return this.w + this.v } } const { n } = new F(); log.push(n());`,
  extras: `const x = (n: string) => (v: any, c: any) => { c.addInitializer(function (this: any) { log.push([n, typeof this === 'function' ? (this as any).name : Object.keys(this)]) }) };
 @x('class') class G { @x('f1') a = (log.push('a'), 1); @x('f2') b = (log.push('b'), 2); @x('m') m() {} @x('sf') static s = (log.push('s'), 3); @x('sm') static sm() {} @x('acc') accessor q = (log.push('q'), 4); static { log.push('block') } constructor() { log.push('ctor') } } new G();`,
  accessor: `const logged = (v: any, c: any) => ({ get(this: any) { return 'g' + v.get.call(this) }, set(this: any, x: any) { v.set.call(this, x + '!') }, init(x: any) { return x + '?' } });
 class H { @logged accessor a = 'i'; accessor b = 2; static accessor c = 3; accessor #d = 4; get dd() { return this.#d } } const h = new H(); log.push(h.a); h.a = 'j'; log.push(h.a, h.b, H.c, h.dd);`,
  access: `let acc: any[] = []; const k = (v: any, c: any) => { acc.push(c.access) };
 class I { @k x = 1; @k #y = 2; @k m() { return 3 } @k accessor z = 4 } const i = new I(); log.push(acc.map(a => [a.has(i), typeof a.get?.(i) === 'function' ? 'fn' : a.get?.(i), a.has({})]));`,
  metadata: `const meta = (v: any, c: any) => { c.metadata[c.name ?? 'class'] = 1 }; (Symbol as any).metadata ??= Symbol('Symbol.metadata');
 @meta class J { @meta a = 1 } class K extends J { @meta b = 2 } @meta class L extends K {} log.push(Object.keys((K as any)[Symbol.metadata]), Object.getPrototypeOf((K as any)[Symbol.metadata]) === (J as any)[Symbol.metadata], Object.keys((L as any)[Symbol.metadata]));`,
  errors: `for (const bad of [1, 'x', null, {}]) { try { const b = (v: any, c: any) => bad as any; class M { @b m() {} } log.push('none') } catch (er: any) { log.push(er.name) } try { const b = (v: any, c: any) => bad as any; @b class M { } log.push('none') } catch (er: any) { log.push(er.name) } }
 let late: any; const l = (v: any, c: any) => { late = c.addInitializer }; class N { @l m() {} } try { late(() => {}) } catch (er: any) { log.push(er.name) }`,
  expressions: `const A1 = @d('x') class {}; const A2 = @d('y') class Named { static me() { return Named } }; const o = { p: @d('z') class {} }; log.push(A1.name, A2.name, A2.me() === A2, o.p.name);`,
  types: `class P<T> { @d('a') a?: string
  @d('b') b!: T
  @d('c') private readonly c: Map<string, T[]> = new Map<string, T[]>()
  @d('m') m<U>(x: U): asserts x is U {} } log.push(Object.keys(new P()));`,
  derived: `class Base { b = log.push('base') } class De extends Base { @d('x') x = log.push('derived'); constructor(private n: number) { super(); log.push(this.n) } } new De(4);`,
  fnName: `class FN { @d('a') f = () => {}; @d('b') g = function () {}; @d('c') h = class {} } const fn = new FN(); log.push(typeof fn.f);`,
  exported: `@d('p') class X1 {} log.push(X1.name);`,
  members: `const ns = { k: 5, in: { q: 6, d(v: any, c: any) { log.push(['in', this.q]) } }, d(v: any, c: any) { log.push(['ns', this.k]) }, c() { log.push(['c', this.k]); return (v: any, c: any) => {} } };
 @ns.d @ns.in.d @ns.c() class MM { @ns.d @ns.in . d @(ns.d.bind(ns)) x = 1 }`,
  staticPriv: `const add1 = (v: any, c: any) => (x: number) => x + 1; class SP { @add1 static #s = 1; static get() { return SP.#s } } log.push(SP.get());`,
  mix: `type Cn = new (...a: any[]) => {}; const M = <T extends Cn>(B: T) => { class X extends B { @d('x') x = 1; @d('acc') accessor y: string = '' } return X }; log.push(Object.keys(new (M(class {}))()))`,
  noSemi: `class A {
  @d('a') a?: string
  @d('b') accessor b: number = 1
  accessor c = 2
  @d('c') static accessor d: string | undefined
  @d('m')
  m(): void {}
  @d('e') 'quoted' = 1
  @d('f') 12 = 2
  @d('g') async *gen() { yield 1 }
 } log.push(Object.keys(new A()))`,
  superM: `class P { m() { return 'p' } } const w = (f: any) => function (this: any) { return f.call(this) + '!' }; class Q extends P { @w m() { return super.m() + 'q' } } log.push(new Q().m())`,
  selfRef: `const reg: any[] = []; const r = (C: any, c: any) => { c.addInitializer(function (this: any) { reg.push(this) }) }; @r class S { static i = new S(); static n = S.name } log.push(reg[0] === S, S.n, S.i instanceof S)`,
  comp: `let n = 0; const k = () => 'k' + n++; class C { @d('a') [k()] = 1; @d('b') static [k()] = 2; @d('c') [k()]() {} } log.push(n, Object.keys(new C()), Object.keys(C))`,
  grouped: `const ns = { k: 5, d(v: any, c: any) { log.push(['ns', this && this.k, c.kind]) } }; const k = 'k';
 @(ns.d) class A { @(ns.d) x = 1; @(ns . d /* ) */) m() {} @d('f') [('f' + k)]; @d('g') ['g' + k /* ] */ ] } log.push(Object.keys(new A())); const Named = (@d('n') class {}); log.push(Named.name);`,
  extrasBehind: `const x = (v: any, c: any) => { c.addInitializer(function (this: any) { log.push(['extra', c.name, this[c.name]]) }) };
 class A { @x a = 1; constructor(public p: number) { log.push('ctor') } @x b = 2 } new A(3);`,
  parens: `class A { @d('a') x = (1, 2); @d('b') y = (() => 3)() ; @d('c') z = [1, 2] /* c */; @d('w') w = { a: 1 } // tail
 } const a = new A(); log.push(a.x, a.y, a.z, a.w)`,
  exprs: `const list = [@d('1') class {}, @d('2') class N2 {}]; log.push(list.map((c) => c.name)); const f = (C = @d('3') class {}) => C.name; log.push(f()); let z; z = @d('4') class {}; log.push(z.name)`,
};
