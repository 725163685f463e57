// The worker half of Repl over a session that lacks a wall. But for that it does what
// src/tools/repl/worker.ts does.
import type { WorkContext } from '../../../../src/core/tool/handler.ts';
import type { Engine } from '../../../../src/repl/vm/engine.ts';
import { createQuickjsEngine } from '../../../../src/repl/vm/quickjs.ts';
import type { CellLimits } from '../../../../src/repl/vm/limits.ts';
import {
  createReplSession,
  type ReplSession,
  type ReplSessionOptions,
} from '../../../../src/repl/session/session.ts';
import type { WorkerTool } from '../../../../src/hosts/run-handler.ts';
import { replInputSchema, type ReplInput } from '../../../../src/tools/repl/schema.ts';
import type { LocalFileSystem } from '../../../../src/workspace/files/file-system.ts';

/** What is taken away. Left out: as the real one has it. */
export interface Weakening {
  readonly engine?: (quickjs: () => Promise<Engine>) => Promise<Engine>;
  /** Of each session. */
  readonly session?: Partial<ReplSessionOptions>;
  /** Of each cell. */
  readonly limits?: Partial<CellLimits>;
  /** One VM for all conversations. */
  readonly isShared?: boolean;
}

type Context = WorkContext<LocalFileSystem>;

/** The context of the cell that ran last, for host functions of a weakened engine. */
export let lastContext: Context | undefined;

export function createWeakRepl(weakening: Weakening): WorkerTool {
  let shared: ReplSession | undefined;
  return {
    get inputSchema() {
      return replInputSchema();
    },
    handler(input: ReplInput, context: Context) {
      lastContext = context;
      const { realm } = context;
      const create = () => {
        const quickjs = async () => createQuickjsEngine(await realm.loadWasm());
        return createReplSession({
          loadEngine: () => weakening.engine?.(quickjs) ?? quickjs(),
          network: realm.network,
          ...weakening.session,
        });
      };
      const session = weakening.isShared ? (shared ??= create()) : realm.keep('vm', create);
      return session.run({
        code: input.code,
        cwd: context.cwd,
        fs: context.fs.sync,
        contents: context.contents,
        network: context.network,
        tools: {
          names: context.tools,
          call: (name, nested, options) => context.callTool(name, nested, options),
        },
        fileChanges: () => context.fileChanges(),
        heldBytes: () => context.heldBytes(),
        rollback: () => context.rollback(),
        timeoutMs: Math.min(input.timeout ?? context.limits.timeoutMs, context.limits.timeoutMs),
        maxMemoryBytes: context.limits.maxMemoryBytes,
        maxOutputChars: context.limits.maxOutputChars,
        signal: context.signal,
        onStart: () => context.startClock(),
        onOutput: (piece) => context.progress(piece),
        onEffect: () => context.noteEffect(),
        ...weakening.limits,
        // A shared VM is nobody's to bring back.
        ...(!weakening.isShared && {
          get savedState() {
            return context.savedState;
          },
          saveState: (state: Uint8Array) => context.saveState(state),
        }),
      });
    },
  };
}
