// Random cells, their code, and what they leave behind by a naive model: two maps, copied for each
// cell, that are kept or thrown away. The oracle of the tests of random cells.
import fc from 'fast-check';

/** What the session and the workspace hold. Texts of files by their names. */
export interface NaiveState {
  readonly variables: Map<string, unknown>;
  readonly files: Map<string, string>;
}

type StepType =
  | 'assign'
  | 'push'
  | 'declare'
  | 'function'
  | 'write'
  | 'append'
  | 'remove'
  | 'rename'
  | 'load'
  | 'tool-write'
  | 'tool-refused'
  | 'user-write'
  | 'wait'
  | 'digest'
  | 'loose-end';

/** The ends of a cell that doesn't end normally, or isn't kept. */
const endTypes = [
  ...['throw', 'refused-tool', 'spin', 'memory', 'stack', 'stuck', 'exit', 'exit-well'],
  ...['syntax', 'refused-changes', 'stop', 'kill'],
] as const;
type EndType = 'own' | (typeof endTypes)[number];

interface Step {
  readonly type: StepType;
  readonly variable: string;
  readonly file: string;
}

export interface RandomCell {
  readonly steps: readonly Step[];
  readonly end: EndType;
  /** How many of the steps come before it. */
  readonly at: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  type: fc.constantFrom<StepType>(
    ...(['assign', 'push', 'push', 'declare', 'function', 'write', 'write', 'append'] as const),
    ...(['remove', 'rename', 'load', 'tool-write', 'tool-refused', 'wait'] as const),
    ...(['user-write', 'user-write', 'user-write', 'digest', 'loose-end'] as const),
  ),
  variable: fc.constantFrom('a', 'b'),
  file: fc.constantFrom('f0.txt', 'f1.txt', 'd/f2.txt'),
});

export const randomCell: fc.Arbitrary<RandomCell> = fc
  .record({
    steps: fc.array(step, { maxLength: 6 }),
    end: fc.oneof(
      { weight: 3, arbitrary: fc.constant<EndType>('own') },
      { weight: 2, arbitrary: fc.constantFrom<EndType>(...endTypes) },
    ),
    at: fc.nat({ max: 6 }),
  })
  // Where a cell that spins is cut depends on the machine: what outlives a cell may be done or not.
  .map((cell) =>
    cell.end === 'spin'
      ? { ...cell, steps: cell.steps.filter(({ type }) => type !== 'user-write') }
      : cell,
  );

/** A text that only one step writes. `cell` is the number of the cell in the session. */
const textOf = (cell: number, at: number) => `text ${at} of cell ${cell}`;

/** A cell's write to it is refused: by the person, when the cell's files are to be kept. */
export const refusedFile = 'refused.txt';

/** A tool's write to it is refused when it is called. */
export const secretFile = 'secret.txt';

// 30 ms: long enough for the steps before the loop. If a cell is cut earlier, the result is the same.
const spinTimeoutMs = 30;

/** Before the first cell: the variables that the steps work on. */
export const firstCell = 'var a = [], b = [];';
export const firstState = (): NaiveState => ({
  variables: new Map([
    ['a', []],
    ['b', []],
  ]),
  files: new Map([['d/f2.txt', 'first']]),
});

/** Prints the variables. */
export const showCode = `{
  const shown = { a, b };
  if (typeof c !== 'undefined') shown.c = c;
  if (typeof f !== 'undefined') shown.f = f();
  console.log(JSON.stringify(shown));
}`;

/** The Repl's input. The cell first prints what it finds. */
export function toInput(cell: RandomCell, number: number): { code: string; timeout?: number } {
  const lines = cell.steps.map((one, at) => stepCode(one, textOf(number, at)));
  lines.splice(cell.at, 0, endCode(cell.end));
  const code = [showCode, ...lines].join('\n');
  return cell.end === 'spin' ? { code, timeout: spinTimeoutMs } : { code };
}

function stepCode({ type, variable, file }: Step, text: string): string {
  const [path, content] = [`'${file}'`, `'${text}'`];
  switch (type) {
    case 'assign':
      return `${variable} = [${content}];`;
    case 'push':
      return `${variable}.push(${content});`;
    case 'declare':
      return `var c = [${content}];`;
    case 'function':
      return `function f() { return ${content} }`;
    case 'write':
      return `fs.writeFileSync(${path}, ${content});`;
    case 'append':
      return `fs.appendFileSync(${path}, ${content});`;
    case 'remove':
      return `fs.unlinkSync(${path});`;
    case 'rename':
      return `fs.renameSync(${path}, ${content});`;
    case 'load':
      return `${variable} = [fs.readFileSync(${path}, 'utf8')];`;
    case 'tool-write':
      return `if (fs.existsSync(${path})) fs.readFileSync(${path}); await tools.Write({ file_path: ${path}, content: ${content} });`;
    case 'tool-refused':
      return `await tools.Write({ file_path: '${secretFile}', content: '' }).catch((error) => { if (error.name !== 'PermissionDenied') throw error });`;
    case 'user-write':
      return `await tools.UserWrite({ file: ${path}, text: ${content} });`;
    case 'wait':
      return `await new Promise((done) => setTimeout(done, 1));`;
    case 'digest':
      return `await crypto.subtle.digest('SHA-256', new Uint8Array(9));`;
    case 'loose-end':
      return `void Promise.reject(new Error('nobody minds'));`;
  }
}

