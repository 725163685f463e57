// The host of a tab: starts the FS worker, has a tool worker at hand, and gives the agent what it
// needs. The page itself only passes messages.
import type { Host } from '../../../agent/host.ts';
import { breakOffSessions, flushSessions } from '../../../agent/session/held-sessions.ts';
import { SdkError } from '../../../core/errors.ts';
import { resolvePath } from '../../../core/path.ts';
import { createPageFetch, type FetchPort } from '../../../core/host-ports/fetch-port.ts';
import { createSocketPort } from '../../../core/host-ports/socket-port.ts';
import { loadOnce } from '../../../core/async/load-once.ts';
import type { Preview } from '../../../core/host-ports/preview.ts';
import type { McpClientPort } from '../../../core/mcp/mcp-server.ts';
import type { Clock } from '../../../core/tool/ports.ts';
import type { KnownTools } from '../../../core/tool/listed-tool.ts';
import type { Tool } from '../../../core/tool/tool.ts';
import { checkMcpOptions } from '../../../mcp/client/check-mcp-options.ts';
import type { McpHostOptions } from '../../../mcp/client/thread-client.ts';
import { loadBuiltInTools } from '../../../tools/definitions.ts';
import type { SearchFilesOutput } from '../../../tools/search-files/schema.ts';
import type { FileQuery, SearchFilesOptions } from '../../../search/search-files.ts';
import type { Git } from '../../../workspace/git/commands/create-git.ts';
import type { GitCredentialSource } from '../../../workspace/git/remote/network.ts';
import type { Mount, MountOptions } from '../../../workspace/mounts/mount.ts';
import {
  createOpenDocuments,
  type OpenDocuments,
} from '../../../workspace/documents/open-documents.ts';
import { toHostFs, type MountSource } from '../../../workspace/mounts/browser-sources.ts';
import { createMounts } from '../../../workspace/mounts/mounts.ts';
import { checkCwd } from '../../check-cwd.ts';
import { checkOptionNames } from '../../../core/check-option-names.ts';
import { createClosedHostError } from '../../closed-host.ts';
import type { HostGitSettings } from '../../git-network.ts';
import { createHostGit, type HostGitPorts } from '../../host-git.ts';
import { createWebPort, throughWebProxy, type WebHostOptions } from '../../web-network.ts';
import { checkEnvironment, explainInFrame } from './check-environment.ts';
import {
  createToolWorkerConnector,
  type ToolWorkerConnector,
} from '../pool/connect-tool-worker.ts';
import { createLanguageExecutor, type LanguagePool } from '../pool/language-executor.ts';
import { createFsWorker } from './fs-worker-supervisor.ts';
import { toImportSource, type ImportableFiles } from './import-source.ts';
import { askForPersistence, readStorageFacts, type StorageFacts } from './page-storage.ts';
import type {
  ImportProgress,
  ToolWorkerGit,
  ToolWorkerSetup,
  WorkspaceDriver,
} from '../wire/protocol.ts';
import { unpackChanges } from '../wire/packed-changes.ts';
import type { McpWorkerClient } from './mcp-worker-client.ts';
import { endWhenKept } from './kept-page.ts';
import { createMountLock } from './mount-lock.ts';

import { createSessionTabs } from './session-tabs.ts';
import { createPageNotifications } from './page-notifications.ts';
import { openSharedReadOnly } from './shared-read-only.ts';
import { startWorker, type StartedWorker } from '../pool/start-worker.ts';
import { createWorkerClock } from './worker-clock.ts';
import { createWorkerExecutor, type AskForCredentials } from '../pool/worker-executor.ts';
import { createWorkspaceClient } from './workspace-client.ts';

