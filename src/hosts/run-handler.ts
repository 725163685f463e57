// Stage 8: runs one request's handler in the current realm (tool worker, isolate or the single
// thread). Hosts differ only in how a request reaches this function.
import { isAbortError, throwIfAborted } from '../core/async/abort.ts';
import { fromSerializedError, SdkError, toSerializedError, ToolError } from '../core/errors.ts';
import { meansGitCommand } from '../core/git/git-commands.ts';
import { gitErrandName, type AskedErrand } from '../core/git/git-errand.ts';
import { gitWorkName } from '../core/git/git-steps.ts';
import type {
  CallToolOptions,
  Handler,
  PartListener,
  Realm,
  RunGitOptions,
  WasmSource,
  WorkContext,
} from '../core/tool/handler.ts';
import type { NestedCall, NestedCallListener } from '../core/tool/nested-call.ts';
import type { WorkPart, WorkReply, WorkRequest } from '../core/tool/ports.ts';
import type { InputSchema, ParsedInput } from '../core/tool/tool.ts';
import type { SearchableFileSystem, SearchService } from '../search/search-service.ts';
import type { ViewSource, WorkspaceView } from '../workspace/draft/view.ts';
import { loadGit } from '../workspace/git/commands/load-git.ts';
import type { GitRunner } from '../workspace/git/commands/git-runner.ts';
import type { HostGitSettings } from './git-network.ts';
import type { OpenCall, OpenCalls } from './open-calls.ts';
import { createStateRecorder } from './state-recorder.ts';

/** A tool's zod schema, or another validator with the same behaviour. */
export interface InputParser {
  safeParse(
    input: unknown,
    options: { readonly jitless: true },
  ):
    | { readonly success: true; readonly data: object }
    | { readonly success: false; readonly error: Error };
}

/** A tool's worker half, as `tools/<tool>/worker.ts` exports it. */
export interface WorkerTool {
  readonly inputSchema: InputParser;
  // oxlint-disable-next-line typescript/no-explicit-any -- a table of handlers of any input: each is called only with what its own schema parsed
  readonly handler: Handler<any, unknown, SearchableFileSystem, any>;
  /**
   * Works on a part of a call that a handler in another realm has shared by `shareWork`. Security:
   * the part is untrusted data of that realm.
   */
  workOnPart?(
    // oxlint-disable-next-line typescript/no-explicit-any -- as `handler`
    input: any,
    part: unknown,
    context: WorkContext<SearchableFileSystem>,
  ): Promise<unknown>;
  /**
   * Loads the dependencies of the handler in advance. May reject: the call then reports the error.
   */
  warm?(realm: WasmSource): Promise<unknown>;
}

/**
 * A worker half as its author writes it. `{…} satisfies WorkerToolDef<typeof schema, Output,
 * Progress>` checks the handler against the schema and the output type of the tool's definition. It
 * is assignable to {@link WorkerTool} for every input type.
 */
export interface WorkerToolDef<
  Input extends InputSchema,
  Output,
  Progress = unknown,
> extends WorkerTool {
  readonly inputSchema: Input;
  readonly handler: Handler<ParsedInput<Input>, Output, SearchableFileSystem, Progress>;
}

/** One row of the table of handlers. The code is loaded when the tool is first called. */
export interface WorkerToolEntry {
  readonly name: string;
  /**
   * Called for each call. It may start loading the sandbox engine together with the code that needs
   * it.
   */
  load(realm: WasmSource): Promise<WorkerTool>;
  /**
   * Workers load the code and what its `warm` loads before the first call. Set it for large code
   * that is likely needed soon. @defaultValue false
   */
  readonly isFetchedAhead?: boolean;
  /**
   * Set it if the tool's calls mostly wait, or yield to the event loop every few milliseconds. Then
   * several of them share one worker. Any other stateless call has its own worker.
   * @defaultValue false
   */
  readonly yieldsThread?: boolean;
}

/** The store of tool states that must survive their worker, by session and tool. */
export interface SavedStates {
  get(key: string): Uint8Array | undefined;
  set(key: string, state: Uint8Array): void;
}

/** The parts of the realm that the handler uses. */
export interface RunHandlerPorts {
  readonly entries: readonly WorkerToolEntry[];
  readonly views: ViewSource;
  /** The realm's search service. */
  readonly search: SearchService;
  readonly realm: Realm;
  readonly savedStates: SavedStates;
  /** The realm's open calls. */
  readonly openCalls: OpenCalls;
  /** Left out: git has no proxy and no credentials. */
  readonly git?: HostGitSettings | undefined;
}

