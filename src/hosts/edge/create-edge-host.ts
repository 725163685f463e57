// The host for an isolate: the inline host with the sandbox engine's compiled module. Its workspace
// is stored in a Durable Object's SQLite or in memory. It can send calls to other isolates
// (fan-out).
import { checkOptionNames } from '../../core/check-option-names.ts';
import type { Host } from '../../agent/host.ts';
import { SdkError } from '../../core/errors.ts';
import { defaultMemoryBytes } from '../../core/tool/handler.ts';
import { createConnectionGate, type ConnectionGate } from '../../core/async/connection-gate.ts';
import { openDoSqliteLog, type DurableStorage } from '../../workspace/drivers/do-sqlite.ts';
import { createMemoryMedium } from '../../workspace/drivers/memory.ts';
import { openR2Contents, type R2ContentsOptions } from '../../workspace/drivers/r2-contents.ts';
import { createWriterWorkspace } from '../../workspace/commit/writer-workspace.ts';
import type { ServedFiles } from '../../wire/feed-client.ts';
import { openWorkspaceWriter } from '../../workspace/commit/writer.ts';
import type { McpHostOptions } from '../../mcp/client/thread-client.ts';
import { createInlineHost } from '../inline/create-inline-host.ts';
import type { HostGitSettings } from '../git-network.ts';
import type { HostGit } from '../host-git.ts';
import type { WorkerToolEntry } from '../run-handler.ts';
import { createFanOutExecutor, type FanOutOptions } from './fan-out-executor.ts';
import { requireNotArchived } from './is-archived.ts';
import { edgeSearch } from './search-memory.ts';

/** Options that only the isolate's own module can provide, and the working directory. */
export interface EdgeHostOptions {
  /**
   * `quickjs.wasm` as a module: `import wasm from 'rockpool/quickjs.wasm'`. It must be precompiled,
   * because isolates can't compile bytes.
   */
  readonly wasm: WebAssembly.Module;
  /**
   * `ctx.storage` of a Durable Object. Its SQLite keeps the workspace and its streams for the
   * object's next instance. Only one host at a time may have it open; opening it again fences the
   * older host. Left out: everything is in memory and is lost with the isolate.
   */
  readonly storage?: DurableStorage;
  /**
   * A bucket for the large file contents of the workspace in `storage`. Always pass the same
   * bucket: without it these files are lost. Left out: everything is in `storage`.
   */
  readonly contents?: Omit<R2ContentsOptions, 'gate'>;
  /** Absolute, below the root. @defaultValue `/workspace` */
  readonly cwd?: string;
  /** The worker halves of your own tools, for calls that run here. They can't replace built-in tools. */
  readonly handlers?: readonly WorkerToolEntry[];
  /** How to reach MCP servers elsewhere, and how people log in to them. */
  readonly mcp?: McpHostOptions;
  /** How git reaches servers, where its credentials come from, and who commits. For calls that run here. */
  readonly git?: HostGitSettings;
  /**
   * How often a cell's engine polls for an interrupt in a millisecond of computing here. Clocks stand still while code
   * runs, so a cell's deadline is counted by these polls. Above 0. @defaultValue 1.5
   */
  readonly questionsPerMs?: number;
  /**
   * The same for a search that computes long in one text: its pattern polls after at most 100 million steps. Above 0.
   * @defaultValue 0.04
   */
  readonly checksPerMs?: number;
  /** Called with the time that calls have computed here, in milliseconds by those counts. Must not throw. */
  readonly onWork?: (ms: number) => void;
  /** Sends calls to other isolates. Left out: all calls run on this isolate's one thread. */
  readonly fanOut?: FanOutOptions;
  /**
   * Limits how many requests to the bucket and to other isolates are open at once. Share it with
   * all other requests of this event. @defaultValue a gate of six, for these two
   */
  readonly gate?: ConnectionGate;
}

/** A host inside an isolate. */
export interface EdgeHost extends Host {
  readonly kind: 'edge';
  /**
   * A person's git on the repository of the working directory, as the inline host has it. It runs here, even if
   * calls run elsewhere. A pack is a file of the workspace, so a clone may have 8 MB at most.
   */
  readonly git: HostGit;
  /** For `serveSession`: its feed and its commits. */
  readonly files: ServedFiles;
}

/** https://developers.cloudflare.com/workers/platform/limits/#simultaneous-open-connections */
export const maxConnections = 6;

