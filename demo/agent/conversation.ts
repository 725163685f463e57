// One conversation with the agent: a page session of `rockpool/react` over a session that this browser stores. For
// one that runs in the cloud see ../cloud/cloud-conversation.ts.
import {
  createTimeline,
  getSessionInfo,
  openMcpLogin,
  openSession,
  SdkError,
} from 'rockpool/browser';
import type {
  OpenedSession as OpenSession,
  BrowserHost,
  Model,
  PermissionMode,
  SDKMessage,
  TextDocumentOptions,
  TimelineStore,
  Tools,
} from 'rockpool/browser';
import type { AskMcpApp, McpHttpServerConfig, McpServerStatus } from 'rockpool/mcp';
import { followSession } from 'rockpool/react';
import type { PageSession, FollowedQuery, QuestionDrafts } from 'rockpool/react';
import { workspaceTrust } from '../project/workspace-trust.ts';
import { createDeferred } from '../../src/core/async/deferred.ts';
import { readHeldWith, rememberHeldWith } from './held-with.ts';
import { homeDirectory, placeInstructions } from './user-files.ts';
import { keepAnswers } from './kept-answers.ts';
import { keepWaiting, readWaiting } from './kept-waiting.ts';
import { isScripted } from './model-choice.ts';

export interface Conversation extends PageSession<FollowedQuery> {
  /** The session's id. */
  readonly id: string;
  /** The entered answers to its open questions. */
  readonly answers: QuestionDrafts;
  readonly timeline: TimelineStore;
  /** Null if the conversation runs in this browser. */
  readonly cloud: CloudPart | null;
  /**
   * The name of the conversation's model if this page doesn't have its key, or if it is another script. The
   * conversation continues when a real model is set.
   */
  missingModel(): string | undefined;
  /** Loads the tools, which describe what a call does. */
  loadTools(): Promise<Tools>;
  readonly servers: ServerControl;
  /** Makes requests for the apps of its MCP servers. */
  readonly askMcpApp: AskMcpApp;
  /** Gives the possible values of an argument that is being typed. */
  completeCommand(name: string, args: string): Promise<readonly string[]>;
  stopTask(taskId: string): void;
  /** Moves the agent for which this call waits to the background. */
  backgroundTask(toolUseId: string): void;
  setPermissionMode(mode: PermissionMode): void;
  /** Sets the model from the next request on. */
  setModel(model: Model): void;
}

/** What only a conversation in the cloud has. */
export interface CloudPart {
  /** The address of the conversation's wire. */
  readonly url: string;
  /** True if it begins only with the first prompt. */
  readonly isNew: boolean;
  connection(): 'open' | 'waiting' | 'closed';
  /** Its files, once it has begun. Rejects with the reason if they can't be followed. */
  files(): Promise<TextDocumentOptions['workspace']>;
}

/** The conversation's MCP servers. Servers that are added before it has begun are connected with the first prompt. */
export interface ServerControl {
  status(): Promise<readonly McpServerStatus[]>;
  /** Rejects with the reason if a server can't be used. */
  add(servers: Readonly<Record<string, McpHttpServerConfig>>): Promise<void>;
  toggle(name: string, isOn: boolean): Promise<void>;
  reconnect(name: string): Promise<void>;
  /** Opens a window for the login, so call it from a click. */
  logIn(name: string): Promise<void>;
}

export interface ConversationOptions {
  readonly host: BrowserHost;
  readonly id: string;
  /** The messages so far. Undefined: the conversation is new. */
  readonly kept: readonly SDKMessage[] | undefined;
  readonly model: Model;
  readonly permissionMode: PermissionMode;
}