/** The options of one call. Reports of a handler after its reply are ignored. */
export interface RunHandlerOptions {
  readonly onProgress: (progress: unknown) => void;
  /** Called when the call must not be repeated any more. */
  readonly onEffect: () => void;
  readonly signal: AbortSignal;
  readonly onNestedCall: NestedCallListener;
  readonly onClockStart: () => void;
  readonly onDownload: () => void;
  /** Left out if no other realm can work on parts of the call. */
  readonly onShareWork?: (parts: readonly WorkPart[], others: PartListener) => void;
}

/** The key under which a tool's state is saved. */
export function savedStateKey(request: Pick<WorkRequest, 'sessionId' | 'toolName'>): string {
  return `${request.sessionId}/${request.toolName}`;
}

/** The members of the realm that only the host uses. */
export interface HostRealm extends Realm, Disposable {
  /**
   * Disposes the values that the handlers of this session and tool keep. The next call starts anew.
   */
  drop(stateKey: string): void;
}

/** Loads these tools before their first call. Rejects if one of them can't be loaded. */
export async function warmTools(
  toolNames: readonly string[],
  ports: Pick<RunHandlerPorts, 'entries' | 'realm'>,
): Promise<void> {
  const warm = async (name: string) => (await loadTool(name, ports)).warm?.(ports.realm);
  await Promise.all(toolNames.map(warm));
}

/**
 * Runs the request. Never rejects: a thrown error becomes a `failed` reply, and its draft is
 * dropped.
 */
export async function runHandler(
  request: WorkRequest,
  ports: RunHandlerPorts,
  options: RunHandlerOptions,
): Promise<WorkReply> {
  const { openCalls } = ports;
  try {
    const tool = await loadTool(request.toolName, ports);
    const input = parseInput(tool, request);
    const outer = openCalls.findOuter(request);
    const fork = outer?.fork(request.access);
    const view = fork ?? (await ports.views.openView(request.address, request.access));
    const open = openCalls.open(request, view);
    const known = new Map(request.knownVersions);
    const reads = new Map<string, number>();
    const stateKey = savedStateKey(request);
    const recorder = createStateRecorder(request);
    let fs: SearchableFileSystem | undefined;
    let git: GitRunner | undefined;
    let pauseClock: RunGitOptions['pauseClock'];
    const context: WorkContext<SearchableFileSystem> = {
      get fs() {
        return (fs ??= ports.search.over(view));
      },
      cwd: request.cwd,
      sessionId: request.sessionId,
      signal: options.signal,
      limits: request.limits,
      realm: ownRealm(ports.realm, stateKey),
      progress: options.onProgress,
      startClock: options.onClockStart,
      // The outer call's versions are newer than the model's.
      knownVersion: (path) => outer?.knownVersion(path) ?? known.get(path),
      markRead: (path, version) => void reads.set(path, version),
      contents: view.contents,
      downloadedAt: request.downloadedAt,
      noteDownload: options.onDownload,
      network: request.network,
      tools: request.tools ?? [],
      callTool: (toolName, nestedInput, asked) =>
        callTool(open, { toolName, input: nestedInput }, asked, options),
      async runGit(command, args, gitOptions) {
        if (request.deniedGit?.some((pattern) => meansGitCommand(pattern, command))) {
          throw new SdkError(
            'permission-denied',
            `A permission rule forbids git.${command}. Do without it.`,
          );
        }
        pauseClock = gitOptions.pauseClock;
        const [{ createGitRunner }, { openGitNetwork }] = await Promise.all([
          loadGit(),
          import('./git-network.ts'),
        ]);
        git ??= createGitRunner(view, {
          ...(ports.git?.author && { author: ports.git.author }),
          hasSteps: request.toolName === gitWorkName,
          network: openGitNetwork(
            ports.realm.network,
            request.network,
            ports.git ?? {},
            // Commands of a person's own git need no permission.
            request.network?.isOpen
              ? undefined
              : (errand) => askErrand(errand, options, pauseClock),
          ),
        });
        return git.run(command, args, gitOptions);
      },
      noteEffect: options.onEffect,
      fileChanges: () => view.fileChanges(),
      heldBytes: () => view.heldBytes(),
      rollback: () => view.rollback(),
      get savedState() {
        return ports.savedStates.get(stateKey);
      },
      isStateless: request.isStateless === true,
      shareWork: shareWorkOf(request, view, options),
      isRecorded: recorder !== undefined,
      seed: request.seed,
      time: request.time,
      saveState: (state, kept) => {
        if (request.isStateless) return;
        recorder?.note(ports.savedStates.get(stateKey), state, kept);
        ports.savedStates.set(stateKey, state);
      },
    };
    const output = await (request.part
      ? workOnPart(tool, input, request.part, { context, seq: view.seq })
      : tool.handler(input, context));
    // If the handler has ignored an abort, its effects are dropped.
    if (options.signal.aborted) return failed(options.signal.reason);
    const state = await recorder?.finish();
    if (options.signal.aborted) return failed(options.signal.reason);
    const done = {
      type: 'done',
      output,
      changeSet: view.changeSet(),
      reads: [...reads],
      ...(state && { state }),
    } as const;
    if (!outer || !fork) return done;
    outer.finish(request.callId, fork, reads.keys());
    return { ...done, replaced: fork.replaced() };
  } catch (error) {
    return failed(error);
  } finally {
    openCalls.close(request);
  }
}

