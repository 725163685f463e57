// Validates the values of a query's options: sources of settings and skills, limits, prices and
// choices. Called before a session is opened.
import { refuseUse } from '../core/errors.ts';
import { parseMcpToolName, toApiName } from '../core/mcp/mcp-tool-name.ts';
import { isInside, resolvePath } from '../core/path.ts';
import { isRecord } from '../core/values/is-record.ts';
import type { ModelPrice } from '../model/pricing.ts';
import { checkSystemPrompt } from './context/system-prompt-option.ts';
import { checkChoice, toCwd } from './query-options.ts';
import type { QueryOptions, SettingSource } from './query-options.ts';
import { readTriggers } from './triggers/triggers-option.ts';
import { readProactive } from './turn/ticks.ts';

const knownSources: ReadonlySet<unknown> = new Set<SettingSource>(['user', 'project', 'local']);

/**
 * The checks for each opening of a session.
 *
 * @throws SdkError `bad-usage` with what to write instead
 */
export function checkValues(options: QueryOptions): void {
  checkLimits(options);
  checkSettingSources(options);
  checkSkillOptions(options);
  checkAnswerer(options);
  checkSystemPrompt(options.systemPrompt);
}

/**
 * @throws SdkError `bad-usage` if two options would answer questions, or for a tool whose server
 * isn't in the options
 */
function checkAnswerer(options: QueryOptions): void {
  const { permissionPrompts = 'host', permissionPromptToolName: name, mcpServers = {} } = options;
  checkChoice('permissionPrompts', permissionPrompts, 'host', 'none');
  if (name === undefined) return;
  const data = { option: 'permissionPromptToolName' };
  const server = typeof name === 'string' ? parseMcpToolName(name)?.serverName : undefined;
  if (server === undefined) {
    refuseUse(
      `permissionPromptToolName is ${JSON.stringify(name)}. Name a tool of a server among mcpServers, such as "mcp__guard__approve".`,
      data,
    );
  }
  // Security: a server of the workspace must not become the answerer by its name.
  if (!Object.keys(mcpServers).some((key) => toApiName(key) === server)) {
    refuseUse(
      `permissionPromptToolName is "${name}", and mcpServers has no server ${server}. Give it there: servers of the workspace answer no questions.`,
      data,
    );
  }
  const other = options.canUseTool ? 'canUseTool' : "permissionPrompts: 'none'";
  if (!options.canUseTool && permissionPrompts === 'host') return;
  refuseUse(
    `permissionPromptToolName and ${other} both say who answers. Leave one of them out.`,
    data,
  );
}

/** @throws SdkError `bad-usage` if a source is unknown or the home directory is invalid */
export function checkSettingSources(options: QueryOptions): void {
  const { settingSources: sources = [], homeDirectory } = options;
  if (!Array.isArray(sources)) {
    refuseUse("settingSources is a list, such as ['project'].", { option: 'settingSources' });
  }
  const unknown = sources.find((source) => !knownSources.has(source));
  if (unknown !== undefined) {
    refuseUse(`settingSources has "${String(unknown)}". Use 'user', 'project' and 'local'.`, {
      source: unknown,
    });
  }
  if (homeDirectory === undefined) {
    if (!sources.includes('user')) return;
    refuseUse(
      "settingSources has 'user', and there is no homeDirectory. Give one, such as '/user': a directory of the workspace that holds the user's .claude.",
      { source: 'user' },
    );
  }
  const isPath: boolean = typeof homeDirectory === 'string' && homeDirectory.startsWith('/');
  if (!isPath || resolvePath('/', homeDirectory) !== homeDirectory) {
    refuseUse(
      `homeDirectory must be an absolute path such as "/user", without ".", ".." and a "/" at its end, not ${JSON.stringify(homeDirectory)}.`,
      { homeDirectory },
    );
  }
  if (isInside(toCwd(options), homeDirectory)) {
    refuseUse(
      `homeDirectory is "${homeDirectory}", which is in the working directory: what is there may have come with the project. Choose a directory outside.`,
      { homeDirectory },
    );
  }
}

