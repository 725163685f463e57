// rockpool: the portable core, for every realm. It imports no host: a tab takes createBrowserHost
// from rockpool/browser, an isolate createEdgeHost from rockpool/edge.

import './core/symbol-dispose.ts';

// The agent.
export { createCallLimiter } from './agent/calls/call-limiter.ts';
export type { CallLimiter, LimiterSeat } from './agent/calls/call-limiter.ts';
export { createMessageQueue } from './core/async/message-queue.ts';
export type { MessageQueue } from './core/async/message-queue.ts';
export { query } from './agent/query.ts';
export type { Query, QueryParams } from './agent/query.ts';
export type { OfferingContext, OfferToolsOptions } from './agent/turn/offer-tools.ts';
export { openSession } from './agent/open-session.ts';
export type {
  AgentSession,
  McpControl,
  OpenedSession,
  ForkedSession,
  InterruptOptions,
  RewindFilesResult,
  RewindOptions,
  RewindResult,
  SentPrompt,
  SessionForkOptions,
  SessionQuestion,
  SessionRole,
  SessionState,
} from './agent/agent-session.ts';
export type { MoveToOptions, SessionMover } from './agent/session-mover.ts';
export { runTools } from './agent/run-tools.ts';
export type { RunToolsOptions } from './agent/run-tools.ts';
export type {
  QueryOptions,
  QueryOptions as Options,
  LooseningDefinition,
  Settings,
  SettingSource,
  TrustWorkspace,
  WorkspaceTrustQuestion,
} from './agent/query-options.ts';
export type { FlagSettings } from './agent/session/settings/flag-settings.ts';
export { openAgentBranch, openDryRun } from './agent/session/files/dry-run.ts';
export type { DryRun, TakeOptions, TakenChanges } from './agent/session/files/dry-run.ts';
export {
  archiveSession,
  deleteSession,
  forkSession,
  renameSession,
  tagSession,
  unarchiveSession,
} from './agent/stored-sessions/manage-sessions.ts';
export type {
  ForkSessionOptions,
  SessionOptions,
} from './agent/stored-sessions/manage-sessions.ts';
export { exportSession, importSession } from './agent/stored-sessions/session-file.ts';
export type { ExportSessionOptions } from './agent/stored-sessions/session-file.ts';
export { getSessionInfo, listSessions } from './agent/stored-sessions/session-info.ts';
export { createSessionList } from './agent/stored-sessions/session-list.ts';
export type { SessionList, SessionListSnapshot } from './agent/stored-sessions/session-list.ts';
export type { ListSessionsOptions, SDKSessionInfo } from './agent/stored-sessions/session-info.ts';
export { getSessionMessages } from './agent/stored-sessions/session-messages.ts';
export type { GetSessionMessagesOptions } from './agent/stored-sessions/session-messages.ts';
export { getSubagentMessages, listSubagents } from './agent/stored-sessions/subagent-messages.ts';
export type { ListSubagentsOptions } from './agent/stored-sessions/subagent-messages.ts';
export type {
  SessionKey,
  SessionStore,
  SessionStoreFlush,
  SessionStoreEntry,
} from './agent/stored-sessions/session-store.ts';
export type { ProactiveOptions } from './agent/turn/ticks.ts';
export type { TriggersOptions } from './agent/triggers/triggers-option.ts';
export type { OutputFormat } from './core/messages/output-format.ts';
export type { SchedulePolicy } from './agent/calls/schedule.ts';
export type { AgentDefinition, AgentMcpServerSpec } from './agent/agents/definitions.ts';
export type { AgentMemoryScope } from './agent/context/agent-notes.ts';
export { SYSTEM_PROMPT_DYNAMIC_BOUNDARY } from './agent/context/system-prompt-option.ts';
export type { SystemPrompt } from './agent/context/system-prompt-option.ts';
export type { Host } from './agent/host.ts';
export type { SessionChannel, SessionLease, SessionTabs } from './agent/tabs/session-tabs.ts';

// Which tools a request offers.
export {
  assembleToolPool,
  filterToolsByDenyRules,
  getAllBaseTools,
  getMergedTools,
  getTools,
} from './agent/registry/assemble.ts';
export type {
  AbsenceReason,
  AbsentTool,
  AssembledPool,
  PoolContext,
} from './agent/registry/assemble.ts';
export { resolveToolPreset, TOOL_PRESETS } from './agent/session/settings/tool-presets.ts';
export type { ToolPresetOption } from './agent/session/settings/tool-presets.ts';
export type { ExplainedAbsence } from './agent/registry/prepare-pool.ts';
export type { ToolSwitch, ToolSwitches } from './agent/registry/tool-gates.ts';
export type { ToolSearchOption } from './agent/registry/defer.ts';
export {
  bytesPerToken as BYTES_PER_TOKEN,
  defaultMaxResultChars as DEFAULT_MAX_RESULT_SIZE_CHARS,
  maxMessageResultsChars as MAX_TOOL_RESULTS_PER_MESSAGE_CHARS,
  maxResultBytes as MAX_TOOL_RESULT_BYTES,
  maxResultTokens as MAX_TOOL_RESULT_TOKENS,
} from './core/tool/result-limits.ts';
export { summaryMaxLength as TOOL_SUMMARY_MAX_LENGTH } from './core/tool/summary.ts';

