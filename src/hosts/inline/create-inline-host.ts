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
import { checkCwd } from '../check-cwd.ts';
import { createClosedHostError } from '../closed-host.ts';
import { createHostGit, type HostGit } from '../host-git.ts';
import type { LanguageServers } from '../language-servers.ts';
import type { WorkerToolEntry } from '../run-handler.ts';
import type { HostGitSettings } from '../git-network.ts';
import { createWebPort } from '../web-network.ts';
import { createInlineExecutor } from './inline-executor.ts';

/** All options may be left out: the host then has an empty workspace of its own. */
export interface InlineHostOptions {
  /** The caller disposes it. Left out: a workspace in memory, disposed with the host. */
  readonly workspace?: Workspace & ViewSource;
  /** Absolute, below the root; created if it doesn't exist. @defaultValue `/workspace` */
  readonly cwd?: string;
  /**
   * Loads the sandbox engine's compiled wasm. Left out: a Repl call fails because it is missing.
   */
  readonly loadWasm?: () => Promise<WebAssembly.Module>;
  /** The worker halves of your own tools. They can't replace built-in tools. */
  readonly handlers?: readonly WorkerToolEntry[];
  /**
   * Language servers for the tool LSP, created by `createLanguageServers` of rockpool/lsp. They
   * compute on this thread. Left out: the host has no such tool.
   */
  readonly languageServers?: LanguageServers;
  /** The memory limits of searches. */
  readonly search?: SearchOptions;
  /** @defaultValue the system clock */
  readonly clock?: Clock;
  /** How git reaches servers, where its credentials come from, and who commits. */
  readonly git?: HostGitSettings;
  /** How MCP servers are reached, and how people log in to them. */
  readonly mcp?: McpHostOptions;
  /** The limits of a call, if they differ from the defaults. */
  readonly limits?: Host['limits'];
  /**
   * Called with the computing time of calls, measured by counts. For runtimes whose clocks don't
   * advance during computation.
   */
  readonly onWork?: (ms: number) => void;
}

/** A host on this thread. */
export interface InlineHost extends Host {
  /**
   * The documents that a person has open. Calls work on the unsaved text of each added document.
   */
  readonly documents: OpenDocuments;
  /**
   * A person's git on the repository of the working directory: each command is committed whole or not at all.
   * No permission rule is asked. See {@link createHostGit}.
   */
  readonly git: HostGit;
  /** Mounts a source at a path, absolute or relative to `cwd`. */
  mount(path: string, source: HostFs, options?: MountOptions): Promise<Mount>;
}

/**
 * Creates a host whose tools run on this thread. A call that never yields blocks the thread and
 * can't be interrupted.
 *
 * @throws SdkError `bad-usage` if the working directory isn't below the root
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
    // Node has no WebSocket before version 22.
    ...(typeof WebSocket !== 'undefined' && { sockets: createSocketPort() }),
    cwd,
    ...(languageServers && { hasLanguageServers: true }),
    mover: async (...asked) => (await import('../../wire/handover/mover.ts')).moveTo(...asked),
    ...(options.limits && { limits: options.limits }),
    loadTools: loadBuiltInTools,
    async [Symbol.asyncDispose]() {
      await flushSessions(mounts.workspace);
      breakOffSessions(mounts.workspace, createClosedHostError());
      // The calls end first, so none of them uses a closed workspace.
      executor[Symbol.dispose]();
      languageServers?.release();
      await mounts.close();
      if (!options.workspace) await workspace[Symbol.asyncDispose]();
    },
  };
}

// The error is part of the cell's result: other tools need no engine, so the host works without it.
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
