// Runs a session: first the turn that was cut, then its prompts one after the other. query.ts drives it as far as its
// messages are read; run-session.ts drives it as long as there is something to do.
import { createChildController } from '../core/async/abort.ts';
import { SdkError, describeThrown } from '../core/errors.ts';
import { createId } from '../core/ids.ts';
import type { MoveKeptRecord, OpenedRecord } from '../core/session/journal.ts';
import { msSince } from '../core/async/ms-since.ts';
import { createSerialQueue } from '../core/async/serial-queue.ts';
import type { PermissionMode } from '../core/permissions/permission.ts';
import type { SDKControlInterruptResponse } from '../core/messages/interrupt-response.ts';
import type { SDKMessage } from '../core/messages/sdk-message.ts';
import type { Model } from '../model/model.ts';
import type { RecordingTrace } from '../trace/record-calls.ts';
import type { TraceEvent } from '../trace/trace.ts';
import type { InterruptOptions, SentPrompt } from './agent-session.ts';
import { findMostUrgent, type Prompt } from './turn/between-turns.ts';
import { checkModel } from './check-query.ts';
import { readCommandLine } from './commands/command-line.ts';
import { createSession } from './create-session.ts';
import type { SessionFold } from './journal/fold.ts';
import { toContext } from './journal/record-context.ts';
import { createSessionJournal } from './journal/session-journal.ts';
import type { SessionJournal } from './journal/session-journal.ts';
import { runTurn } from './turn/loop.ts';
import type { TurnResult } from './turn/loop.ts';
import { toReceipt } from './messages/interrupt-receipt.ts';
import { toMirrorError, toNoticeMessage, toPromptSuggestion } from './messages/to-sdk-message.ts';
import { checkMode } from './permissions/decide.ts';
import { createPermissionState } from './permissions/permission-state.ts';
import type { PermissionState } from './permissions/permission-state.ts';
import type { FlagSettings } from './session/settings/flag-settings.ts';
import { openDryRunRoot } from './session/files/dry-run-root.ts';
import { toCwd, toPermissionContext } from './query-options.ts';
import type { QueryOptions } from './query-options.ts';
import { withdrawPutOff } from './turn/put-off.ts';
import { restoreUsage, resumeTurn } from './turn/resume-turn.ts';
import { findSession } from './session/find-session.ts';
import { noteRunning } from './session/held-sessions.ts';
import type { FoundSession } from './session/find-session.ts';
import { claimLedger } from './session/handover/ledger.ts';
import { requireHere } from './session/handover/whereabouts.ts';
import { checkSessionText } from './session/session-text.ts';
import type { Session } from './session/session.ts';
import type { SessionSteps } from './session-steps.ts';
import type { SessionMirror } from './stored-sessions/session-store.ts';
import { endTurn } from './turn/to-result-message.ts';
import { restoreRepl } from './session/files/restore-repl.ts';
import { createTicks, readProactive } from './turn/ticks.ts';
import type { TurnAdmission } from './triggers/turn-admission.ts';

/** What the caller that opens a session provides. */
export interface EnginePorts {
  /** Ends the session, and is aborted by {@link SessionEngine.close}. The caller disposes it. */
  readonly whole: AbortController;
  readonly trace: RecordingTrace;
  /** Gets all messages. Must not throw. */
  readonly emit: (message: SDKMessage) => void;
  /** See `SessionStart` of create-session.ts. */
  readonly tellsPrompts: boolean;
  readonly hasOnePrompt: boolean;
  /** The model at the moment of the opening; `setModel` may have been called since the options were given. */
  readonly model: () => Model;
  /** Prompts that the caller has, beside those that were sent. See `Session.whenPrompted`. */
  readonly whenPrompted?: (listener: () => void) => () => void;
  /** Called before anything is decided. */
  readonly onPermissions?: (permissions: PermissionState) => void;
  /** A turn has begun, or has ended. */
  readonly onTurn?: () => void;
  /** Called when there is work that the caller doesn't know of: a tick, a schedule, mail. */
  readonly onWork?: () => void;
}

/** Called when a turn has ended, before its result is emitted. `signal`: the turn's. */
type BeforeResult = (result: TurnResult, signal: AbortSignal) => Promise<void>;

