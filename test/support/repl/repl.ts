// A Repl session over a workspace in memory, for portable tests. Each cell gets a draft of its own,
// which is committed when the cell succeeded, as the agent would do it.
import { loadQuickjsWasm } from '#quickjs-wasm';
import type { PathAccess } from '../../../src/core/access/path-access.ts';
import { dirname } from '../../../src/core/path.ts';
import type { Engine } from '../../../src/repl/vm/engine.ts';
import { createQuickjsEngine } from '../../../src/repl/vm/quickjs.ts';
import type { CellRequest, CellResult } from '../../../src/repl/cell/cell-request.ts';
import {
  createReplSession,
  type ReplSession,
  type ReplSessionOptions,
} from '../../../src/repl/session/session.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';
import type { ViewSource } from '../../../src/workspace/draft/view.ts';
import type { Workspace } from '../../../src/workspace/workspace.ts';

export interface ReplBench {
  readonly workspace: Workspace & ViewSource;
  readonly session: ReplSession;
  /** Runs a cell and commits what it changed. */
  run(code: string, changes?: Partial<CellRequest>): Promise<CellResult>;
  /** The cell's value as text; throws when it failed. */
  value(code: string): Promise<string | undefined>;
  /** What it printed to stdout; throws when it failed. */
  stdout(code: string): Promise<string>;
  /** The state that the last successful cell handed out. */
  savedState(): Uint8Array | undefined;
  /** Another session over the same files: a worker's successor. */
  successor(): ReplBench;
}

let shared: Promise<Engine> | undefined;

/**
 * QuickJS whose VMs start from the snapshot of one that has booted: booting takes longer than most
 * tests. test/tools/repl.test.ts boots each.
 */
async function loadQuickEngine(): Promise<Engine> {
  const engine = await createQuickjsEngine(await loadQuickjsWasm());
  let booted: Uint8Array | undefined;
  return {
    ...engine,
    async create(options, boot) {
      if (booted) return engine.restore(booted, options);
      const vm = await engine.create(options, boot);
      booted = vm.snapshot();
      return vm;
    },
  };
}

export const replLimits = {
  cwd: '/work',
  timeoutMs: 10_000,
  maxMemoryBytes: 64 * 1024 * 1024,
  maxOutputChars: 100_000,
} as const;

/** `files` are relative to `/work`, the working directory. */
export async function openRepl(
  files: Readonly<Record<string, string>> = {},
  options: Partial<ReplSessionOptions> & { readonly access?: Partial<PathAccess> } = {},
): Promise<ReplBench> {
  const workspace = await createMemoryWorkspace();
  await workspace.fs.mkdir('/work');
  for (const [path, content] of Object.entries(files)) {
    await workspace.fs.mkdir(dirname(`/work/${path}`), { recursive: true });
    await workspace.fs.writeFile(`/work/${path}`, content);
  }
  const access: PathAccess = {
    cwd: '/work',
    roots: ['/work'],
    readOnlyRoots: [],
    rules: [],
    write: 'allow',
    ...options.access,
  };
  const open = (): ReplBench => {
    let saved: Uint8Array | undefined;
    const session = createReplSession({
      loadEngine: () => (shared ??= loadQuickEngine()),
      ...options,
    });
    const run = async (code: string, changes: Partial<CellRequest> = {}) => {
      const view = await workspace.openView({ root: 'main', minSeq: workspace.seq() }, access);
      const result = await session.run({
        ...replLimits,
        code,
        fs: view.fs.sync,
        contents: view.contents,
        fileChanges: () => view.fileChanges(),
        heldBytes: () => view.heldBytes(),
        rollback: () => view.rollback(),
        // Asked for when it is the cell's turn, as a worker does.
        get savedState() {
          return changes.isAlone ? undefined : saved;
        },
        saveState: (state) => void (saved = state),
        ...changes,
      });
      const changeSet = view.changeSet();
      if (changeSet) await workspace.commit(changeSet, { author: { kind: 'agent' } });
      return result;
    };
    const succeed = async (code: string) => {
      const result = await run(code);
      if (!result.error) return result;
      throw new Error(`${result.error.name}: ${result.error.message}\n${result.error.stack ?? ''}`);
    };
    return {
      workspace,
      session,
      run,
      value: async (code) => (await succeed(code)).display,
      stdout: async (code) => (await succeed(code)).stdout,
      savedState: () => saved,
      successor: open,
    };
  };
  return open();
}
