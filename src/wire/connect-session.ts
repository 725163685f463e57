// The client of the wire: an AgentSession whose session runs in another place, for a page, Node or
// another Worker. It keeps the received messages, so any number of readers may begin at any
// message.
import { checkOptionNames } from '../core/check-option-names.ts';
import type {
  AgentSession,
  RewindFilesResult,
  SessionQuestion,
  SessionState,
} from '../agent/agent-session.ts';
import { createMessageHub } from '../agent/messages/message-hub.ts';
import { createOpenReply } from '../agent/messages/open-reply.ts';
import {
  toConnectionMessage,
  toNoticeMessage,
  toReplacedMessage,
  toRoleMessage,
} from '../agent/messages/to-sdk-message.ts';
import { toPrompt } from '../agent/turn/to-prompt.ts';
import { createAbortError } from '../core/async/abort.ts';
import { SdkError, describeThrown, fromSerializedError } from '../core/errors.ts';
import { createId } from '../core/ids.ts';
import { isSameData } from '../core/values/same-data.ts';
import type { CanUseTool, PermissionResult } from '../core/permissions/permission.ts';
import type { SDKMessage, SDKSystemMessage } from '../core/messages/sdk-message.ts';
import { systemClock } from '../core/async/system-clock.ts';
import type { Clock } from '../core/tool/ports.ts';
import { createTrace } from '../trace/record-calls.ts';
import type { FollowedFiles } from './followed-files.ts';
import {
  answersByRole,
  closedEarly,
  createClosedError,
  forksStay,
  isOfNoQuestion,
  modelStays,
  tooLarge,
  toRefusedAnswer,
} from './client-errors.ts';
import { createLinkKeeper } from './keep-link.ts';
import type { Transport } from './keep-link.ts';
import type { CreateSocket } from './open-socket.ts';
import { toRepeated } from '../agent/tabs/runner-requests.ts';
import { isRepeatable } from './protocol.ts';
import type { ToClient, WireMethod, WireRole } from './protocol.ts';

/** How to connect to a remote session. */
export interface ConnectOptions {
  /**
   * Returns a ticket for each connection. A ticket is valid once, for 30 seconds; `fetchTicket` gets one from the
   * session's server. A string serves only the first connection: when that is lost, this session object is closed.
   */
  readonly ticket: string | (() => string | Promise<string>);
  /** The `n` of the caller's last message: messages up to it aren't sent. @defaultValue 0 */
  readonly after?: number;
  /** Called for each open question, in addition to `questions()`. Null leaves the question to others. */
  readonly canUseTool?: CanUseTool;
  /** As among the options of `openSession`. Abort it to end the connection and close the session here. */
  readonly abortController?: AbortController;
  /** `socket`: a WebSocket. `events`: server-sent events and POST. @defaultValue the first that can be opened */
  readonly transport?: Transport;
  /** Opens a socket if `new WebSocket` can't, for example to a Durable Object through its stub. */
  readonly createSocket?: CreateSocket;
  /** The clock for waits between attempts. @defaultValue the system clock */
  readonly clock?: Clock;
}

/** A remote session. Methods that the wire doesn't support reject with a message that says so. */
export interface ConnectedSession extends AgentSession {
  /** The role that the ticket grants. The server refuses everything else. */
  access(): WireRole;
  /** `waiting`: the connection is lost and is being retried. Requests made meanwhile are sent afterwards. */
  connection(): 'open' | 'waiting' | 'closed';
  /**
   * The session's files, kept in sync with the server's, also after lost connections. Rejects if the server doesn't
   * offer them, or they are too large. Further calls return the same object.
   */
  followFiles(): Promise<FollowedFiles>;
}

/**
 * Connects to a session. Resolves when the server has sent the session's state.
 *
 * A lost connection is retried after waits of 0.25 to 30 seconds. Readers get every message exactly
 * once. Unanswered requests are sent again, and take effect once. A request that isn't idempotent
 * rejects with `worker-lost` if the server no longer knows whether it was carried out. `close`
 * leaves the session, and stops nothing.
 *
 * @throws SdkError `permission-denied` for a ticket that is forged, expired or used; `worker-lost`
 * if there is no answer; `unsupported-environment` for a server of another version; `aborted`
 *
 * @example
 * ```ts
 * const session = await connectSession(url, { ticket: () => fetchTicket(url) });
 * await session.send('Rename the helper.');
 * for await (const message of session.messages()) show(message);
 * ```
 */
