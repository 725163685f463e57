// Validates the parameters of query(). A caller without types may pass anything, and one who knows
// the Claude Agent SDK may pass its options. Each error message says what to write instead.
import { refuseUse } from '../core/errors.ts';
import { effortLevels, isEffortLevel } from '../core/messages/effort.ts';
import { isRecord } from '../core/values/is-record.ts';
import type { Model } from '../model/model.ts';
import { suggestNames } from '../core/text/near-names.ts';
import type { QueryOptions } from './query-options.ts';
import { howToHost, refuseHost } from './session/with-host.ts';

const known = Object.keys({
  abortController: true,
  additionalDirectories: true,
  agent: true,
  agents: true,
  allowDangerouslySkipPermissions: true,
  allowedTools: true,
  autoClassifier: true,
  brief: true,
  cacheTtl: true,
  callLimiter: true,
  canUseTool: true,
  cellPrompts: true,
  continue: true,
  coordinator: true,
  cwd: true,
  disallowedTools: true,
  dryRun: true,
  effort: true,
  egress: true,
  embeddedSearch: true,
  enableFileCheckpointing: true,
  experimentalBetas: true,
  fallbackModel: true,
  forkSession: true,
  forge: true,
  forwardSubagentText: true,
  historySnip: true,
  homeDirectory: true,
  hooks: true,
  host: true,
  includeHookEvents: true,
  includePartialMessages: true,
  loadTimeoutMs: true,
  lsp: true,
  managedSettings: true,
  maxBudgetUsd: true,
  maxRunningCalls: true,
  maxTurns: true,
  mcpServers: true,
  memory: true,
  model: true,
  models: true,
  onElicitation: true,
  onPushNotification: true,
  onRemoteTrigger: true,
  onUserFile: true,
  permissionMode: true,
  permissionPromptToolName: true,
  permissionPrompts: true,
  persistSession: true,
  planModeInstructions: true,
  prices: true,
  promptSuggestions: true,
  proactive: true,
  replMode: true,
  resume: true,
  resumeSessionAt: true,
  samplingModel: true,
  schedulePolicy: true,
  sessionId: true,
  sessionStore: true,
  sessionStoreFlush: true,
  settingSources: true,
  settings: true,
  simple: true,
  smallModel: true,
  plugins: true,
  skillSources: true,
  outputFormat: true,
  skills: true,
  systemPrompt: true,
  taskBudget: true,
  taskOutput: true,
  tasksV2: true,
  teams: true,
  title: true,
  toolAliases: true,
  toolSearch: true,
  toolSearchDelta: true,
  tools: true,
  triggers: true,
  trustWorkspace: true,
  verbatimPrompts: true,
  webSearch: true,
  worktrees: true,
} satisfies Record<keyof QueryOptions, true>);

const noProcess = 'There is no process here: leave it out.';

/** Options of the Claude Agent SDK that have another name here, or no meaning. */
const saidElsewhere: ReadonlyMap<string, string> = new Map([
  ['thinking', "It is the model's: createAnthropicModel({ thinking })."],
  ['maxThinkingTokens', "It is the model's: createAnthropicModel({ thinking })."],
  ['betas', "They are the model's: createAnthropicModel({ headers })."],
  ['env', 'There are no processes here: give a key to createAnthropicModel.'],
  [
    'strictMcpConfig',
    "Leave it out: .mcp.json is read only where settingSources has 'project', and its servers wait for trustWorkspace.",
  ],
  ['onUserDialog', 'No dialog is asked for here: leave it out.'],
  ['supportedDialogKinds', 'No dialog is asked for here: leave it out.'],
  ['perTaskStopAffordance', 'Any task is stopped by stopTask here: leave it out.'],
  ['sandbox', 'There are no commands here, and a cell always runs in a sandbox: leave it out.'],
  ['debug', 'There is no process that could print: look at the trace of the query.'],
  ['debugFile', 'There is no process that could print: look at the trace of the query.'],
  ...[
    ...['executable', 'executableArgs', 'extraArgs', 'mcpServersDelivery'],
    ...['pathToClaudeCodeExecutable', 'pluginDelivery', 'spawnClaudeCodeProcess', 'stderr'],
  ].map((name) => [name, noProcess] as const),
]);

