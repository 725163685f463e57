// The inputs of hooks, with the Claude Agent SDK's names, one type for each event. Types only.
// Members that have no meaning here are left out, and our own are marked; see docs/hooks.md.
import type { FileChange } from '../../core/change-set.ts';
import type { McpServerProvenance } from '../../core/mcp/mcp-server.ts';
import type { EffortLevel } from '../../core/messages/effort.ts';
import type { PermissionMode, PermissionUpdate } from '../../core/permissions/permission.ts';
import type { HookEvent } from './hook-events.ts';

/** The fields of every input. */
export interface BaseHookInput {
  readonly session_id: string;
  /** Empty: there is no transcript file. */
  readonly transcript_path: string;
  readonly cwd: string;
  /** The same for all events that one prompt causes. */
  readonly prompt_id?: string;
  readonly permission_mode: PermissionMode;
  /** The effort of the agent's model. Left out: the server's default. */
  readonly effort?: { readonly level: EffortLevel };
  /**
   * The id of the sub-agent that the event belongs to, and its kind. Left out for the main agent.
   */
  readonly agent_id?: string;
  readonly agent_type?: string;
}

/**
 * The fields of all events about one call. `tool_input` is a copy: changes to it have no effect.
 */
interface CallInput {
  readonly tool_name: string;
  readonly tool_input: unknown;
  /** The server, for a server's tool. */
  readonly mcp_server?: McpServerProvenance;
}

interface UsedCallInput extends CallInput {
  readonly tool_use_id: string;
}

/**
 * One call of a batch. `tool_response`: the tool's output, or the text that the model got instead.
 */
export interface PostToolBatchToolCall extends UsedCallInput {
  readonly tool_response: unknown;
}

/** The reason why the server gave no answer. */
export type SDKAssistantMessageError =
  | 'authentication_failed'
  | 'billing_error'
  | 'invalid_request'
  | 'rate_limit'
  | 'server_error'
  | 'unknown';

/** The reason why a session ended. `clear`: it was replaced by a new one. */
export type ExitReason = 'clear' | 'other';

/** What it costs is an estimate: the server may have a part of the conversation in its cache. */
interface ModelSwitch {
  readonly from_model: string;
  readonly to_model: string;
  /** Null: the host's own model. */
  readonly requested_model: string | null;
  /** 0 before the first reply. */
  readonly context_tokens: number;
  readonly prompt_cache_warm: boolean;
  readonly cache_ttl: '5m' | '1h';
  /** 0 where no price is known: `pricing` is `default` then. */
  readonly estimated_cache_write_usd: number;
  readonly pricing: 'configured' | 'catalog' | 'default';
}

interface TaskInput {
  readonly task_id: string;
  readonly task_subject: string;
  readonly task_description?: string;
  readonly teammate_name?: string;
  readonly team_name?: string;
}

/** A background task. `type`: `repl`, `subagent`, `workflow`, `monitor` or `mcp`. */
export interface BackgroundTaskSummary {
  readonly id: string;
  readonly type: string;
  readonly status: string;
  /** At most 1 000 characters. */
  readonly description: string;
  /** The kind of sub-agent. */
  readonly agent_type?: string;
}

/** A scheduled prompt. */
export interface SessionCronSummary {
  readonly id: string;
  /** A cron expression with five fields, in the time zone of the session's schedules. */
  readonly schedule: string;
  /** False: it runs once. */
  readonly recurring: boolean;
  /** At most 1 000 characters. */
  readonly prompt: string;
}

/** The background work of the session when the model has finished, and its scheduled prompts. */
interface Waiting {
  readonly background_tasks: readonly BackgroundTaskSummary[];
  readonly session_crons: readonly SessionCronSummary[];
}