/** Where the files of the host are, when a bundler doesn't find them. All from the page's origin. */
export interface BrowserHostAssets {
  /** `rockpool/dist/fs.worker.js`. */
  readonly fsWorker?: string | URL;
  /**
   * `rockpool/dist/tool.worker.js`, with `sucrase.js`, `repl-world.js` and `git-commands.js` beside it as in the package,
   * or a worker of your own that calls `serveTools`.
   */
  readonly toolWorker?: string | URL;
  /**
   * `rockpool/dist/mcp.worker.js`, with `mcp-tasks.js` beside it: fetched for a query with MCP servers elsewhere.
   */
  readonly mcpWorker?: string | URL;
  /**
   * `rockpool/dist/language.worker.js`, with `typescript.js` and `typescript-libs.js` beside it, or a worker of your own
   * that calls `serveLanguages` of rockpool/lsp: fetched with the first call of LSP. Left out: the tool isn't there.
   */
  readonly languageWorker?: string | URL;
  /**
   * `rockpool/app-frame.html`, served without your page's policy: your page draws the apps of MCP servers in it, by
   * `McpApps` of rockpool/react. Left out: servers are told that there is no screen for them.
   */
  readonly appFrame?: string | URL;
  /** `rockpool/quickjs.wasm`. */
  readonly wasm?: string | URL;
}

/** Which workspace, and what of it the agent sees. */
export interface BrowserHostOptions {
  /** The workspace's name: the same name opens the same files again. */
  readonly workspace: string;
  /**
   * @defaultValue `opfs-log`, or `idb-log` where synchronous OPFS handles don't work: see
   * `workspace.info()`
   */
  readonly driver?: WorkspaceDriver;
  /** The agent's working directory, absolute; made if it isn't there. @defaultValue `/workspace` */
  readonly cwd?: string;
  readonly assets?: BrowserHostAssets;
  /**
   * Where git's requests go, as its servers allow no page to read them, and who commits. It also
   * says who is asked, on the page, when a server wants to know who asks. What that gives is held
   * by the one command that asked.
   */
  readonly git?: HostGitSettings;
  /** How MCP servers elsewhere are reached, and how people log in to them. */
  readonly mcp?: McpHostOptions;
  /** How pages of the web are read, by WebFetch. */
  readonly web?: WebHostOptions;
  /** Where the agent sees the app that it builds, by WebBrowser: see {@link createPreview}. Whoever made it ends it. */
  readonly preview?: Preview;
  /**
   * The most tool workers at a time, at least one. Background calls have workers of their own beside
   * them, and one more is kept loaded as a spare.
   *
   * @defaultValue by the device's cores and memory, two to four
   */
  readonly toolWorkers?: number;
}

/** Where an import goes, what it leaves out, and how it is watched and stopped. */
export interface ImportFilesOptions {
  /** Where to, absolute. @defaultValue the host's `cwd` */
  readonly directory?: string;
  /** Globs from that directory, as permission rules spell them: `node_modules`, `**\/*.log`. */
  readonly exclude?: readonly string[];
  /** Called after each batch, with what is durable by then. */
  readonly onProgress?: (progress: ImportProgress) => void;
  /** Stops before the next batch; what was committed stays. */
  readonly signal?: AbortSignal;
}

