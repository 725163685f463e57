// A session that runs in this realm. It runs its turns, one after the other, as long as there is work, and implements
// the requests to the session. Used by open-session.ts.
import { SdkError } from '../core/errors.ts';
import { createMcpControl } from './mcp-control.ts';
import { isRecord } from '../core/values/is-record.ts';
import type { AnswerRecord } from '../core/session/journal.ts';
import type { SDKMessage } from '../core/messages/sdk-message.ts';
import type { Model } from '../model/model.ts';
import type { RecordingTrace } from '../trace/record-calls.ts';
import type { SessionState } from './agent-session.ts';
import type { AnswerDesk } from './permissions/answer-desk.ts';
import type { QueryOptions } from './query-options.ts';
import { openEngine } from './session-engine.ts';
import type { SessionEngine } from './session-engine.ts';
import type { SessionActivity } from './session-steps.ts';
import type { FoundSession } from './session/find-session.ts';
import type { Session } from './session/session.ts';
import { forkSession } from './stored-sessions/manage-sessions.ts';
import type { RunnerRequests } from './tabs/runner-requests.ts';
import { getContextUsage } from './context/context-usage.ts';
import { listAgentInfos } from './turn/to-result-message.ts';

/** What the caller that opens the session provides. */
export interface RunPorts {
  /** Ends the session. The caller disposes it. */
  readonly whole: AbortController;
  readonly trace: RecordingTrace;
  readonly desk: AnswerDesk;
  readonly emit: (message: SDKMessage) => void;
  readonly model: () => Model;
  /** A turn has begun or ended, or is about to begin. */
  readonly onTurn: () => void;
}

export interface RunningSession {
  readonly session: Session;
  readonly requests: RunnerRequests;
  state(): SessionState;
  setModel(model: Model): Promise<void>;
  /** The turn or the questions have changed. */
  changed(): void;
  /** Runs the session's work until the session ends. Call it once. */
  drive(): Promise<void>;
  /** Stops what runs, records what is left, and releases the session. Idempotent. */
  close(): Promise<void>;
}

/** Opens the found session. If this rejects, the caller must release the session. Rejects as `openEngine`. */
export async function runSession(
  options: QueryOptions,
  ports: RunPorts,
  found: FoundSession,
): Promise<RunningSession> {
  const { whole, trace, desk, emit, model, onTurn } = ports;
  const engine = await openEngine(
    { ...options, canUseTool: desk.canUseTool },
    { whole, trace, emit, tellsPrompts: true, hasOnePrompt: false, model, onTurn },
    found,
  );
  const { session } = engine;
  const { journal } = session;
  const changes = new Set<() => void>();
  // Runs before `send` resolves, so that the sender knows of the turn by then.
  const listening = journal.onEntry(({ type, agent }) => {
    if (type === 'prompt' && agent === undefined) onTurn();
  });
  session.agents.whenLeft.add(onTurn);
  try {
    await engine.begin();
  } catch (error) {
    await engine.close();
    throw error;
  }

  /**
   * A question that was open when the session was last closed may be asked again in a moment. An agent in the
   * background may ask again while no turn runs.
   */
  async function whenPut(requestId: string): Promise<void> {
    while (!whole.signal.aborted && !desk.open().includes(requestId)) {
      const asked = journal.fold.findQuestion(requestId);
      if (!asked || asked.answer !== undefined) return;
      const { agentID } = asked.question.question;
      const agentEnds = agentID === undefined ? undefined : session.agents.whenEnded(agentID);
      if (!agentEnds && !engine.isBusy()) return;
      const changed = new Promise<void>((resolve) => changes.add(resolve));
      await Promise.race(agentEnds ? [changed, agentEnds] : [changed]);
    }
  }

  function toActivity(): SessionActivity {
    if (journal.broken.aborted) return 'broken';
    const isAsking = desk.open().length > 0;
    if (engine.isBusy()) return isAsking ? 'asks' : 'runs';
    // An agent in the background continues without a turn.
    return session.agents.isRunning() && !isAsking ? 'runs' : 'rests';
  }

  const isOver = () => whole.signal.aborted || journal.broken.aborted;

  async function drive(): Promise<void> {
    while (!isOver()) {
      await engine.run();
      await engine.whenWork();
    }
    options.host.steps?.tell(toActivity());
  }

  return {
    session,
    requests: {
      send: engine.send,
      async answer(requestId, result) {
        await whenPut(requestId);
        desk.answer(requestId, result);
        await whenAnswered(engine, requestId);
      },
      interrupt: engine.interrupt,
      async setPermissionMode(mode) {
        engine.setPermissionMode(mode);
        // The mode holds at once. A kill must not restore the mode before.
        await journal.flush();
      },
      applyFlagSettings: engine.applyFlagSettings,
      async supportedCommands() {
        await session.commands.refresh();
        return session.commands.list();
      },
      async supportedAgents() {
        await session.agents.list();
        return listAgentInfos(session);
      },
      getContextUsage: async () => getContextUsage(session),
      skills: session.skills.list,
      ...createMcpControl(() => session, options, whole.signal),
      stopTask: engine.stopTask,
      backgroundTasks: (toolUseId) => session.agents.toBackground(toolUseId),
      compact: async (instructions) => {
        const { compactNow } = await import('./turn/compact-session.ts');
        return engine.idle(() => compactNow(session, instructions, whole.signal));
      },
      fork: (forking) =>
        engine.idle(() =>
          forkSession(session.id, { ...(isRecord(forking) && forking), host: options.host }),
        ),
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
      note: (record) => journal.recordSafely(record),
    },
    state() {
      // Work that waits when the session is closed runs when it is opened again.
      if (isOver() ? !engine.isRunning() : !engine.isBusy()) return 'idle';
      return desk.open().length > 0 ? 'requires_action' : 'running';
    },
    setModel: engine.setModel,
    changed() {
      options.host.steps?.tell(toActivity());
      for (const change of changes) change();
      changes.clear();
    },
    drive,
    async close() {
      listening[Symbol.dispose]();
      session.agents.whenLeft.delete(onTurn);
      await engine.close();
    },
  };
}

/** Loaded only when somebody rewinds. */
const loadRewind = () => import('./session/files/rewind.ts');

/** Resolves when the answer is recorded and durable. Rejects with `bad-usage` if it came too late. */
async function whenAnswered(
  { session: { journal } }: SessionEngine,
  requestId: string,
): Promise<void> {
  const { broken } = journal;
  if (broken.aborted) throw broken.reason;
  let stopListening = () => {};
  const { result } = await new Promise<AnswerRecord>((resolve, reject) => {
    const listening = journal.onEntry((entry) => {
      if (entry.type === 'answer' && entry.requestId === requestId) resolve(entry);
    });
    const fail = () => reject(broken.reason);
    broken.addEventListener('abort', fail, { once: true });
    stopListening = () => {
      listening[Symbol.dispose]();
      broken.removeEventListener('abort', fail);
    };
  }).finally(() => stopListening());
  if (result === null) throw createWithdrawnError(requestId);
  await journal.flush();
}

function createWithdrawnError(requestId: string): SdkError {
  const message = `The question ${requestId} was withdrawn before the answer took effect: the turn was stopped.`;
  return new SdkError('bad-usage', message, { data: { requestId } });
}
