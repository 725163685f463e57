// Implements Repl. It finds the session's VM, or restores it from its stored state, and runs one
// cell in it with the call's draft.
import { getOrMake } from '../../core/values/get-or-make.ts';
import type { WasmSource, WorkContext } from '../../core/tool/handler.ts';
import { loadOnce } from '../../core/async/load-once.ts';
import type { Engine } from '../../repl/vm/engine.ts';
import { createBootedEngine } from '../../repl/vm/booted-engine.ts';
import { createQuickjsEngine } from '../../repl/vm/quickjs.ts';
import { defaultCellLimits } from '../../repl/vm/limits.ts';
import { loadWorld } from '../../repl/host/load-world.ts';
import { createReplSession } from '../../repl/session/session.ts';
import { loadStripTypes } from '../../repl/syntax/typescript.ts';
import type { LocalFileSystem } from '../../workspace/files/file-system.ts';
import { readTimeoutMs, replInputParser, type ReplInput } from './input.ts';
import type { ReplOutput, ReplProgress } from './schema.ts';

export const replWorker = {
  inputSchema: replInputParser,
  handler: runCell,
  warm: (realm: WasmSource) => Promise.all([loadEngine(realm), loadWorld(), loadStripTypes()]),
};

const engines = new WeakMap<WebAssembly.Module, () => Promise<Engine>>();

/**
 * One engine for all sessions of a realm. The first session boots a VM, and the others start from
 * its image.
 */
async function loadEngine({ loadWasm }: WasmSource): Promise<Engine> {
  const wasm = await loadWasm();
  const load = async () => createBootedEngine(await createQuickjsEngine(wasm));
  return getOrMake(engines, wasm, () => loadOnce(load))();
}

/** Runs a cell. An error in the cell is an output with an error, not a failure of the call. */
async function runCell(
  input: ReplInput,
  context: WorkContext<LocalFileSystem, ReplProgress>,
): Promise<ReplOutput> {
  const { realm, limits } = context;
  // One VM per session, so that no other conversation sees its variables. A second VM is for cells
  // on a copy. Nothing of that one is kept.
  const session = realm.keep(context.isStateless ? 'copy' : 'vm', () =>
    createReplSession({
      loadEngine: () => loadEngine(realm),
      network: realm.network,
      onSpent: () => realm.noteSpent?.(),
    }),
  );
  const timeoutMs = Math.min(readTimeoutMs(input), limits.timeoutMs);
  const { questionsPerMs = defaultCellLimits.questionsPerMs } = limits;
  const { changes, ...result } = await session.run({
    code: input.code,
    cwd: context.cwd,
    fs: context.fs.sync,
    contents: context.contents,
    downloadedAt: context.downloadedAt,
    onDownload: () => context.noteDownload(),
    network: context.network,
    tools: {
      names: context.tools,
      call: (name, nestedInput, options) => context.callTool(name, nestedInput, options),
    },
    runGit: (command, args, options) => context.runGit(command, args, options),
    isAlone: context.isStateless,
    isFollowed: input.run_in_background === true,
    fileChanges: () => context.fileChanges(),
    heldBytes: () => context.heldBytes(),
    rollback: () => context.rollback(),
    timeoutMs,
    // The engine checks a few times a millisecond, so the deadline always comes first.
    maxSteps: Math.max(defaultCellLimits.maxSteps, 20 * timeoutMs),
    questionsPerMs,
    maxMemoryBytes: limits.maxMemoryBytes,
    maxOutputChars: limits.maxOutputChars,
    signal: context.signal,
    onStart: () => context.startClock(),
    onOutput: (piece) => context.progress(piece),
    onGitProgress: (git) => context.progress({ git }),
    onEffect: () => context.noteEffect(),
    onSteps: (steps) => realm.noteWork?.(steps / questionsPerMs),
    namesKept: context.isRecorded,
    seed: context.seed,
    time: context.time,
    // Read when the cell starts, because an earlier cell may have saved a new state.
    get savedState() {
      return context.savedState;
    },
    saveState: (state, kept) => context.saveState(state, kept),
  });
  const leftOut = changes.length - maxChanges;
  return {
    ...result,
    changes: changes.slice(0, maxChanges),
    ...(leftOut > 0 && { changesLeftOut: leftOut }),
  };
}

// 500: as many as a person may read. A checkout changes tens of thousands, and the question, the
// transcript and the view would have all of them.
const maxChanges = 500;