/** Each event's own fields. */
interface OwnFields {
  readonly ConfigChange: {
    readonly source:
      'user_settings' | 'project_settings' | 'local_settings' | 'policy_settings' | 'skills';
    readonly file_path?: string;
  };
  readonly CwdChanged: { readonly old_cwd: string; readonly new_cwd: string };
  readonly DirectoryAdded: {
    readonly directory: string;
    readonly source: 'slash_command' | 'register_repo_root';
  };
  readonly Elicitation: {
    readonly mcp_server_name: string;
    readonly message: string;
    readonly mode?: 'form' | 'url';
    readonly url?: string;
    readonly elicitation_id?: string;
    readonly requested_schema?: Record<string, unknown>;
  };
  readonly ElicitationResult: {
    readonly mcp_server_name: string;
    readonly elicitation_id?: string;
    readonly mode?: 'form' | 'url';
    readonly action: 'accept' | 'decline' | 'cancel';
    readonly content?: Record<string, unknown>;
  };
  readonly FileChanged: {
    readonly file_path: string;
    readonly event: 'change' | 'add' | 'unlink';
  };
  readonly InstructionsLoaded: {
    readonly file_path: string;
    readonly memory_type: 'User' | 'Project' | 'Local' | 'Managed';
    readonly load_reason:
      'session_start' | 'nested_traversal' | 'path_glob_match' | 'include' | 'compact';
    readonly globs?: readonly string[];
    readonly trigger_file_path?: string;
    readonly parent_file_path?: string;
  };
  readonly MessageDisplay: {
    readonly turn_id: string;
    readonly message_id: string;
    readonly index: number;
    readonly final: boolean;
    readonly delta: string;
  };
  /** `permission_prompt`: a person is about to be asked. Other types aren't sent yet. */
  readonly Notification: {
    readonly message: string;
    readonly title?: string;
    readonly notification_type: string;
  };
  readonly PermissionDenied: UsedCallInput & { readonly reason: string };
  readonly PermissionRequest: CallInput & {
    readonly permission_suggestions?: readonly PermissionUpdate[];
    /** Our own: the call has run, and the question is whether its changes may be kept. */
    readonly changes?: readonly FileChange[];
    /** Ours: what the call would change. Left out where it wasn't tried. */
    readonly proposed_changes?: readonly FileChange[];
  };
  readonly PostCompact: { readonly trigger: 'manual' | 'auto'; readonly compact_summary: string };
  readonly PostModelSwitch: ModelSwitch & {
    readonly source: 'command' | 'picker' | 'sdk' | 'auto' | 'resume';
  };
  readonly PostToolBatch: { readonly tool_calls: readonly PostToolBatchToolCall[] };
  readonly PostToolUse: UsedCallInput & {
    readonly tool_response: unknown;
    readonly duration_ms: number;
  };
  readonly PostToolUseFailure: UsedCallInput & {
    readonly error: string;
    readonly is_interrupt: boolean;
    readonly duration_ms: number;
  };
  readonly PreCompact: {
    readonly trigger: 'manual' | 'auto';
    readonly custom_instructions: string | null;
  };
  readonly PreModelSwitch: ModelSwitch & { readonly source: 'command' | 'picker' | 'sdk' };
  readonly PreSkillShellCommand: {
    readonly tool_name: string;
    readonly tool_input: { readonly command: string };
    readonly tool_use_id: string;
    readonly command_name: string;
    readonly command_source?: string;
    readonly invoked_by: 'user' | 'claude' | 'other';
  };
  readonly PreToolUse: UsedCallInput;
  readonly SessionEnd: { readonly reason: ExitReason };
  readonly SessionStart: {
    readonly source: 'startup' | 'resume' | 'clear' | 'compact' | 'fork';
    readonly model?: string;
    /** The title that a person or a host has given the session. */
    readonly session_title?: string;
  };
  readonly Setup: { readonly trigger: 'init' | 'maintenance' };
  readonly Stop: Waiting & {
    /** True if the model continues because a Stop hook has already sent it back. */
    readonly stop_hook_active: boolean;
    readonly last_assistant_message?: string;
  };
  readonly StopFailure: {
    readonly error: SDKAssistantMessageError;
    readonly error_details?: string;
  };
  readonly SubagentStart: { readonly agent_id: string; readonly agent_type: string };
  readonly SubagentStop: Waiting & {
    readonly stop_hook_active: boolean;
    readonly agent_id: string;
    readonly agent_transcript_path: string;
    readonly agent_type: string;
    readonly last_assistant_message?: string;
  };
  readonly TaskCompleted: TaskInput;
  readonly TaskCreated: TaskInput;
  readonly TeammateIdle: { readonly teammate_name: string; readonly team_name: string };
  readonly UserPromptExpansion: {
    readonly expansion_type: 'slash_command' | 'mcp_prompt';
    readonly command_name: string;
    readonly command_args: string;
    readonly command_source?: string;
    readonly prompt: string;
  };
  readonly UserPromptSubmit: {
    readonly prompt: string;
    readonly source: 'sdk';
    readonly session_title?: string;
  };
  readonly WorktreeCreate: { readonly name: string };
  readonly WorktreeRemove: { readonly worktree_path: string };
}

/** An event's own fields, before the session's are added. */
export type HookFields<E extends HookEvent> = OwnFields[E];

/** The input of an event, or of any. */
export type HookInput<E extends HookEvent = HookEvent> = {
  [K in E]: BaseHookInput & HookFields<K> & { readonly hook_event_name: K };
}[E];

// The Claude Agent SDK's names, for hooks that are written as separate functions.

/** The input of a `ConfigChange` hook. */
export type ConfigChangeHookInput = HookInput<'ConfigChange'>;
/** The input of a `Notification` hook. */
export type NotificationHookInput = HookInput<'Notification'>;
/** The input of a `PermissionRequest` hook. */
export type PermissionRequestHookInput = HookInput<'PermissionRequest'>;
/** The input of a `PostToolUse` hook. */
export type PostToolUseHookInput = HookInput<'PostToolUse'>;
/** The input of a `PostToolUseFailure` hook. */
export type PostToolUseFailureHookInput = HookInput<'PostToolUseFailure'>;
/** The input of a `PreCompact` hook. */
export type PreCompactHookInput = HookInput<'PreCompact'>;
/** The input of a `PreToolUse` hook. */
export type PreToolUseHookInput = HookInput<'PreToolUse'>;
/** The input of a `SessionEnd` hook. */
export type SessionEndHookInput = HookInput<'SessionEnd'>;
/** The input of a `SessionStart` hook. */
export type SessionStartHookInput = HookInput<'SessionStart'>;
/** The input of a `Setup` hook. */
export type SetupHookInput = HookInput<'Setup'>;
/** The input of a `Stop` hook. */
export type StopHookInput = HookInput<'Stop'>;
/** The input of a `SubagentStart` hook. */
export type SubagentStartHookInput = HookInput<'SubagentStart'>;
/** The input of a `SubagentStop` hook. */
export type SubagentStopHookInput = HookInput<'SubagentStop'>;
/** The input of a `TaskCompleted` hook. */
export type TaskCompletedHookInput = HookInput<'TaskCompleted'>;
/** The input of a `TeammateIdle` hook. */
export type TeammateIdleHookInput = HookInput<'TeammateIdle'>;
/** The input of a `UserPromptSubmit` hook. */
export type UserPromptSubmitHookInput = HookInput<'UserPromptSubmit'>;
