// The session of an object as its class and its wire hold it: one AgentSession, however often it is let go and opened
// again beneath. Used by create-session-object.ts.
import type { AgentSession, OpenedSession, SessionQuestion } from '../../../agent/agent-session.ts';
import { SdkError } from '../../../core/errors.ts';
import type { SDKMessage } from '../../../core/messages/sdk-message.ts';
import type { Model } from '../../../model/model.ts';
import type { Trace } from '../../../trace/trace.ts';

/**
 * The session of an object or a server, for the code of its class. Beside what a client may ask
 * for, its MCP servers can be listed and logged in to. Give `host: { mcp: { login } }` a `store`
 * that outlives the session's sleep.
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

/** The session as it is open now. */
export interface Opening {
  readonly session: ObjectSession;
  /** Aborted when the opening is let go. The session may be opened again. */
  readonly letGo: AbortSignal;
  /** The number of the opening in this instance, from 1. */
  readonly ordinal: number;
}

/** What the session is opened with. */
export interface SleepingPorts {
  readonly id: () => string;
  /** Opens it, unless it is open. */
  open(): Promise<Opening>;
  readonly current: () => Opening | undefined;
  /** Resolves to the opening that comes after that number, which may be there already. */
  openingAfter(ordinal: number): Promise<Opening>;
  /**
   * Keeps the session open until the result is disposed. With `behindTurn` it does so only until
   * the turn waits for a person.
   */
  hold(behindTurn?: boolean): Disposable;
  /**
   * Before a prompt is taken, or a compaction begins. Rejects where there may be no turn. What it gives is disposed when
   * the compaction has ended, or where no turn comes of the prompt.
   */
  admit(): Promise<Disposable | undefined>;
  /** There is an event soon, whatever becomes of this one. */
  ring(): Promise<void>;
  /** The questions that waited when the session was let go. */
  readonly parked: () => readonly SessionQuestion[];
  /** For every opening from now on. */
  setModel(model: Model): void;
  /** Records what is left, and lets it go. */
  close(): Promise<void>;
  /** Of no opening. */
  readonly trace: Trace;
}

/** Opens nothing by itself. Methods open the session; `close` lets it go until it is used again. */
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

  /** Waits until no turn runs. A turn that waits for a person may do so for days: it isn't waited for. */
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

  /** Runs work that the session goes on with, also if this instance is lost in between. */
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
     * The session whose numbers `known` counts. After `/clear` there is another one, whose numbers
     * begin again.
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
          // A reader that goes on has the session's first message already.
          if (isFirst || !isInit || isOther) yield message;
        }
      } catch (error) {
        // The opening was let go in the midst of the stored messages. The rest is read from the
        // next opening.
        if (!letGo.aborted) throw error;
        opening = await ports.open();
        continue;
      }
      if (!letGo.aborted) return;
      // A reader that waits for the next opening keeps nothing of this one in memory.
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
        // A turn that runs, or waits for a person, gives its room back at its own end.
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
      // A question that is put again in a moment counts as waiting all the while.
      return open.length > 0 ? open : ports.parked();
    },
    answer: (...given) => workOn((session) => session.answer(...given)),
    // A turn that waits for a person has to be taken up, to be stopped.
    interrupt: (options) => workOn((session) => session.interrupt(options)),
    setPermissionMode: (mode) => whileOpen((session) => session.setPermissionMode(mode)),
    async setModel(model) {
      await whileOpen((session) => session.setModel(model));
      ports.setModel(model);
    },
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
      // As its questions: one that is put again in a moment waits all the while.
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
