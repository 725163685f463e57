// Cells of a session as a journal would see them. Each leaves a change of the VM's state, and the
// chain of them brings the session back in another host.
import type {
  Executor,
  RunningWork,
  StateChain,
  WorkRequest,
} from '../../../src/core/tool/ports.ts';
import { isChainHeavy, type StateChange } from '../../../src/core/session/state-change.ts';
import type { ReplOutput } from '../../../src/tools/repl/schema.ts';

/** As models write them: values, a module, a function, a map, an output. Each may run again. */
export const ordinaryCells: readonly string[] = [
  'const rows = Array.from({ length: 200 }, (_, id) => ({ id, name: "row " + id }))',
  'rows.filter(({ id }) => id % 2).map(({ name }) => name).join().length',
  "const path = require('path'); let total = 0; for (const { id } of rows) total += id",
  'async function sum(list) { let s = 0; for (const { id } of list) s += await id; return s } await sum(rows)',
  'const byName = new Map(rows.map((row) => [row.name, row])); byName.size',
  'console.log(JSON.stringify(rows.slice(0, 20)))',
];

/** A host, as far as cells need one. */
interface CellHost {
  readonly executor: Executor;
  readonly workspace: { seq(): number };
}

export interface JournalledCells {
  /** Runs a cell and gives its value as text; throws where it failed. Its change is part of the chain. */
  run(code: string, changes?: Partial<WorkRequest>): Promise<string | undefined>;
  /** Starts a cell whose changes aren't part of the chain. */
  start(code: string, changes?: Partial<WorkRequest>): RunningWork;
  /** All changes so far, in their order. */
  readonly changes: readonly StateChange[];
  /** Of the first so many changes; of all, if that is left out. */
  chain(count?: number): readonly StateChain[];
}

/** `earlier`: what the session's cells have left in another host. */
export function journalCells(
  { executor, workspace }: CellHost,
  earlier: readonly StateChange[] = [],
): JournalledCells {
  const changes = [...earlier];
  const parts = (count: number) => {
    const given = changes.slice(0, count);
    return given.slice(
      Math.max(
        0,
        given.findLastIndex(({ isWhole }) => isWhole),
      ),
    );
  };
  const start = (code: string, changed: Partial<WorkRequest> = {}) => {
    const sizes = parts(changes.length).map(({ bytes }) => bytes.length);
    const request: WorkRequest = {
      callId: crypto.randomUUID(),
      toolName: 'Repl',
      input: { code },
      sessionId: 'session-1',
      address: { root: 'main', minSeq: workspace.seq() },
      access: {
        cwd: '/workspace',
        roots: ['/workspace'],
        readOnlyRoots: [],
        rules: [],
        write: 'allow',
      },
      cwd: '/workspace',
      limits: { timeoutMs: 20_000, maxFileBytes: 1e6, maxOutputChars: 1e6, maxMemoryBytes: 1e8 },
      knownVersions: [],
      recordState: isChainHeavy(sizes) ? 'whole' : 'change',
      ...changed,
    };
    return executor.start(request, () => {});
  };
  return {
    start,
    changes,
    async run(code, changed) {
      const work = start(code, changed);
      const reply = await work.reply;
      if (reply.type !== 'done') throw new Error(`The cell was not done: ${JSON.stringify(reply)}`);
      const { error, display, stderr } = reply.output as ReplOutput;
      if (error) throw new Error(`${error.name}: ${error.message} ${stderr}`);
      work.keep?.();
      if (reply.state) changes.push(reply.state);
      return display;
    },
    chain: (count = changes.length) => {
      const own = parts(count).map(({ bytes }) => bytes);
      return own.length > 0 ? [{ toolName: 'Repl', changes: own }] : [];
    },
  };
}
