// The transcript of a session as immutable data. transcript-store.ts folds it from SDKMessages, and
// components/transcript.tsx shows it. An entry that didn't change keeps its object.
import type { ImageBlock } from '../core/messages/blocks.ts';
import type { ActiveGoal } from '../core/session/goal.ts';
import type { TaskStatus } from '../core/tool/background.ts';
import type { ViewedCall } from '../core/tool/call-state.ts';
import type { CallDecision, PermissionMode } from '../core/permissions/permission.ts';
import type {
  SDKResultMessage,
  SDKSessionRoleChangedMessage,
  SDKSystemMessage,
} from '../core/messages/sdk-message.ts';
import type { SlashCommand } from '../core/commands/slash-command.ts';

interface EntryBase {
  readonly id: string;
  /** The call that contains this entry (a nested call, a sub-agent). Null at the top. */
  readonly parentToolUseId: string | null;
}

/** Something the model said or thought, growing while it streams. */
export interface TextEntry extends EntryBase {
  readonly kind: 'text' | 'thinking';
  readonly text: string;
  readonly isStreaming: boolean;
}

/** One tool call; `id` is the `tool_use` id. Keeps at most {@link maxProgress} payloads. */
export interface CallEntry extends EntryBase, ViewedCall {
  readonly kind: 'call';
  /** The background task of the call, if it has one. The call's own result came at once. */
  readonly task: CallTask | null;
  /** For a workflow: how many agents it has started. Their entries are inside of the call. */
  readonly agentCount?: number;
}

/** A call that runs, or ran, beside the conversation. */
export interface CallTask {
  readonly taskId: string;
  readonly description: string;
  readonly status: 'running' | TaskStatus;
  /** The outcome. Empty while the task runs. */
  readonly summary: string;
  /** The decision about the call's changes: whether they were kept, and why. */
  readonly decision?: CallDecision;
  /** For a call of Agent: the agent's kind and its usage so far. */
  readonly agent?: TaskAgent;
}

/** A sub-agent, as far as its messages describe it. */
export interface TaskAgent {
  /** The name of its definition: "Explore". */
  readonly type: string;
  /** True if nobody waits for it. */
  readonly isBackground: boolean;
  /** True if its call can continue without it: see `Query.backgroundTasks`. */
  readonly canBeBackgrounded: boolean;
  readonly totalTokens: number;
  readonly toolUses: number;
}

/** A background task, or a sub-agent, that runs now. */
export interface RunningTask {
  readonly taskId: string;
  /** The call that has started it. */
  readonly toolUseId: string;
  readonly description: string;
  /** For a sub-agent. */
  readonly agent?: TaskAgent;
  /** The task of the sub-agent that has started it. */
  readonly parentTaskId?: string;
}

/** A notice about the session itself: a retry, an error. */
export interface NoticeEntry extends EntryBase {
  readonly kind: 'notice';
  readonly level: 'information' | 'warning' | 'error';
  readonly text: string;
}

/** A person's prompt that has joined the turn while it ran. */
export interface PromptEntry extends EntryBase {
  readonly kind: 'prompt';
  /** Empty for a prompt of images alone. */
  readonly text: string;
  readonly images: readonly ImageBlock[];
}

/** One line of a turn. `kind` says which. */
export type TranscriptEntry = TextEntry | CallEntry | NoticeEntry | PromptEntry;

/** One user message and all that followed until the agent rested. */
export interface Turn {
  readonly id: string;
  /** Empty for entries before the first prompt, and for a prompt of images alone. */
  readonly prompt: string;
  readonly images: readonly ImageBlock[];
  /**
   * The start of a turn without a person's prompt: a background task's notification, a tick, or a
   * schedule.
   */
  readonly begunBy?: 'task-notification' | 'tick' | 'schedule';
  readonly entries: readonly TranscriptEntry[];
  readonly callCount: number;
  /** A rewind has reverted the turn, so it isn't part of the conversation any more. */
  readonly isTakenBack?: boolean;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly result: SDKResultMessage | null;
}

/** All that a page shows of a session at one moment. Immutable. */
export interface SessionSnapshot {
  readonly turns: readonly Turn[];
  readonly isRunning: boolean;
  /** The background tasks, and all sub-agents that run, oldest first. */
  readonly tasks: readonly RunningTask[];
  /** The newest `system/init`. */
  readonly init: SDKSystemMessage | null;
  /** The current mode, whoever has set it. Null until the session has sent it. */
  readonly permissionMode: PermissionMode | null;
  /** The commands that a prompt may begin with. Null until they are known. */
  readonly commands: readonly SlashCommand[] | null;
  /** The session's goal. Null if there is none. */
  readonly goal: ActiveGoal | null;
  /** A proposal for the person's next prompt. Null while a turn runs, and if none is likely. */
  readonly suggestion: string | null;
  /** `viewer`: the session runs elsewhere, in another tab or at its server. Null until it is open. */
  readonly role: SDKSessionRoleChangedMessage['role'] | null;
  /** The connection to a session elsewhere is lost and is being retried. What is sent meanwhile is sent afterwards. */
  readonly isReconnecting: boolean;
}

/** 1 000 payloads: a person can scroll through these, and they limit the memory for a cell with much output. */
export const maxProgress = 1000;