function endCode(end: EndType): string {
  switch (end) {
    case 'own':
      return '0;';
    case 'throw':
      return `throw new Error('no');`;
    case 'refused-tool':
      return `await tools.Write({ file_path: '${secretFile}', content: '' });`;
    case 'spin':
      return 'for (;;) {}';
    case 'memory':
      return '{ const all = []; for (;;) all.push(new ArrayBuffer(1e6)); }';
    case 'stack':
      return '(function down() { return 1 + down() })();';
    case 'stuck':
      return 'await new Promise(() => {});';
    case 'exit':
      return 'process.exit(3);';
    case 'exit-well':
      return 'process.exit(0);';
    case 'syntax':
      return 'let let = ;';
    case 'refused-changes':
      return `fs.writeFileSync('${refusedFile}', '');`;
    case 'stop':
      return 'await tools.Stop({});';
    case 'kill':
      return 'await tools.Kill({});';
  }
}

/** The outcome of a cell in the naive model. */
export type NaiveOutcome = 'kept' | 'failed' | 'refused' | 'conflict';

/** What a cell comes to. */
export interface NaiveEnd {
  /** What is there after it. */
  readonly state: NaiveState;
  readonly outcome: NaiveOutcome;
  /** The printed text; undefined if it isn't reported, or the cell may be stopped earlier. */
  readonly shown: unknown;
}

/** `number` counts the session's cells. */
export function runNaively(cell: RandomCell, number: number, before: NaiveState): NaiveEnd {
  const { steps, end } = cell;
  const own: NaiveState = {
    variables: structuredClone(before.variables),
    files: new Map(before.files),
  };
  const byUser = new Map<string, string>();
  const functions = steps.flatMap(({ type }, at) => (type === 'function' ? [at] : []));
  // Two functions with one name are a syntax error, too.
  const isCode = end !== 'syntax' && functions.length <= 1;
  // A function exists before the cell's first line runs.
  for (const at of functions) own.variables.set('f', textOf(number, at));
  const isTold = isCode && !['stop', 'kill', 'spin'].includes(end);
  const shown = isTold ? structuredClone(Object.fromEntries(own.variables)) : undefined;

  const isDone = isCode && takeSteps(cell, number, own, byUser);
  const isRefused = end === 'refused-changes';
  const files = new Map([...before.files, ...byUser]);
  const lost = { state: { variables: before.variables, files }, shown };
  if (!isDone || !(isRefused || end === 'own' || end === 'exit-well')) {
    return { ...lost, outcome: 'failed' };
  }
  if (isRefused) return { ...lost, outcome: 'refused' };
  const changed = [...new Set([...before.files.keys(), ...own.files.keys()])].filter(
    (file) => before.files.get(file) !== own.files.get(file),
  );
  // Each text is one line, so what both have changed can't be merged.
  if (changed.some((file) => byUser.has(file))) return { ...lost, outcome: 'conflict' };
  for (const file of changed) {
    const text = own.files.get(file);
    if (text === undefined) files.delete(file);
    else files.set(file, text);
  }
  return { state: { variables: own.variables, files }, shown, outcome: 'kept' };
}

/** False where one of them throws. */
function takeSteps(
  { steps, end, at }: RandomCell,
  number: number,
  own: NaiveState,
  byUser: Map<string, string>,
): boolean {
  const reached = endsHere(end) ? steps.slice(0, at) : steps;
  return reached.every((one, index) => takeStep(one, textOf(number, index), own, byUser));
}

/** True if no later step runs. */
function endsHere(end: EndType): boolean {
  return end !== 'own' && end !== 'refused-changes';
}

/** False where it throws in the cell. */
function takeStep(
  { type, variable, file }: Step,
  text: string,
  { variables, files }: NaiveState,
  byUser: Map<string, string>,
): boolean {
  const current = files.get(file);
  switch (type) {
    case 'assign':
      variables.set(variable, [text]);
      return true;
    case 'push':
      (variables.get(variable) as string[]).push(text);
      return true;
    case 'declare':
      variables.set('c', [text]);
      return true;
    case 'write':
    case 'tool-write':
      files.set(file, text);
      return true;
    case 'append':
      files.set(file, (current ?? '') + text);
      return true;
    case 'remove':
      return files.delete(file);
    case 'rename':
      if (current === undefined) return false;
      files.delete(file);
      files.set(text, current);
      return true;
    case 'load':
      if (current === undefined) return false;
      variables.set(variable, [current]);
      return true;
    case 'user-write':
      byUser.set(file, text);
      return true;
    default:
      return true;
  }
}
