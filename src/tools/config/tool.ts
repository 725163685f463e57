// The definition of the tool Config: the table of settings, and the call that reads or sets one. It
// has no worker half.
import { ToolError } from '../../core/errors.ts';
import { matchesWildcard } from '../../core/permissions/match-wildcard.ts';
import type { PermissionMode } from '../../core/permissions/permission.ts';
import { isPermissionMode, permissionModes } from '../../core/permissions/permission.ts';
import { toSummary } from '../../core/tool/summary.ts';
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import type { ToolUseContext } from '../../core/tool/context.ts';
import { hostsModel, type SessionSettings } from '../../core/session/session-settings.ts';
import type { ToolResult } from '../../core/tool/tool.ts';
import { toValidation } from '../../core/tool/validation.ts';
import { configDescription, configPrompt, configToolName } from './prompt.ts';
import {
  configInputSchema,
  configOutputSchema,
  type ConfigInput,
  type ConfigOutput,
  type SettingName,
} from './schema.ts';

/** One setting. Without `set`, only the host can change it. */
interface Setting {
  get(settings: SessionSettings): string | undefined;
  /** The values that are allowed now. Left out: any text that `refuse` accepts. */
  choices?(settings: SessionSettings): readonly string[];
  /**
   * The reason why this value isn't allowed, though it isn't among the choices. Undefined: there is
   * no special reason.
   */
  refuse?(value: string, settings: SessionSettings): string | undefined;
  set?(settings: SessionSettings, value: string): void | Promise<void>;
}

// Security: how much each mode allows without a person. A mode that allows edits and one with a
// classifier can't be compared, so neither may replace the other.
const looseness: Readonly<Record<PermissionMode, number>> = {
  plan: 0,
  dontAsk: 1,
  default: 2,
  acceptEdits: 3,
  auto: 3,
  bypassPermissions: 4,
};

// 200: a line in a list of sessions.
const maxTitleLength = 200;

const settingsTable: Readonly<Record<SettingName, Setting>> = {
  model: {
    get: ({ model }) => model,
    choices: ({ models }) => [hostsModel, ...models],
    set: (settings, value) => settings.setModel(value),
  },
  permissionMode: {
    get: ({ permissionMode }) => permissionMode,
    // Security: neither the model nor a text that it has read may loosen the mode that a person has
    // chosen.
    choices: ({ permissionMode: now }) =>
      permissionModes.filter(
        (mode) => mode === now || (mode !== 'plan' && looseness[mode] < looseness[now]),
      ),
    refuse: (value, { permissionMode: now }) => {
      if (value === 'plan') return 'Plan mode begins with EnterPlanMode: call that.';
      return isPermissionMode(value)
        ? `The mode is ${now}, and ${value} would allow more: only the user can set it. Ask them.`
        : undefined;
    },
    set: (settings, value) => settings.setPermissionMode(value as PermissionMode),
  },
  thinking: {
    get: ({ thinking }) =>
      thinking?.type === 'enabled' ? `${thinking.budget_tokens} tokens` : thinking?.type,
  },
  title: {
    get: ({ title }) => title,
    refuse: (value) =>
      value.trim() === '' || value.length > maxTitleLength || /[\n\r]/u.test(value)
        ? `A title is one line of 1 to ${maxTitleLength} characters.`
        : undefined,
    set: (settings, value) => settings.setTitle(value.trim()),
  },
};

export const configTool = buildTool({
  name: configToolName,
  searchHint: 'change the model, permission mode or title',
  shouldDefer: true,
  get inputSchema() {
    return configInputSchema();
  },
  get outputSchema() {
    return configOutputSchema();
  },

  description: (input) =>
    Promise.resolve(
      input === undefined
        ? configDescription
        : input.value === undefined
          ? `Look at the setting ${input.setting}`
          : `Set ${input.setting} to ${input.value}`,
    ),
  prompt: () => Promise.resolve(configPrompt),

  validateInput: (input, context) => toValidation(findFault(input, context)),
  checkPermissions: ({ value }) =>
    Promise.resolve({ behavior: value === undefined ? 'allow' : 'passthrough' }),
  preparePermissionMatcher: ({ setting }) =>
    Promise.resolve((pattern: string) => matchesWildcard(pattern, setting)),
  isReadOnly: ({ value }) => value === undefined,
  isConcurrencySafe: ({ value }) => value === undefined,
  changesOnlySession: () => true,

  call: readOrSet,
  // Idempotent: setting the same value again changes nothing.
  resumeCall: readOrSet,

  userFacingName: () => 'Setting',
  getToolUseSummary: ({ setting, value }) =>
    setting === undefined
      ? null
      : toSummary(value === undefined ? setting : `${setting}: ${value}`) || null,
  getActivityDescription: ({ setting, value }) => {
    if (setting === undefined) return null;
    return value === undefined ? `Looking at ${setting}` : `Setting ${setting}`;
  },
  toAutoClassifierInput: ({ setting, value }) =>
    value === undefined ? `read the setting ${setting}` : `set ${setting} to ${value}`,

  mapToolResultToToolResultBlockParam: (output, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: describeOutput(output),
  }),
} satisfies ToolDef<ReturnType<typeof configInputSchema>, ConfigOutput>);

async function readOrSet(
  input: ConfigInput,
  context: ToolUseContext,
): Promise<ToolResult<ConfigOutput>> {
  const { setting, value } = input;
  const { settings } = context;
  const { get, choices, set } = settingsTable[setting];
  const before = get(settings) ?? null;
  if (value === undefined) {
    const listed = choices && { choices: [...choices(settings)] };
    return { data: { operation: 'get', setting, value: before, ...listed } };
  }
  // Security: a person may have tightened the mode while the question was open.
  const message = findFault(input, context);
  if (message !== undefined) throw new ToolError(message, { code: 'bad-usage' });
  await set?.(settings, value);
  const newValue = get(settings) ?? value;
  return { data: { operation: 'set', setting, previousValue: before, newValue } };
}

/** The reason why the value can't be set now. Undefined: it can, or the setting is only read. */
function findFault(
  { setting, value }: ConfigInput,
  { agentId, settings }: Pick<ToolUseContext, 'agentId' | 'settings'>,
): string | undefined {
  if (value === undefined) return undefined;
  const row = settingsTable[setting];
  if (!row.set)
    return `${setting} is the host's, and can't be set here. Ask the user to change it.`;
  if (agentId !== undefined) {
    return 'The settings are those of the agent that speaks with the user, who alone may set them. Say in your report what should be set.';
  }
  const choices = row.choices?.(settings);
  if (!choices) return row.refuse?.(value, settings);
  if (choices.includes(value)) return undefined;
  return (
    row.refuse?.(value, settings) ??
    `${setting} can't be "${value}". It may be ${choices.join(', ')}.`
  );
}

function describeOutput(output: ConfigOutput): string {
  const { setting } = output;
  if (output.operation === 'set') {
    const { previousValue, newValue } = output;
    return `${setting} is ${newValue} now. It was ${previousValue ?? 'not set'}.`;
  }
  const { value, choices } = output;
  const may = choices ? ` It may be set to ${choices.join(', ')}.` : '';
  return `${setting} is ${value ?? 'not set'}.${may}`;
}