/**
 * Shared parts refer to the state that the call sees. The draft of an outer call exists only in
 * this realm, so its nested calls share nothing. Background calls share nothing either, because a
 * worker would be started for each part.
 */
function shareWorkOf(
  { outerCallId, isBackground }: WorkRequest,
  { seq }: WorkspaceView,
  { onShareWork }: RunHandlerOptions,
): WorkContext<SearchableFileSystem>['shareWork'] {
  if (!onShareWork || outerCallId !== undefined || isBackground) return undefined;
  return (tasks, others) =>
    onShareWork(
      tasks.map((task) => ({ seq, task })),
      others,
    );
}

/** Rejects if this realm has another state of the workspace. The call then does the part itself. */
function workOnPart(
  { workOnPart }: WorkerTool,
  input: object,
  part: WorkPart,
  { context, seq }: { readonly context: WorkContext<SearchableFileSystem>; readonly seq: number },
): Promise<unknown> {
  if (part.seq !== seq) {
    throw new ToolError('The workspace has changed since the call began.', { code: 'ECONFLICT' });
  }
  if (!workOnPart) throw new TypeError('The tool offers parts of its work and has no workOnPart.');
  return workOnPart(input, part.task, context);
}

/** Rejects if a rule or a person denies it. The call's time limit is paused meanwhile. */
async function askErrand(
  errand: AskedErrand,
  { onNestedCall, onDownload, signal }: RunHandlerOptions,
  pauseClock: RunGitOptions['pauseClock'],
): Promise<void> {
  const resume = pauseClock?.();
  try {
    const reply = await onNestedCall({ toolName: gitErrandName, input: errand });
    if (reply.type === 'failed') throw fromSerializedError(reply.error);
    throwIfAborted(signal);
    onDownload();
  } finally {
    resume?.();
  }
}

async function callTool(
  open: OpenCall,
  call: NestedCall,
  { readPaths, signal, onDownload }: CallToolOptions,
  { onNestedCall }: RunHandlerOptions,
): Promise<unknown> {
  open.see(readPaths);
  const reply = await onNestedCall(call);
  if (reply.isFromOutside) onDownload?.();
  if (reply.type === 'failed') {
    open.drop(reply.callId);
    throw fromSerializedError(reply.error);
  }
  throwIfAborted(signal);
  open.keep(reply.callId);
  return reply.output;
}

// Security: the page has parsed the input too, but a worker trusts no message.
function parseInput(tool: WorkerTool, { toolName, input }: WorkRequest): object {
  // Interpreted, not compiled: compiling needs 'unsafe-eval', which workers of a page with a strict
  // CSP lack.
  const parsed = tool.inputSchema.safeParse(input, { jitless: true });
  if (parsed.success) return parsed.data;
  throw new ToolError(`The input of ${toolName} doesn't fit its schema: ${parsed.error.message}`, {
    code: 'invalid-input',
    data: { toolName },
  });
}

// Security: a tool can't access the kept values of another tool or another conversation.
function ownRealm(realm: Realm, stateKey: string): Realm {
  return {
    loadWasm: () => realm.loadWasm(),
    network: realm.network,
    keep: (key, create) => realm.keep(`${stateKey}/${key}`, create),
    noteSpent: () => realm.noteSpent?.(),
    noteWork: (ms) => realm.noteWork?.(ms),
  };
}

async function loadTool(
  name: string,
  { entries, realm }: Pick<RunHandlerPorts, 'entries' | 'realm'>,
): Promise<WorkerTool> {
  const entry = entries.find((candidate) => candidate.name === name);
  if (entry) return loadEntry(entry, realm);
  throw new ToolError(
    `This worker has no handler for ${name}. Serve it from your worker entry with serveTools().`,
    { code: 'unknown-tool', data: { toolName: name } },
  );
}

// A worker that started online may have to load a tool's code offline.
async function loadEntry(entry: WorkerToolEntry, realm: Realm): Promise<WorkerTool> {
  try {
    return await entry.load(realm);
  } catch (error) {
    throw new ToolError(
      `The code of ${entry.name} couldn't be loaded (${String(error)}). Check the network and try again.`,
      { code: 'unsupported-environment', data: { toolName: entry.name }, cause: error },
    );
  }
}

function failed(error: unknown): WorkReply {
  const serialized = toSerializedError(error);
  return {
    type: 'failed',
    error: isAbortError(error) ? { ...serialized, code: 'aborted' } : serialized,
  };
}
