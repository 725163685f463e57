// Opens a session that is kept: prompts are sent to it, and any number of readers are told what happens.
import { createChildController } from '../core/abort.ts';
import { SdkError } from '../core/errors.ts';
import { isRecord } from '../core/is-record.ts';
import type { SDKMessage, SDKUserMessage } from '../core/sdk-message.ts';
import { createTrace } from '../trace/record-calls.ts';
import type { AgentSession, SessionQuestion, SessionState } from './agent-session.ts';
import type { Prompt } from './between-turns.ts';
import { checkOptions } from './check-query.ts';
import { SessionFold } from './journal/fold.ts';
import { toKeptMessages, withoutAgentText } from './journal/kept-messages.ts';
import { createMessageHub } from './messages/message-hub.ts';
import type { MessageHub } from './messages/message-hub.ts';
import { toNoticeMessage, toStateMessage } from './messages/to-sdk-message.ts';
import { createAnswerDesk } from './permissions/answer-desk.ts';
import { checkLimits, checkSettingSources, checkSkillOptions } from './query-options.ts';
import type { QueryOptions } from './query-options.ts';
import { openSuccession } from './open-succession.ts';
import { openEngine } from './session-engine.ts';
import type { SessionEngine } from './session-engine.ts';
import { checkSessionChoice } from './session/find-session.ts';
import { forkSession } from './stored-sessions/manage-sessions.ts';
import { toInitMessage } from './to-result-message.ts';

/**
 * Opens a session: a new one, or one that is kept (`resume`, `continue`, `forkSession`). A turn that was cut
 * when it was last closed goes on at once, and prompts that waited are answered after it.
 *
 * What goes wrong in a turn is an error result among its messages. Where the session can't be recorded any more
 * it is closed, after a result that says why. `/clear` begins another one, with which the object goes on: see
 * `AgentSession.id`.
 *
 * @throws SdkError `bad-usage` or `invalid-input` for options that can't hold, for an id that is taken, unknown
 * or open already; `unsupported-environment` for a session of a newer format, which is left untouched.
 *
 * @example
 * ```ts
 * await using session = await openSession({ host, model, resume: id });
 * await session.send('Go on.');
 * for await (const message of session.messages()) show(message);
 * ```
 */
export async function openSession(options: QueryOptions): Promise<AgentSession> {
  checkOptions(options);
  checkSessionChoice(options);
  checkLimits(options);
  checkSettingSources(options.settingSources);
  checkSkillOptions(options);
  const trace = createTrace(options.host.clock);
  return openSuccession(options, (next, onMessage) => openOne(next, { trace, onMessage }));
}

/** What the sessions have in common that follow one another. */
interface Succession {
  readonly trace: ReturnType<typeof createTrace>;
  /** Hears of each message as it happens. Must not throw. */
  readonly onMessage: (message: SDKMessage) => void;
}

