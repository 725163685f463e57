// Opens a stored session, which gets prompts and has any number of readers. If another tab runs it, this tab follows
// it, and runs it once that tab is closed.
import { createAbortError, createChildController } from '../core/async/abort.ts';
import { SdkError, describeThrown, hasCode } from '../core/errors.ts';
import { asSentence } from '../core/text/as-sentence.ts';
import { createId } from '../core/ids.ts';
import { isSameData } from '../core/values/same-data.ts';
import type { PermissionResult } from '../core/permissions/permission.ts';
import type { SDKMessage, SDKSystemMessage } from '../core/messages/sdk-message.ts';
import { isDoneIn } from '../core/async/in-time.ts';
import type { Clock } from '../core/tool/ports.ts';
import { createTrace } from '../trace/record-calls.ts';
import type {
  AgentSession,
  OpenedSession,
  SessionQuestion,
  SessionRole,
  SessionState,
} from './agent-session.ts';
import { toPrompt } from './turn/to-prompt.ts';
import { checkDefinitions } from './agents/definitions.ts';
import { asAgent } from './agents/main-agent.ts';
import { asWork } from './answerer.ts';
import { checkModel, checkOptions } from './check-query.ts';
import { checkValues } from './check-values.ts';
import type { SessionFold } from './journal/fold.ts';
import { isRewind } from './journal/stored-journal.ts';
import { toKeptMessages, withoutAgentText } from './journal/kept-messages.ts';
import { createBeyondEndError } from './messages/beyond-end.ts';
import { createMessageHub } from './messages/message-hub.ts';
import type { MessageHub } from './messages/message-hub.ts';
import { createOpenReply } from './messages/open-reply.ts';
import type { OpenReply } from './messages/open-reply.ts';
import {
  deletedElsewhere,
  toMovedMessage,
  toNoticeMessage,
  toRoleMessage,
  toStateMessage,
} from './messages/to-sdk-message.ts';
import type { Teller } from './messages/to-sdk-message.ts';
import { createAnswerDesk } from './permissions/answer-desk.ts';
import type { AnswerDesk } from './permissions/answer-desk.ts';
import { checkAsAsked } from './permissions/as-asked.ts';
import { checkPlugins } from './plugins/plugin.ts';
import type { QueryOptions } from './query-options.ts';
import type { MoveToOptions } from './session-mover.ts';
import { openSuccession } from './open-succession.ts';
import { runSession } from './run-session.ts';
import type { RunningSession } from './run-session.ts';
import { lookUpSession } from './session-engine.ts';
import { checkSessionChoice } from './session/find-session.ts';
import type { FoundSession } from './session/find-session.ts';
import { findElsewhere, isMovedAway } from './session/handover/whereabouts.ts';
import { withFlags } from './session/settings/applied-flags.ts';
import type { FlagSettings } from './session/settings/flag-settings.ts';
import { passOn } from './tabs/runner-requests.ts';
import type { RunnerRequests } from './tabs/runner-requests.ts';
import { serveViewers, type ViewerService } from './tabs/serve-viewers.ts';
import type { Viewer } from './tabs/viewer.ts';
import { checkOutputFormat } from './turn/structured-output.ts';
import { toInitMessage } from './turn/to-result-message.ts';

/**
 * Opens a session: a new one, or a stored one (`resume`, `continue`, `forkSession`). If a turn was cut when the
 * session was last closed, it continues at once. Prompts that waited are answered after it.
 *
 * If another tab runs the stored session, this tab follows it. The promise resolves when that tab has answered, or
 * has released the session. See `AgentSession.role`. Rejects with `aborted` if the caller's signal is aborted before
 * that.
 *
 * An error in a turn is an error result among the turn's messages. If the session can't be recorded any more, it is
 * closed after a result that says why. After `/clear` the returned object continues with a new session: see
 * `AgentSession.id`.
 *
 * @throws SdkError `bad-usage` or `invalid-input` for invalid options, and for an id that is taken, unknown or
 * already open; `unsupported-environment` for a session of a newer format, which isn't changed
 *
 * @example
 * ```ts
 * await using session = await openSession({ host, model, resume: id });
 * await session.send('Go on.');
 * for await (const message of session.messages()) show(message);
 * ```
 */