/** A tab's host. Disposing it ends its workers; what was acknowledged is kept. */
export interface BrowserHost extends Host {
  readonly kind: 'browser';
  /** What a person has open: add each document, and a call works on what is typed. */
  readonly documents: OpenDocuments;
  /**
   * Loads a folder, files or bytes into the workspace, replacing what stands at the same paths.
   * Contents are read in a worker. Nothing is left out unless `exclude` says so; the result counts.
   * It is committed in batches, one after the other and each as durable as `power`. An import that
   * fails or is stopped leaves whole batches behind, and has told of each. Bytes are copied at the
   * call.
   *
   * @throws SdkError `invalid-input` for a path outside, `ENOSPC`, `aborted`.
   */
  importFiles(source: ImportableFiles, options?: ImportFilesOptions): Promise<ImportProgress>;
  /**
   * Shows a folder, a volume of lightning-fs or files of your own below a path, absolute or from
   * `cwd`. It is read into the workspace, and resolves when that is done. What changes there is
   * written back when the workspace rests. What changes outside is taken in. Closing the host
   * writes back; mounting again goes on.
   *
   * @throws SdkError `EBUSY` where something is mounted there, in this tab or another one, or the
   *   volume is in use. `ENOTEMPTY` where files of the workspace are. `EACCES` for a permission
   *   that isn't given. `aborted`.
   */
  mount(path: string, source: MountSource, options?: MountOptions): Promise<Mount>;
  /** What is mounted. */
  mounts(): readonly Mount[];
  /**
   * A person's search through all files, as an editor's search box makes it. `onFile` gets each
   * file with its lines as they are found, in the order of the paths. No permission rule is asked.
   * Resolves when it is over; `isComplete` is false where `maxLines` ended it.
   *
   * @throws ToolError `invalid-input` for a pattern, a glob or a type that can't be used, with what
   * to write instead; `limit-exceeded`. SdkError `aborted` at once when the signal is;
   * `worker-lost`; `bad-usage` where the host is closed. Throws the workspace's own errors, too,
   * such as `ENOENT`.
   */
  searchFiles(query: FileQuery, options: SearchFilesOptions): Promise<SearchFilesOutput>;
  /**
   * A person's git on the repository of the working directory: each command runs in a tool worker, and is
   * committed whole or not at all. No permission rule is asked. See {@link createHostGit}.
   */
  readonly git: Git;
  /** Undefined where the browser tells nothing. Persistent storage was asked for at opening. */
  storageFacts(): Promise<StorageFacts | undefined>;
  /**
   * Closes the host and deletes the stored workspace. Rejects with `EBUSY` while another tab has it
   * open; then nothing was done, and the host goes on.
   */
  destroy(): Promise<void>;
}

/**
 * Opens a workspace of this origin and the workers around it. Dispose the host when done. Any number
 * of tabs may have the same workspace open: one of them leads, which `workspace.info()` tells.
 *
 * @throws SdkError `unsupported-environment` that names the missing API or the missing directive of
 *   the page's Content-Security-Policy; `bad-usage` for options that make no sense.
 */
