// The names of the tool contract as data: the names of the reference tool systems, and what each is in Rockpool.
// `contract-names.test.ts` and `contract-names.test-d.ts` hold types, options and docs/compatibility.md to it.

/** `same`: same name and meaning. `different`: another place, name or meaning. `absent`: it doesn't exist. */
export type Standing = 'same' | 'different' | 'absent';

type Names = Readonly<Record<string, Standing>>;

export const toolMembers = {
  name: 'same',
  aliases: 'same',
  searchHint: 'same',
  isMcp: 'same',
  isLsp: 'same',
  mcpInfo: 'same',
  inputSchema: 'same',
  inputJSONSchema: 'same',
  outputSchema: 'same',
  strict: 'same',
  call: 'same',
  runsIn: 'same',
  description: 'same',
  prompt: 'same',
  validateInput: 'same',
  checkPermissions: 'different',
  getPath: 'same',
  preparePermissionMatcher: 'same',
  genToolPermission: 'same',
  isEnabled: 'same',
  isReadOnly: 'same',
  isConcurrencySafe: 'same',
  isDestructive: 'same',
  isOpenWorld: 'same',
  interruptBehavior: 'same',
  requiresUserInteraction: 'same',
  isSearchOrReadCommand: 'same',
  isTransparentWrapper: 'same',
  shouldDefer: 'same',
  alwaysLoad: 'same',
  backfillObservableInput: 'same',
  inputsEquivalent: 'same',
  userFacingName: 'same',
  userFacingNameBackgroundColor: 'same',
  getToolUseSummary: 'same',
  getActivityDescription: 'same',
  getDisplayTitle: 'same',
  genToolResultMessage: 'same',
  toAutoClassifierInput: 'same',
  isResultTruncated: 'same',
  extractSearchText: 'same',
  renderToolUseMessage: 'different',
  renderToolResultMessage: 'different',
  renderToolUseProgressMessage: 'different',
  renderToolUseQueuedMessage: 'different',
  renderToolUseRejectedMessage: 'different',
  renderToolUseErrorMessage: 'different',
  renderToolUseTag: 'different',
  renderGroupedToolUse: 'different',
  mapToolResultToToolResultBlockParam: 'same',
  genResultForAssistant: 'different',
  maxResultSizeChars: 'same',
} as const satisfies Names;

export const resultMembers = {
  data: 'same',
  newMessages: 'same',
  contextModifier: 'same',
  mcpMeta: 'same',
} as const satisfies Names;

export const validationMembers = {
  result: 'same',
  message: 'same',
  errorCode: 'same',
} as const satisfies Names;

export const permissionBehaviors = {
  allow: 'same',
  deny: 'same',
  ask: 'same',
  passthrough: 'same',
} as const satisfies Names;

export const contextMembers = {
  messages: 'same',
  abortController: 'same',
  getAppState: 'same',
  setAppState: 'different',
  readFileState: 'different',
  queryTracking: 'same',
  agentId: 'same',
  toolDecisions: 'different',
  contentReplacementState: 'absent',
  addNotification: 'different',
  setInProgressToolUseIDs: 'absent',
  setHasInterruptibleToolInProgress: 'absent',
  handleElicitation: 'same',
} as const satisfies Names;

export const contextOptions = {
  tools: 'same',
  commands: 'different',
  mainLoopModel: 'same',
  thinkingConfig: 'same',
  mcpClients: 'different',
} as const satisfies Names;

export const permissionContextMembers = {
  mode: 'same',
  alwaysAllowRules: 'different',
  denyRules: 'different',
  askRules: 'different',
  additionalWorkingDirectories: 'same',
} as const satisfies Names;

export const registryFunctions = {
  getAllBaseTools: 'different',
  getTools: 'different',
  assembleToolPool: 'different',
  getMergedTools: 'different',
  filterToolsByDenyRules: 'same',
  explainPool: 'different',
  TOOL_PRESETS: 'same',
  runTools: 'different',
} as const satisfies Names;

export const semaFunctions = {
  getBuiltinTools: 'different',
  getTools: 'different',
  getToolInfos: 'different',
  buildTools: 'different',
} as const satisfies Names;

export const limits = {
  DEFAULT_MAX_RESULT_SIZE_CHARS: 'same',
  MAX_TOOL_RESULT_TOKENS: 'same',
  BYTES_PER_TOKEN: 'same',
  MAX_TOOL_RESULT_BYTES: 'same',
  MAX_TOOL_RESULTS_PER_MESSAGE_CHARS: 'same',
  TOOL_SUMMARY_MAX_LENGTH: 'same',
} as const satisfies Names;

export const switches = {
  simple: 'same',
  toolSearch: 'same',
  experimentalBetas: 'same',
  replMode: 'same',
  embeddedSearch: 'same',
  tasksV2: 'same',
  teams: 'same',
  coordinator: 'same',
  worktrees: 'same',
  lsp: 'same',
  proactive: 'same',
  brief: 'same',
  triggers: 'same',
  historySnip: 'same',
} as const satisfies Names;

export const tools = {
  Agent: 'same',
  AskUserQuestion: 'same',
  Config: 'same',
  CronCreate: 'same',
  CronDelete: 'same',
  CronList: 'same',
  Edit: 'same',
  EnterPlanMode: 'same',
  EnterWorktree: 'same',
  ExitPlanMode: 'same',
  ExitWorktree: 'same',
  Glob: 'same',
  Grep: 'same',
  LSP: 'same',
  ListAgents: 'same',
  ListMcpResourcesTool: 'same',
  Monitor: 'same',
  NotebookEdit: 'same',
  PushNotification: 'same',
  Read: 'same',
  ReadMcpResourceDirTool: 'same',
  ReadMcpResourceTool: 'same',
  RemoteTrigger: 'same',
  Repl: 'same',
  ScheduleWakeup: 'same',
  ReportFindings: 'same',
  SendMessage: 'same',
  SendUserFile: 'same',
  SendUserMessage: 'same',
  SetGoal: 'same',
  Skill: 'same',
  Sleep: 'different',
  Snip: 'same',
  SubscribePr: 'same',
  SuggestPr: 'same',
  SyntheticOutput: 'same',
  TaskCreate: 'same',
  TaskGet: 'same',
  TaskList: 'same',
  TaskOutput: 'same',
  TaskStop: 'same',
  TaskUpdate: 'same',
  TeamCreate: 'same',
  TeamDelete: 'same',
  TodoWrite: 'same',
  ToolSearch: 'same',
  WaitForMcpServers: 'same',
  WebBrowser: 'same',
  WebFetch: 'same',
  WebSearch: 'same',
  Workflow: 'different',
  Write: 'same',
} as const satisfies Names;