export function createConversation(options: ConversationOptions): Conversation {
  const { host, id, kept } = options;
  let { model, permissionMode } = options;
  const heldWith = kept && findHeldWith(id, kept);
  const { promise: hasModel, resolve: goOn } = createDeferred();

  const missingModel = () => {
    const { role, init } = session.store.getSnapshot();
    // The tab that runs the session has its model.
    if (role === 'viewer' || !isScripted(model.name)) return undefined;
    const name = heldWith ?? init?.model ?? '';
    return name === '' || name === model.name ? undefined : name;
  };
  /** Wraps the script, which can't continue a conversation of another model. */
  const guard = (script: Model): Model =>
    isScripted(script.name)
      ? {
          ...script,
          async *stream(request, streaming) {
            if (missingModel() !== undefined) await orAborted(hasModel, streaming.signal);
            yield* (isScripted(model.name) ? script : model).stream(request, streaming);
          },
        }
      : script;

  const session: PageSession<FollowedQuery<OpenSession>> = followSession(
    async (wiring) => {
      const isElsewhere = await runsElsewhere(host, id);
      if (!isElsewhere) {
        const missing = missingModel();
        if (kept && wasCut) session.store.apply(toldOfReload(id, missing));
        if (missing !== undefined) await hasModel;
        rememberHeldWith(id, model.name);
      }
      await placeInstructions(host);
      // Another tab may have begun the conversation.
      const isKept = kept !== undefined || (await getSessionInfo(id, { host })) !== undefined;
      const which = isKept ? { resume: id } : { sessionId: id };
      const given = {
        host,
        model: guard(model),
        permissionMode,
        includePartialMessages: true,
        forwardSubagentText: true,
        cellPrompts: true,
        tasksV2: true,
        triggers: true,
        settingSources: ['user', 'project', 'local'],
        homeDirectory,
        memory: 'project',
        trustWorkspace: workspaceTrust.ask,
      } as const;
      return openSession({ ...given, ...which, ...wiring });
    },
    { waiting: readWaiting(id), ...(kept && { kept }) },
  );
  // At this moment nothing was started or sent, so a running turn was cut by a reload.
  const wasCut = session.store.getSnapshot().isRunning;
  const leaveWaiting = keepWaiting(id, session);
  const answers = keepAnswers(id, session);
  const { opened } = session.query;
  const fail = (error: unknown) => session.store.fail(error);
  // If the session couldn't be opened, the transcript says why.
  const whenOpen = (run: (open: OpenSession) => Promise<unknown>) =>
    void opened.then(
      (open) => run(open).catch(fail),
      () => undefined,
    );
  const timeline = createTimeline({
    follow(listener) {
      let callOff: (() => void) | undefined;
      let isOver = false;
      whenOpen(async ({ trace }) => {
        if (!isOver) callOff = trace.follow(listener);
      });
      return () => {
        isOver = true;
        callOff?.();
      };
    },
  });
  return {
    ...session,
    id,
    answers,
    timeline,
    cloud: null,
    missingModel,
    loadTools: () => host.loadTools(),
    servers: createServers(opened, fail),
    askMcpApp: async (id, request) => (await opened).askMcpApp(id, request),
    completeCommand: async (name, args) => (await opened).completeCommand(name, args),
    stopTask: (taskId) =>
      whenOpen((open) =>
        open.stopTask(taskId).catch((error: unknown) => {
          // The task ended while the button was being pressed, so there is nothing to stop.
          if (!SdkError.isInstance(error) || error.code !== 'bad-usage') throw error;
        }),
      ),
    backgroundTask: (toolUseId) => whenOpen((open) => open.backgroundTasks(toolUseId)),
    setPermissionMode(mode) {
      // A change is recorded, so choosing the present mode again must do nothing.
      if (mode === (session.store.getSnapshot().permissionMode ?? permissionMode)) return;
      permissionMode = mode;
      whenOpen((open) => open.setPermissionMode(mode));
    },
    setModel(next) {
      model = next;
      if (!isScripted(next.name)) goOn();
      whenOpen((open) => open.setModel(guard(next)));
    },
    [Symbol.dispose]() {
      leaveWaiting();
      answers[Symbol.dispose]();
      timeline[Symbol.dispose]();
      session[Symbol.dispose]();
    },
  };
}

function createServers(
  opened: Promise<OpenSession>,
  fail: (error: unknown) => void,
): ServerControl {
  let wanted: Readonly<Record<string, McpHttpServerConfig>> = {};
  let open: OpenSession | undefined;
  opened.then(
    async (session) => {
      open = session;
      if (Object.keys(wanted).length > 0) await session.setMcpServers(wanted).catch(fail);
    },
    // The transcript says why.
    () => undefined,
  );
  const needOpen = () => {
    if (open) return open;
    throw new SdkError('bad-usage', 'Servers are connected with the first prompt: write one.');
  };
  return {
    async status() {
      if (open) return open.mcpServerStatus();
      const error = 'It is connected with the first prompt.';
      return Object.keys(wanted).map((name) => ({ name, status: 'pending', error }));
    },
    async add(servers) {
      const next = { ...wanted, ...servers };
      await open?.setMcpServers(next);
      wanted = next;
    },
    toggle: async (name, isOn) => needOpen().toggleMcpServer(name, isOn),
    reconnect: async (name) => needOpen().reconnectMcpServer(name),
    async logIn(name) {
      const session = needOpen();
      const back = await openMcpLogin(() => session.loginMcpServer(name));
      if (back !== undefined) await session.completeMcpLogin(back);
    },
  };
}

/** The name of the model that the conversation was begun with. Undefined if it isn't known. */
function findHeldWith(id: string, kept: readonly SDKMessage[]): string | undefined {
  // Only messages of a model have a model's name.
  const replies = kept.filter((message) => message.type === 'assistant');
  const last = replies.findLast(
    ({ parent_tool_use_id: caller, message: { model } }) =>
      caller === null && model !== '<synthetic>',
  );
  const name = last?.message.model ?? readHeldWith(id);
  return name === '' ? undefined : name;
}

async function runsElsewhere({ tabs }: BrowserHost, id: string): Promise<boolean> {
  const lease = await tabs?.tryHold(id);
  lease?.[Symbol.dispose]();
  return tabs !== undefined && lease === undefined;
}

async function orAborted(waiting: Promise<void>, signal: AbortSignal): Promise<void> {
  await Promise.race([
    waiting,
    new Promise((_, reject) => {
      const stop = () => reject(signal.reason);
      if (signal.aborted) stop();
      signal.addEventListener('abort', stop, { once: true });
    }),
  ]);
}

function toldOfReload(sessionId: string, missingModel: string | undefined): SDKMessage {
  const next = missingModel === undefined ? ' It goes on from here.' : '';
  return {
    type: 'system',
    subtype: 'informational',
    level: 'notice',
    content: `This turn was cut off in the middle.${next}`,
    uuid: crypto.randomUUID(),
    session_id: sessionId,
  };
}