export async function connectSession(
  url: string,
  options: ConnectOptions,
): Promise<ConnectedSession> {
  checkOptionNames('connectSession', options, knownOptions);
  checkUrl(url);
  checkAfter(options.after);
  const connection = new Connection(url, options);
  await connection.open();
  return connection.toSession();
}

interface OpenRequest {
  readonly method: WireMethod;
  readonly parameters: readonly unknown[];
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** The history and its newest message at the time of the request. */
  readonly history: object;
  readonly known: number;
  wasSent: boolean;
  /** The size of the message in which it was sent. */
  bytes: number;
}

/** The state of one connected session. */
class Connection {
  readonly #url: string;
  readonly #options: ConnectOptions;
  readonly #clock: Clock;
  readonly #keeper: ReturnType<typeof createLinkKeeper>;
  readonly #hub = createMessageHub();
  #reply = createOpenReply();
  readonly #open = new Map<string, OpenRequest>();
  /** The identity of the followed history. It changes with another session, or if the session was replaced. */
  #history: object = {};
  /** The history's numbered messages, in order. */
  #kept: SDKMessage[] = [];
  readonly #known = new Set<string>();
  #told: number;
  /** The caller's `after`, which counts in the first history. */
  #after: number;
  /** The first message of the newest entry that was known before this connection, until it was checked. */
  #newest: SDKMessage | undefined;
  /** What the first reader gets if it has messages of a lost history, by the caller's `after`. */
  #untold: ReturnType<typeof toReplacement> | undefined;
  #id: string | undefined;
  #init: SDKSystemMessage | undefined;
  #role: WireRole = 'views';
  #state: SessionState = 'idle';
  #questions: readonly SessionQuestion[] = [];
  readonly #asking = new Map<string, AbortController>();
  #files: Promise<FollowedFiles> | undefined;
  /** The origin of its commits, so that a repeated commit is applied once. */
  readonly #client = createId();
  #commits = 0;
  #feed: { receive(message: ToClient): void } | undefined;
  #isClosed = false;
  #welcome: { resolve(): void; reject(error: unknown): void } | undefined;
  #isWelcome = false;

  constructor(url: string, options: ConnectOptions) {
    this.#url = url;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#after = options.after ?? 0;
    this.#told = this.#after;
    this.#keeper = createLinkKeeper(
      { ...options, url, clock: this.#clock },
      {
        onOpen: () => this.#greet(),
        onMessage: (message) => this.#take(message),
        onLost: () => this.#tellLost(),
        onEnd: (error) => this.#end(error),
        onRefused: (error) => this.#giveUpLarge(error),
      },
    );
  }