export async function openSession(options: QueryOptions): Promise<OpenedSession> {
  checkOptions(options);
  checkDefinitions(options);
  const completed = asAgent(options);
  checkSessionChoice(completed);
  checkValues(completed);
  checkPlugins(completed.plugins);
  checkOutputFormat(completed.outputFormat);
  const trace = createTrace(completed.host.clock);
  return openSuccession(completed, (next, onMessage) => openOne(next, { trace, onMessage }));
}

/** What the sessions of a succession share: `/clear` continues in a new session. */
interface Succession {
  readonly trace: ReturnType<typeof createTrace>;
  /** Called with each message as it happens. Must not throw. */
  readonly onMessage: (message: SDKMessage) => void;
}

async function openOne(options: QueryOptions, succession: Succession): Promise<OpenedSession> {
  const found = await lookUpSession(options, 'joins');
  const opening = new OpenSession(options, found, succession);
  try {
    await opening.open();
  } catch (error) {
    await opening.close();
    throw error;
  }
  return opening.toAgentSession();
}

/** The session in this tab: the runner's side, or a viewer's. */
interface Side {
  readonly role: SessionRole;
  readonly teller: Teller;
  readonly requests: RunnerRequests;
  fold(): SessionFold;
  /** Resolves when entry `n` would survive a kill. False: it wasn't stored, and never will be. */
  hasLanded(n: number): Promise<boolean>;
  init(): SDKSystemMessage;
  state(): SessionState;
  answer(requestId: string, result: PermissionResult): Promise<void>;
}

/** One opening of a session. It may begin as a viewer and become the runner. It releases the session at its end. */
class OpenSession {
  readonly #options: QueryOptions;
  readonly #found: FoundSession;
  readonly #whole: AbortController & Disposable;
  readonly #trace: Succession['trace'];
  readonly #emit: (message: SDKMessage) => void;
  readonly #desk: AnswerDesk;
  readonly #hub: MessageHub = createMessageHub();
  readonly #reply: OpenReply = createOpenReply();
  #model: QueryOptions['model'];
  /** The applied settings, for the time when this tab runs the session. */
  #flags: FlagSettings | undefined;
  #viewer: Viewer | undefined;
  #running: RunningSession | undefined;
  #serving: ViewerService | undefined;
  #side: Side | undefined;
  /** Resolves when the side takes requests: it doesn't while this tab takes the session over. */
  #ready: Promise<void> = Promise.resolve();
  #told: SessionState = 'idle';
  /** The questions that waited when the state was last emitted. */
  #asked: readonly string[] = [];
  #closing: Promise<void> | undefined;
  /** The session has left by a move, and this opening ends. */
  #isLeaving = false;
  /** The error for requests to the session here, because it is moving to another place or runs there. */
  #moved: SdkError | undefined;
  /** The last message, for readers that begin after it. */
  #farewell: SDKMessage | undefined;

