// All sub-agents of one session, for the rest of the session. Made by create-session-agents.ts.
import type { AgentListing, Agents } from '../../core/agents/agents.ts';
import type { StoppedTask } from '../../core/tool/background.ts';
import type { SessionJournal } from '../journal/session-journal.ts';
import type { Session } from '../session/session.ts';

/** The agents of one session. */
export interface SessionAgents {
  /** The session's own journal, where records that all agents share are written. */
  readonly sessionJournal: SessionJournal;
  /** The kinds of agents that may be started. */
  definitions(): readonly AgentListing[];
  /**
   * Reads the workspace's definitions again, before each prompt. Never rejects. A person is told
   * which are left out.
   */
  list(): Promise<void>;
  /** The port by which one of the agents reaches the others. */
  portOf(session: Session): Agents;
  /**
   * Takes up agents that ran when the session was last closed, once its opening is recorded. Agents
   * that a call waits for go on when that call is taken up. Agents of a session that this one is a
   * fork of end here.
   */
  resume(): Promise<void>;
  /**
   * Stops one agent and all below it, and waits. `by`: a sub-agent, which may stop agents that it
   * has begun, and those below them. Undefined: no such agent runs.
   */
  stop(agentId: string, byModel: boolean, by?: string): Promise<StoppedTask | undefined>;
  /** As `Query.backgroundTasks`. */
  toBackground(callId?: string): Promise<boolean>;
  /** Resolves when it has ended. Undefined: no such agent runs. Never rejects. */
  whenEnded(agentId: string): Promise<void> | undefined;
  isRunning(): boolean;
  /** Called when one of them runs no longer. */
  readonly whenLeft: Set<() => void>;
  /**
   * The cause of a taint of any of the agents, or the session's own. Undefined: none is tainted.
   */
  taintedBy(): string | undefined;
  /**
   * Resolves when an agent that this one has begun has news for it, when none of them runs any
   * more, or when `signal` aborts.
   */
  whenNews(session: Session, signal: AbortSignal): Promise<void>;
  /** Stops all agents. None can be begun afterwards. */
  close(): Promise<void>;
}