/** An open session. */
export interface SessionEngine {
  readonly session: Session;
  readonly permissions: PermissionState;
  /** Runs SessionStart's hooks. Call it once, before the first turn. */
  begin(): Promise<void>;
  /** As `AgentSession.send`. */
  send(prompt: Prompt): Promise<SentPrompt>;
  /** True if there is a turn that was cut, or a prompt without a turn. */
  hasWaiting(): boolean;
  /** The prompts that an earlier opening has left wait for a later one. */
  leaveEarlier(): void;
  /**
   * Takes what begins a turn without a prompt of the caller: ends of tasks, a waiting prompt, or a tick. Ends and
   * ticks are returned once.
   */
  takeNews(): Prompt | undefined;
  /** Adds the prompt to the conversation, between two turns. No turn answers it. */
  append(prompt: Prompt): Promise<void>;
  /** Runs the turn of `prompt`, or else of a waiting prompt or of news. Does nothing if there is none. */
  run(prompt?: Prompt, beforeResult?: BeforeResult): Promise<void>;
  /** Resolves when there may be something to run, or the session ends. */
  whenWork(): Promise<void>;
  /** Runs `work` while no turn runs; none begins meanwhile. */
  idle<Result>(work: () => Promise<Result>): Promise<Result>;
  isRunning(): boolean;
  /** True if a turn runs or is about to. */
  isBusy(): boolean;
  interrupt(options?: InterruptOptions): Promise<SDKControlInterruptResponse | undefined>;
  setModel(model: Model): Promise<void>;
  setPermissionMode(mode: PermissionMode): void;
  /** As `Query.applyFlagSettings`. */
  applyFlagSettings(settings: FlagSettings): Promise<void>;
  stopTask(taskId: string): Promise<void>;
  /** Resolves when all records are stored and were sent to the mirror. Nothing is sent afterwards. */
  settle(): Promise<void>;
  /** Stops what runs, records what is left, and releases the session. Idempotent. */
  close(): Promise<void>;
}

/**
 * Finds the session that the options name, as `findSession` does, and fetches it if only the `sessionStore` has it.
 */
export function lookUpSession(options: QueryOptions, joins?: 'joins'): Promise<FoundSession> {
  return findSession(options, toCwd(options), (id) => fetchSession(options, id), joins);
}

/**
 * Opens the session, and records that. If this rejects, the caller releases what was found.
 *
 * @throws SdkError as `createSession` does; `EFENCED` if another writer has recorded something since.
 */
