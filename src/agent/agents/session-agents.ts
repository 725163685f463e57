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
   * Resumes agents that ran when the session was last closed, once its opening is recorded. Agents for which a call
   * waits continue when that call is resumed. In a fork, the agents of the original session end.
   */
  resume(): Promise<void>;
  /**
   * Stops one agent and all below it, and waits. `by`: the id of a sub-agent, which may stop only agents that it has
   * started, and those below them. Resolves to undefined if no such agent runs.
   */
  stop(agentId: string, byModel: boolean, by?: string): Promise<StoppedTask | undefined>;
  /** As `Query.backgroundTasks`. */
  toBackground(callId?: string): Promise<boolean>;
  /** Resolves when it has ended. Undefined: no such agent runs. Never rejects. */
  whenEnded(agentId: string): Promise<void> | undefined;
  isRunning(): boolean;
  /** Called when one of them runs no longer. */
  readonly whenLeft: Set<() => void>;
  /** The cause of the taint of any agent, the main agent included. Undefined: none is tainted. */
  taintedBy(): string | undefined;
  /**
   * Resolves when an agent that this one has started has news for it, when none of them runs any more, or when
   * `signal` aborts.
   */
  whenNews(session: Session, signal: AbortSignal): Promise<void>;
  /** Stops all agents. None can be started afterwards. */
  close(): Promise<void>;
}
