// The entry point: one call starts a conversation and yields all that happens in it, as the Claude Agent
// SDK's messages. session-engine.ts runs one turn for each prompt.
import { createChildController } from '../core/async/abort.ts';
import { closeIterator } from '../core/async/close-iterator.ts';
import { SdkError } from '../core/errors.ts';
import type { PermissionMode } from '../core/permissions/permission.ts';
import type { SDKControlInterruptResponse } from '../core/messages/interrupt-response.ts';
import type {
  AgentInfo,
  SDKControlGetContextUsageResponse,
  SDKMessage,
  SDKUserMessage,
} from '../core/messages/sdk-message.ts';
import type { FoundSkills } from '../core/commands/skill.ts';
import type { SlashCommand } from '../core/commands/slash-command.ts';
import type { Trace } from '../trace/trace.ts';
import type { Model } from '../model/model.ts';
import type { McpControl, RewindFilesResult } from './agent-session.ts';
import { checkDefinitions } from './agents/definitions.ts';
import { asAgent } from './agents/main-agent.ts';
import { createBetweenTurns } from './turn/between-turns.ts';
import type { Prompt } from './turn/between-turns.ts';
import { toPrompt } from './turn/to-prompt.ts';
import { checkModel, checkQuery } from './check-query.ts';
import { checkValues } from './check-values.ts';
import type { Host } from './host.ts';
import { createOpenReply } from './messages/open-reply.ts';
import type { OpenReply } from './messages/open-reply.ts';
import { createMessageQueue } from '../core/async/message-queue.ts';
import { checkMode } from './permissions/decide.ts';
import type { PermissionState } from './permissions/permission-state.ts';
import { toPermissionContext } from './query-options.ts';
import type { QueryOptions } from './query-options.ts';
import { checkPlugins } from './plugins/plugin.ts';
import { assembleToolPool } from './registry/assemble.ts';
import { explainPool } from './registry/prepare-pool.ts';
import type { ExplainedAbsence } from './registry/prepare-pool.ts';
import type { OfferToolsOptions } from './turn/offer-tools.ts';
import { withoutChoice } from './open-succession.ts';
import { lookUpSession, openEngine } from './session-engine.ts';
import type { SessionEngine } from './session-engine.ts';
import { createMcpControl } from './mcp-control.ts';
import { checkSessionChoice } from './session/find-session.ts';
import { toPoolContext } from './session/session.ts';
import type { Session } from './session/session.ts';
import { withFlags } from './session/settings/applied-flags.ts';
import type { FlagSettings } from './session/settings/flag-settings.ts';
import { createTrace } from '../trace/record-calls.ts';
import { serveViewers, toQueryRequests, type ViewerService } from './tabs/serve-viewers.ts';
import { getContextUsage } from './context/context-usage.ts';
import { listAgentInfos, toInitMessage } from './turn/to-result-message.ts';
import { checkOutputFormat } from './turn/structured-output.ts';
import { deletedElsewhere, toNoticeMessage } from './messages/to-sdk-message.ts';

/** The prompt and the options of a query. */
export interface QueryParams {
  /**
   * One prompt, or an iterable of prompts: each is answered before the next is read. With `resume` or `continue` it
   * may be empty: the session is opened and begins no turn, for `rewindFiles` for example.
   */
  readonly prompt: string | AsyncIterable<string | SDKUserMessage>;
  readonly options: QueryOptions;
}