export { explain } from './trace/explain.ts';
export { replay } from './agent/replay/replay.ts';
export type {
  ReplayDifference,
  ReplayMode,
  ReplayOptions,
  ReplayResult,
} from './agent/replay/replay.ts';

// What happens in a session, and when.
export { recordSpans } from './trace/record-spans.ts';
export type { SpanLike, SpanOptions, TracerLike } from './trace/record-spans.ts';
export { createTimeline } from './trace/timeline.ts';
export type { Lane, LaneKind, LaneSpan, Timeline, TimelineStore } from './trace/timeline.ts';
export type { CallEndState, CallPhase, KeptChange, Trace, TraceEvent } from './trace/trace.ts';

export { listBuiltInCommands } from './agent/commands/built-in-commands.ts';
export type { CronJob, CronJobs, NewCronJob } from './core/triggers/cron.ts';
export type {
  Forge,
  ForgeEvent,
  ForgePoll,
  ProposedPullRequest,
  PullRequestName,
  PullRequestProposal,
  PullRequests,
} from './core/host-ports/forge.ts';
export type {
  Preview,
  PreviewAction,
  PreviewColorScheme,
  PreviewDirection,
  PreviewFilter,
  PreviewConsole,
  PreviewFiles,
  PreviewMessage,
  PreviewMessageLevel,
  PreviewModifier,
  PreviewPage,
  PreviewPictureOptions,
  PreviewRest,
  PreviewScroll,
  PreviewSize,
  PreviewTarget,
  PreviewUpload,
  PreviewPicture,
} from './core/host-ports/preview.ts';
export type { SlashCommand } from './core/commands/slash-command.ts';
export type { OnUserFile, UserFile } from './core/host-ports/user-file.ts';
export type { NewWakeup, Wakeup, Wakeups } from './core/triggers/wakeup.ts';
export type {
  CallWeb,
  SmallAnswer,
  SmallModel,
  SmallQuestion,
  WebAnswer,
  WebPage,
  WebPort,
} from './core/host-ports/web.ts';
export type {
  WebSearch,
  WebSearchAnswer,
  WebSearchHits,
  WebSearchQuery,
  WebSearchResult,
} from './core/host-ports/web-search.ts';
export type {
  OnPushNotification,
  SentNotification,
  UserNotification,
} from './core/host-ports/user-notification.ts';
export type {
  OnRemoteTrigger,
  RemoteTriggerAction,
  RemoteTriggerAnswer,
  RemoteTriggerRequest,
} from './core/host-ports/remote-trigger.ts';

// Models.
export { createAnthropicModel } from './model/anthropic.ts';
export type { AnthropicModelOptions } from './model/anthropic-options.ts';
export { effortLevels } from './core/messages/effort.ts';
export type { EffortLevel } from './core/messages/effort.ts';
export type { ThinkingOption } from './core/messages/thinking.ts';
export { createScriptedModel } from './model/scripted.ts';
export type { ScriptedModelOptions } from './model/scripted.ts';
export { parseScript } from './model/script.ts';
export type { Script, ScriptBlock, ScriptTask, ScriptTurn } from './model/script.ts';
export type {
  BlockPosition,
  Breakpoints,
  CacheTtl,
  Model,
  ModelRequest,
  ModelRetry,
  ServerTool,
  StreamOptions,
  TaskBudget,
  ToolParam,
} from './model/model.ts';
export type { ModelPrice } from './model/pricing.ts';

