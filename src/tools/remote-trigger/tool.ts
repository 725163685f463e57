// The definition of the tool RemoteTrigger. It has no worker half, because the host's
// `onRemoteTrigger` reaches the runtime.
import { throwIfAborted } from '../../core/async/abort.ts';
import { clipText } from '../../core/text/clip-text.ts';
import { describeThrown, SdkError, ToolError } from '../../core/errors.ts';
import type {
  OnRemoteTrigger,
  RemoteTriggerAction,
  RemoteTriggerAnswer,
} from '../../core/host-ports/remote-trigger.ts';
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import type { CallContext } from '../../core/tool/context.ts';
import type { ToolResult } from '../../core/tool/tool.ts';
import { toValidation } from '../../core/tool/validation.ts';
import { remoteTriggerDescription, remoteTriggerPrompt, remoteTriggerToolName } from './prompt.ts';
import {
  remoteTriggerInputSchema,
  remoteTriggerOutputSchema,
  type RemoteTriggerInput,
  type RemoteTriggerOutput,
} from './schema.ts';

// A million characters. The model gets the beginning, and a file has all of it.
const maxJsonChars = 1_000_000;

const words: Readonly<Record<RemoteTriggerAction, string>> = {
  list: 'list remote triggers',
  get: 'look at a remote trigger',
  create: 'create a remote trigger',
  update: 'change a remote trigger',
  run: 'start a remote session',
  create_webhook_trigger: 'create a trigger that a request from outside starts',
  list_runs: 'list the runs of a remote trigger',
  get_run_log: 'read the log of a remote session',
};

const reading: ReadonlySet<string> = new Set(['list', 'get', 'list_runs', 'get_run_log']);

const needed: Partial<Record<RemoteTriggerAction, keyof RemoteTriggerInput>> = {
  get: 'trigger_id',
  update: 'trigger_id',
  run: 'trigger_id',
  list_runs: 'trigger_id',
  get_run_log: 'session_id',
  create: 'body',
  create_webhook_trigger: 'body',
};

export const remoteTriggerTool = buildTool({
  name: remoteTriggerToolName,
  searchHint: 'start an agent session elsewhere',
  shouldDefer: true,
  get inputSchema() {
    return remoteTriggerInputSchema();
  },
  get outputSchema() {
    return remoteTriggerOutputSchema();
  },

  description: (input) => Promise.resolve(input ? describeInput(input) : remoteTriggerDescription),
  prompt: () => Promise.resolve(remoteTriggerPrompt),

  validateInput(input) {
    const { action, body } = input;
    const field = needed[action];
    const message =
      field !== undefined && input[field] === undefined
        ? `${action} needs ${field}.`
        : action === 'update' && body === undefined
          ? 'update needs body: what is to change.'
          : undefined;
    return toValidation(message);
  },
  // A person, a rule or a mode must allow it, because remote work costs money and can't be rolled
  // back.
  checkPermissions: () => Promise.resolve({ behavior: 'passthrough' }),
  isReadOnly: ({ action }) => reading.has(action),
  isConcurrencySafe: ({ action }) => reading.has(action),
  // The result is written in another runtime.
  isOpenWorld: () => true,

  call: askRuntime,

  userFacingName: () => 'Remote',
  getToolUseSummary: ({ action, trigger_id, session_id }) =>
    clipText([action, trigger_id ?? session_id].filter(Boolean).join(' '), 50) || null,
  getActivityDescription: ({ action }) => (action ? `Asking to ${words[action]}` : null),
  genToolPermission: (input) => ({
    title: `Let the agent ${input.action ? words[input.action] : 'ask the remote runtime'}?`,
    summary: describeInput(input),
    content: input.body ? JSON.stringify(input.body, null, 2) : '',
  }),
  extractSearchText: ({ json, summary }) => summary ?? json,
  toAutoClassifierInput: (input: Partial<RemoteTriggerInput>) =>
    `${describeInput(input)}\n${clipText(JSON.stringify(input.body ?? {}), 2_000)}`,

  mapToolResultToToolResultBlockParam: ({ status, json, summary }, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: [`Status ${status}.${summary === undefined ? '' : ` ${summary}`}`, json]
      .filter((part) => part !== '')
      .join('\n'),
    ...(status >= 400 && { is_error: true }),
  }),
} satisfies ToolDef<ReturnType<typeof remoteTriggerInputSchema>, RemoteTriggerOutput>);

async function askRuntime(
  input: RemoteTriggerInput,
  { onRemoteTrigger, abortController }: CallContext,
): Promise<ToolResult<RemoteTriggerOutput>> {
  if (!onRemoteTrigger) {
    throw new SdkError('unsupported-environment', 'This query has no remote runtime.');
  }
  const answer = await ask(onRemoteTrigger, input, abortController.signal);
  const { status, summary } = answer;
  return { data: { status, json: toJson(answer), ...(summary !== undefined && { summary }) } };
}

async function ask(
  onRemoteTrigger: OnRemoteTrigger,
  { action, trigger_id, session_id, cursor, body }: RemoteTriggerInput,
  signal: AbortSignal,
): Promise<RemoteTriggerAnswer> {
  const request = {
    action,
    ...(trigger_id !== undefined && { trigger_id }),
    ...(session_id !== undefined && { session_id }),
    ...(cursor !== undefined && { cursor }),
    ...(body !== undefined && { body }),
  };
  try {
    return await onRemoteTrigger(request, { signal });
  } catch (cause) {
    throwIfAborted(signal);
    const advice = reading.has(action) ? '' : ' It may have begun: look before you ask again.';
    throw new ToolError(`The remote runtime: ${describeThrown(cause)}${advice}`, { cause });
  }
}

function toJson({ data }: RemoteTriggerAnswer): string {
  if (data === undefined) return '';
  const json = JSON.stringify(data, null, 2) ?? '';
  if (json.length <= maxJsonChars) return json;
  throw new ToolError(
    `The remote runtime's answer has ${json.length} characters, more than ${maxJsonChars}: ask for less of it.`,
  );
}

function describeInput({ action, trigger_id, session_id }: Partial<RemoteTriggerInput>): string {
  const what = action ? words[action] : 'ask the remote runtime';
  const which = trigger_id ?? session_id;
  return `${what[0]?.toUpperCase()}${what.slice(1)}${which === undefined ? '' : `: ${which}`}`;
}
