// The session of an object as its class and its wire use it. It stays one AgentSession while the
// session below is released and opened again. Used by create-session-object.ts.
import type { AgentSession, OpenedSession, SessionQuestion } from '../../../agent/agent-session.ts';
import type { FlagSettings } from '../../../agent/session/settings/flag-settings.ts';
import { SdkError } from '../../../core/errors.ts';
import type { SDKMessage } from '../../../core/messages/sdk-message.ts';
import type { Model } from '../../../model/model.ts';
import type { Trace } from '../../../trace/trace.ts';

/**
 * The session of an object or a server, for the code of its class. In addition to what a client may
 * do, its MCP servers can be listed and logged in to. Give `host: { mcp: { login } }` a `store`
 * that survives the session's release.
 */
export type ObjectSession = AgentSession &
  Pick<
    OpenedSession,
    | 'mcpServerStatus'
    | 'readMcpResource'
    | 'reconnectMcpServer'
    | 'loginMcpServer'
    | 'completeMcpLogin'
    | 'logoutMcpServer'
  >;

/** One opening of the session. */
export interface Opening {
  readonly session: ObjectSession;
  /** Aborted when the opening is released. The session may be opened again. */
  readonly letGo: AbortSignal;
  /** The number of the opening in this instance, from 1. */
  readonly ordinal: number;
}

/** The functions that open and hold the session. */
export interface SleepingPorts {
  readonly id: () => string;
  /** Opens the session unless it is open. */
  open(): Promise<Opening>;
  readonly current: () => Opening | undefined;
  /** Resolves to the first opening after that number, which may exist already. */
  openingAfter(ordinal: number): Promise<Opening>;
  /**
   * Keeps the session open until the result is disposed. With `behindTurn` it does so only until
   * the turn waits for a person.
   */
  hold(behindTurn?: boolean): Disposable;
  /**
   * Called before a prompt is accepted, or a compaction begins. Rejects if no turn is allowed.
   * Dispose the result when the compaction has ended, or if the prompt starts no turn.
   */
  admit(): Promise<Disposable | undefined>;
  /** Schedules a further event, independent of the current one. */
  ring(): Promise<void>;
  /** The questions that were open when the session was released. */
  readonly parked: () => readonly SessionQuestion[];
  /** Sets the model for all later openings. */
  setModel(model: Model): void;
  /** Keeps settings that the session has accepted, for all later openings. */
  keepFlags(settings: FlagSettings): void;
  /** Records the remaining entries and releases the session. */
  close(): Promise<void>;
  /** The trace of no particular opening. */
  readonly trace: Trace;
}

/**
 * Opens nothing by itself. Methods open the session; `close` releases it until it is used again.
 */
