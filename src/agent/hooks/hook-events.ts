// The Claude Agent SDK's hook events, and what a matcher of each is compared with. docs/hooks.md
// says which of them fire.

/** The name of an event. Events without an emitter here may be used, but never fire. */
export type HookEvent = keyof typeof matcherFields;

/**
 * The field of each event's input that a matcher is compared with. For a path, it is the last
 * segment. Null: no field, so every hook of the event runs.
 */
export const matcherFields = {
  ConfigChange: 'source',
  CwdChanged: null,
  DirectoryAdded: 'source',
  Elicitation: 'mcp_server_name',
  ElicitationResult: 'mcp_server_name',
  FileChanged: 'file_path',
  InstructionsLoaded: 'load_reason',
  MessageDisplay: null,
  Notification: 'notification_type',
  PermissionDenied: 'tool_name',
  PermissionRequest: 'tool_name',
  PostCompact: 'trigger',
  PostModelSwitch: 'to_model',
  PostToolBatch: null,
  PostToolUse: 'tool_name',
  PostToolUseFailure: 'tool_name',
  PreCompact: 'trigger',
  PreModelSwitch: 'to_model',
  PreSkillShellCommand: 'tool_name',
  PreToolUse: 'tool_name',
  SessionEnd: 'reason',
  SessionStart: 'source',
  Setup: 'trigger',
  Stop: null,
  StopFailure: 'error',
  SubagentStart: 'agent_type',
  SubagentStop: 'agent_type',
  TaskCompleted: null,
  TaskCreated: null,
  TeammateIdle: null,
  UserPromptExpansion: 'command_name',
  UserPromptSubmit: null,
  WorktreeCreate: null,
  WorktreeRemove: null,
} as const;