export async function openEngine(
  given: QueryOptions,
  ports: EnginePorts,
  { id, fold, store, held, rewindTo, why }: FoundSession,
): Promise<SessionEngine> {
  const { host } = given;
  const { whole, trace, emit } = ports;
  // A stored session continues in its own directory, unless the caller gives another.
  const options = inItsDirectory(given, fold.session?.cwd);
  if (options.promptSuggestions && host.steps) throw createNoSuggestionsError();
  const cwd = toCwd(options);
  const journal = createSessionJournal({ fold, store, clock: host.clock });
  const isNew = fold.session === undefined;
  const isFork = fold.session !== undefined && fold.session.id !== id;
  const source = toSource(fold, isFork);
  const permissions = createPermissionState(toPermissionContext(options), cwd, fold.permissions);
  if (held) {
    held.journal = journal;
    held.mode = () => permissions.current().mode;
  }
  ports.onPermissions?.(permissions);
  if (fold.moved && store) await completeClear(host, fold);
  if (fold.session) {
    if (rewindTo !== undefined) await journal.fold.recall(rewindTo);
    const kept = store && !isFork ? await requireHere(host.workspace, id, fold) : [];
    await recordOpening(journal, id, { rewindTo, why: why ?? host.steps?.opening, kept });
  } else if (store) await claimLedger(host.workspace.streams, id);
  const heard = new Set<() => void>();
  const wakers = new Set<() => void>();
  const tried = new Set<string>();
  const session = await createSession(options, {
    id,
    model: ports.model(),
    cwd,
    permissions,
    journal,
    emit,
    tellsPrompts: ports.tellsPrompts,
    trace,
    whenPrompted,
    signal: whole.signal,
    hasOnePrompt: ports.hasOnePrompt,
  });
  if (options.title !== undefined && (isNew || isFork)) {
    await journal.recordSafely({ type: 'meta', title: checkSessionText('title', options.title) });
  }
  // `setModel` was called before, or while the tools were loading: that ends what was chosen earlier.
  if (ports.model() !== given.model) session.models.give(ports.model());
  if (fold.arrival) await tellArrival(session);
  if (fold.vm.size > 0 || rewindTo !== undefined) await restoreRepl(session);
  let isCut = fold.turn !== undefined;
  if (!isCut) await resumeTurn(session, { includePartialMessages: false, signal: whole.signal });
  let running:
    { readonly controller: AbortController; readonly ended: Promise<unknown> } | undefined;
  const inTurn = createSerialQueue();
  let closing: Promise<void> | undefined;
  let suggesting: ReturnType<typeof createChildController> | undefined;
  const mirror = store && (await openMirror(options, session));
  // Comes first, because agents use tokens as soon as they continue.
  restoreUsage(session);
  await session.agents.resume();
  session.pullRequests?.start();
  const admission = await openAdmission(session, whole.signal, wake);
  const listening = journal.onEntry((entry) => {
    const isNews = entry.type === 'task' || entry.type === 'mail';
    const isScheduled = entry.type === 'prompt' && entry.origin?.kind === 'schedule';
    if (isNews || isScheduled) ports.onWork?.();
    // A prompt that is recorded was admitted.
    if (entry.type === 'prompt' && entry.agent === undefined) admission?.lift();
    if (isNews || entry.type === 'prompt') wake();
    const isUsers = entry.type === 'prompt' && entry.agent === undefined && !entry.origin;
    if (isUsers) for (const listener of [...heard]) listener();
  });
  const noted = noteRunning(host.workspace, journal);
  whole.signal.addEventListener('abort', wake, { once: true });
  journal.broken.addEventListener('abort', wake, { once: true });

  function wake(): void {
    for (const waker of wakers) waker();
    wakers.clear();
  }

  const proactive = ports.hasOnePrompt ? undefined : readProactive(options.proactive);
  const ticks = proactive && createTicks(session, proactive, onTick);

  function onTick(): void {
    ports.onWork?.();
    wake();
  }

  /** True if a call is deferred. Only a person's prompt withdraws it. */
  const isPutOff = () => fold.turn?.isPutOff === true;

  /** The next prompt without a turn. A prompt whose turn failed before it began isn't tried again. */
  const nextWaiting = () =>
    findMostUrgent(
      fold.waiting.filter(({ uuid, origin }) => !tried.has(uuid) && !(origin && isPutOff())),
    );

  /** There is a turn to begin, and it isn't held. */
  const hasNews = () => {
    const hasOwn = () => session.tasks.hasNews() || ticks?.isDue() === true;
    const isWaiting = nextWaiting() !== undefined || (!isPutOff() && hasOwn());
    return isWaiting && !admission?.isHeld();
  };

  // A prompt comes first: its turn also reports the news. Otherwise a task with much news would delay the prompt.
  const takeNews = () =>
    (nextWaiting() as Prompt | undefined) ??
    (isPutOff() ? undefined : (session.tasks.takeNews() ?? ticks?.take()));

  function whenPrompted(listener: () => void): () => void {
    // One for each call of this: several calls may be cut by the same function.
    const own = () => listener();
    heard.add(own);
    const callOff = ports.whenPrompted?.(own);
    if (nextWaiting()) own();
    return () => {
      heard.delete(own);
      callOff?.();
    };
  }

  function idle<Result>(work: () => Promise<Result>): Promise<Result> {
    return inTurn(() => {
      suggesting?.abort();
      return work();
    });
  }

  async function run(prompt: Prompt | undefined, beforeResult?: BeforeResult): Promise<void> {
    if (prompt) return idle(() => play(prompt, beforeResult));
    await idle(async () => {
      if (isCut) {
        await host.steps?.next(whole.signal);
        return play(undefined);
      }
      if (fold.moved || !hasNews()) return;
      if (admission && !(await admission.ask())) {
        // The session is idle, even if work is held back.
        ports.onTurn?.();
        return;
      }
      const next = takeNews();
      return next && play(next);
    });
  }

  /** Plays the turn of the prompt, or without one the turn that was cut. Never rejects. */
  async function play(prompt: Prompt | undefined, beforeResult?: BeforeResult): Promise<void> {
    ticks?.hold();
    const controller = createChildController(whole.signal);
    const turn = () => playTurn(prompt, controller.signal, beforeResult);
    const ended = session.turnWork.run(turn);
    running = { controller, ended };
    ports.onTurn?.();
    await ended;
    running = undefined;
    controller[Symbol.dispose]();
    if (!whole.signal.aborted) ticks?.rest();
    ports.onTurn?.();
  }

  async function playTurn(
    prompt: Prompt | undefined,
    signal: AbortSignal,
    beforeResult?: BeforeResult,
  ): Promise<void> {
    const startedAt = host.clock.now();
    const turn = {
      includePartialMessages: options.includePartialMessages ?? false,
      ...(options.maxTurns !== undefined && { maxTurns: options.maxTurns }),
      signal,
    };
    // The changes may have been dropped, and the branch with them. If no new branch can be made, calls say why.
    if (options.dryRun) await openDryRunRoot(host.workspace, id).catch(() => undefined);
    trace.record({ type: 'turn-start' });
    const result = await (prompt ? takeUp(prompt, turn) : resume(turn));
    trace.record({ type: 'turn-end', reason: result?.end.type ?? 'stopped' });
    if (!result) return;
    await beforeResult?.(result, signal);
    await endTurn(session, result, msSince(startedAt, host.clock));
    if (options.promptSuggestions && !ports.hasOnePrompt && result.end.type === 'completed') {
      void suggest();
    }
  }

  /** Suggests the next prompt. Nothing waits for it, and the next turn aborts it. Never rejects. */
  async function suggest(): Promise<void> {
    if (!options.smallModel || hasNews()) return;
    const controller = createChildController(whole.signal);
    const { signal } = controller;
    suggesting = controller;
    try {
      const { suggestPrompt } = await import('./turn/suggest-prompt.ts');
      const suggestion = await suggestPrompt(session, options.smallModel, signal);
      if (suggestion !== undefined && !signal.aborted)
        emit(toPromptSuggestion(session, suggestion));
    } catch (error) {
      if (signal.aborted) return;
      const message = `No next prompt could be suggested: ${describeThrown(error)}`;
      emit(toNoticeMessage(session, message, 'warning'));
    } finally {
      controller[Symbol.dispose]();
    }
  }

  /** The fields of a prompt's record beside its message. With `verbatimPrompts` no prompt is a command. */
  const toAbout = ({ origin, client_composed, priority }: Prompt) => ({
    ...(origin && { origin }),
    ...((options.verbatimPrompts || client_composed) && { client_composed: true as const }),
    ...(priority && priority !== 'later' && { priority }),
  });

  function takeUp(prompt: Prompt, turn: Parameters<typeof runTurn>[2]): Promise<TurnResult> {
    const { message, uuid, tells } = prompt;
    session.usage.startTurn();
    if (uuid !== undefined) tried.add(uuid);
    return runTurn(session, message, { ...turn, promptId: uuid, tells, ...toAbout(prompt) });
  }

  function resume(turn: Parameters<typeof resumeTurn>[1]): Promise<TurnResult | undefined> {
    isCut = false;
    return resumeTurn(session, turn);
  }

  async function settle(): Promise<void> {
    // The turn's result has reported what broke the journal.
    await journal.flush().catch(() => undefined);
    await mirror?.close();
  }

  async function close(): Promise<void> {
    whole.abort();
    ticks?.[Symbol.dispose]();
    await idle(() => session.tasks.close());
    await session.agents.close();
    // A session that is released as by a kill, or has moved, will continue: it hasn't ended.
    const goesOn = host.steps?.letGo.aborted || journal.sealed.aborted;
    if (goesOn) session.hooks?.[Symbol.dispose]();
    else await session.hooks?.end();
    listening[Symbol.dispose]();
    noted[Symbol.dispose]();
    // A later opening gets its variables from the journal.
    host.executor.endSession?.(id);
    session.schedule.seat?.[Symbol.dispose]();
    await settle();
    held?.[Symbol.dispose]();
  }

  return {
    session,
    permissions,
    async begin() {
      const first = await session.hooks?.start(session.model.name, whole.signal, source);
      // By the journal, not by `source`: a page that closes before this is recorded gets it again.
      if (first !== undefined && fold.promptIds.size === 0 && !whole.signal.aborted) {
        const message = { role: 'user', content: first } as const;
        const uuid = session.ids.of('prompt', 0);
        const record = { type: 'prompt', uuid, message, ...toAbout({ message }) } as const;
        const isClear = !record.client_composed && readCommandLine(message)?.name === 'clear';
        // It would begin sessions without end.
        if (source === 'clear' && isClear) emit(toNoticeMessage(session, clearsAgain, 'warning'));
        else await journal.recordSafely(record);
      }
      ticks?.rest();
      if (session.crons && !ports.hasOnePrompt)
        await startTriggers(session, admission?.steps, whole.signal);
    },
    async send(prompt) {
      const { message, uuid = createId() } = prompt;
      if (closing || whole.signal.aborted) throw createClosedError(id);
      const isRepeated = fold.promptIds.has(uuid);
      if (isRepeated) await journal.flush();
      else if (fold.moved) throw createMovedError(id, fold.moved.to);
      else {
        const isStop = prompt.priority === 'now';
        const record = { type: 'prompt', uuid, message, ...toAbout(prompt) } as const;
        const recorded = journal.recordSafely(record, ...(isStop && fold.turn ? [stopped] : []));
        // Also a turn whose hooks or command still run: it isn't recorded yet.
        if (isStop) running?.controller.abort();
        await recorded;
      }
      return { uuid, n: fold.promptIds.get(uuid) ?? 0, ...(isRepeated && { isRepeated }) };
    },
    leaveEarlier() {
      const isEarlier = (uuid: string) => (fold.promptIds.get(uuid) ?? 0) < fold.begunAt;
      for (const { uuid } of fold.waiting) if (isEarlier(uuid)) tried.add(uuid);
    },
    hasWaiting: () => isCut || nextWaiting() !== undefined,
    takeNews,
    append: ({ message }) =>
      idle(async () => {
        const { signal } = whole;
        const stop = () => whole.abort();
        if (isPutOff()) await withdrawPutOff(session, { signal, stop }, 'left');
        await journal.recordSafely(...toContext('user', [message]));
      }),
    run,
    whenWork() {
      const isOver = whole.signal.aborted || journal.broken.aborted;
      // After `/clear` the person isn't notified of the old session's tasks any more.
      const hasWork = isCut || (hasNews() && !fold.moved);
      if (isOver || hasWork) return Promise.resolve();
      return new Promise((resolve) => void wakers.add(resolve));
    },
    idle,
    isRunning: () => running !== undefined,
    isBusy: () =>
      running !== undefined || isCut || (nextWaiting() !== undefined && !admission?.isHeld()),
    async interrupt({ begunBy = Infinity } = {}) {
      if ((fold.turn?.n ?? fold.length) > begunBy) return undefined;
      // A turn that was cut ends as soon as it is resumed, without doing anything.
      if (!running && isCut) await journal.recordSafely(stopped);
      if (!running) return undefined;
      // Recorded first, without waiting, so that the consequences of the stop are recorded after it.
      if (fold.turn) journal.note(stopped);
      running.controller.abort();
      await running.ended;
      const queued = fold.waiting.map(({ uuid }) => uuid).filter((uuid) => !tried.has(uuid));
      // At once, because the next turn may begin while the receipt's code is loaded.
      const events: TraceEvent[] = [];
      trace.follow((event) => void events.push(event))();
      return toReceipt(events, queued);
    },
    async setModel(model) {
      checkModel(model);
      session.spending.checkModel(model.name);
      await session.models.switchTo(model);
    },
    setPermissionMode: (mode) => permissions.setMode(checkMode(mode)),
    async applyFlagSettings(settings) {
      const code = await import('./session/settings/flag-settings.ts');
      await code.applyFlagSettings(session, permissions, settings);
    },
    stopTask: (taskId) => session.tasks.stopByPerson(taskId),
    settle,
    close: () => (closing ??= close()),
  };
}