async function openOne(
  options: QueryOptions,
  { trace, onMessage }: Succession,
): Promise<AgentSession> {
  const whole = createChildController(
    options.abortController?.signal ?? new AbortController().signal,
  );
  const desk = createAnswerDesk(options.canUseTool);
  const hub = createMessageHub();
  let tellState: () => void = () => undefined;
  let engine: SessionEngine;
  try {
    engine = await openEngine(
      { ...options, canUseTool: desk.canUseTool },
      {
        whole,
        trace,
        emit: (message) => {
          hub.push(message);
          onMessage(message);
        },
        tellsPrompts: true,
        hasOnePrompt: false,
        model: () => options.model,
        onTurn: () => tellState(),
      },
    );
    await engine.begin();
  } catch (error) {
    whole[Symbol.dispose]();
    throw error;
  }
  const { session } = engine;
  const { journal } = session;

  function listQuestions(): SessionQuestion[] {
    return desk.open().flatMap((requestId) => {
      const { fold } = journal;
      const folds = [fold, ...[...fold.agents.values()].map((agent) => agent.fold)];
      const asked = folds.flatMap(({ questions }) => questions.get(requestId) ?? [])[0]?.question;
      return asked ? [{ ...asked.question, requestId }] : [];
    });
  }

  function state(): SessionState {
    if (!engine.isRunning()) return 'idle';
    return desk.open().length > 0 ? 'requires_action' : 'running';
  }

  let told: SessionState = 'idle';
  tellState = () => {
    if (state() === told) return;
    told = state();
    hub.push(toStateMessage(session, told));
  };
  desk.onChange(() => tellState());

  async function drive(): Promise<void> {
    const isOver = () => whole.signal.aborted || journal.broken.aborted;
    while (!isOver()) {
      await engine.run();
      await engine.whenWork();
    }
  }

  async function end(): Promise<void> {
    await engine.close();
    hub.end();
    whole[Symbol.dispose]();
  }

  let ending: Promise<void> | undefined;
  const close = () => (ending ??= end());
  const driving = drive().finally(close);
  // What ends it without a close of the caller's (the journal is broken, say) was told by a result.
  driving.catch(() => undefined);

  return {
    id: session.id,
    trace,
    send: async (prompt) => engine.send(toPrompt(prompt)),
    messages: ({ after = 0 } = {}) =>
      readMessages(engine, hub, after, options.forwardSubagentText ?? false),
    questions: listQuestions,
    async answer(requestId, result) {
      desk.answer(requestId, result);
      await whenAnswered(engine, requestId);
    },
    interrupt: engine.interrupt,
    setPermissionMode: async (mode) => engine.setPermissionMode(mode),
    setModel: async (model) => engine.setModel(model),
    async supportedCommands() {
      await session.commands.refresh();
      return session.commands.list();
    },
    stopTask: engine.stopTask,
    compact: async (instructions) => {
      const { compactNow } = await import('./compact-session.ts');
      return engine.idle(() => compactNow(session, instructions, whole.signal));
    },
    fork: (forking) =>
      engine.idle(() => forkSession(session.id, { host: options.host, ...forking })),
    rewind: async (promptUuid, rewinding) => {
      const { rewindSession } = await loadRewind();
      return engine.idle(() => rewindSession(session, promptUuid, rewinding));
    },
    undo: async () => {
      const { undoRewind } = await loadRewind();
      return engine.idle(() => undoRewind(session));
    },
    rewindFiles: async (promptUuid, rewinding) => {
      const { rewindFiles } = await loadRewind();
      return engine.idle(() => rewindFiles(session, promptUuid, rewinding));
    },
    skills: session.skills.list,
    state,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** A feature of its own: its code is fetched when somebody goes back. */
const loadRewind = () => import('./session/rewind.ts');

async function* readMessages(
  { session }: SessionEngine,
  hub: MessageHub,
  after: number,
  forwardsText: boolean,
): AsyncGenerator<SDKMessage, void, undefined> {
  // First of all: what happens while the rest is read is told behind it.
  const live = hub.read();
  const { entries } = session.journal.fold;
  const last = entries.length;
  try {
    const init = toInitMessage(session);
    yield init;
    for (const warning of init.warnings) yield toNoticeMessage(session, warning, 'warning');
    const fold = new SessionFold();
    for (let at = 0; at < last; at += 1) {
      const entry = entries[at];
      if (!entry) break;
      fold.apply(entry);
      if (entry.n <= after) continue;
      for (const message of toKeptMessages(entry, fold, session.id)) {
        const told = forwardsText ? message : withoutAgentText(message);
        if (told) yield told;
      }
    }
    for await (const message of live) {
      if (message.n === undefined || message.n > after) yield message;
    }
  } finally {
    live[Symbol.dispose]();
  }
}

/** Resolves when the answer is recorded and durable. */
async function whenAnswered(
  { session: { journal } }: SessionEngine,
  requestId: string,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    if (journal.broken.aborted) reject(journal.broken.reason);
    const listening = journal.onEntry((entry) => {
      if (entry.type !== 'answer' || entry.requestId !== requestId) return;
      listening[Symbol.dispose]();
      resolve();
    });
    journal.broken.addEventListener('abort', () => reject(journal.broken.reason), { once: true });
  });
  await journal.flush();
}

function toPrompt(prompt: string | SDKUserMessage): Prompt {
  if (typeof prompt === 'string' && prompt !== '') {
    return { message: { role: 'user', content: prompt } };
  }
  const message: unknown = isRecord(prompt) ? prompt['message'] : undefined;
  const content = isRecord(message) && message['role'] === 'user' ? message['content'] : undefined;
  const isSaid = (typeof content === 'string' || Array.isArray(content)) && content.length > 0;
  if (typeof prompt === 'object' && isSaid) return prompt;
  throw new SdkError(
    'bad-usage',
    "send takes a text that isn't empty, or a message { type: 'user', message: { role: 'user', content: 'Hello' }, parent_tool_use_id: null }.",
    {},
  );
}