/** A conversation that runs while its messages are read, with methods to control it. */
export interface Query extends AsyncGenerator<SDKMessage, void, undefined>, McpControl {
  /**
   * Stops the running turn. Resolves when it has ended, with what it had done, or with undefined if none ran. A query
   * with one prompt is stopped even before that prompt's turn begins, and so are the turn before it and its
   * background tasks. Prompts that an earlier opening has left stay for a later one. Otherwise background tasks
   * continue, and the next prompt may follow.
   */
  interrupt(): Promise<SDKControlInterruptResponse | undefined>;
  /** Takes effect with the next permission decision. */
  setPermissionMode(mode: PermissionMode): Promise<void>;
  /** Takes effect with the next request. Left out: the model of the options. */
  setModel(model?: Model): Promise<void>;
  /**
   * Changes the query's `settings` from the next request and the next decision on. A key replaces the earlier value;
   * `permissions` is replaced as a whole. `null` removes a key, also what `settings` says of it: no rule of `settings`
   * holds then, and model and effort are the host's and the model's own. Rejects with `bad-usage` or `invalid-input` for
   * invalid settings, and then changes nothing.
   */
  applyFlagSettings(settings: FlagSettings): Promise<void>;
  /** The commands with which a prompt may begin (`/name`). Reads the workspace's commands again. */
  supportedCommands(): Promise<readonly SlashCommand[]>;
  /**
   * Stops a background task, or an agent by its id or name; a task's changes are dropped. The model is told with its
   * next request. Rejects with `bad-usage` if no such task runs.
   */
  stopTask(taskId: string): Promise<void>;
  /**
   * Sends agents that a call waits for to the background: that of the call, or all. The call returns at once, and the
   * model is told when an agent ends. Cells stay where they are. False: no agent of that call is waited for.
   */
  backgroundTasks(toolUseId?: string): Promise<boolean>;
  /**
   * Reverts the files to before the prompt of that uuid, but keeps the conversation, and what a person has changed
   * since. Waits until the running turn is over. `dryRun`: nothing changes.
   */
  rewindFiles(
    userMessageId: string,
    options?: { readonly dryRun?: boolean },
  ): Promise<RewindFilesResult>;
  /** Stops the running turn and tasks, and ends the conversation. */
  close(): void;
  /** Ours: what happens in the conversation and when, for `createTimeline` and `recordSpans`. It has no end event. */
  readonly trace: Trace;
  /**
   * Ours: offers tools of the session to the browser's agent (WebMCP), until the result is disposed or the query
   * ends. A person is asked about its calls in every mode. Rejects with `bad-usage` for tools that can't be offered,
   * `unsupported-environment` without `document.modelContext`.
   */
  offerTools(options: OfferToolsOptions): Promise<Disposable>;
  /** Ours: the present skills, and the files that define none, with the reason. Loads the tools if necessary. */
  skills(): Promise<FoundSkills>;
  /** The kinds of sub-agents that may be started. Loads the tools if necessary. */
  supportedAgents(): Promise<readonly AgentInfo[]>;
  /** What fills the model's context window now. */
  getContextUsage(): Promise<SDKControlGetContextUsageResponse>;
  /** Ours: each tool that isn't offered now, and why. Loads the tools if necessary. */
  explainPool(): Promise<readonly ExplainedAbsence[]>;
}

/**
 * Starts a conversation. Yields `system/init` first and a `result` at the end of each prompt. What goes
 * wrong in a turn (the model's server, a stop, too many requests) is an error result, never a throw.
 * Leaving the loop over the messages stops the running turn and all background tasks.
 *
 * A background task that ends while the agent is idle begins a turn of its own, with a synthetic user
 * message. Tasks end with the query: with the last of its prompts, or the answer to its only one.
 *
 * @throws SdkError `bad-usage` or `invalid-input` at once for invalid options. The first message rejects
 * with one for invalid hooks, and if the host's tools can't be loaded. The next message rejects with
 * `bad-usage` if an iterable prompt gives something that isn't a prompt.
 */