const stopped = { type: 'stopped' } as const;

const clearsAgain =
  'A SessionStart hook gives /clear as the first prompt of a session that /clear has begun. It is left out: let the hook give another one where source is clear.';

/** The `source` of SessionStart. */
function toSource({ session, opened }: SessionFold, isFork: boolean) {
  if (!session) return 'startup';
  if (isFork) return 'fork';
  return session.clearedFrom !== undefined && !opened ? 'clear' : 'resume';
}

/** Completes a `/clear` whose page was closed between its two records. */
async function completeClear(host: QueryOptions['host'], fold: SessionFold): Promise<void> {
  const code = await import('./session/clear-session.ts');
  await code.completeClear(host, fold);
}

function inItsDirectory(options: QueryOptions, cwd: string | undefined): QueryOptions {
  if (cwd === undefined || cwd === toCwd(options) || options.cwd !== undefined) return options;
  return { ...options, cwd };
}

/** Records for a session that has arrived by a move where it is. Loads the code for that. */
async function tellArrival(session: Session): Promise<void> {
  const code = await import('./session/handover/tell-arrival.ts');
  await code.tellArrival(session);
}

/** Loads the code of triggers, for a session that may schedule something. */
async function startTriggers(
  session: Session,
  steps: SessionSteps | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { crons, wakeups, journal, host } = session;
  if (!crons || !wakeups) return;
  const { fireTriggers } = await import('./triggers/fire-triggers.ts');
  await crons.forgetOver();
  const { clock } = host;
  const list = () => [...crons.triggers(), ...wakeups.triggers()];
  fireTriggers(session, { clock, journal, steps, timeZone: crons.timeZone, signal, list });
}