/**
 * 0.04: one check counts as 25 ms. Benchmark `edge` measured 0.02 to 0.33 checks per millisecond of
 * workerd's processor time, depending on the pattern. So the slowest patterns are stopped after
 * twice their allowed time.
 */
const searchChecksPerMs = 0.04;

// An isolate has 128 MB in total: the workspace, a call's copies and the guest's heap.
const limits = {
  maxFileBytes: 8 * 1024 * 1024,
  maxMemoryBytes: defaultMemoryBytes / 4,
};

/**
 * 128 kB of records between two images. An object wakes often; replaying 128 kB takes 1 ms, 2 MB
 * take 8 ms.
 */
const imageBytes = 131_072;

/**
 * Opens the workspace without a host, for uses that need only files. Dispose `workspace` when done.
 *
 * @throws SdkError `bad-usage` for an archived session. Its database is empty, so large files that
 * the archive needs would look unused.
 */
export async function openEdgeWorkspace(
  storage: DurableStorage | undefined,
  contents?: R2ContentsOptions,
) {
  const store = contents && openR2Contents(contents);
  const medium = storage ? openDoSqliteLog(storage, 'workspace', store) : createMemoryMedium();
  if (storage) requireNotArchived(storage);
  const name = storage ? 'workspace' : 'memory';
  const { maxFileBytes } = limits;
  const writer = await openWorkspaceWriter(medium, { name, maxFileBytes, limits: { imageBytes } });
  return { writer, workspace: createWriterWorkspace(writer) };
}

/**
 * Creates a host for one isolate. Dispose it when done. Without `storage` its workspace is lost
 * then.
 *
 * @throws SdkError `bad-usage` if `wasm` isn't a compiled module, if the working directory or a
 * fan-out limit is invalid, or if `storage` has an archived session. `EIO` if the workspace was
 * written by a newer version.
 */
export async function createEdgeHost(options: EdgeHostOptions): Promise<EdgeHost> {
  checkOptionNames('createEdgeHost', options, knownOptions);
  const { wasm, storage, contents, cwd, handlers, git, mcp, fanOut, onWork } = options;
  const { gate = createConnectionGate(maxConnections) } = options;
  const { questionsPerMs, checksPerMs = searchChecksPerMs } = options;
  if (!(wasm instanceof WebAssembly.Module)) {
    throw new SdkError(
      'bad-usage',
      "createEdgeHost needs wasm as a compiled WebAssembly.Module: import it with import wasm from 'rockpool/quickjs.wasm'.",
      { data: { given: typeof wasm } },
    );
  }
  for (const [name, value] of Object.entries({ questionsPerMs, checksPerMs })) {
    if (value === undefined || value > 0) continue;
    const message = `${name} is a number above 0: how often is asked in a millisecond of computing.`;
    throw new SdkError('bad-usage', message, { data: { [name]: value } });
  }
  if (contents && !storage) {
    const message =
      'contents is for what storage keeps: give createEdgeHost the ctx.storage of a Durable Object, too.';
    throw new SdkError('bad-usage', message, { data: { missing: 'storage' } });
  }
  const { writer, workspace } = await openEdgeWorkspace(storage, contents && { ...contents, gate });
  try {
    // No sockets: a socket would keep the object awake, and closes when the object is evicted.
    const { sockets: _, ...host } = await createInlineHost({
      workspace,
      loadWasm: () => Promise.resolve(wasm),
      limits: { ...limits, checksPerMs, ...(questionsPerMs !== undefined && { questionsPerMs }) },
      ...(onWork && { onWork }),
      search: edgeSearch,
      ...(cwd !== undefined && { cwd }),
      ...(handlers && { handlers }),
      ...(mcp && { mcp }),
      ...(git && { git }),
    });
    const local = { local: host.executor, source: writer, gate };
    const sending = fanOut && createFanOutExecutor(local, fanOut);
    return {
      ...host,
      kind: 'edge',
      files: writer,
      executor: sending ?? host.executor,
      async [Symbol.asyncDispose]() {
        sending?.[Symbol.dispose]();
        await host[Symbol.asyncDispose]();
        await workspace[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    // If an option is rejected, the storage must be closed.
    await workspace[Symbol.asyncDispose]();
    throw error;
  }
}

const knownOptions = {
  wasm: true,
  storage: true,
  contents: true,
  cwd: true,
  handlers: true,
  mcp: true,
  git: true,
  questionsPerMs: true,
  checksPerMs: true,
  onWork: true,
  fanOut: true,
  gate: true,
} satisfies Record<keyof EdgeHostOptions, true>;
