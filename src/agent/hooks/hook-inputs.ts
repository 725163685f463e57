// The inputs of hooks, with the Claude Agent SDK's names, one for each kind of event. Types only.
// Members without a meaning here are left out, and ours are marked; see docs/hooks.md.
import type { FileChange } from '../../core/change-set.ts';
import type { McpServerProvenance } from '../../core/mcp/mcp-server.ts';
import type { EffortLevel } from '../../core/messages/effort.ts';
import type { PermissionMode, PermissionUpdate } from '../../core/permissions/permission.ts';
import type { HookEvent } from './hook-events.ts';

/** On every input. */
export interface BaseHookInput {
  readonly session_id: string;
  /** Empty: there is no transcript file yet. */
  readonly transcript_path: string;
  readonly cwd: string;
  /** The same for all that happens because of one prompt. */
  readonly prompt_id?: string;
  readonly permission_mode: PermissionMode;
  /** The effort of the agent's model. Left out: the server's default. */
  readonly effort?: { readonly level: EffortLevel };
  /** The sub-agent whose event it is, and its kind. Left out for the session's own agent. */
  readonly agent_id?: string;
  readonly agent_type?: string;
}

/** What all events about one call say. `tool_input` is a copy: changing it changes nothing. */
interface CallInput {
  readonly tool_name: string;
  readonly tool_input: unknown;
  /** Whose tool it is, where it is a server's. */
  readonly mcp_server?: McpServerProvenance;
}

interface UsedCallInput extends CallInput {
  readonly tool_use_id: string;
}

/** One call of a batch. `tool_response`: the tool's output, or the text that the model got instead. */
export interface PostToolBatchToolCall extends UsedCallInput {
  readonly tool_response: unknown;
}

/** Why the server gave no answer. */
export type SDKAssistantMessageError =
  | 'authentication_failed'
  | 'billing_error'
  | 'invalid_request'
  | 'rate_limit'
  | 'server_error'
  | 'unknown';

/** Why a session ended. `clear`: it was left for a new one. */
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

/** A task that runs in the background. `type`: `repl`, `subagent`, `workflow`, `monitor` or `mcp`. */
export interface BackgroundTaskSummary {
  readonly id: string;
  readonly type: string;
  readonly status: string;
  /** At most 1 000 characters. */
  readonly description: string;
  /** The kind of sub-agent. */
  readonly agent_type?: string;
}

/** A prompt that is scheduled. */
export interface SessionCronSummary {
  readonly id: string;
  /** Five fields, in the time zone of the session's schedules. */
  readonly schedule: string;
  /** False: it comes once. */
  readonly recurring: boolean;
  /** At most 1 000 characters. */
  readonly prompt: string;
}

/** What goes on in the session although the model wants to rest, and what will wake it. */
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
  /** `permission_prompt`: a person is about to be asked. No other kind is sent yet. */
  readonly Notification: {
    readonly message: string;
    readonly title?: string;
    readonly notification_type: string;
  };
  readonly PermissionDenied: UsedCallInput & { readonly reason: string };
  readonly PermissionRequest: CallInput & {
    readonly permission_suggestions?: readonly PermissionUpdate[];
    /** Ours: the call has run, and it is asked whether what it changed may be kept. */
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
    /** The title that the session was given. */
    readonly session_title?: string;
  };
  readonly Setup: { readonly trigger: 'init' | 'maintenance' };
  readonly Stop: Waiting & {
    /** The model goes on because a Stop hook has sent it back already. */
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

// The names of the Claude Agent SDK, for a hook that is written by itself.

/** What a hook of `ConfigChange` is given. */
export type ConfigChangeHookInput = HookInput<'ConfigChange'>;
/** What a hook of `Notification` is given. */
export type NotificationHookInput = HookInput<'Notification'>;
/** What a hook of `PermissionRequest` is given. */
export type PermissionRequestHookInput = HookInput<'PermissionRequest'>;
/** What a hook of `PostToolUse` is given. */
export type PostToolUseHookInput = HookInput<'PostToolUse'>;
/** What a hook of `PostToolUseFailure` is given. */
export type PostToolUseFailureHookInput = HookInput<'PostToolUseFailure'>;
/** What a hook of `PreCompact` is given. */
export type PreCompactHookInput = HookInput<'PreCompact'>;
/** What a hook of `PreToolUse` is given. */
export type PreToolUseHookInput = HookInput<'PreToolUse'>;
/** What a hook of `SessionEnd` is given. */
export type SessionEndHookInput = HookInput<'SessionEnd'>;
/** What a hook of `SessionStart` is given. */
export type SessionStartHookInput = HookInput<'SessionStart'>;
/** What a hook of `Setup` is given. */
export type SetupHookInput = HookInput<'Setup'>;
/** What a hook of `Stop` is given. */
export type StopHookInput = HookInput<'Stop'>;
/** What a hook of `SubagentStart` is given. */
export type SubagentStartHookInput = HookInput<'SubagentStart'>;
/** What a hook of `SubagentStop` is given. */
export type SubagentStopHookInput = HookInput<'SubagentStop'>;
/** What a hook of `TaskCompleted` is given. */
export type TaskCompletedHookInput = HookInput<'TaskCompleted'>;
/** What a hook of `TeammateIdle` is given. */
export type TeammateIdleHookInput = HookInput<'TeammateIdle'>;
/** What a hook of `UserPromptSubmit` is given. */
export type UserPromptSubmitHookInput = HookInput<'UserPromptSubmit'>;