/** Loads the code of admission, if the host decides before each turn. */
async function openAdmission(
  session: Session,
  signal: AbortSignal,
  onFree: () => void,
): Promise<TurnAdmission | undefined> {
  const { clock, steps } = session.host;
  if (!steps) return undefined;
  const { createTurnAdmission } = await import('./triggers/turn-admission.ts');
  return createTurnAdmission(session, { clock, steps, signal, onFree });
}

/** Fetches the session from the mirror. False if there is none, or it doesn't have the session. */
async function fetchSession(options: QueryOptions, sessionId: string): Promise<boolean> {
  const { sessionStore, loadTimeoutMs, host } = options;
  if (!sessionStore) return false;
  const { loadFromStore } = await import('./stored-sessions/session-store.ts');
  const key = { projectKey: toCwd(options), sessionId };
  const { workspace, clock } = host;
  return loadFromStore(sessionStore, key, { workspace, clock, loadTimeoutMs });
}

/** Loads the code of the mirror, for a session that has a store. */
async function openMirror(
  { sessionStore: store, sessionStoreFlush: flush, loadTimeoutMs }: QueryOptions,
  session: Session,
): Promise<SessionMirror | undefined> {
  if (!store) return undefined;
  const { startMirror } = await import('./stored-sessions/session-store.ts');
  const key = { projectKey: session.cwd, sessionId: session.id };
  return startMirror(store, {
    key,
    workspace: session.host.workspace,
    clock: session.host.clock,
    flush,
    loadTimeoutMs,
    onError: (error) => session.emit(toMirrorError(session, error, key)),
  });
}

