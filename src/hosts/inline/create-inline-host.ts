// Everything on one thread: for Node, tests and tiny embeds. The other hosts must agree with it.
import { checkLimitOptions, checkOptionNames } from '../../core/check-option-names.ts';
import type { Host } from '../../agent/host.ts';
import { breakOffSessions, flushSessions } from '../../agent/session/held-sessions.ts';
import { SdkError } from '../../core/errors.ts';
import { createServerFetch } from '../../core/host-ports/fetch-port.ts';
import type { Clock } from '../../core/tool/ports.ts';
import { createSocketPort } from '../../core/host-ports/socket-port.ts';
import { systemClock } from '../../core/async/system-clock.ts';
import { createThreadMcpClient, type McpHostOptions } from '../../mcp/client/thread-client.ts';
import { loadBuiltInTools } from '../../tools/definitions.ts';
import { workers } from '../../tools/workers.ts';
import { createMemoryWorkspace } from '../../workspace/memory-workspace.ts';
import type { SearchOptions } from '../../search/index/search-memory.ts';
import type { ViewSource } from '../../workspace/draft/view.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import {
  createOpenDocuments,
  type OpenDocuments,
} from '../../workspace/documents/open-documents.ts';
import type { HostFs } from '../../workspace/mounts/host-fs.ts';
import { createMounts } from '../../workspace/mounts/mounts.ts';
import type { Mount, MountOptions } from '../../workspace/mounts/mount.ts';
import type { Git } from '../../workspace/git/commands/create-git.ts';
import { checkCwd } from '../check-cwd.ts';
import { createClosedHostError } from '../closed-host.ts';
import { createHostGit } from '../host-git.ts';
import type { LanguageServers } from '../language-servers.ts';
import type { WorkerToolEntry } from '../run-handler.ts';
import type { HostGitSettings } from '../git-network.ts';
import { createWebPort } from '../web-network.ts';
import { createInlineExecutor } from './inline-executor.ts';

/** All may be left out: the host then works on an empty workspace of its own. */
export interface InlineHostOptions {
  /** Stays the caller's to dispose. Left out: one in memory that goes with the host. */
  readonly workspace?: Workspace & ViewSource;
  /** Absolute, below the root; made if it isn't there. @defaultValue `/workspace` */
  readonly cwd?: string;
  /** Gives the sandbox engine's wasm, compiled. Left out: a Repl call says that it is missing. */
  readonly loadWasm?: () => Promise<WebAssembly.Module>;
  /** The worker halves of tools of your own. A built-in of the same name stays. */
  readonly handlers?: readonly WorkerToolEntry[];
  /**
   * Language servers with the tool LSP, by `createLanguageServers` of rockpool/lsp. They compute on this thread. Left
   * out: the tool isn't there.
   */
  readonly languageServers?: LanguageServers;
  /** What searches may keep in memory. */
  readonly search?: SearchOptions;
  /** @defaultValue the system's */
  readonly clock?: Clock;
  /** How git reaches servers, who knows the passwords for them, and who commits. */
  readonly git?: HostGitSettings;
  /** How MCP servers elsewhere are reached, and how people log in to them. */
  readonly mcp?: McpHostOptions;
  /** What a call may take here, where it is less or more than usual. */
  readonly limits?: Host['limits'];
  /** Called with the time that calls have computed, by their own counts. For places where clocks stand still. */
  readonly onWork?: (ms: number) => void;
}

/** A host on this thread. */
export interface InlineHost extends Host {
  /** What a person has open: add each document, and a call works on what is typed. */
  readonly documents: OpenDocuments;
  /**
   * A person's git on the repository of the working directory: each command is committed whole or not at all.
   * No permission rule is asked. See {@link createHostGit}.
   */
  readonly git: Git;
  /** Shows a source below a path, absolute or from `cwd`. */
  mount(path: string, source: HostFs, options?: MountOptions): Promise<Mount>;
}

/**
 * Makes a host whose tools run on this thread. A call that never yields blocks the thread and can't be cut.
 *
 * @throws SdkError `bad-usage` for a working directory that isn't one directory below the root.
 */
export async function createInlineHost(options: InlineHostOptions = {}): Promise<InlineHost> {
  checkOptionNames('createInlineHost', options, knownOptions);
  checkLimitOptions('limits of createInlineHost', options.limits, knownLimits);
  const cwd = checkCwd(options.cwd);
  const workspace = options.workspace ?? (await createMemoryWorkspace());
  const { languageServers } = options;
  await workspace.fs.mkdir(cwd, { recursive: true });
  const executor = createInlineExecutor({
    entries: [
      ...workers,
      ...(languageServers ? [languageServers.entry] : []),
      ...(options.handlers ?? []),
    ],
    views: workspace,
    search: options.search,
    loadWasm: options.loadWasm ?? refuseWasm,
    onWork: options.onWork,
    git: options.git,
  });
  const clock = options.clock ?? systemClock;
  const mounts = createMounts({
    workspace,
    clock,
    cwd,
    toHostFs: (source: HostFs) => Promise.resolve(source),
  });
  return {
    kind: 'inline',
    workspace: mounts.workspace,
    mount: mounts.mount,
    readOnlyMounts: mounts.readOnlyPaths,
    documents: createOpenDocuments(),
    executor,
    git: createHostGit({ executor, workspace: mounts.workspace, cwd }),
    clock,
    mcp: createThreadMcpClient(
      { fetch: createServerFetch((url, init) => fetch(url, init)), now: () => clock.now() },
      options.mcp,
    ),
    web: createWebPort(createServerFetch((url, init) => fetch(url, init))),
    // Node has none before 22.
    ...(typeof WebSocket !== 'undefined' && { sockets: createSocketPort() }),
    cwd,
    ...(languageServers && { hasLanguageServers: true }),
    mover: async (...asked) => (await import('../../wire/handover/mover.ts')).moveTo(...asked),
    ...(options.limits && { limits: options.limits }),
    loadTools: loadBuiltInTools,
    async [Symbol.asyncDispose]() {
      await flushSessions(mounts.workspace);
      breakOffSessions(mounts.workspace, createClosedHostError());
      // First the calls, so that none of them meets a closed workspace.
      executor[Symbol.dispose]();
      languageServers?.release();
      await mounts.close();
      if (!options.workspace) await workspace[Symbol.asyncDispose]();
    },
  };
}

// A refusal in the cell's own result: the other tools need no engine, so the host stands without it.
function refuseWasm(): Promise<WebAssembly.Module> {
  return Promise.reject(
    new SdkError(
      'unsupported-environment',
      'The Repl has no engine here: pass loadWasm to createInlineHost, which gives quickjs.wasm compiled.',
      { data: { missing: 'loadWasm' } },
    ),
  );
}

const knownOptions = {
  workspace: true,
  cwd: true,
  loadWasm: true,
  handlers: true,
  languageServers: true,
  search: true,
  clock: true,
  git: true,
  mcp: true,
  limits: true,
  onWork: true,
} satisfies Record<keyof InlineHostOptions, true>;

const knownLimits = {
  maxFileBytes: true,
  maxOutputChars: true,
  maxMemoryBytes: true,
  questionsPerMs: true,
  checksPerMs: true,
} satisfies Record<keyof NonNullable<Host['limits']>, true>;
