// A Repl session of the library's over an engine that tells what snapshots took. It is served as a
// tool of its own in the tool worker of the Repl bench.
import * as z from 'zod';
import type { WorkContext } from '../../../../src/core/tool/handler.ts';
import type { Engine, Vm } from '../../../../src/repl/vm/engine.ts';
import { createQuickjsEngine } from '../../../../src/repl/vm/quickjs.ts';
import { createReplSession, type ReplSession } from '../../../../src/repl/session/session.ts';
import type { LocalFileSystem } from '../../../../src/workspace/files/file-system.ts';

const inputSchema = z.object({ setup: z.string(), rounds: z.number() });

export type TimedReplInput = z.input<typeof inputSchema>;

/** Milliseconds, one of each a round. */
export interface SnapshotTimes {
  readonly snapshotMs: readonly number[];
  readonly restoreMs: readonly number[];
  readonly snapshotBytes: number;
}

export const timedReplTool = { inputSchema, handler: run };

/** Each round: a cell that succeeds is kept, one that throws gives up the VM, the next restores it. */
async function run(
  { setup, rounds }: z.output<typeof inputSchema>,
  context: WorkContext<LocalFileSystem>,
): Promise<SnapshotTimes> {
  const times = { snapshotMs: [] as number[], restoreMs: [] as number[], snapshotBytes: 0 };
  const session = createReplSession({
    loadEngine: async () => timed(await createQuickjsEngine(await context.realm.loadWasm()), times),
  });
  try {
    await runCell(session, setup, context);
    times.snapshotMs.length = 0;
    for (let round = 0; round < rounds; round += 1) {
      const failed = await runCell(session, 'throw new Error()', context);
      if (!failed.rolledBack) throw new Error('A cell that throws was not rolled back.');
      const { error } = await runCell(session, '1', context);
      if (error) throw new Error(error.message);
    }
  } finally {
    session[Symbol.dispose]();
  }
  if (times.restoreMs.length !== rounds) throw new Error('The VM was not restored each time.');
  return times;
}

function runCell(session: ReplSession, code: string, context: WorkContext<LocalFileSystem>) {
  return session.run({
    code,
    cwd: context.cwd,
    fs: context.fs.sync,
    contents: context.contents,
    fileChanges: () => context.fileChanges(),
    heldBytes: () => context.heldBytes(),
    rollback: () => context.rollback(),
    maxMemoryBytes: context.limits.maxMemoryBytes,
  });
}

interface Times {
  readonly snapshotMs: number[];
  readonly restoreMs: number[];
  snapshotBytes: number;
}

function timed(engine: Engine, times: Times): Engine {
  const timeSnapshots = (vm: Vm): Vm => {
    const snapshot = vm.snapshot.bind(vm);
    vm.snapshot = (room = 0) => {
      const startedAt = performance.now();
      const bytes = snapshot(room);
      times.snapshotMs.push(performance.now() - startedAt);
      times.snapshotBytes = bytes.length - room;
      return bytes;
    };
    return vm;
  };
  return {
    version: () => engine.version(),
    create: async (options, boot) => timeSnapshots(await engine.create(options, boot)),
    async restore(snapshot, options) {
      const startedAt = performance.now();
      const vm = await engine.restore(snapshot, options);
      times.restoreMs.push(performance.now() - startedAt);
      return timeSnapshots(vm);
    },
  };
}
