// One conversation with the agent: the kit's, over a session that this browser keeps. One that runs in the cloud is
// ../cloud/cloud-conversation.ts.
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
import { readHeldWith, rememberHeldWith } from './held-with.ts';
import { homeDirectory, placeInstructions } from './user-files.ts';
import { keepAnswers } from './kept-answers.ts';
import { keepWaiting, readWaiting } from './kept-waiting.ts';
import { isScripted } from './model-choice.ts';
import { watchEnd } from './watch-end.ts';
import type { Ending } from './watch-end.ts';

export interface Conversation extends PageSession<FollowedQuery>, Ending {
  /** The session's. */
  readonly id: string;
  /** What is entered into its open questions. */
  readonly answers: QuestionDrafts;
  readonly timeline: TimelineStore;
  /** Null where it runs in this browser. */
  readonly cloud: CloudPart | null;
  /** It is held with a model whose key this page doesn't have, or another script: it goes on when a real one is set. */
  missingModel(): string | undefined;
  /** The tools, whose own words say what a call does. */
  loadTools(): Promise<Tools>;
  readonly servers: ServerControl;
  /** For the apps of its servers. */
  readonly askMcpApp: AskMcpApp;
  /** What an argument may be that is being written. */
  completeCommand(name: string, args: string): Promise<readonly string[]>;
  stopTask(taskId: string): void;
  /** The agent that this call waits for goes on in the background. */
  backgroundTask(toolUseId: string): void;
  setPermissionMode(mode: PermissionMode): void;
  /** For the next request on. */
  setModel(model: Model): void;
}

/** What a conversation in the cloud has besides. */
export interface CloudPart {
  /** The address of its wire. */
  readonly url: string;
  /** It begins with the first prompt. */
  readonly isNew: boolean;
  connection(): 'open' | 'waiting' | 'closed';
  /** Its files, once it has begun. Rejects with why they can't be followed. */
  files(): Promise<TextDocumentOptions['workspace']>;
}

/** The conversation's MCP servers. Those that are added before it has begun are connected with its first prompt. */
export interface ServerControl {
  status(): Promise<readonly McpServerStatus[]>;
  /** Rejects with why one can't be used. */
  add(servers: Readonly<Record<string, McpHttpServerConfig>>): Promise<void>;
  toggle(name: string, isOn: boolean): Promise<void>;
  reconnect(name: string): Promise<void>;
  /** In a window of its own: call it in a click. */
  logIn(name: string): Promise<void>;
}

export interface ConversationOptions {
  readonly host: BrowserHost;
  readonly id: string;
  /** What was said by now; undefined: it is a new one. */
  readonly kept: readonly SDKMessage[] | undefined;
  readonly model: Model;
  readonly permissionMode: PermissionMode;
}

export function createConversation(options: ConversationOptions): Conversation {
  const { host, id, kept } = options;
  let { model, permissionMode } = options;
  const heldWith = kept && findHeldWith(id, kept);
  let goOn: () => void = () => undefined;
  const hasModel = new Promise<void>((resolve) => (goOn = resolve));

  const missingModel = () => {
    const { role, init } = session.store.getSnapshot();
    // The tab that runs it has its model.
    if (role === 'viewer' || !isScripted(model.name)) return undefined;
    const name = heldWith ?? init?.model ?? '';
    return name === '' || name === model.name ? undefined : name;
  };
  /** The script can't go on with what another model has begun. */
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
      // Another tab may have begun it.
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
  // Nothing runs by itself yet, and nothing was sent.
  const wasCut = session.store.getSnapshot().isRunning;
  const leaveWaiting = keepWaiting(id, session);
  const answers = keepAnswers(id, session);
  const { opened } = session.query;
  const fail = (error: unknown) => session.store.fail(error);
  // Where it couldn't be opened, the transcript says why.
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
    ...watchEnd(opened, kept),
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
          // It ended while the button was being pressed: there is nothing left to stop.
          if (!SdkError.isInstance(error) || error.code !== 'bad-usage') throw error;
        }),
      ),
    backgroundTask: (toolUseId) => whenOpen((open) => open.backgroundTasks(toolUseId)),
    setPermissionMode(mode) {
      // A change is recorded: to choose what holds already is none.
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

/** Undefined where nothing tells. */
function findHeldWith(id: string, kept: readonly SDKMessage[]): string | undefined {
  // What no model has said has no model's name.
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
