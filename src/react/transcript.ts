// What a person reads of a session, as immutable data: folded from SDKMessages by session-store.ts,
// shown by components/transcript.tsx. An entry that didn't change keeps its object.
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
  /** The call that this happened inside of (a nested call, a sub-agent); null at the top. */
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
  /** What has become of it, where it runs in the background; its own result came at once. */
  readonly task: CallTask | null;
}

/** A call that runs, or ran, beside the conversation. */
export interface CallTask {
  readonly taskId: string;
  readonly description: string;
  readonly status: 'running' | TaskStatus;
  /** What came of it; empty while it runs. */
  readonly summary: string;
  /** The decision about the call's changes: whether they were kept, and why. */
  readonly decision?: CallDecision;
  /** For a call of Agent: the agent's kind, and what it has used so far. */
  readonly agent?: TaskAgent;
}

/** A sub-agent, as far as its messages tell. */
export interface TaskAgent {
  /** The name of its definition: "Explore". */
  readonly type: string;
  /** True if nobody waits for it. */
  readonly isBackground: boolean;
  readonly totalTokens: number;
  readonly toolUses: number;
}

/** A background task, or a sub-agent, that runs now. */
export interface RunningTask {
  readonly taskId: string;
  readonly description: string;
  /** For a sub-agent. */
  readonly agent?: TaskAgent;
  /** The task of the sub-agent that has started it. */
  readonly parentTaskId?: string;
}

/** Something about the session itself: a retry, an error. */
export interface NoticeEntry extends EntryBase {
  readonly kind: 'notice';
  readonly level: 'information' | 'warning' | 'error';
  readonly text: string;
}

/** One line of a turn, told apart by `kind`. */
export type TranscriptEntry = TextEntry | CallEntry | NoticeEntry;

/** One user message and all that followed until the agent rested. */
export interface Turn {
  readonly id: string;
  /** Empty for what came before the first prompt, and where there are images alone. */
  readonly prompt: string;
  readonly images: readonly ImageBlock[];
  /** What has begun it, where no person has: a background task's news, a tick, or what was scheduled. */
  readonly begunBy?: 'task-notification' | 'tick' | 'schedule';
  readonly entries: readonly TranscriptEntry[];
  readonly callCount: number;
  /** A rewind has taken it back: it is no part of the conversation any more. */
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
  /** What runs in the background, and all sub-agents that run, oldest first. */
  readonly tasks: readonly RunningTask[];
  /** The newest `system/init`. */
  readonly init: SDKSystemMessage | null;
  /** The mode that holds now, whoever has set it; null until the session has said it. */
  readonly permissionMode: PermissionMode | null;
  /** What a prompt may begin with; null until it is known. */
  readonly commands: readonly SlashCommand[] | null;
  /** What the session works for; null where there is none. */
  readonly goal: ActiveGoal | null;
  /** What the person may want to say next; null while a turn runs, and where nothing is likely. */
  readonly suggestion: string | null;
  /** `viewer`: another tab runs it. */
  readonly role: SDKSessionRoleChangedMessage['role'];
}

/** 1 000 payloads: what a person can scroll through, and a bound on a chatty cell's memory. */
export const maxProgress = 1000;
