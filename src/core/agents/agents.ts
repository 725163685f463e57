// What tools may ask of the session's agents. agent/agents/ keeps the promises; the tools Agent, SendMessage and
// their like are the users.
import type { TextBlock } from '../messages/blocks.ts';
import type { Usage } from '../messages/messages.ts';
import type { OutputFormat } from '../messages/output-format.ts';
import type { SkillAgents } from '../commands/skill.ts';
import type { TaskStatus } from '../tool/background.ts';

/** Which agent is wanted, and for what. */
export interface AgentRequest {
  /** Its task for people, in three to five words. */
  readonly description: string;
  readonly prompt: string;
  /** A definition's name, or `fork`. @defaultValue 'general-purpose' */
  readonly agentType?: string | undefined;
  /** A name of the query's `models`. Left out: the definition's, else the caller's. */
  readonly model?: string | undefined;
  /** The name by which other agents write to it. A name that is taken is refused. */
  readonly name?: string | undefined;
  /** The agent works on a branch of `main`, which is merged at its end. */
  readonly isolation?: 'worktree' | undefined;
  /** The caller doesn't wait for it. Left out: the definition says. @defaultValue true */
  readonly isBackground?: boolean | undefined;
  /** Its last answer is data of this form: `structuredOutput` of its report. */
  readonly outputFormat?: OutputFormat | undefined;
  /** If no more agents may run, the new one waits until one has ended. Left out: it is refused. */
  readonly waitsForRoom?: boolean;
}

/**
 * An agent's calls by what they do, as the Claude Agent SDK counts them. Those that a cell makes count for the cell.
 */
export interface ToolStats {
  readonly readCount: number;
  readonly searchCount: number;
  /** Cells. */
  readonly bashCount: number;
  /** Calls that have changed files. */
  readonly editFileCount: number;
  /** Lines added to files, also by cells. */
  readonly linesAdded: number;
  readonly linesRemoved: number;
  readonly otherToolCount: number;
}

/** The result of an agent, from its own entries. */
export interface AgentReport {
  readonly agentId: string;
  readonly agentType: string;
  readonly status: TaskStatus;
  /** Its last text. Empty if there is none. */
  readonly content: readonly TextBlock[];
  /** Its answer in the form that was asked for. */
  readonly structuredOutput?: unknown;
  /** Why it isn't `completed`, in a sentence. */
  readonly reason?: string;
  readonly resolvedModel: string;
  readonly modelsUsed: readonly string[];
  readonly toolsUsed: readonly string[];
  readonly toolStats: ToolStats;
  readonly totalToolUseCount: number;
  readonly totalDurationMs: number;
  readonly totalTokens: number;
  readonly usage: Usage;
  /**
   * The tool by which text from outside came that the agent has read. The report's reader is
   * tainted by it, too.
   */
  readonly taintedBy?: string;
  /** For an isolated agent: its branch, if it stays. */
  readonly worktreePath?: string;
  readonly worktreeBranch?: string;
  /** For an isolated agent: how its changes were merged, or why not. */
  readonly mergeNote?: string;
}

/** The call that begins an agent. */
export interface AgentCall {
  readonly toolUseID: string;
  readonly signal: AbortSignal;
  /** For a call that starts several agents: which one this is. */
  readonly part?: number;
}

/** An agent that runs beside its caller. */
export interface LaunchedAgent {
  readonly agentId: string;
  readonly resolvedModel: string;
  /** Absolute. At its end it holds the whole report. */
  readonly outputPath: string;
}

/** One that may be asked for. */
export interface AgentListing {
  readonly name: string;
  readonly description: string;
  /** Undefined: all that the caller has. */
  readonly tools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  readonly model?: string;
}

/** An agent that was started. */
export interface AgentState {
  readonly agentId: string;
  readonly name?: string;
  readonly agentType: string;
  readonly description: string;
  /** Undefined: the session's main agent has started it. */
  readonly parentId?: string;
  readonly depth: number;
  readonly isRunning: boolean;
}

/** Where mail goes. */
export interface SentMail {
  readonly to: string;
  /** The agent was idle, and continues its own conversation. */
  readonly hasWoken: boolean;
}

/** Agents that work on one thing. */
export interface TeamState {
  readonly name: string;
  readonly description?: string;
  /** The agents that were started with a name since the team was created. */
  readonly members: readonly {
    readonly name: string;
    readonly agentId: string;
    readonly isRunning: boolean;
  }[];
}

/** The agents of one session, as one of them may reach them. */
export interface Agents extends SkillAgents {
  /** The kinds of agents that the caller may start. */
  definitions(): readonly AgentListing[];
  /** All agents that were started, oldest first. */
  list(): readonly AgentState[];
  /**
   * Starts the agent of this call, and waits for its report. For a background agent, resolves to
   * the data for following it. After a resume, the same call finds the agent that it has started.
   *
   * Aborting `signal` stops an agent that is waited for. Rejects with an SdkError: `bad-usage` for
   * an unknown type or a name that is taken, `limit-exceeded`, and the workspace's errors.
   */
  run(request: AgentRequest, call: AgentCall): Promise<AgentReport | LaunchedAgent>;
  /**
   * Sends a message to an agent, by its id or name; `main` is the main agent, `*` the whole team.
   * Resolves when the message is recorded. A running agent gets it with its next request; an idle
   * one continues.
   *
   * @throws SdkError `bad-usage` for an unknown agent; the message lists the known ones
   */
  send(to: string, text: string, callId: string): Promise<SentMail>;
  /** Undefined: there is none. */
  team(): TeamState | undefined;
  /** @throws SdkError `bad-usage` for a sub-agent, and if there is already a team */
  createTeam(name: string, description?: string): Promise<TeamState>;
  /**
   * Deletes the team. Its members continue and keep their names. Resolves to the deleted team.
   *
   * @throws SdkError `bad-usage` for a sub-agent, and if there is no team
   */
  deleteTeam(): Promise<TeamState>;
}
