// Kinds of work by which the bench measures what is counted while clocks stand still: a count differs by the kind.

/** By kind, code that computes for a while. */
export const cells: Readonly<Record<string, string>> = {
  loop: 'let s = 0; for (let i = 0; i < 2e7; i += 1) s += i % 7; s',
  calls: 'const f = (n) => (n < 2 ? n : f(n - 1) + f(n - 2)); f(27)',
  texts:
    'let t = ""; for (let i = 0; i < 4e5; i += 1) t += String.fromCharCode(97 + (i % 26)); t.length',
  objects:
    'const m = new Map(); for (let i = 0; i < 3e5; i += 1) m.set("k" + (i % 5000), { i }); m.size',
  json: 'let n = 0; const o = { a: Array.from({ length: 200 }, (_, i) => ({ i, t: "x".repeat(9) })) }; for (let i = 0; i < 800; i += 1) n += JSON.stringify(JSON.parse(JSON.stringify(o))).length; n',
  sort: 'let n = 0; for (let i = 0; i < 12; i += 1) n += Array.from({ length: 2e4 }, (_, k) => (k * 7919) % 10007).sort((a, b) => a - b)[5]; n',
};

export const cellKinds = Object.keys(cells);

/** By kind, a pattern that finds nothing and looks long, in a text of such lines. */
export const searches: Readonly<
  Record<string, { readonly pattern: string; readonly line: string; readonly times: number }>
> = {
  pairs: { pattern: '\\w+\\s*\\w+=', line: `${'ab'.repeat(200)} =`, times: 4 },
  short_runs: { pattern: 'a.*b.*[=;][0-9]', line: `${'ab'.repeat(90)}=`, times: 4 },
  runs: { pattern: 'a.*b.*[=;][0-9]', line: `${'ab'.repeat(200)}=`, times: 20 },
  counted: { pattern: '[a-c].{0,200}[=;][0-9]', line: `${'abc '.repeat(60)}=`, times: 4 },
  columns: { pattern: '\\w+,\\w*,\\w*[=;][0-9]', line: `${'abc,'.repeat(60)};`, times: 20 },
  ends: { pattern: '[a-z]+[a-z0-9]+[=;]', line: `${'ab'.repeat(200)} `, times: 4 },
};

export const searchKinds = Object.keys(searches);

/** What goes to a model and comes from it. */
export const modelKinds = ['conversation', 'answers', 'inputs'] as const;

export type ModelKind = (typeof modelKinds)[number];