/** @throws SdkError `bad-usage` if a skill source or the choice of skills is invalid */
function checkSkillOptions({ skillSources = [], skills = 'all' }: QueryOptions): void {
  const example = "{ name: 'team', list: async () => [], read: async (name) => '…' }";
  if (!Array.isArray(skillSources)) {
    refuseUse(`skillSources is a list: [${example}].`, { option: 'skillSources' });
  }
  for (const [at, source] of (skillSources as readonly unknown[]).entries()) {
    const { name, list, read } = isRecord(source) ? source : {};
    const isWhole = typeof list === 'function' && typeof read === 'function';
    if (typeof name !== 'string' || name === '' || !isWhole) {
      refuseUse(`skillSources has no source at ${at}: write ${example}.`, {
        option: 'skillSources',
      });
    }
    if (skillSources.findIndex((other) => other.name === name) !== at) {
      refuseUse(`skillSources has two sources named "${name}". Rename one.`, { name });
    }
  }
  const isChoice = Array.isArray(skills) && skills.every((name) => typeof name === 'string');
  if (skills === 'all' || isChoice) return;
  refuseUse("skills is 'all', or a list of names: ['review'].", { option: 'skills' });
}

/** @throws SdkError `bad-usage` if a limit or price is invalid, or a choice is unknown */
export function checkLimits(options: QueryOptions): void {
  for (const name of ['maxTurns', 'maxRunningCalls'] as const) {
    const { [name]: limit = 1 } = options;
    if (Number.isInteger(limit) && limit > 0) continue;
    refuseUse(`${name} must be a whole number above 0, not ${limit}.`, { [name]: limit });
  }
  const { maxBudgetUsd = 1, prices, taskBudget } = options;
  const { total, ...others } = isRecord(taskBudget) ? taskBudget : {};
  const isWhole = Number.isInteger(total) && Number(total) > 0 && Object.keys(others).length === 0;
  if (taskBudget !== undefined && !isWhole) {
    refuseUse(
      `taskBudget is { total }, a whole number of tokens above 0: { total: 100_000 }. It isn't ${JSON.stringify(taskBudget)}.`,
      { option: 'taskBudget' },
    );
  }
  if (!(Number.isFinite(maxBudgetUsd) && maxBudgetUsd > 0)) {
    refuseUse(`maxBudgetUsd must be a number of US dollars above 0, not ${maxBudgetUsd}.`, {
      maxBudgetUsd,
    });
  }
  const { loadTimeoutMs = 1 } = options;
  if (!(Number.isFinite(loadTimeoutMs) && loadTimeoutMs > 0)) {
    refuseUse(`loadTimeoutMs must be a number of milliseconds above 0, not ${loadTimeoutMs}.`, {
      loadTimeoutMs,
    });
  }
  checkChoice('sessionStoreFlush', options.sessionStoreFlush ?? 'eager', 'eager', 'batched');
  if (prices !== undefined) checkPrices(prices);
  readProactive(options.proactive);
  readTriggers(options.triggers);
  checkChoice('cacheTtl', options.cacheTtl ?? '5m', '5m', '1h');
  checkChoice('schedulePolicy', options.schedulePolicy ?? 'default', 'default', 'sema');
}

const priceKinds = {
  input: true,
  output: true,
  cacheRead: false,
  cacheWrite: false,
  cacheWriteHour: false,
  webSearch: false,
} satisfies Record<keyof ModelPrice, boolean>;

function checkPrices(prices: NonNullable<QueryOptions['prices']>): void {
  const example = "prices: { 'my-model': { input: 3, output: 15 } }";
  if (!isRecord(prices)) refuseUse(`prices is an object: ${example}.`, { option: 'prices' });
  for (const [model, price] of Object.entries(prices)) {
    const given: Readonly<Record<string, unknown>> = isRecord(price) ? price : {};
    const kinds = Object.entries(priceKinds);
    const isWhole =
      Object.keys(given).every((kind) => kind in priceKinds) &&
      kinds.every(([kind, isNeeded]) => isPrice(given[kind], isNeeded));
    if (isWhole) continue;
    refuseUse(
      `prices has no price for ${model}: write ${example}, in US dollars a million tokens; ${kinds.map(([kind]) => kind).join(', ')} are the kinds.`,
      { option: 'prices', model },
    );
  }
}

function isPrice(value: unknown, isNeeded: boolean): boolean {
  if (value === undefined) return !isNeeded;
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