export async function createBrowserHost(options: BrowserHostOptions): Promise<BrowserHost> {
  checkOptions(options);
  const { workspace: name, driver, assets = {} } = options;
  const cwd = checkCwd(options.cwd);
  checkEnvironment();
  const pages = openPages(options.web);

  const fsWorker = createFsWorker({
    start: () => startFsWorker(assets.fsWorker),
    setup: { workspace: name, driver, cwd },
    isVisible: isPageVisible,
  });
  // Resources in the order of their making. They are disposed in the reverse order.
  const resources: Disposable[] = [fsWorker];
  const release = () => {
    for (const resource of resources.splice(0).reverse()) resource[Symbol.dispose]();
  };
  const { port } = fsWorker;
  try {
    // The connector is made now, so that it loads a worker while the workspace is being opened.
    const engine = findEngine(assets);
    const connector = createToolWorkerConnector({
      createWorker: () => createToolWorker(assets.toolWorker),
      feeds: fsWorker,
      setup: { ...engine, ...(options.git && { git: toGitSettings(options.git) }) },
    });
    resources.push(connector);
    let languages: ToolWorkerConnector | undefined;
    fsWorker.onFeedsEnded(() => {
      connector.feedAnew();
      languages?.feedAnew();
    });
    const info = await fsWorker.open();
    if (info.isPersistent) askForPersistence();
    resources.push(followVisibility(() => fsWorker.tellVisible()));
    const clock = createWorkerClock(port);
    const toolExecutor = createWorkerExecutor(connector.connect, {
      size: options.toolWorkers,
      clock,
      credentials: options.git?.credentials && askForCredentials(options.git.credentials),
    });
    const { languageWorker } = assets;
    const openLanguages = (url: string | URL): LanguagePool => {
      const own = createToolWorkerConnector({
        createWorker: () => new Worker(url, { type: 'module' }),
        asset: 'languageWorker',
        feeds: fsWorker,
        setup: engine,
      });
      // Whoever calls hears of it.
      own.ready.catch(() => undefined);
      languages = own;
      const pool = createWorkerExecutor(own.connect, { size: 1, clock });
      return {
        executor: pool,
        [Symbol.dispose]() {
          languages = undefined;
          pool[Symbol.dispose]();
          own[Symbol.dispose]();
        },
      };
    };
    const executor = languageWorker
      ? createLanguageExecutor({
          executor: toolExecutor,
          openPool: () => openLanguages(languageWorker),
          clock,
        })
      : toolExecutor;
    resources.push(executor);
    const mcp = createMcpPort(assets.mcpWorker, clock, options.mcp);
    resources.push(mcp);
    await connector.ready;

    const endOnce = async (how: 'close' | 'destroy') => {
      // Everything that was told is stored first. The ends of calls that end with their workers
      // aren't: these calls go on when the session is opened again.
      await flushSessions(workspace);
      port.endRecords();
      breakOffSessions(workspace, createClosedHostError());
      // Calls are ended first, as nothing may be committed to a log that is being closed.
      executor[Symbol.dispose]();
      connector[Symbol.dispose]();
      // Then changes of mounted files are written back.
      await mounts.close();
      try {
        await fsWorker.close(how);
      } finally {
        release();
      }
    };
    let ending: Promise<void> | undefined;
    /** A second caller waits for the first one's end. */
    const end = (how: 'close' | 'destroy') => (ending ??= endOnce(how));
    const client = createWorkspaceClient({ port, close: () => end('close') });
    // A workspace in memory is this page's own.
    const isShared = info.driver !== 'memory';
    const lock = isShared ? createMountLock(name) : undefined;
    if (lock) resources.push(lock);
    const shared = isShared ? await openSharedReadOnly(name) : undefined;
    if (shared) resources.push(shared);
    const mounts = createMounts({
      workspace: client,
      clock,
      cwd,
      toHostFs,
      ...(lock && { lock: lock.tryHold }),
      ...(shared && { shared }),
    });
    const tabs = isShared ? createSessionTabs(name) : undefined;
    if (tabs) resources.push(tabs);
    const { workspace } = mounts;
    // Ends all as a kill would, as nobody waits for a page that is left.
    const breakOff = () => {
      port.endRecords();
      breakOffSessions(workspace, createClosedHostError());
      release();
    };
    if (isShared) resources.push(endWhenKept(breakOff));
    function loadTools(): Promise<readonly Tool[]>;
    function loadTools(form: 'listed'): Promise<KnownTools>;
    async function loadTools(form?: 'listed'): Promise<KnownTools> {
      executor.warm();
      const tools = await loadDefinitions(form);
      // Called only now, so that it delays nothing that the first request needs. A person types
      // meanwhile.
      connector.expectCalls();
      return tools;
    }
    // If there are read-only mounts, each path is looked at on the page.
    const commitPacked: HostGitPorts['commitPacked'] = async (packed, how) =>
      mounts.readOnlyPaths().length === 0
        ? client.commitPacked(packed, how)
        : workspace.commit(unpackChanges(packed), how);
    let git: Git | undefined;
    return {
      kind: 'browser',
      workspace,
      ...(tabs && { tabs }),
      mount: mounts.mount,
      mounts: mounts.list,
      readOnlyMounts: mounts.readOnlyPaths,
      documents: createOpenDocuments(),
      executor,
      clock,
      mcp,
      web: createWebPort(pages),
      sockets: createSocketPort([location.hostname]),
      onPushNotification: createPageNotifications(window),
      ...(languageWorker && { hasLanguageServers: true }),
      ...(options.preview && { preview: options.preview }),
      ...(assets.appFrame && { appFrame: new URL(assets.appFrame, document.baseURI).href }),
      cwd,
      mover: async (...asked) => (await import('../../../wire/handover/mover.ts')).moveTo(...asked),
      loadTools,
      async importFiles(files, { directory = cwd, exclude = [], onProgress, signal } = {}) {
        const { source, transfer } = toImportSource(files);
        const settings = { directory: resolvePath(cwd, directory), exclude };
        const request = { type: 'import', source, settings } as const;
        const options = { transfer, ...(onProgress && { onProgress }), signal };
        return (await port.request(request, options)) as ImportProgress;
      },
      async searchFiles(query, searchOptions) {
        const { searchFiles } = await import('./search-files.ts');
        return searchFiles({ executor, workspace, clock }, query, searchOptions);
      },
      get git() {
        return (git ??= createHostGit({ executor, workspace, cwd, commitPacked }));
      },
      storageFacts: readStorageFacts,
      async destroy() {
        if (ending) return ending;
        await fsWorker.requireAlone();
        await end('destroy');
      },
      [Symbol.asyncDispose]: () => workspace[Symbol.asyncDispose](),
    };
  } catch (error) {
    release();
    throw explainInFrame(error);
  }
}