/** The boolean options. */
const switches: ReadonlySet<string> = new Set<keyof QueryOptions>([
  ...(['allowDangerouslySkipPermissions', 'enableFileCheckpointing'] as const),
  ...([
    'brief',
    'cellPrompts',
    'continue',
    'coordinator',
    'dryRun',
    'embeddedSearch',
    'experimentalBetas',
  ] as const),
  ...(['forkSession', 'forwardSubagentText', 'historySnip', 'includeHookEvents'] as const),
  ...([
    'includePartialMessages',
    'lsp',
    'persistSession',
    'promptSuggestions',
    'replMode',
    'simple',
    'taskOutput',
  ] as const),
  ...(['tasksV2', 'teams', 'toolSearchDelta', 'verbatimPrompts', 'worktrees'] as const),
]);

/** Other options of the Claude Agent SDK. */
const notHere: ReadonlySet<string> = new Set([
  ...['agentProgressSummaries', 'projectConfigRoot', 'resumeDropsTurn', 'toolConfig'],
]);

const example = 'query({ prompt, options: { host, model } })';

/**
 * Checks that required parameters exist and that no unknown option would be ignored silently. The
 * values are checked where they are used.
 *
 * @throws SdkError `bad-usage` with what to write instead
 */
export function checkQuery(params: unknown): void {
  if (!isRecord(params)) refuseUse(`query takes one object: ${example}.`, {});
  const { prompt, options, ...others } = params;
  refuseUnknown(others, (name) =>
    known.includes(name)
      ? `${name} stands among the options: query({ prompt, options: { ${name} } }).`
      : `query takes prompt and options, and no "${name}": ${example}.`,
  );
  checkPrompt(prompt, options);
  if (!isRecord(options)) {
    refuseUse(`query needs options, with a host and a model: ${example}. ${howToHost}`, {
      option: 'options',
    });
  }
  checkOptions(options);
}

/**
 * The same check for the options alone.
 *
 * @throws SdkError `bad-usage` with what to write instead
 */
export function checkOptions(options: unknown): void {
  if (!isRecord(options)) {
    refuseUse(`openSession needs a host and a model: openSession({ host, model }). ${howToHost}`, {
      option: 'options',
    });
  }
  refuseUnknown(options, describeUnknown);
  refuseUnknown(options, (name) =>
    !switches.has(name) || typeof options[name] === 'boolean'
      ? undefined
      : `${name} is true or false, not ${JSON.stringify(options[name])}.`,
  );
  if (options['enableFileCheckpointing'] === false) {
    refuseUse('enableFileCheckpointing is always on here: leave it out.', {
      option: 'enableFileCheckpointing',
    });
  }
  const { allowDangerouslySkipPermissions: mayBypass, permissionMode } = options;
  if (mayBypass === false && permissionMode === 'bypassPermissions') {
    refuseUse(
      "permissionMode is 'bypassPermissions', and allowDangerouslySkipPermissions is false. Choose another mode, or leave that out.",
      { option: 'allowDangerouslySkipPermissions' },
    );
  }
  checkHost(options['host']);
  checkModel(options['model']);
  checkFallbacks(options['fallbackModel'], options['model']);
  if (options['samplingModel'] !== undefined) checkModel(options['samplingModel']);
  if (options['smallModel'] !== undefined) checkModel(options['smallModel']);
  else if (options['promptSuggestions'] === true) {
    refuseUse('promptSuggestions asks the smallModel: give one.', { option: 'promptSuggestions' });
  }
  checkAgentModels(options['models']);
  const { effort } = options;
  if (effort !== undefined && !isEffortLevel(effort)) {
    refuseUse(`effort is one of ${effortLevels.join(', ')}, not ${JSON.stringify(effort)}.`, {
      option: 'effort',
    });
  }
  if (!['undefined', 'function'].includes(typeof options['canUseTool'])) {
    refuseUse(
      "canUseTool is a function: async (toolName, input) => ({ behavior: 'allow' }), say.",
      {
        option: 'canUseTool',
      },
    );
  }
  if (!['undefined', 'function'].includes(typeof options['webSearch'])) {
    refuseUse(
      "webSearch is a function: async ({ query }) => [{ title: 'Tides', url: 'https://example.com/' }], say.",
      { option: 'webSearch' },
    );
  }
  if (!['undefined', 'function'].includes(typeof options['onPushNotification'])) {
    refuseUse(
      'onPushNotification is a function: ({ message }) => push(message).then(() => ({ pushSent: true })), say.',
      { option: 'onPushNotification' },
    );
  }
  if (!['undefined', 'function'].includes(typeof options['onRemoteTrigger'])) {
    refuseUse(
      'onRemoteTrigger is a function: async ({ action }) => ({ status: 200, data: [] }), say.',
      { option: 'onRemoteTrigger' },
    );
  }
  if (!['undefined', 'function'].includes(typeof options['onUserFile'])) {
    refuseUse('onUserFile is a function: ({ name, bytes }) => save(name, bytes), say.', {
      option: 'onUserFile',
    });
  }
}