export function query(params: QueryParams): Query {
  checkQuery(params);
  const { prompt } = params;
  // Only for the checks: invalid definitions are refused here, not by the first message.
  checkDefinitions(params.options);
  const options = asAgent(params.options);
  checkSessionChoice(options);
  checkValues(options);
  checkPlugins(options.plugins);
  checkOutputFormat(options.outputFormat);
  toPermissionContext(options);
  // A separate controller: `close` must end this query without aborting the caller's controller.
  const whole = createChildController(
    options.abortController?.signal ?? new AbortController().signal,
  );
  const trace = createTrace(options.host.clock);
  let engine: SessionEngine | undefined;
  let serving: ViewerService | undefined;
  let opening: Promise<SessionEngine> | undefined;
  let permissions: PermissionState | undefined;
  /** A mode that was set before the session was open. */
  let mode: PermissionMode | undefined;
  let { model } = options;
  /** What was applied of settings, for a session that `/clear` begins. */
  let flags: FlagSettings | undefined;
  const hasOnePrompt = typeof prompt === 'string' && prompt.trim() !== '';
  /** The caller's one prompt is next, or its turn runs. */
  let isItsTurn = false;
  let hasBegun = false;
  /** Interrupted before the turn of its one prompt: that turn, and each before it, ends as soon as it begins. */
  let isStoppedBefore = false;
  const prompts = readPrompts(prompt, whole.signal);
  const rest = createBetweenTurns(prompts);
  /** Where messages go now: to the running turn, or to the queue between two turns. */
  let emit = rest.push;
  const reply = createOpenReply();

  /** The options of the open session, which `/clear` replaces. */
  let chosen = options;
  let own = createChildController(whole.signal);
  const open = () => (opening ??= openFound());

  async function openFound(): Promise<SessionEngine> {
    const found = await lookUpSession(chosen);
    const { held } = found;
    const noteEnding = () => held && (held.isEnding = true);
    whole.signal.addEventListener('abort', noteEnding, { once: true });
    const ports = {
      whole: own,
      trace,
      emit(message: SDKMessage) {
        if (serving) reply.take(message);
        serving?.pass(message);
        emit(message);
      },
      tellsPrompts: false,
      hasOnePrompt,
      model: () => model,
      whenPrompted: rest.whenPrompted,
      onPermissions(state: PermissionState) {
        permissions = state;
        if (mode !== undefined) state.setMode(mode);
        mode = undefined;
      },
      onTurn() {
        if (engine?.isRunning()) {
          if (isStoppedBefore && !hasBegun) void engine.interrupt();
          hasBegun = isItsTurn;
        }
        serving?.tell();
      },
      onWork: rest.wake,
    };
    try {
      const opened = await openEngine(withFlags(chosen, flags), ports, found);
      if (isStoppedBefore) opened.leaveEarlier();
      if (held) {
        serving = serveQuery(opened, options.host, reply, () => {
          emit(toNoticeMessage(opened.session, deletedElsewhere, 'warning'));
          whole.abort();
        });
      }
      return opened;
    } catch (error) {
      held?.[Symbol.dispose]();
      throw error;
    }
  }

  async function* run(): AsyncGenerator<SDKMessage, void, undefined> {
    try {
      yield* begin((engine = await open()));
      for (;;) {
        const { session, takeNews: takeAny } = engine;
        // The turn of the only prompt tells the news, too.
        const takeNews = hasOnePrompt ? () => undefined : takeAny;
        // What was left open when the session was last closed comes first.
        if (engine.hasWaiting()) yield* rest.take();
        const next = engine.hasWaiting() ? undefined : yield* rest.wait(takeNews);
        isItsTurn = hasOnePrompt && next !== undefined;
        if (!next && !engine.hasWaiting()) break;
        const { promptIds } = session.journal.fold;
        // Sent before: it waits here, or has been answered.
        if (next?.uuid !== undefined && promptIds.has(next.uuid)) continue;
        if (next?.shouldQuery === false) await engine.append(next);
        else yield* runPrompt(engine, next);
        if (isItsTurn || whole.signal.aborted || session.journal.broken.aborted) break;
        const { moved } = session.journal.fold;
        if (moved) yield* begin((engine = await goOn(engine, moved.to)));
      }
      await engine.session.tasks.close();
      await engine.session.agents.close();
      // What the tasks' ends have recorded is told by then.
      await engine.settle();
      yield* rest.take();
      // What SessionEnd's hooks have to say to the person.
      await engine.close();
      yield* rest.take();
    } finally {
      whole.abort();
      // The session may be opening, for example because somebody has asked for the servers.
      const opened = engine ?? (await opening?.catch(() => undefined));
      serving?.[Symbol.dispose]();
      await opened?.session.tasks.close();
      await prompts.return();
      await opened?.close();
      own[Symbol.dispose]();
      whole[Symbol.dispose]();
    }
  }

  async function* begin(opened: SessionEngine): AsyncGenerator<SDKMessage, void, undefined> {
    const { session } = opened;
    const init = toInitMessage(session);
    yield init;
    for (const warning of init.warnings) {
      yield toNoticeMessage(session, warning, 'warning');
    }
    await opened.begin();
  }

  /**
   * `/clear`: the next prompts go to a new session. It is held here before tabs that wait for the old one continue.
   */
  async function goOn(left: SessionEngine, id: string): Promise<SessionEngine> {
    const before = { own, serving };
    serving = undefined;
    own = createChildController(whole.signal);
    chosen = { ...withoutChoice(options), resume: id };
    opening = undefined;
    permissions = undefined;
    try {
      return await open();
    } finally {
      before.serving?.[Symbol.dispose]();
      await left.close();
      before.own[Symbol.dispose]();
    }
  }

  async function* runPrompt(
    current: SessionEngine,
    next: Prompt | undefined,
  ): AsyncGenerator<SDKMessage, void, undefined> {
    const queue = createMessageQueue<SDKMessage>();
    emit = queue.push;
    const stopReading = rest.readAhead(current.send);
    const turn = current
      .run(next, async ({ end }, signal) => {
        if (!hasOnePrompt || !next) return;
        // Stopping the only turn stops the whole query. Otherwise open questions of tasks are awaited.
        if (end.type === 'stopped' || signal.aborted) whole.abort();
        signal.addEventListener('abort', () => whole.abort(), { once: true });
        await current.session.tasks.close();
        await current.session.agents.close();
      })
      .finally(() => {
        stopReading();
        emit = rest.push;
        queue.end();
      });
    let isOver = false;
    try {
      yield* queue;
      isOver = true;
    } finally {
      // A reader who leaves early must leave nothing running.
      if (!isOver) whole.abort();
      await turn;
    }
  }

  const generator = run();
  return Object.assign(generator, {
    trace,
    async interrupt() {
      if (hasOnePrompt && !hasBegun) {
        isStoppedBefore = true;
        engine?.leaveEarlier();
      }
      return engine?.interrupt();
    },
    async setPermissionMode(next: PermissionMode) {
      const checked = checkMode(next);
      if (permissions) permissions.setMode(checked);
      else mode = checked;
    },
    async setModel(next: Model = options.model) {
      checkModel(next);
      // Only once the prices are known: a budget holds for this model too.
      if (options.maxBudgetUsd !== undefined) {
        (await open()).session.spending.checkModel(next.name);
      }
      // One that is being opened looks for the model as soon as it is open.
      if (engine) await engine.setModel(next);
      model = next;
    },
    async applyFlagSettings(settings: FlagSettings) {
      await (await open()).applyFlagSettings(settings);
      flags = { ...flags, ...settings };
    },
    ...createMcpControl(async () => (await open()).session, options, whole.signal),
    supportedCommands: async () => listCommands((await open()).session),
    async stopTask(taskId: string) {
      if (!engine) throw new SdkError('bad-usage', 'No task runs in the background yet.');
      await engine.stopTask(taskId);
    },
    async backgroundTasks(toolUseId?: string) {
      const agents = engine?.session.agents;
      return agents ? agents.toBackground(toolUseId) : toolUseId === undefined;
    },
    async rewindFiles(userMessageId: string, rewinding?: { readonly dryRun?: boolean }) {
      const opened = await open();
      const { rewindFiles } = await import('./session/files/rewind.ts');
      return opened.idle(() => rewindFiles(opened.session, userMessageId, rewinding));
    },
    close() {
      whole.abort();
      // One that was never read has no end of its own.
      whole[Symbol.dispose]();
      void generator.return();
      opening
        ?.then((opened) => {
          serving?.[Symbol.dispose]();
          return opened.close();
        })
        .catch(() => undefined);
    },
    async offerTools(offered: OfferToolsOptions) {
      const code = await import('./turn/offer-tools.ts');
      return code.offerTools(async () => (await open()).session, offered, whole.signal);
    },
    skills: async () => (await open()).session.skills.list(),
    supportedAgents: async () => listAgents((await open()).session),
    getContextUsage: async () => getContextUsage((await open()).session),
    async explainPool() {
      const { absent } = assembleToolPool(toPoolContext((await open()).session));
      return explainPool(absent);
    },
  });
}

