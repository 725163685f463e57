// Creates the host of a tab: starts the FS worker, keeps a tool worker ready, and provides the
// agent's ports. The page itself only passes messages.
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
import { createHostGit, type HostGit, type HostGitPorts } from '../../host-git.ts';
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

/**
 * URLs of the host's files, for when a bundler doesn't find them. All must be from the page's
 * origin.
 */
export interface BrowserHostAssets {
  /** `rockpool/dist/fs.worker.js`. */
  readonly fsWorker?: string | URL;
  /**
   * `rockpool/dist/tool.worker.js`, with `sucrase.js`, `repl-world.js` and `git-commands.js` beside it as in the
   * package, or a worker of your own that calls `serveTools`.
   */
  readonly toolWorker?: string | URL;
  /**
   * `rockpool/dist/mcp.worker.js`, with `mcp-tasks.js` beside it. Fetched for a query with remote
   * MCP servers.
   */
  readonly mcpWorker?: string | URL;
  /**
   * `rockpool/dist/language.worker.js`, with `typescript.js` and `typescript-libs.js` beside it, or
   * a worker of your own that calls `serveLanguages` of rockpool/lsp. Fetched with the first LSP
   * call. Left out: there is no LSP tool.
   */
  readonly languageWorker?: string | URL;
  /**
   * `rockpool/app-frame.html`, served without your page's policy. `McpApps` of rockpool/react shows
   * the apps of MCP servers in it. Left out: servers are told that apps can't be shown.
   */
  readonly appFrame?: string | URL;
  /** `rockpool/quickjs.wasm`. */
  readonly wasm?: string | URL;
}

/** The workspace, and the agent's directory in it. */
export interface BrowserHostOptions {
  /** The workspace's name. The same name opens the same files again. */
  readonly workspace: string;
  /**
   * @defaultValue `opfs-log`, or `idb-log` where synchronous OPFS handles don't work: see
   * `workspace.info()`
   */
  readonly driver?: WorkspaceDriver;
  /** The agent's working directory, absolute. Created if missing. @defaultValue `/workspace` */
  readonly cwd?: string;
  readonly assets?: BrowserHostAssets;
  /**
   * Git's proxy (git servers don't allow cross-origin reads), credentials and author. Credentials
   * are requested on the page when a server requires them, and are kept only for that command.
   */
  readonly git?: HostGitSettings;
  /** How remote MCP servers are reached, and how people log in to them. */
  readonly mcp?: McpHostOptions;
  /** How WebFetch reads web pages. */
  readonly web?: WebHostOptions;
  /**
   * Where WebBrowser shows the app that the agent builds: see {@link createPreview}. The creator of
   * the preview disposes of it.
   */
  readonly preview?: Preview;
  /**
   * The most tool workers at a time, at least one. Background calls have additional workers, and
   * one more is loaded as a spare.
   *
   * @defaultValue depends on the device's cores and memory, two to four
   */
  readonly toolWorkers?: number;
}

/** Target, exclusions, progress and abort of an import. */
export interface ImportFilesOptions {
  /** The absolute target directory. @defaultValue the host's `cwd` */
  readonly directory?: string;
  /**
   * Globs relative to that directory, in the syntax of permission rules: `node_modules`,
   * `**\/*.log`.
   */
  readonly exclude?: readonly string[];
  /** Called after each batch with the durable counts. */
  readonly onProgress?: (progress: ImportProgress) => void;
  /** Stops before the next batch. What was committed stays. */
  readonly signal?: AbortSignal;
}

