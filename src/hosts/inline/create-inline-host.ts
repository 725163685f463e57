// Everything on one thread: for Node, tests and tiny embeds. The other hosts must agree with it.
import type { Host } from '../../agent/host.ts';
import { SdkError } from '../../core/errors.ts';
import { normalizePath } from '../../core/path.ts';
import type { Clock } from '../../core/ports.ts';
import { systemClock } from '../../model/wait.ts';
import { definitions } from '../../tools/definitions.ts';
import { workers } from '../../tools/workers.ts';
import { createMemoryWorkspace } from '../../workspace/memory-workspace.ts';
import type { ViewSource } from '../../workspace/view.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { WorkerToolEntry } from '../run-handler.ts';
import { createInlineExecutor } from './inline-executor.ts';

export interface InlineHostOptions {
  /** Stays the caller's to dispose. Left out: one in memory that goes with the host. */
  readonly workspace?: Workspace & ViewSource;
  /** Absolute, below the root; made if it isn't there. @defaultValue `/workspace` */
  readonly cwd?: string;
  /** Gives the sandbox engine's wasm, compiled. Left out: a Repl call says that it is missing. */
  readonly loadWasm?: () => Promise<WebAssembly.Module>;
  /** The worker halves of tools of your own. A built-in of the same name stays. */
  readonly handlers?: readonly WorkerToolEntry[];
  /** @defaultValue the system's */
  readonly clock?: Clock;
  readonly limits?: Host['limits'];
}

/**
 * Makes a host whose tools run on this thread: a call that never yields blocks it, and can't be cut.
 *
 * @throws SdkError `bad-usage` for a working directory that isn't one directory below the root.
 */
export async function createInlineHost(options: InlineHostOptions = {}): Promise<Host> {
  const cwd = checkCwd(options.cwd ?? '/workspace');
  const workspace = options.workspace ?? (await createMemoryWorkspace());
  await workspace.fs.mkdir(cwd, { recursive: true });
  const executor = createInlineExecutor({
    entries: [...workers, ...(options.handlers ?? [])],
    views: workspace,
    loadWasm: options.loadWasm ?? refuseWasm,
  });
  return {
    kind: 'inline',
    workspace,
    executor,
    clock: options.clock ?? systemClock,
    cwd,
    ...(options.limits && { limits: options.limits }),
    loadTools: () => Promise.all(definitions.map((entry) => entry.load())),
    async [Symbol.asyncDispose]() {
      executor[Symbol.dispose]();
      if (!options.workspace) await workspace[Symbol.asyncDispose]();
    },
  };
}

// The root itself can't be it: the session's own files stand beside the user's tree, not in it.
function checkCwd(cwd: string): string {
  const path = normalizePath(cwd);
  if (cwd.startsWith('/') && path !== '/') return path;
  throw new SdkError(
    'bad-usage',
    `The working directory must be an absolute path below /, such as /workspace; not "${cwd}".`,
    { data: { cwd } },
  );
}

function refuseWasm(): Promise<WebAssembly.Module> {
  return Promise.reject(
    new SdkError(
      'unsupported-environment',
      'The Repl has no engine here: pass loadWasm to createInlineHost, which gives quickjs.wasm compiled.',
      { data: { missing: 'loadWasm' } },
    ),
  );
}
