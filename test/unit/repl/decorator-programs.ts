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
};
