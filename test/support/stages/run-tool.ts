// Runs tools' worker halves as a host does (through runHandler) over a workspace in memory. Settles
// their drafts as the agent does: they are committed, and what was read and written is remembered.
import { createServerFetch } from '../../../src/core/host-ports/fetch-port.ts';
import type { WorkLimits } from '../../../src/core/tool/handler.ts';
import { fromSerializedError } from '../../../src/core/errors.ts';
import { dirname } from '../../../src/core/path.ts';
import { refuseNestedCalls } from '../../../src/core/tool/nested-call.ts';
import type { PathAccess, PathAccessRule } from '../../../src/core/access/path-access.ts';
import type { WorkReply } from '../../../src/core/tool/ports.ts';
import { OpenCalls } from '../../../src/hosts/open-calls.ts';
import { runHandler, type WorkerToolEntry } from '../../../src/hosts/run-handler.ts';
import { workers } from '../../../src/tools/workers.ts';
import { SearchService } from '../../../src/search/search-service.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';
import type { Workspace } from '../../../src/workspace/workspace.ts';

export interface ToolBenchOptions {
  readonly cwd?: string;
  readonly rules?: readonly PathAccessRule[];
  readonly limits?: Partial<WorkLimits>;
  readonly signal?: AbortSignal;
  /** Worker halves beside the built-in ones. */
  readonly entries?: readonly WorkerToolEntry[];
}

export interface ToolBench {
  readonly workspace: Workspace;
  readonly progress: unknown[];
  /** The output, its changes committed, as those of `commit-1` and so on. Rejects as the call failed. */
  call(name: string, input: Record<string, unknown>): Promise<unknown>;
  /** What the worker answered; nothing is committed. */
  reply(name: string, input: Record<string, unknown>): Promise<WorkReply>;
  /** A change behind the model's back. */
  write(path: string, content: string | Uint8Array): Promise<void>;
  readText(path: string): Promise<string>;
}

const limits: WorkLimits = {
  timeoutMs: 10_000,
  maxFileBytes: 8 * 1024 * 1024,
  maxOutputChars: 400_000,
  maxMemoryBytes: 64 * 1024 * 1024,
};

/** `files` are relative to `/work`, the working directory unless `cwd` says otherwise. */
export async function createToolBench(
  files: Readonly<Record<string, string | Uint8Array>>,
  options: ToolBenchOptions = {},
): Promise<ToolBench> {
  const workspace = await createMemoryWorkspace();
  const search = new SearchService();
  const cwd = options.cwd ?? '/work';
  const known = new Map<string, number>();
  const progress: unknown[] = [];
  let commits = 0;
  const access: PathAccess = {
    cwd,
    roots: ['/work'],
    readOnlyRoots: [],
    rules: options.rules ?? [],
    write: 'allow',
  };

  const write = async (path: string, content: string | Uint8Array) => {
    await workspace.fs.mkdir(dirname(path), { recursive: true });
    await workspace.fs.writeFile(path, content);
  };

  const reply = (name: string, input: Record<string, unknown>) =>
    runHandler(
      {
        callId: 'call-1',
        toolName: name,
        input,
        sessionId: 'session-1',
        address: { root: 'main', minSeq: workspace.seq() },
        access,
        cwd,
        limits: { ...limits, ...options.limits },
        knownVersions: [...known],
      },
      {
        entries: [...workers, ...(options.entries ?? [])],
        views: workspace,
        search,
        realm: {
          loadWasm: () => Promise.reject(new Error('These tools need no wasm.')),
          keep: (_key, create) => create(),
          network: createServerFetch(() =>
            Promise.reject(new Error('These tools need no network.')),
          ),
        },
        savedStates: { get: () => undefined, set: () => {} },
        openCalls: new OpenCalls(),
      },
      {
        onProgress: (event) => void progress.push(event),
        onEffect: () => undefined,
        onNestedCall: refuseNestedCalls,
        onClockStart: () => {},
        onDownload: () => {},
        signal: options.signal ?? new AbortController().signal,
      },
    );

  await workspace.fs.mkdir('/work');
  for (const [path, content] of Object.entries(files)) await write(`/work/${path}`, content);

  return {
    workspace,
    progress,
    reply,
    write,
    readText: (path) => workspace.fs.readFile(path, 'utf8'),
    async call(name, input) {
      const answer = await reply(name, input);
      if (answer.type === 'lost') throw new Error(answer.message);
      if (answer.type === 'failed') throw fromSerializedError(answer.error);
      for (const [path, version] of answer.reads) known.set(path, version);
      if (answer.changeSet) {
        commits += 1;
        const author = { kind: 'agent', callId: `commit-${commits}` } as const;
        const { seq } = await workspace.commit(answer.changeSet, { author });
        for (const { path } of answer.changeSet.changes) known.set(path, seq);
      }
      return answer.output;
    },
  };
}
