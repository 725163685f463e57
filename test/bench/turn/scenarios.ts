// What the scripted model asks for in each turn of the bench, and the files that its tools work on. The
// server plays it, the page sets it up: both import this.
import type { CorpusOptions } from '../pages/workspace/corpus.ts';

export interface ScriptedCall {
  readonly name: 'Loop' | 'Wait' | 'Read' | 'Grep' | 'Edit' | 'Repl';
  readonly input: Readonly<Record<string, unknown>>;
}

/** The calls of each reply, in order; after the last one the model says that it is done. */
export type Scenario = readonly (readonly ScriptedCall[])[];

/** How long each call of `io` waits. */
export const waitMs = 400;

/** 18 MB in 3 000 files: enough for a search to take as long as one does in a project. */
export const corpus: CorpusOptions = { files: 3_000, meanBytes: 6_000 };

/** The files that `Edit` changes; set back before each run. */
export const edited = { path: 'edited.ts', text: 'export const limit = 10;\n' } as const;

const wait: ScriptedCall = { name: 'Wait', input: { ms: waitMs } };
const read = (file: number): ScriptedCall => ({
  name: 'Read',
  input: { file_path: `directory-${Math.floor(file / 20)}/file-${file}.ts` },
});
const grep = (pattern: string): ScriptedCall => ({
  name: 'Grep',
  input: { pattern, output_mode: 'count', head_limit: 0 },
});
const readEdited: ScriptedCall = { name: 'Read', input: { file_path: edited.path } };
const edit = (from: number, to: number): ScriptedCall => ({
  name: 'Edit',
  input: {
    file_path: edited.path,
    old_string: `limit = ${from}`,
    new_string: `limit = ${to}`,
  },
});
/** A cell that reads nothing and changes nothing. */
const cell = (code: string): ScriptedCall => ({ name: 'Repl', input: { code } });
/** Takes some hundred milliseconds of an interpreter. */
const compute = (seed: number): ScriptedCall =>
  cell(
    `(() => { let sum = ${seed}; for (let i = 0; i < 1e6; i += 1) sum = (sum * 31 + i) % 65521; return sum })()`,
  );
/** Statistics over made-up numbers, almost three seconds each: in all three times what the reply streams. */
const long = {
  checksum: cell(
    '(() => { let sum = 1; for (let i = 0; i < 31e6; i += 1) sum = (sum * 31 + i) % 65521; return sum })()',
  ),
  meanSquare: cell(
    '(() => { let sum = 0; for (let i = 0; i < 9e6; i += 1) sum += Math.sin(i) ** 2; return sum / 9e6 })()',
  ),
  median: cell(
    'Array.from({ length: 16e5 }, (_, i) => Math.sin(i)).toSorted((a, b) => a - b)[8e5]',
  ),
  lastDigits: cell(
    "(() => { let hits = 0; for (let i = 0; i < 9e6; i += 1) if (String(i * i).endsWith('21')) hits += 1; return hits })()",
  ),
};

export const scenarios = {
  /** Eight calls that wait. */
  io: [Array.from({ length: 8 }, () => wait)],
  /** Eight calls that compute and change nothing, together for longer than their reply streams. */
  cpu: [
    [
      long.checksum,
      long.median,
      grep('[a-z]+x[a-z]+q'),
      long.meanSquare,
      long.lastDigits,
      grep('[0-9][a-z][0-9]+z'),
      read(40),
      grep('(a|b)[a-z]*(y|z)[0-9]'),
    ],
  ],
  /** The same, but done in half a second: three searches, two reads, three cells. */
  cpu_short: [
    [
      grep('[a-z]+x[a-z]+q'),
      compute(1),
      read(40),
      grep('[0-9][a-z][0-9]+z'),
      compute(2),
      read(900),
      grep('(a|b)[a-z]*(y|z)[0-9]'),
      compute(3),
    ],
  ],
  /** Three reads, an edit that must stand alone, three reads. */
  mixed: [[readEdited], [read(1), read(2), read(3), edit(10, 11), read(4), read(5), readEdited]],
  /** One that runs until it is stopped. */
  abort: [[{ name: 'Loop', input: {} }]],
  /** A small task in twelve turns. */
  task: [
    [grep('q[0-9]z'), read(7)],
    [read(8), read(9)],
    [readEdited],
    [edit(10, 11)],
    [compute(4)],
    [grep('z[a-c]+q')],
    [edit(11, 12), readEdited],
    [read(10), read(11), read(12)],
    [grep('[0-9]{3}')],
    [edit(12, 13)],
    [compute(5)],
    [readEdited],
  ],
} satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof scenarios;

/** Of the server's stream. `slow` is 40 tokens a second, `fast` all at once. */
export type Speed = 'slow' | 'fast';