function isPageVisible(): boolean {
  return document.visibilityState === 'visible';
}

/** The FS worker can't see for itself whether its page is shown. */
function followVisibility(tell: () => void): Disposable {
  document.addEventListener('visibilitychange', tell);
  return { [Symbol.dispose]: () => document.removeEventListener('visibilitychange', tell) };
}

// Bundlers find a worker's file by these very words: `new Worker(new URL(…, import.meta.url), …)`.

function startFsWorker(url: string | URL | undefined): StartedWorker {
  return startWorker({
    asset: 'fsWorker',
    create: () =>
      url
        ? new Worker(url, { type: 'module' })
        : new Worker(new URL('../fs-worker/fs.worker.ts', import.meta.url), { type: 'module' }),
  });
}

function createToolWorker(url: string | URL | undefined): Worker {
  return url
    ? new Worker(url, { type: 'module' })
    : new Worker(new URL('../tool-worker/tool.worker.ts', import.meta.url), { type: 'module' });
}

/** Its code is fetched with the first server. */
function createMcpPort(
  url: string | URL | undefined,
  clock: Clock,
  options: McpHostOptions = {},
): McpClientPort & Disposable {
  checkMcpOptions(options);
  const load = loadOnce(async () => {
    const [{ createMcpClient }, { createMcpWorkerClient }] = await Promise.all([
      import('../../../mcp/client/remote-server.ts'),
      import('./mcp-worker-client.ts'),
    ]);
    const worker = createMcpWorkerClient(() => startMcpWorker(url), clock, options);
    client = worker;
    // The host was closed while the code was on its way.
    if (isDisposed) worker[Symbol.dispose]();
    return { worker, servers: createMcpClient(worker.connect) };
  });
  let client: McpWorkerClient | undefined;
  let isDisposed = false;
  const loadPage = loadOnce(async () => {
    const [{ createMcpClient }, { createWebConnect }] = await Promise.all([
      import('../../../mcp/client/remote-server.ts'),
      import('./web-mcp.ts'),
    ]);
    return createMcpClient(createWebConnect(clock, options.bounds));
  });
  return {
    hasPage: true,
    // Only the page itself has its tools.
    connect: async (name, config, ...rest) =>
      config.type === 'webmcp'
        ? (await loadPage()).connect(name, config, ...rest)
        : (await load()).servers.connect(name, config, ...rest),
    ...(options.login && {
      logins: {
        begin: async (...asked) => (await load()).worker.logins.begin(...asked),
        complete: async (...asked) => (await load()).worker.logins.complete(...asked),
        forget: async (...asked) => (await load()).worker.logins.forget(...asked),
      },
    }),
    [Symbol.dispose]() {
      isDisposed = true;
      client?.[Symbol.dispose]();
    },
  };
}