/** As they are now. */
async function listCommands({ commands }: Session): Promise<readonly SlashCommand[]> {
  await commands.refresh();
  return commands.list();
}

/** As they are now. */
async function listAgents(session: Session): Promise<readonly AgentInfo[]> {
  await session.agents.list();
  return listAgentInfos(session);
}

/** Other tabs can look at what a query does. `leave` ends it, because another tab deletes the session. */
function serveQuery(
  { session, interrupt, isRunning }: SessionEngine,
  { tabs, clock }: Host,
  reply: OpenReply,
  leave: () => void,
): ViewerService | undefined {
  if (!tabs) return undefined;
  const { id, journal } = session;
  return serveViewers(
    tabs.openChannel(id),
    {
      requests: toQueryRequests(id, {
        interrupt,
        note: (record) => journal.recordSafely(record),
        skills: () => session.skills.list(),
        supportedAgents: () => listAgents(session),
        getContextUsage: async () => getContextUsage(session),
        supportedCommands: () => listCommands(session),
      }),
      length: () => journal.fold.length,
      state: () => (isRunning() ? 'running' : 'idle'),
      questions: () => [],
      init: () => toInitMessage(session),
      reply: reply.events,
      leave,
    },
    clock,
  );
}

/** The prompts as they come. Ends with `signal`, also while none comes. */
async function* readPrompts(
  prompt: QueryParams['prompt'],
  signal: AbortSignal,
): AsyncGenerator<Prompt, void, undefined> {
  if (typeof prompt === 'string') {
    if (prompt.trim() === '') return;
    yield { message: { role: 'user', content: prompt } };
    return;
  }
  const iterator = prompt[Symbol.asyncIterator]();
  const stopped = new Promise<{ readonly done: true }>((resolve) => {
    signal.addEventListener('abort', () => resolve({ done: true }), { once: true });
  });
  try {
    while (!signal.aborted) {
      const next = await Promise.race([iterator.next(), stopped]);
      if (next.done) return;
      yield toPrompt(next.value, 'An iterable prompt gives', 'takesUnanswered');
    }
  } finally {
    // Not awaited: an iterable that waits for a person answers only when they speak.
    closeIterator(iterator);
  }
}
