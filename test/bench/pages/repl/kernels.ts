// What the Repl bench computes in each engine: plain V8 runs these functions, a sandboxed engine runs
// their text. So none of them may use anything from outside itself.

/** One piece of work. `Input` is made before the clock starts. */
export interface Kernel<Input = unknown> {
  readonly prepare: () => Input;
  /** A number that depends on all of the work, so that engines can be seen to agree. */
  readonly run: (input: Input) => number;
}

/** What one engine took. */
export interface KernelTime {
  /** Milliseconds of one run: the mean of as many as fill {@link kernelMs}. */
  readonly ms: number;
  readonly answer: number;
}

/** 60 ms: guests have clocks of whole milliseconds, and that is 2 % of it. */
export const kernelMs = 60;

/** Sizes are such that plain V8 takes milliseconds. */
export const kernels = {
  fib: define({
    prepare: () => 23,
    run: (input) => {
      const fib = (n: number): number => (n < 2 ? n : fib(n - 1) + fib(n - 2));
      return fib(input);
    },
  }),
  loop: define({
    prepare: () => 500_000,
    run: (rounds) => {
      let sum = 0;
      for (let index = 0; index < rounds; index += 1) sum += (index % 7) * 2;
      return sum;
    },
  }),
  json_parse: define({
    prepare: () => {
      const rows = Array.from({ length: 4000 }, (_, id) => ({
        id,
        name: `row ${id}`,
        tags: ['a', 'b', String(id % 10)],
        nested: { ratio: id / 3, isEven: id % 2 === 0, empty: null },
      }));
      return JSON.stringify(rows);
    },
    run: (text) => (JSON.parse(text) as readonly { id: number }[]).length + text.length,
  }),
  json_stringify: define({
    prepare: () =>
      Array.from({ length: 4000 }, (_, id) => ({
        id,
        name: `row "${id}"`,
        tags: ['a', 'b', String(id % 10)],
        nested: { ratio: id / 3, isEven: id % 2 === 0, empty: null },
      })),
    run: (rows) => JSON.stringify(rows).length,
  }),
  match_all: define({
    prepare: () =>
      Array.from(
        { length: 5000 },
        (_, id) => `line ${id}: user${id % 97}@host${id % 13}.test`,
      ).join('\n'),
    run: (text) => {
      let sum = 0;
      for (const match of text.matchAll(/(\w+)@(host\d+)\.test/g)) {
        sum += match.index + (match[2]?.length ?? 0);
      }
      return sum;
    },
  }),
  split_map_join: define({
    prepare: () =>
      Array.from({ length: 10_000 }, (_, id) => `word${id % 301} other-${id} end`).join('\n'),
    run: (text) =>
      text
        .split('\n')
        .map((line) => line.trim().toUpperCase().replaceAll('-', '_'))
        .join('\r\n').length,
  }),
  sort: define({
    prepare: () => {
      let state = 1;
      return Array.from({ length: 20_000 }, () => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        return state;
      });
    },
    run: (values) => {
      const sorted = [...values].sort((left, right) => left - right);
      return (sorted[0] ?? 0) + (sorted[10_000] ?? 0);
    },
  }),
  string_build: define({
    prepare: () => 50_000,
    run: (rounds) => {
      let text = '';
      for (let index = 0; index < rounds; index += 1) text += `${index % 10},`;
      // Read at both ends, because engines put off the joining.
      return text.length + text.charCodeAt(0) + text.charCodeAt(text.length - 2);
    },
  }),
  integer_mix: define({
    prepare: () => 200_000,
    run: (rounds) => {
      let a = 0x67452301;
      let b = 0xefcdab89 | 0;
      for (let index = 0; index < rounds; index += 1) {
        const mixed = (a & b) | (~a & index);
        a = (Math.imul(mixed ^ b, 0x5bd1e995) + index) | 0;
        b = ((b << 5) | (b >>> 27)) ^ a;
      }
      return a ^ b;
    },
  }),
  sieve: define({
    prepare: () => 200_000,
    run: (limit) => {
      const isComposite = new Uint8Array(limit);
      let primes = 0;
      for (let candidate = 2; candidate < limit; candidate += 1) {
        if (isComposite[candidate]) continue;
        primes += 1;
        for (let multiple = candidate * 2; multiple < limit; multiple += candidate) {
          isComposite[multiple] = 1;
        }
      }
      return primes;
    },
  }),
  string_map: define({
    prepare: () => Array.from({ length: 20_000 }, (_, id) => `key-${id % 5000}`),
    run: (keys) => {
      const counts = new Map<string, number>();
      for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
      let sum = 0;
      for (const count of counts.values()) sum += count * count;
      return sum;
    },
  }),
  map_filter_reduce: define({
    prepare: () => Array.from({ length: 50_000 }, (_, id) => id),
    run: (values) =>
      values
        .map((value) => value * 3)
        .filter((value) => value % 2 === 0)
        .reduce((sum, value) => sum + value, 0),
  }),
  log_job: define({
    // What an agent is asked for: the slowest addresses of a server's log, as a table.
    prepare: () => {
      const line = (id: number) =>
        `2026-03-01T10:${String(id % 60).padStart(2, '0')}:00Z ${id % 11 === 0 ? 'ERROR' : 'INFO'} ` +
        `GET /api/items/${id % 53} ${(id * 7919) % 1000}ms`;
      return Array.from({ length: 5000 }, (_, id) => line(id)).join('\n');
    },
    run: (text) => {
      const groups = new Map<string, { count: number; errors: number; slowest: number }>();
      for (const line of text.split('\n')) {
        const [, , level = '', , path = '', took = ''] =
          /^(\S+) ((\w+) (\w+)) (\S+) (\d+)ms$/.exec(line) ?? [];
        const group = groups.get(path) ?? { count: 0, errors: 0, slowest: 0 };
        group.count += 1;
        if (level.startsWith('ERROR')) group.errors += 1;
        group.slowest = Math.max(group.slowest, Number(took));
        groups.set(path, group);
      }
      const rows = [...groups]
        .map(([path, group]) => ({ path, ...group }))
        .sort((left, right) => right.slowest - left.slowest || (left.path < right.path ? -1 : 1));
      const table = rows.map(
        ({ path, count, errors, slowest }) =>
          `${path.padEnd(24)}${String(count).padStart(6)}${String(errors).padStart(6)}${String(slowest).padStart(8)}`,
      );
      return table.join('\n').length * 1000 + rows.reduce((sum, { errors }) => sum + errors, 0);
    },
  }),
} satisfies Readonly<Record<string, Kernel>>;