/** Why a stored session is opened. */
type Opening = 'resume' | 'takeover' | 'woken';

interface OpeningFacts extends Pick<FoundSession, 'rewindTo'> {
  readonly why?: Opening | undefined;
  /** The records of failed moves. */
  readonly kept: readonly MoveKeptRecord[];
}

/** Records that a stored session continues: as it is, from an earlier message, or as a fork. */
async function recordOpening(
  journal: SessionJournal,
  id: string,
  { rewindTo, why = 'resume', kept }: OpeningFacts,
): Promise<void> {
  const isFork = journal.fold.session?.id !== id;
  const opened: OpenedRecord = {
    type: 'opened',
    owner: createId(),
    why: isFork ? 'fork' : why,
    ...(isFork && { fork: { id, seed: createId() } }),
  };
  await journal.recordSafely(
    ...kept,
    opened,
    ...(rewindTo === undefined ? [] : [{ type: 'rewound', to: rewindTo } as const]),
  );
}

/** The error of a session that was left by `/clear`. open-succession.ts sends the prompt to `data.movedTo`. */
function createMovedError(id: string, movedTo: string): SdkError {
  const message = `The session ${id} was left for a new one by /clear. Send the prompt to ${movedTo}.`;
  return new SdkError('bad-usage', message, { data: { sessionId: id, movedTo } });
}

function createNoSuggestionsError(): SdkError {
  const message =
    'promptSuggestions has no effect in a Durable Object, which rests as soon as a turn has ended: leave it out.';
  return new SdkError('bad-usage', message, { data: { option: 'promptSuggestions' } });
}

function createClosedError(id: string): SdkError {
  const message = `The session ${id} is closed. Open it again with resume: '${id}'.`;
  return new SdkError('bad-usage', message, { data: { sessionId: id } });
}