// Tools of your own.
export { buildTool } from './core/tool/build-tool.ts';
export type { BuiltTool, ToolDef } from './core/tool/build-tool.ts';
export { lazySchema } from './core/schema/lazy-schema.ts';
export { createSdkMcpServer } from './mcp/create-sdk-mcp-server.ts';
export { tool } from './mcp/tool.ts';
// The types of options and answers that `query` names. rockpool/mcp has the others.
export type { SdkMcpToolDefinition } from './mcp/tool.ts';
export type {
  McpHttpServerConfig,
  McpSdkServerConfig,
  McpServerConfig,
  McpServerStatus,
  McpSetServersResult,
} from './core/mcp/mcp-server.ts';
export type {
  ElicitationRequest,
  ElicitationResult,
  OnElicitation,
} from './core/mcp/mcp-exchange.ts';
export { standardInput } from './core/schema/standard-schema.ts';
export type { StandardInput, StandardSchema } from './core/schema/standard-schema.ts';
export { findToolByName } from './core/tool/tool.ts';
export type { InputJsonSchema } from './core/schema/json-schema.ts';
export type {
  ContextModifier,
  DescriptionOptions,
  InputSchema,
  McpMeta,
  McpToolInfo,
  PermissionDisplay,
  PersistedOutput,
  PromptOptions,
  ResultDisplay,
  SearchOrRead,
  Tool,
  ToolDisplay,
  ToolPermission,
  ToolResult,
  ToolResultContent,
  ToolResultMapping,
  Tools,
  ToolSchedule,
  UnattendedRefusal,
  ValidationResult,
} from './core/tool/tool.ts';
export type { GitDeed } from './core/git/git-deed.ts';
export type {
  BackgroundTasks,
  BackgroundWork,
  RestOfCall,
  StartedTask,
  TaskStatus,
  TaskSummary,
} from './core/tool/background.ts';
export type { CallFileEntry, CallFiles, CallFileStats } from './core/tool/call-files.ts';
export type { KnownTool, KnownTools, ListedTool } from './core/tool/listed-tool.ts';
export type {
  AppState,
  CallContext,
  ReadFileState,
  ToolDecisions,
  ToolUseContext,
} from './core/tool/context.ts';
export { extractDiscoveredToolNames, toDiscoveredToolsMessage } from './core/tool/tool-catalog.ts';
export type { FoundTool, ToolCatalog, ToolSearchResult } from './core/tool/tool-catalog.ts';
export type { Handler, Realm, WorkContext, WorkLimits } from './core/tool/handler.ts';

// The inputs and outputs of the built-in tools, for hooks, canUseTool and views.
export type { AgentInput, AgentOutput } from './tools/agent/schema.ts';
export type {
  AnsweredInput as AskUserQuestionAnswer,
  AskUserQuestionInput,
  AskUserQuestionOutput,
} from './tools/ask-user-question/schema.ts';
export type { EditInput, EditOutput } from './tools/edit/schema.ts';
export type { ExitPlanModeInput, ExitPlanModeOutput } from './tools/exit-plan-mode/schema.ts';
export type { GlobInput, GlobOutput } from './tools/glob/schema.ts';
export type { GrepInput, GrepOutput } from './tools/grep/schema.ts';
export type { NotebookEditInput, NotebookEditOutput } from './tools/notebook-edit/schema.ts';
export type { ReadInput, ReadOutput } from './tools/read/schema.ts';
export type { ReplInput, ReplOutput, ReplProgress } from './tools/repl/schema.ts';
export type { TodoWriteInput, TodoWriteOutput } from './tools/todo-write/schema.ts';
export type { WriteInput, WriteOutput } from './tools/write/schema.ts';

// Hooks.
export type { HookCallback, HookCallbackMatcher, HooksOption } from './agent/hooks/hooks.ts';
export type { HookEvent } from './agent/hooks/hook-events.ts';
export type {
  BackgroundTaskSummary,
  BaseHookInput,
  ExitReason,
  HookFields,
  HookInput,
  ConfigChangeHookInput,
  NotificationHookInput,
  PermissionRequestHookInput,
  PostToolUseHookInput,
  PostToolUseFailureHookInput,
  PreCompactHookInput,
  PreToolUseHookInput,
  SessionCronSummary,
  SessionEndHookInput,
  SessionStartHookInput,
  SetupHookInput,
  StopHookInput,
  SubagentStartHookInput,
  SubagentStopHookInput,
  TaskCompletedHookInput,
  TeammateIdleHookInput,
  UserPromptSubmitHookInput,
  PostToolBatchToolCall,
  SDKAssistantMessageError,
} from './agent/hooks/hook-inputs.ts';
export type {
  AsyncHookJSONOutput,
  HookJSONOutput,
  HookPermissionDecision,
  HookSpecificOutput,
  SyncHookJSONOutput,
} from './agent/hooks/read-answer.ts';