export function createSleepingSession(ports: SleepingPorts): ObjectSession {
  const now = () => ports.current()?.session;

  async function whileOpen<Result>(
    work: (session: ObjectSession) => Promise<Result>,
  ): Promise<Result> {
    const held = ports.hold();
    try {
      return await work((await ports.open()).session);
    } finally {
      held[Symbol.dispose]();
    }
  }

  /**
   * Waits until no turn runs. It doesn't wait for a turn that waits for a person, which may take
   * days.
   */
  async function behindTurn<Result>(
    work: (session: ObjectSession) => Promise<Result>,
  ): Promise<Result> {
    const held = ports.hold(true);
    try {
      const { session, letGo } = await ports.open();
      const gone = new Promise<never>((_, reject) => {
        letGo.addEventListener('abort', () => reject(waitsForPerson(ports.id())), { once: true });
      });
      return await Promise.race([work(session), gone]);
    } finally {
      held[Symbol.dispose]();
    }
  }

  /** Runs work that the session continues even if this instance is lost meanwhile. */
  async function workOn<Result>(work: (session: ObjectSession) => Promise<Result>) {
    const held = ports.hold();
    try {
      await ports.ring();
      return await whileOpen(work);
    } finally {
      held[Symbol.dispose]();
    }
  }

  async function* readMessages(
    after: number,
    stored: boolean,
  ): AsyncGenerator<SDKMessage, void, undefined> {
    let known = after;
    /**
     * The session whose numbers `known` counts. After `/clear` there is a new session, whose
     * numbers begin again.
     */
    let counted: string | undefined;
    let opening: Opening | undefined = await ports.open();
    for (let isFirst = true; ; isFirst = false) {
      const { letGo, ordinal, session }: Opening = opening;
      if (counted !== undefined && session.id !== counted) known = 0;
      try {
        for await (const message of session.messages({ after: known, stored })) {
          const isInit = message.type === 'system' && message.subtype === 'init';
          const isOther = isInit && counted !== undefined && message.session_id !== counted;
          if (isInit) counted = message.session_id;
          known = isOther ? 0 : Math.max(known, message.n ?? 0);
          // A reader that continues has the session's first message already.
          if (isFirst || !isInit || isOther) yield message;
        }
      } catch (error) {
        // The opening was released while the stored messages were read. The rest is read from the
        // next opening.
        if (!letGo.aborted) throw error;
        opening = await ports.open();
        continue;
      }
      if (!letGo.aborted) return;
      // A reader that waits for the next opening must not keep this one in memory.
      opening = undefined;
      opening = await ports.openingAfter(ordinal);
    }
  }

  return {
    get id() {
      return ports.id();
    },
    get trace() {
      return now()?.trace ?? ports.trace;
    },
    async send(prompt) {
      const admitted = await ports.admit();
      const giveBack = () => {
        // A turn that runs, or waits for a person, releases its reservation at its own end.
        const isAtRest = (now()?.state() ?? 'idle') === 'idle' && ports.parked().length === 0;
        if (isAtRest) admitted?.[Symbol.dispose]();
      };
      try {
        const sent = await workOn((session) => session.send(prompt));
        if (sent.isRepeated) giveBack();
        return sent;
      } catch (error) {
        giveBack();
        throw error;
      }
    },
    messages: ({ after = 0, stored = false } = {}) => readMessages(after, stored),
    questions() {
      const open = now()?.questions() ?? [];
      // A question that is about to be asked again counts as open meanwhile.
      return open.length > 0 ? open : ports.parked();
    },
    answer: (...given) => workOn((session) => session.answer(...given)),
    // To stop a turn that waits for a person, the session must be opened.
    interrupt: (options) => workOn((session) => session.interrupt(options)),
    setPermissionMode: (mode) => whileOpen((session) => session.setPermissionMode(mode)),
    async setModel(model) {
      await whileOpen((session) => session.setModel(model));
      ports.setModel(model);
    },
    applyFlagSettings: (settings) =>
      whileOpen(async (session) => {
        await session.applyFlagSettings(settings);
        ports.keepFlags(settings);
      }),
    supportedCommands: () => whileOpen((session) => session.supportedCommands()),
    supportedAgents: () => whileOpen((session) => session.supportedAgents()),
    getContextUsage: () => whileOpen((session) => session.getContextUsage()),
    skills: () => whileOpen((session) => session.skills()),
    mcpServerStatus: () => whileOpen((session) => session.mcpServerStatus()),
    readMcpResource: (name, uri) => whileOpen((session) => session.readMcpResource(name, uri)),
    reconnectMcpServer: (name) => whileOpen((session) => session.reconnectMcpServer(name)),
    loginMcpServer: (name) => whileOpen((session) => session.loginMcpServer(name)),
    completeMcpLogin: (back) => whileOpen((session) => session.completeMcpLogin(back)),
    logoutMcpServer: (name) => whileOpen((session) => session.logoutMcpServer(name)),
    stopTask: (taskId) => whileOpen((session) => session.stopTask(taskId)),
    backgroundTasks: (toolUseId) => whileOpen((session) => session.backgroundTasks(toolUseId)),
    async compact(instructions) {
      const admitted = await ports.admit();
      try {
        await behindTurn((session) => session.compact(instructions));
      } finally {
        admitted?.[Symbol.dispose]();
      }
    },
    fork: (options) => behindTurn((session) => session.fork(options)),
    rewind: (promptUuid, options) => behindTurn((session) => session.rewind(promptUuid, options)),
    undo: () => behindTurn((session) => session.undo()),
    rewindFiles: (promptUuid, options) =>
      behindTurn((session) => session.rewindFiles(promptUuid, options)),
    state() {
      // As for `questions`: one that is about to be asked again counts as open meanwhile.
      return ports.parked().length > 0 ? 'requires_action' : (now()?.state() ?? 'idle');
    },
    role: () => 'runner',
    close: ports.close,
    [Symbol.asyncDispose]: ports.close,
  };
}

function waitsForPerson(sessionId: string): SdkError {
  return new SdkError(
    'bad-usage',
    `The session ${sessionId} was let go before this was done: its turn waits for a person. Answer the question, or stop the turn, and ask again.`,
    { data: { sessionId } },
  );
}