  constructor(options: QueryOptions, found: FoundSession, { trace, onMessage }: Succession) {
    this.#options = options;
    this.#found = found;
    this.#model = options.model;
    this.#trace = trace;
    this.#emit = (message) => {
      if (this.#isLeaving) return;
      this.#reply.take(message);
      this.#serving?.pass(message);
      this.#hub.push(message);
      onMessage(message);
    };
    this.#desk = createAnswerDesk(options.canUseTool && asWork(options.canUseTool, options.host));
    this.#desk.onChange(() => this.#changed());
    this.#whole = createChildController(
      options.abortController?.signal ?? new AbortController().signal,
    );
    const { held } = found;
    if (held) held.leave = () => this.#leaveDeleted('The session was deleted.');
    const { steps } = options.host;
    steps?.letGo.addEventListener(
      'abort',
      // Registered first, so that readers get no messages about the session's stop.
      () => this.#leave(),
      { once: true },
    );
  }

  async open(): Promise<void> {
    const whenFree = this.#found.held?.whenFree;
    if (whenFree) await this.#view(whenFree);
    else await this.#run(this.#found);
  }

  /** If this tab has opened the session several times, the end of the first opening counts. */
  close(): Promise<void> {
    return (this.#closing ??= this.#end());
  }

  toAgentSession(): OpenedSession {
    const { id } = this.#found;
    const requests = () => this.#requests();
    const close = () => this.close();
    return {
      ...passOn(requests),
      id,
      trace: this.#trace,
      async send(prompt) {
        const { uuid = createId(), ...rest } = toPrompt(prompt, 'send takes');
        return (await requests()).send({ ...rest, uuid });
      },
      messages: ({ after = 0, stored = false } = {}) =>
        readMessages(
          {
            now: () => this.#now(),
            hub: this.#hub,
            reply: this.#reply,
            farewell: this.#farewell,
            clock: this.#options.host.clock,
          },
          { after, stored, forwardsText: this.#options.forwardSubagentText ?? false },
        ),
      questions: () => this.#questions(),
      answer: async (requestId, result, { asAsked = false, isRepeated = false } = {}) => {
        await this.#whenReady();
        const { question: asked, answer: before } =
          this.#now().fold().findQuestion(requestId) ?? {};
        if (asAsked) checkAsAsked(result, asked?.question.input);
        if (isRepeated && before && isSameData(before.result, result)) return;
        await this.#now().answer(requestId, result);
      },
      applyFlagSettings: async (settings) => {
        await (await requests()).applyFlagSettings(settings);
        this.#flags = { ...this.#flags, ...settings };
      },
      setModel: async (model) => {
        await this.#ready;
        checkModel(model);
        if (this.#running) await this.#running.setModel(model);
        this.#model = model;
      },
      moveTo: (url, moving) => this.#moveTo(url, moving),
      state: () => this.#now().state(),
      role: () => this.#now().role,
      close,
      [Symbol.asyncDispose]: close,
    };
  }

  #now(): Side {
    if (!this.#side) throw new TypeError('The session is used before it is open.');
    return this.#side;
  }

  async #requests(): Promise<RunnerRequests> {
    await this.#whenReady();
    return this.#now().requests;
  }

  /** Rejects if the session runs in another place. */
  async #whenReady(): Promise<void> {
    await this.#ready;
    if (this.#moved) throw this.#moved;
  }

  async #moveTo(url: string, options: MoveToOptions): Promise<AgentSession> {
    await this.#ready;
    const { host } = this.#options;
    const { id, store } = this.#found;
    if (host.mover && store) return host.mover(host, id, url, options);
    throw new SdkError(
      'bad-usage',
      'A session moves that its host keeps: in a browser tab, or in a process over a log of its own.',
      { data: { sessionId: id } },
    );
  }

  #questions(): SessionQuestion[] {
    const fold = this.#now().fold();
    return this.#desk.open().flatMap((requestId) => {
      const { question } = fold.findQuestion(requestId) ?? {};
      return question ? [{ ...question.question, requestId }] : [];
    });
  }

  /** The turn or the questions have changed. */
  #changed(): void {
    this.#running?.changed();
    this.#serving?.tell();
    if (!this.#side || this.#isLeaving) return;
    const state = this.#side.state();
    const before = this.#asked;
    this.#asked = this.#desk.open();
    // Also emitted for another question in the same state, so that readers then read the questions.
    if (state === this.#told && this.#asked.every((id) => before.includes(id))) return;
    this.#told = state;
    this.#hub.push(toStateMessage(this.#side.teller, state));
  }

  async #run(found: FoundSession): Promise<void> {
    const running = await runSession(
      withFlags(this.#options, this.#flags),
      {
        whole: this.#whole,
        trace: this.#trace,
        desk: this.#desk,
        emit: this.#emit,
        model: () => this.#model,
        onTurn: () => this.#changed(),
      },
      found,
    );
    this.#running = running;
    const { journal } = running.session;
    journal.sealed.addEventListener(
      'abort',
      // The cast is safe, because only an SdkError seals the journal.
      () => void this.#moveAway(journal.fold, journal.sealed.reason as SdkError),
      { once: true },
    );
    const wasViewer = this.#side !== undefined;
    const side = toRunnerSide(running);
    this.#side = side;
    if (wasViewer) this.#hub.push(toRoleMessage(side.teller, 'runner'));
    this.#viewer?.handOver(side.requests);
    this.#serving = this.#serve(side);
    this.#changed();
    const driving = running.drive().finally(() => this.close());
    // If the session ends without `close`, for example because the journal is broken, a result has reported it.
    driving.catch(() => undefined);
  }

  /** The session continues in another place, so readers get no messages about its end here. */
  #leave(): void {
    this.#hub.end();
    void this.close().catch(() => undefined);
  }

  /** The session moves: its readers only get its new place, once that is known. */
  async #moveAway(fold: SessionFold, leaving: SdkError): Promise<void> {
    const { id, held } = this.#found;
    this.#isLeaving = true;
    this.#moved = leaving;
    void this.close().catch(() => undefined);
    await held?.whenReleased;
    // If the files are lost, too, there is nothing to report.
    this.#moved = await findElsewhere(this.#options.host.workspace, id, fold).catch(
      () => undefined,
    );
    if (this.#moved) this.#tellMoved(this.#moved);
    this.#hub.end();
  }

  /** The tab that ran the session has moved it. */
  async #followElsewhere(moved: SdkError): Promise<void> {
    this.#isLeaving = true;
    this.#moved = moved;
    // Closes first, because a reader of the message may settle the move at once, or bring the session back.
    await this.close().catch(() => undefined);
    this.#tellMoved(moved);
    this.#hub.end();
  }

  /** Sends the last message to the readers. */
  #tellMoved(moved: SdkError): void {
    this.#farewell = toMovedMessage(this.#side?.teller ?? toTeller(this.#found.id), moved);
    this.#hub.push(this.#farewell);
  }

  /** The session is being deleted. The notice is the last that its readers get. */
  #leaveDeleted(notice: string = deletedElsewhere): void {
    if (this.#closing) return;
    const teller = this.#side?.teller ?? toTeller(this.#found.id);
    this.#hub.push(toNoticeMessage(teller, notice, 'warning'));
    void this.close();
  }

  #serve({ requests, fold, init, state }: Side): ViewerService | undefined {
    const { tabs } = this.#options.host;
    if (!tabs || !this.#found.held) return undefined;
    return serveViewers(
      tabs.openChannel(this.#found.id),
      {
        requests,
        length: () => fold().length,
        state,
        questions: this.#desk.open,
        init,
        reply: this.#reply.events,
        leave: () => this.#leaveDeleted(),
      },
      this.#options.host.clock,
    );
  }

  async #view(whenFree: Promise<void>): Promise<void> {
    const { id, held } = this.#found;
    const { workspace, tabs } = this.#options.host;
    const { openViewer } = await import('./tabs/viewer.ts');
    if (!tabs || !held) return;
    const viewer = await openViewer({
      id,
      workspace,
      channel: tabs.openChannel(id),
      desk: this.#desk,
      emit: this.#emit,
      includePartialMessages: this.#options.includePartialMessages ?? false,
      forwardSubagentText: this.#options.forwardSubagentText ?? false,
      onChange: () => this.#changed(),
      onError: (error) => this.#fail("can't be followed from here any more", error),
      onLeave: () => this.#leaveDeleted(),
    });
    this.#viewer = viewer;
    this.#side = toViewerSide(viewer, id, this.#desk);
    held.runner = viewer.requests;
    const { signal } = this.#whole;
    const stopped = new Promise<never>((_, reject) => {
      const stop = () => {
        void this.close();
        reject(createAbortError(signal.reason));
      };
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
    });
    const taking = whenFree.then(() => (this.#ready = this.#takeOver(viewer)));
    taking.catch((error: unknown) => this.#fail("couldn't be taken over by this tab", error));
    await Promise.race([viewer.whenTold, taking, stopped]);
  }

  async #takeOver(viewer: Viewer): Promise<void> {
    const { held } = this.#found;
    await viewer.stop();
    for (let attempt = 1; !this.#closing; attempt += 1) {
      try {
        return await this.#run({ ...this.#found, fold: viewer.fold(), why: 'takeover' });
      } catch (error) {
        const isFenced = hasCode(error, 'EFENCED');
        if (!isFenced || attempt === mostTakeovers || this.#whole.signal.aborted) throw error;
        // A late append of the other tab was stored meanwhile.
        if (held) held.journal = undefined;
        await viewer.startAnew();
      }
    }
  }

  #fail(what: string, error: unknown): void {
    if (this.#closing) return;
    if (isMovedAway(error)) {
      void this.#followElsewhere(error);
      return;
    }
    const { id } = this.#found;
    const why = asSentence(SdkError.isInstance(error) ? error.message : describeThrown(error));
    const message = `The session ${what}: ${why} Open it again to go on.`;
    const teller = this.#side?.teller ?? toTeller(id);
    this.#hub.push(toNoticeMessage(teller, message, 'warning'));
    void this.close();
  }

  async #end(): Promise<void> {
    const { held } = this.#found;
    if (held) held.isEnding = true;
    // Stops serving before anything is refused because the session is closed: others then ask the
    // next runner.
    this.#serving?.[Symbol.dispose]();
    this.#whole.abort();
    await this.#ready.catch(() => undefined);
    this.#serving?.[Symbol.dispose]();
    await this.#running?.close();
    this.#viewer?.close(this.#moved);
    held?.[Symbol.dispose]();
    if (!this.#isLeaving) this.#hub.end();
    this.#whole[Symbol.dispose]();
  }
}

/** A closed tab can have only a few late appends, and each attempt fails because of one of them. */
const mostTakeovers = 5;

const toTeller = (id: string): Teller => ({ id, ids: { next: createId } });

function toRunnerSide({ session, requests, state }: RunningSession): Side {
  return {
    role: 'runner',
    teller: session,
    requests,
    fold: () => session.journal.fold,
    hasLanded: session.journal.hasLanded,
    init: () => toInitMessage(session),
    state,
    answer: requests.answer,
  };
}

function toViewerSide(viewer: Viewer, id: string, desk: AnswerDesk): Side {
  const { requests, fold, init, state } = viewer;
  return {
    role: 'viewer',
    teller: toTeller(id),
    requests,
    fold,
    // The tab that runs the session sends only stored messages.
    hasLanded: () => Promise.resolve(true),
    init,
    state,
    async answer(requestId, result) {
      // Answered by the desk, so that other views of the question in this tab remove it.
      desk.answer(requestId, result);
      await viewer.whenAnswered(requestId);
    },
  };
}

/** 10 s: a person who waits for longer wants to know for what. */
const patienceMs = 10_000;

const slowStorage =
  "The session's storage hasn't answered for 10 s. New messages are shown once they are stored.";

interface MessageSources {
  readonly now: () => Side;
  readonly hub: MessageHub;
  readonly reply: OpenReply;
  /** The last message, if it was sent before this reader began. */
  readonly farewell: SDKMessage | undefined;
  readonly clock: Clock;
}

interface ReadingOptions {
  readonly after: number;
  readonly stored: boolean;
  readonly forwardsText: boolean;
}

async function* readMessages(
  { now, hub, reply, farewell, clock }: MessageSources,
  { after, stored, forwardsText }: ReadingOptions,
): AsyncGenerator<SDKMessage, void, undefined> {
  // Begins first, so that messages that arrive while the rest is read come after it.
  const live = hub.read();
  const soFar = reply.events();
  const side = now();
  // A viewer gets all messages of the journal, so this filters them.
  const choose = (message: SDKMessage) => (forwardsText ? message : withoutAgentText(message));
  let isSlow = false;
  /** Yields a notice if the entry isn't stored in time, once until an entry is. Returns false if it never will be. */
  async function* awaitStored(n = 0): AsyncGenerator<SDKMessage, boolean, undefined> {
    if (!stored || n === 0) return true;
    const landed = now().hasLanded(n);
    const wasSlow = isSlow;
    isSlow = !(await isDoneIn(landed, patienceMs, clock));
    if (isSlow && !wasSlow) yield toNoticeMessage(side.teller, slowStorage, 'notice');
    return landed;
  }
  const known = side.fold();
  const last = known.length;
  // In a viewer, entries may come later than the number that the answer to its request had.
  if (after > last && side.role === 'runner') {
    live[Symbol.dispose]();
    throw createBeyondEndError(after, last);
  }
  try {
    const init = side.init();
    yield init;
    for (const warning of init.warnings) yield toNoticeMessage(side.teller, warning, 'warning');
    if (side.role === 'viewer') yield toRoleMessage(side.teller, side.role);
    const fold = await known.toViewBehind(after);
    for await (const entry of known.read(fold.length + 1, last)) {
      if (isRewind(entry)) await fold.recall(entry.to);
      fold.apply(entry);
      fold.letGo(entry.n);
      if (entry.n <= after || !(yield* awaitStored(entry.n))) continue;
      for (const message of toKeptMessages(entry, fold, side.teller.id)) {
        const told = choose(message);
        if (told) yield told;
      }
    }
    yield* soFar;
    for await (const message of live) {
      if (!(yield* awaitStored(message.n))) continue;
      const told = message.n === undefined || message.n > after ? choose(message) : undefined;
      if (told) yield told;
    }
    if (farewell) yield farewell;
  } finally {
    live[Symbol.dispose]();
  }
}