  async open(): Promise<void> {
    const signal = this.#options.abortController?.signal;
    signal?.addEventListener('abort', this.#stop, { once: true });
    await new Promise<void>((resolve, reject) => {
      this.#welcome = { resolve, reject };
      if (signal?.aborted) this.#stop();
      else this.#keeper.start();
    });
  }

  toSession(): ConnectedSession {
    const ask = (method: WireMethod, ...parameters: readonly unknown[]) =>
      this.#ask(method, parameters);
    const close = async () => this.#end(undefined);
    // The casts are safe: the server returns what the session's method of the same name returns.
    const session: Omit<ConnectedSession, 'id'> = {
      trace: createTrace(this.#clock),
      async send(prompt) {
        const checked = toPrompt(prompt, 'send takes');
        const { uuid = createId(), message, client_composed, priority } = checked;
        const sent = {
          ...{ uuid, message },
          ...(client_composed && { client_composed }),
          ...(priority && { priority }),
        };
        return ask('send', sent) as ReturnType<AgentSession['send']>;
      },
      messages: ({ after = 0 } = {}) => this.#read(after),
      questions: () => this.#questions,
      async answer(requestId, result, { asAsked = false } = {}) {
        if (asAsked) throw answersByRole();
        await ask('answer', requestId, result);
      },
      interrupt: (stopping) => ask('interrupt', stopping) as ReturnType<AgentSession['interrupt']>,
      setPermissionMode: async (mode) => void (await ask('setPermissionMode', mode)),
      setModel: () => Promise.reject(modelStays()),
      applyFlagSettings: async (settings) => void (await ask('applyFlagSettings', settings)),
      supportedCommands: () =>
        ask('supportedCommands') as ReturnType<AgentSession['supportedCommands']>,
      supportedAgents: () => ask('supportedAgents') as ReturnType<AgentSession['supportedAgents']>,
      getContextUsage: () => ask('getContextUsage') as ReturnType<AgentSession['getContextUsage']>,
      skills: () => ask('skills') as ReturnType<AgentSession['skills']>,
      stopTask: async (taskId) => void (await ask('stopTask', taskId)),
      backgroundTasks: (toolUseId) => ask('backgroundTasks', toolUseId) as Promise<boolean>,
      compact: async (instructions) => void (await ask('compact', instructions)),
      fork: () => Promise.reject(forksStay()),
      rewind: (uuid, options) => ask('rewind', uuid, options) as ReturnType<AgentSession['rewind']>,
      undo: () => ask('undo') as ReturnType<AgentSession['undo']>,
      rewindFiles: (uuid, options) =>
        ask('rewindFiles', uuid, options) as Promise<RewindFilesResult>,
      state: () => this.#state,
      role: () => 'viewer',
      access: () => this.#role,
      connection: () => {
        if (this.#isClosed) return 'closed';
        return this.#isWelcome ? 'open' : 'waiting';
      },
      followFiles: () => (this.#files ??= this.#follow()),
      close,
      [Symbol.asyncDispose]: close,
    };
    const id = () => this.#id ?? '';
    return Object.defineProperty(session, 'id', { get: id, enumerable: true }) as ConnectedSession;
  }

  #greet(): void {
    const session = this.#id === undefined ? {} : { session: this.#id };
    this.#keeper.greet({ after: this.#told, ...session });
  }

  #take(message: ToClient): void {
    switch (message.type) {
      case 'welcome':
        return this.#takeWelcome(message);
      case 'running':
        this.#state = message.state;
        this.#questions = message.questions;
        this.#followQuestions();
        return this.#settleOpening();
      case 'message':
        return this.#takeMessage(message.message);
      case 'reply': {
        const request = this.#open.get(message.id);
        this.#open.delete(message.id);
        if (message.error) request?.reject(fromSerializedError(message.error));
        else request?.resolve(message.value);
        return;
      }
      case 'feed':
      case 'feed-failed':
        return this.#feed?.receive(message);
      case 'refused':
        // The link keeper has ended the connection.
        return;
    }
  }

  #takeWelcome({ session, role, init, isAnew }: ToClient & { readonly type: 'welcome' }): void {
    this.#role = role;
    const isFirst = this.#id === undefined;
    const isOther = !isFirst && this.#id !== session;
    this.#startSession(session, init);
    // If the session has changed while this client wasn't connected, the new one's first message
    // tells the readers.
    if (isOther) this.#hub.push(init);
    else if (isAnew) this.#beginAnew(init, isFirst);
    if (this.#isWelcome) return;
    this.#isWelcome = true;
    if (!isFirst) this.#hub.push(toConnectionMessage(toTeller(session), 'open'));
    this.#newest = this.#kept.find(({ n }) => n === this.#told);
    for (const [id, request] of this.#open) this.#post(id, request);
    if (this.#feed) this.#keeper.send({ type: 'follow' });
  }

  #tellLost(): void {
    if (!this.#isWelcome) return;
    this.#isWelcome = false;
    this.#hub.push(toConnectionMessage(toTeller(this.#id), 'waiting'));
  }

  /** The state, and the questions that wait, come behind the welcome. */
  #settleOpening(): void {
    if (!this.#isWelcome) return;
    this.#welcome?.resolve();
    this.#welcome = undefined;
  }

  #startSession(id: string, init: SDKSystemMessage): void {
    this.#init = init;
    if (this.#id === id) return;
    if (this.#id !== undefined) this.#leaveHistory();
    this.#id = id;
  }

  #leaveHistory(): void {
    this.#history = {};
    this.#told = 0;
    this.#after = 0;
    this.#newest = undefined;
    this.#kept = [];
    this.#known.clear();
    this.#reply = createOpenReply();
  }

  /** The server doesn't have the messages known here. It sends its whole history. */
  #beginAnew(init: SDKSystemMessage, isFirst: boolean): void {
    this.#leaveHistory();
    const replaced = toReplacement(init.session_id);
    if (isFirst) this.#untold = replaced;
    else for (const message of [replaced.reset, init, replaced.notice]) this.#hub.push(message);
  }

  /** The server sends the newest known entry again, or starts before it. Otherwise it has another history. */
  #isSameHistory(message: SDKMessage): boolean {
    const newest = this.#newest;
    if (newest === undefined) return true;
    const { n = 0, uuid = '' } = message;
    if (n < (newest.n ?? 0)) return n <= this.#after || this.#known.has(uuid);
    this.#newest = undefined;
    return isSameData(message, newest);
  }

  #takeMessage(message: SDKMessage): void {
    if (message.type === 'system' && message.subtype === 'init') {
      this.#startSession(message.session_id, message);
    }
    if (message.n !== undefined && message.uuid !== undefined) {
      if (this.#init && !this.#isSameHistory(message)) {
        this.#beginAnew(this.#init, false);
        this.#keeper.renew();
        return;
      }
      // Messages of the last entry may be repeated: the server doesn't know which of them have
      // arrived.
      if (this.#known.has(message.uuid) || message.n <= this.#after) return;
      this.#known.add(message.uuid);
      this.#kept.push(message);
      this.#told = Math.max(this.#told, message.n);
    }
    this.#reply.take(message);
    this.#hub.push(message);
  }

  async *#read(given: number): AsyncGenerator<SDKMessage, void, undefined> {
    const live = this.#hub.read();
    const soFar = this.#reply.events();
    const kept = [...this.#kept];
    const init = this.#init;
    const isLost = !this.#isWelcome && !this.#isClosed;
    const replaced = given > 0 ? this.#untold : undefined;
    let after = replaced ? 0 : given;
    if (replaced) this.#untold = undefined;
    try {
      if (replaced) yield replaced.reset;
      if (init) {
        yield init;
        const teller = toTeller(init.session_id);
        yield toRoleMessage(teller, 'viewer');
        if (isLost) yield toConnectionMessage(teller, 'waiting');
        for (const warning of init.warnings) yield toNoticeMessage(teller, warning, 'warning');
      }
      if (replaced) yield replaced.notice;
      const isNew = ({ n, session_id: session }: SDKMessage) =>
        n === undefined || n > after || session !== init?.session_id;
      for (const message of kept) if (isNew(message)) yield message;
      yield* soFar;
      for await (const message of live) {
        if (message.type === 'conversation_reset' && message.trigger === 'replaced') after = 0;
        if (isNew(message)) yield message;
      }
    } finally {
      live[Symbol.dispose]();
    }
  }

  #followQuestions(): void {
    const open = this.#questions.map(({ requestId }) => requestId);
    for (const [requestId, controller] of this.#asking) {
      if (open.includes(requestId)) continue;
      controller.abort();
      this.#asking.delete(requestId);
    }
    const { canUseTool } = this.#options;
    if (!canUseTool || this.#role === 'views') return;
    for (const question of this.#questions) {
      if (this.#asking.has(question.requestId)) continue;
      const controller = new AbortController();
      this.#asking.set(question.requestId, controller);
      void this.#put(question, canUseTool, controller.signal);
    }
  }

  async #put(
    { toolName, input, requestId, suggestions, ...rest }: SessionQuestion,
    canUseTool: CanUseTool,
    signal: AbortSignal,
  ): Promise<void> {
    // What the server would refuse isn't offered.
    const offered =
      this.#role === 'owner'
        ? suggestions && { suggestions }
        : ({ asAsked: true, suppressAlwaysAllowRule: true } as const);
    // A person who reads why an answer was refused needs few. A program may give the same answer again and again.
    for (let refusals = 0; refusals < mostRefusals; refusals += 1) {
      let result: PermissionResult | null | undefined;
      try {
        result = await canUseTool(toolName, input, { ...rest, ...offered, requestId, signal });
        if (result && !signal.aborted) await this.#ask('answer', [requestId, result]);
        return;
      } catch (error) {
        if (this.#isClosed || (signal.aborted && !result)) return;
        const isGone = signal.aborted || isOfNoQuestion(error, requestId);
        // Security: if `canUseTool` throws, that is no answer. The question stays open.
        const message = result
          ? toRefusedAnswer(toolName, isGone, error)
          : `${toolName} could not be asked about here: ${describeThrown(error)}. The question still waits.`;
        this.#hub.push(toNoticeMessage(toTeller(this.#id), message, 'warning'));
        if (!result || isGone || this.#role === 'views') return;
      }
    }
  }

  #ask(method: WireMethod, given: readonly unknown[]): Promise<unknown> {
    const parameters = [...given];
    while (parameters.length > 0 && parameters.at(-1) === undefined) parameters.pop();
    return new Promise((resolve, reject) => {
      if (this.#isClosed) throw createClosedError(this.#url);
      const id = createId();
      const known = this.#told;
      const request: OpenRequest = {
        method,
        parameters,
        resolve,
        reject,
        history: this.#history,
        known,
        wasSent: false,
        bytes: 0,
      };
      this.#open.set(id, request);
      if (this.#isWelcome) this.#post(id, request);
    });
  }

  #post(id: string, request: OpenRequest): void {
    const { method, wasSent, known, history } = request;
    if (wasSent && method === 'interrupt' && history !== this.#history) {
      // The turn to be stopped has ended with the history that was left.
      this.#open.delete(id);
      request.resolve(undefined);
      return;
    }
    try {
      const again = wasSent ? ({ again: true } as const) : {};
      const parameters = wasSent
        ? toRepeated(method, request.parameters, known)
        : request.parameters;
      request.bytes = this.#keeper.send({ type: 'request', id, method, parameters, ...again });
      request.wasSent = true;
    } catch (error) {
      // The request can't be serialized, for example because a prompt contains a function.
      this.#open.delete(id);
      request.reject(error);
    }
  }

  /**
   * Rejects requests that are too large for the server. If they were repeated, they would close the next connection,
   * too.
   */
  #giveUpLarge({ code, data }: SdkError): void {
    const { maxBytes } = data;
    if (code !== 'limit-exceeded' || typeof maxBytes !== 'number') return;
    for (const [id, { method, bytes, reject }] of this.#open) {
      if (bytes <= maxBytes) continue;
      this.#open.delete(id);
      reject(tooLarge(method, bytes, maxBytes));
    }
  }

  async #follow(): Promise<FollowedFiles> {
    const { createFollowedFiles } = await loadFollowedFiles().catch((error: unknown) => {
      this.#files = undefined;
      throw error;
    });
    const followed = createFollowedFiles({
      follow: () => {
        if (this.#isWelcome) this.#keeper.send({ type: 'follow' });
      },
      commit: (changeSet) => {
        this.#commits += 1;
        return this.#ask('commit', [changeSet, { client: this.#client, number: this.#commits }]);
      },
      onEnd: () => {
        this.#feed = undefined;
        this.#files = undefined;
      },
    });
    this.#feed = followed;
    if (this.#isClosed) throw createClosedError(this.#url);
    return followed.opened;
  }

  /** The caller's controller was aborted. It may live much longer than the session. */
  readonly #stop = (): void =>
    this.#end(createAbortError(this.#options.abortController?.signal.reason));

  /** `error`: the reason, unless it was closed here. */
  #end(error: SdkError | undefined): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#isWelcome = false;
    this.#options.abortController?.signal.removeEventListener('abort', this.#stop);
    this.#keeper[Symbol.dispose]();
    for (const controller of this.#asking.values()) controller.abort();
    const why = error ?? createClosedError(this.#url);
    for (const { method, reject, wasSent } of this.#open.values()) {
      reject(wasSent && !isRepeatable(method) ? closedEarly(this.#url, method) : why);
    }
    this.#open.clear();
    this.#feed?.receive({ type: 'feed-failed', error: { ...toData(why) } });
    if (error && !this.#welcome) {
      const message = `The connection to the session was given up: ${error.message}`;
      this.#hub.push(toNoticeMessage(toTeller(this.#id), message, 'warning'));
    }
    this.#hub.end();
    this.#welcome?.reject(why);
  }
}

/** Sent in this order, with the session's `init` in between, at which a transcript begins again. */
function toReplacement(sessionId: string) {
  const teller = toTeller(sessionId);
  const sentence =
    'The server of this session has lost messages that are known here, or was restored from an older copy. All that it has is told anew, from the first message on.';
  return {
    reset: toReplacedMessage(teller),
    notice: toNoticeMessage(teller, sentence, 'warning'),
  };
}

const mostRefusals = 5;

const toTeller = (id = '') => ({ id, ids: { next: createId } });

const loadFollowedFiles = () => import('./followed-files.ts');

const toData = ({ name, message, code, data }: SdkError) => ({ name, message, code, data });

function checkAfter(after: number | undefined): void {
  if (after === undefined || (Number.isSafeInteger(after) && after >= 0)) return;
  throw new SdkError(
    'bad-usage',
    `after is the n of the last message that you have, or 0, not ${JSON.stringify(after)}.`,
    { data: { option: 'after' } },
  );
}

function checkUrl(url: string): void {
  if (URL.canParse(url) && /^(?:https?|wss?):/.test(url)) return;
  throw new SdkError(
    'bad-usage',
    `connectSession takes the whole address of a session's wire, such as https://example.org/sessions/s1/wire, not ${JSON.stringify(url)}.`,
    { data: { url } },
  );
}

const knownOptions = {
  ticket: true,
  after: true,
  canUseTool: true,
  abortController: true,
  transport: true,
  createSocket: true,
  clock: true,
} satisfies Record<keyof ConnectOptions, true>;