/** A tab's host. Disposing of it ends its workers. Acknowledged data is kept. */
export interface BrowserHost extends Host {
  readonly kind: 'browser';
  /** The documents open in editors. Add each, so that calls see its unsaved text. */
  readonly documents: OpenDocuments;
  /**
   * Imports a folder, files or bytes into the workspace, replacing nodes at the same paths.
   * Contents are read in a worker. Everything is imported unless `exclude` matches it. Batches are
   * committed one after the other with durability `power`. After a failure or abort, complete
   * batches stay, each of which was reported. Bytes are copied at the call.
   *
   * @throws SdkError `invalid-input` for a path outside of the directory, `ENOSPC`, `aborted`.
   */
  importFiles(source: ImportableFiles, options?: ImportFilesOptions): Promise<ImportProgress>;
  /**
   * Mounts a folder, a lightning-fs volume or your own source at a path, absolute or relative to
   * `cwd`. Resolves once its files were read into the workspace. Changes here are written back when
   * the workspace is idle, and outside changes are read. Closing the host writes changes back, and
   * mounting again continues.
   *
   * @throws SdkError `EBUSY` if something is mounted there, in this tab or another one, or the
   * volume is
   *   in use. `ENOTEMPTY` if the workspace has files there. `EACCES` if the permission isn't granted.
   *   `aborted`.
   */
  mount(path: string, source: MountSource, options?: MountOptions): Promise<Mount>;
  /** Returns the mounts. */
  mounts(): readonly Mount[];
  /**
   * A person's search through all files, as for an editor's search box. `onFile` gets each file
   * with its matching lines, in path order. Permission rules don't apply. `isComplete` in the
   * result is false if `maxLines` ended the search.
   *
   * @throws ToolError `invalid-input` for an invalid pattern, glob or type, with what to write
   * instead; `limit-exceeded`. SdkError `aborted` at once after an abort; `worker-lost`;
   * `bad-usage` if the host is closed. Also throws errors of the workspace, such as `ENOENT`.
   */
  searchFiles(query: FileQuery, options: SearchFilesOptions): Promise<SearchFilesOutput>;
  /**
   * A person's git on the repository of the working directory. Each command runs in a tool worker,
   * and is committed as a whole or not at all. Permission rules don't apply. See {@link
   * createHostGit}.
   */
  readonly git: HostGit;
  /** Undefined if the browser provides no figures. Persistent storage was requested at opening. */
  storageFacts(): Promise<StorageFacts | undefined>;
  /**
   * Closes the host and deletes the stored workspace. Rejects with `EBUSY` while another tab has it
   * open; nothing is changed then, and the host stays open.
   */
  destroy(): Promise<void>;
}

/**
 * Opens a workspace of this origin and starts its workers. Dispose of the host when done. Several
 * tabs may have the same workspace open; one of them leads, as `workspace.info()` tells.
 *
 * @throws SdkError `unsupported-environment` that names the missing API, or the missing directive
 * of
 *   the page's Content-Security-Policy; `bad-usage` for invalid options.
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
  // Resources in the order of creation. They are disposed of in reverse order.
  const resources: Disposable[] = [fsWorker];
  const release = () => {
    for (const resource of resources.splice(0).reverse()) resource[Symbol.dispose]();
  };
  const { port } = fsWorker;
  try {
    // Created now, so that a worker is loaded while the workspace is being opened.
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
      // The caller of a tool gets the error.
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
      // All recorded entries are stored first. The ends of calls that end with their workers aren't
      // recorded, so these calls continue when the session is opened again.
      await flushSessions(workspace);
      port.endRecords();
      breakOffSessions(workspace, createClosedHostError());
      // Calls are ended first, because nothing may be committed to a log that is being closed.
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
    // Ends everything without waiting, because the page is being left.
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
      // Called only now, so that it doesn't delay the first request. A person needs time to type.
      connector.expectCalls();
      return tools;
    }
    // With read-only mounts, each path is checked on the page.
    const commitPacked: HostGitPorts['commitPacked'] = async (packed, how) =>
      mounts.readOnlyPaths().length === 0
        ? client.commitPacked(packed, how)
        : workspace.commit(unpackChanges(packed), how);
    let git: HostGit | undefined;
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
        const settings = { directory: resolvePath(cwd, directory), exclude: [...exclude] };
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

/** Tells the FS worker whether the page is visible, which it can't find out itself. */
function followVisibility(tell: () => void): Disposable {
  document.addEventListener('visibilitychange', tell);
  return { [Symbol.dispose]: () => document.removeEventListener('visibilitychange', tell) };
}

// Bundlers recognize a worker's file by exactly this expression: `new Worker(new URL(…,
// import.meta.url), …)`.

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

/** The code is fetched with the first server. */
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
    // The host was closed while the code was being fetched.
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
    // Only the page itself can access its WebMCP tools.
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

// Loaded with the first message, so the network may be gone by then.
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

/** The page itself fetches web pages, because calls on the page read them. */
function openPages({ proxy }: WebHostOptions = {}): FetchPort {
  const port = createPageFetch((url, init) => fetch(url, init), location.hostname);
  return proxy === undefined ? port : throughWebProxy(port, proxy, document.baseURI);
}

/** A worker has no base URL for a relative proxy address. */
function toGitSettings({ proxy, author, credentials }: HostGitSettings): ToolWorkerGit {
  const url = proxy && new URL(proxy.url, document.baseURI).href;
  return {
    ...(author && { author }),
    ...(proxy && url && { proxy: { ...proxy, url } }),
    hasCredentials: credentials !== undefined,
  };
}

/** The code is fetched when a server first requires credentials. */
function askForCredentials(source: GitCredentialSource): AskForCredentials {
  return async (...asked) => {
    const { giveCredentials } = await import('./give-credentials.ts');
    return giveCredentials({ source, ownHost: location.hostname }, ...asked);
  };
}

/**
 * Beside the built library. When run from source there is none, and the page must pass
 * `assets.wasm`.
 */
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