// Permissions.
export { formatRule, parseRule } from './core/permissions/rule.ts';
export { createModelClassifier } from './agent/permissions/model-classifier.ts';
export type { ModelClassifierOptions } from './agent/permissions/model-classifier.ts';
export { parseRules } from './agent/permissions/rules.ts';
export type {
  AutoClassifier,
  CallDecision,
  CanUseTool,
  CanUseToolOptions,
  ClassifierRequest,
  ClassifierUsage,
  ClassifierVerdict,
  DecisionReason,
  EgressPolicy,
  HostNote,
  PermissionBehavior,
  PermissionDecisionClassification,
  PermissionMode,
  PermissionResult,
  PermissionRule,
  PermissionRuleSource,
  PermissionRuleValue,
  PermissionUpdate,
  PermissionUpdateDestination,
  ToolPermissionContext,
  ToolPermissionResult,
} from './core/permissions/permission.ts';
export { permissionModes } from './core/permissions/permission.ts';
export type { Principal } from './core/permissions/principal.ts';
export type { SdkPluginConfig } from './agent/plugins/plugin.ts';
export type {
  FoundSkills,
  HostSkill,
  LoadedSkill,
  Skill,
  SkillAgents,
  SkillCatalog,
  SkillProblem,
  SkillSource,
} from './core/commands/skill.ts';

// What a query yields.
export type { SDKControlInterruptResponse } from './core/messages/interrupt-response.ts';
export type {
  AgentInfo,
  ModelUsage,
  SDKActiveGoalMessage,
  SDKAPIRetryMessage,
  SDKAssistantMessage,
  SDKBackgroundTasksChangedMessage,
  SDKCompactBoundaryMessage,
  SDKControlGetContextUsageResponse,
  SDKConversationRewoundMessage,
  SDKDeferredToolUse,
  SDKHookResponseMessage,
  SDKSessionConnectionChangedMessage,
  SDKSessionMovedMessage,
  SDKSessionRoleChangedMessage,
  SDKSessionStateChangedMessage,
  SDKHookStartedMessage,
  SDKInformationalMessage,
  SDKMessage,
  SDKMessageOrigin,
  SDKMirrorErrorMessage,
  SDKPartialAssistantMessage,
  SDKPermissionDenial,
  SDKPermissionDeniedMessage,
  SDKPluginError,
  SDKPromptSuggestionMessage,
  SDKResultError,
  SDKResultMessage,
  SDKResultSuccess,
  SDKStatusMessage,
  SDKCommandsChangedMessage,
  SDKConversationResetMessage,
  SDKLocalCommandOutputMessage,
  SDKSystemMessage,
  SDKTaskNotificationMessage,
  SDKModelRefusalFallbackMessage,
  SDKTaskProgressMessage,
  SDKTaskStartedMessage,
  SDKTaskUpdatedMessage,
  SDKTaskUsage,
  SDKToolProgressMessage,
  SDKUserMessage,
} from './core/messages/sdk-message.ts';
export type {
  AssistantMessage,
  BlockDelta,
  MessageParam,
  ModelEvent,
  NewMessage,
  Usage,
} from './core/messages/messages.ts';
export type {
  ContentBlock,
  ImageBlock,
  ImageMediaType,
  OpaqueBlock,
  RedactedThinkingBlock,
  TextBlock,
  ThinkingBlock,
  ToolReferenceBlock,
  ToolResultBlock,
  ToolUseBlock,
  UserBlock,
} from './core/messages/blocks.ts';
export {
  isImageBlock,
  isTextBlock,
  isThinkingBlock,
  isToolResultBlock,
  isToolUseBlock,
} from './core/messages/blocks.ts';
export { describeCall, groupCalls, toSearchText } from './trace/call-display.ts';
export type { CallDisplay, CallGroup, CallKind } from './trace/call-display.ts';
export type { CallState, ViewedCall } from './core/tool/call-state.ts';
export { themeColors } from './core/tool/theme.ts';
export type { Theme } from './core/tool/theme.ts';
export type {
  Change,
  ChangeContent,
  ChangeSet,
  ContentId,
  FileChange,
  PatchHunk,
  Version,
  WorkspaceAddress,
} from './core/change-set.ts';

// Errors.
export { fromSerializedError, SdkError, ToolError, toSerializedError } from './core/errors.ts';
export type {
  ErrorCode,
  FsErrorCode,
  ModelErrorCode,
  SdkErrorOptions,
  SerializedError,
} from './core/errors.ts';

// What a host is made of, for hosts of your own.
export type { PathAccess, PathAccessRule, PathOperation } from './core/access/path-access.ts';
export type { Clock, Executor, RunningWork, WorkReply, WorkRequest } from './core/tool/ports.ts';
export type {
  Dirent,
  FileSystem,
  LocalFileSystem,
  Stats,
  SyncFileSystem,
  WalkEntry,
  WalkOptions,
} from './workspace/files/file-system.ts';
export type {
  FileHistoryEntry,
  FileHistoryOptions,
  FileVersion,
  UndoCallOptions,
  UndoCallResult,
  WorkspaceHistory,
} from './workspace/state/workspace-history.ts';
export type {
  ChangeAuthor,
  ChangeEvent,
  CommitOptions,
  CommitResult,
  Durability,
  PathChange,
  PathState,
  RootTree,
  Workspace,
  WorkspaceInfo,
} from './workspace/workspace.ts';