function checkAgentModels(given: unknown): void {
  if (given === undefined) return;
  const names = isRecord(given) ? Object.keys(given) : [];
  const isModel = (model: unknown) => isRecord(model) && typeof model['stream'] === 'function';
  const wrong = names.find((name) => isRecord(given) && !isModel(given[name]));
  if (isRecord(given) && wrong === undefined) return;
  refuseUse(
    `${wrong === undefined ? 'models is no object' : `models has "${wrong}", which is no model`}. Give models by the names that agents ask for: { haiku: createAnthropicModel({ model: 'claude-haiku-5', baseURL: '/proxy' }) }.`,
    { option: 'models' },
  );
}

function checkFallbacks(given: unknown, model: unknown): void {
  for (const fallback of given === undefined ? [] : [given].flat()) {
    const isModel = isRecord(fallback) && typeof fallback['stream'] === 'function';
    if (isModel && fallback !== model) continue;
    refuseUse(
      isModel
        ? 'fallbackModel is the model itself, which would refuse again. Give another one, or leave it out.'
        : `fallbackModel is no model: ${JSON.stringify(fallback)}. Give one as for model, or a list of them: createAnthropicModel({ model: 'claude-sonnet-5', baseURL: '/proxy' }).`,
      { option: 'fallbackModel' },
    );
  }
}

/** @throws SdkError `bad-usage` if the value isn't a model, such as a name */
export function checkModel(model: unknown): asserts model is Model {
  if (typeof model === 'string') {
    refuseUse(
      `model is "${model}", a name. Here it is an object that says which server and whose key: createAnthropicModel({ model: ${JSON.stringify(model)}, baseURL: '/proxy' }), or with apiKey in place of baseURL.`,
      { option: 'model' },
    );
  }
  if (isRecord(model) && typeof model['stream'] === 'function') {
    if (typeof model['name'] === 'string' && model['name'] !== '') return;
    refuseUse(
      "options.model has no name: give its id, such as name: 'my-model'. By it replies are priced.",
      {
        option: 'model',
      },
    );
  }
  refuseUse(
    `${model === undefined ? 'options.model is missing' : 'options.model is no model'}. Make one: createAnthropicModel({ model: 'claude-sonnet-5-5', baseURL: '/proxy' }), or createScriptedModel of rockpool/testing, which needs no server.`,
    { option: 'model' },
  );
}

function checkHost(host: unknown): void {
  if (isRecord(host) && typeof host['loadTools'] === 'function') return;
  refuseHost(host, "it says where the agent's tools run");
}

function checkPrompt(prompt: unknown, options: unknown): void {
  if (typeof prompt === 'string') {
    const isStored = isRecord(options) && (options['resume'] ?? options['continue']);
    if (prompt.trim() !== '' || isStored) return;
    refuseUse(
      'The prompt is empty. Say what is to be done. Only with resume or continue it may be empty: then the session is opened without a turn.',
      {},
    );
  }
  if (typeof prompt === 'object' && prompt !== null && Symbol.asyncIterator in prompt) return;
  refuseUse(
    `${prompt === undefined ? 'The prompt is missing' : 'The prompt is neither'}: give a text, or an async iterable of messages { type: 'user', message: { role: 'user', content: 'Hello' }, parent_tool_use_id: null }.`,
    {},
  );
}

function refuseUnknown(
  given: Readonly<Record<string, unknown>>,
  describe: (name: string) => string | undefined,
): void {
  for (const [name, value] of Object.entries(given)) {
    const message = value === undefined ? undefined : describe(name);
    if (message !== undefined) refuseUse(message, { option: name });
  }
}

function describeUnknown(name: string): string | undefined {
  if (known.includes(name)) return undefined;
  const elsewhere = saidElsewhere.get(name);
  if (elsewhere !== undefined) return `The option ${name} isn't one of query here. ${elsewhere}`;
  if (notHere.has(name)) {
    return `The option ${name} of the Claude Agent SDK is not here yet. Leave it out: it would be passed over.`;
  }
  return `query has no option named ${name}. ${suggestNames(name, known)}`;
}