export type KernelName = keyof typeof kernels;

export const kernelNames = Object.keys(kernels) as readonly KernelName[];

/** Runs the kernel for so long, once before the clock starts. Self-contained, as kernels are. */
export function timeKernel({ prepare, run }: Kernel, minimumMs: number): KernelTime {
  const input = prepare();
  const answer = run(input);
  let runs = 0;
  let ms = 0;
  for (const startedAt = Date.now(); ms < minimumMs; ms = Date.now() - startedAt) {
    run(input);
    runs += 1;
  }
  return { ms: ms / runs, answer };
}

/** The text of an expression whose value is {@link timeKernel}'s for this kernel, as JSON. */
export function toTimingSource(name: KernelName): string {
  const { prepare, run } = kernels[name];
  return `JSON.stringify((${timeKernel})({ prepare: ${prepare}, run: ${run} }, ${kernelMs}))`;
}

/** The text of an expression that does the kernel's work once, its preparation included. */
export function toRunSource(name: KernelName): string {
  const { prepare, run } = kernels[name];
  return `(${run})((${prepare})())`;
}

/** Infers `Input`, and forgets it: whoever runs a kernel hands on what it prepared. */
function define<Input>(kernel: {
  readonly prepare: () => Input;
  readonly run: (input: Input) => number;
}): Kernel {
  return kernel as Kernel;
}