function startMcpWorker(url: string | URL | undefined): StartedWorker {
  return startWorker({
    asset: 'mcpWorker',
    create: () =>
      url
        ? new Worker(url, { type: 'module' })
        : new Worker(new URL('../mcp-worker/mcp.worker.ts', import.meta.url), { type: 'module' }),
  });
}

// With the first message, so the network may have gone since the page was opened.
async function loadDefinitions(form?: 'listed'): Promise<KnownTools> {
  try {
    return await loadBuiltInTools(form);
  } catch (error) {
    throw new SdkError(
      'unsupported-environment',
      "The tools' code couldn't be loaded. Check the network, and that the page's own files are " +
        'all there, then try again.',
      { cause: error },
    );
  }
}

/** Pages of the web are asked for by the page itself, whose calls read them. */
function openPages({ proxy }: WebHostOptions = {}): FetchPort {
  const port = createPageFetch((url, init) => fetch(url, init), location.hostname);
  return proxy === undefined ? port : throughWebProxy(port, proxy, document.baseURI);
}

/** A worker has no address of its own that the proxy's could be relative to. */
function toGitSettings({ proxy, author, credentials }: HostGitSettings): ToolWorkerGit {
  const url = proxy && new URL(proxy.url, document.baseURI).href;
  return {
    ...(author && { author }),
    ...(proxy && url && { proxy: { ...proxy, url } }),
    hasCredentials: credentials !== undefined,
  };
}

/** Its code is fetched with the first server that wants to know who asks. */
function askForCredentials(source: GitCredentialSource): AskForCredentials {
  return async (...asked) => {
    const { giveCredentials } = await import('./give-credentials.ts');
    return giveCredentials({ source, ownHost: location.hostname }, ...asked);
  };
}

/** Beside the built library. From source there is none: the page passes `assets.wasm`. */
function findEngine({
  wasm = new URL('./quickjs.wasm', import.meta.url),
}: BrowserHostAssets): ToolWorkerSetup {
  return { wasmUrl: new URL(wasm, document.baseURI).href };
}

const drivers: readonly WorkspaceDriver[] = ['opfs-log', 'idb-log', 'memory'];

const knownOptions = {
  workspace: true,
  driver: true,
  cwd: true,
  assets: true,
  git: true,
  mcp: true,
  web: true,
  preview: true,
  toolWorkers: true,
} satisfies Record<keyof BrowserHostOptions, true>;

const knownAssets = {
  fsWorker: true,
  toolWorker: true,
  mcpWorker: true,
  languageWorker: true,
  appFrame: true,
  wasm: true,
} satisfies Record<keyof BrowserHostAssets, true>;

function checkOptions(options: BrowserHostOptions): void {
  checkOptionNames('createBrowserHost', options, knownOptions);
  const { workspace, driver, toolWorkers, assets } = options;
  if (assets !== undefined) checkOptionNames('assets of createBrowserHost', assets, knownAssets);
  const refuse = (message: string) => {
    throw new SdkError('bad-usage', message, { data: { workspace, driver, toolWorkers } });
  };
  if (typeof workspace !== 'string' || workspace === '') {
    refuse('createBrowserHost needs the name of a workspace: the same name opens the same files.');
  }
  if (driver !== undefined && !drivers.includes(driver)) {
    refuse(`There is no driver "${String(driver)}". Use ${drivers.join(', ')}, or leave it out.`);
  }
  if (toolWorkers !== undefined && !(Number.isInteger(toolWorkers) && toolWorkers >= 1)) {
    refuse(`toolWorkers is the most workers at a time, at least 1. It is ${String(toolWorkers)}.`);
  }
}
