// Creates the first message of a query, `system/init`, and the last one of each prompt, `result`.
// Used by query.ts and session-engine.ts. to-sdk-message.ts creates the messages between them.
import { textOf } from '../../core/messages/blocks.ts';
import type { ResultRecord } from '../../core/session/journal.ts';
import type {
  AgentInfo,
  SDKMessage,
  SDKPermissionDenial,
  SDKResultError,
  SDKSystemMessage,
} from '../../core/messages/sdk-message.ts';
import type { TurnEnd } from '../hooks/hooks.ts';
import type { TurnResult } from './loop.ts';
import { assembleToolPool } from '../registry/assemble.ts';
import type { SessionFold } from '../journal/fold.ts';
import { listAgentWarnings, listRuleWarnings } from '../session/settings/rule-warnings.ts';
import { toPoolContext } from '../session/session.ts';
import type { Session } from '../session/session.ts';
import { VERSION } from '../../core/version.ts';

/** The state at the beginning of the conversation, without later changes of mode or model. */
export function toInitMessage(session: Session): SDKSystemMessage {
  const { permissions, plugins } = session;
  const model = session.models.ofSession();
  const effort = session.effort ?? model.effort;
  const { builtIn, others } = assembleToolPool(toPoolContext(session));
  const { builtInTools, ownTools, unchosenTools } = session;
  const known = {
    tools: [...builtInTools, ...ownTools, ...unchosenTools],
    servers: (session.mcpServers?.status() ?? []).map(({ name }) => name),
  };
  return {
    type: 'system',
    subtype: 'init',
    apiKeySource: model.apiKeySource,
    cwd: session.place.next,
    tools: [...builtIn, ...others].map((tool) => tool.name),
    mcp_servers: (session.mcpServers?.status() ?? []).map(({ name, status }) => ({ name, status })),
    // Empty fields belong to features of the SDK that don't exist here yet.
    model: model.name,
    ...(effort && { effort }),
    permissionMode: permissions.current().mode,
    agents: listAgentInfos(session).map(({ name }) => name),
    slash_commands: session.commands.list().map(({ name }) => name),
    output_style: 'default',
    skills: session.skills.found.skills.map(({ name }) => name),
    plugins: plugins.plugins.map(({ name, directory: path, version }) => ({
      ...{ name, path },
      ...(version !== undefined && { version }),
    })),
    ...(plugins.errors.length > 0 && { plugin_errors: plugins.errors }),
    warnings: [
      ...listRuleWarnings(permissions.current().rules, known),
      ...listAgentWarnings(session.agents.definitions(), known),
      ...session.settingsProblems,
      ...plugins.errors.map(({ message }) => message),
      ...session.models.problems(),
      ...session.skills.found.problems.map(({ message }) => message),
      ...session.commands.problems(),
      ...listLostStates(session.journal.fold),
    ],
    rockpool_version: VERSION,
    uuid: session.ids.next(),
    session_id: session.id,
  };
}

function listLostStates({ states, agents }: SessionFold): string[] {
  const lost = [states, ...[...agents.values()].map(({ fold }) => fold.states)].flatMap((each) => [
    ...each.lost,
  ]);
  return lost.map(
    ([key, reason]) =>
      `What this session keeps as "${key}" is gone, and counts as never set. ${reason}`,
  );
}

/** The available kinds of sub-agents, as they were last read. */
export function listAgentInfos({ agents }: Session): AgentInfo[] {
  return agents.definitions().map(({ name, description, model }) => ({
    name,
    description,
    ...(model !== undefined && { model }),
  }));
}

/**
 * The record of the turn's end. `usage` and the times are the turn's; `modelUsage` and the cost are
 * the whole query's, as in the SDK. A refusal by the model is a `success` with `is_error`, because
 * the model has answered.
 */
function toResultRecord(
  session: Session,
  { end, steps, denials }: TurnResult,
  durationMs: number,
): ResultRecord['message'] {
  const { usage, journal } = session;
  const origin = journal.fold.turn?.prompt?.origin;
  // Without the subtype, which determines the other fields.
  const shared = {
    duration_ms: durationMs,
    duration_api_ms: usage.turnApiMs(),
    num_turns: steps,
    total_cost_usd: usage.totalCostUsd(),
    usage: usage.turnUsage(),
    modelUsage: usage.modelUsage(),
    permission_denials: [
      ...denials.map((one) => markDenial(one, session)),
      ...(session.agent ? [] : journal.fold.agentDenials),
    ],
    ...(origin && { origin }),
  } as const;
  if (end.type === 'completed') {
    const { stop_reason } = end.message;
    const isRefusal = stop_reason === 'refusal';
    return {
      ...shared,
      subtype: 'success',
      is_error: isRefusal,
      result: textOf(end.message.content, '') || (isRefusal ? 'The model refused to go on.' : ''),
      stop_reason,
      terminal_reason: 'completed',
    };
  }
  if (end.type === 'cell') {
    const how = { stop_reason: null, terminal_reason: 'completed' };
    return { ...shared, subtype: 'success', is_error: false, result: end.text, ...how };
  }
  if (end.type === 'command') {
    return {
      ...shared,
      subtype: 'success',
      is_error: end.isError,
      result: end.text,
      stop_reason: null,
      terminal_reason: 'completed',
      local_command: end.command,
    };
  }
  if (end.type === 'handed-over') {
    const { result, structuredOutput } = end.output;
    const data = structuredOutput !== undefined && { structured_output: structuredOutput };
    const how = { stop_reason: 'tool_use', terminal_reason: 'completed' };
    return { ...shared, subtype: 'success', is_error: false, result, ...data, ...how };
  }
  if (end.type === 'hook') return { ...shared, subtype: 'success', is_error: false, ...end.result };
  return {
    ...shared,
    subtype: toErrorSubtype(end),
    is_error: true,
    stop_reason: readStopReason(end),
    errors: [describeEnd(end)],
    ...(end.type === 'failed' && { error_code: end.error.code }),
    terminal_reason: nameEnd(end),
  };
}

function markDenial(denial: SDKPermissionDenial, { agent }: Session): SDKPermissionDenial {
  return agent ? { ...denial, agent_id: agent.id } : denial;
}

/** Ends the turn: its result is recorded, and viewers get it with the record. Never rejects. */
export async function endTurn(
  session: Session,
  result: TurnResult,
  durationMs: number,
): Promise<void> {
  const { journal, emit, id, ids } = session;
  const message = toResultRecord(session, result, durationMs);
  const { end } = result;
  const error = end.type === 'failed' && { error: end.error };
  try {
    await journal.record({ type: 'result', message, ...error });
  } catch {
    // The journal is broken. The reader learns this from the result, so it is sent without a
    // record.
    const told = { ...message, type: 'result', uuid: ids.next(), session_id: id };
    emit(told as unknown as SDKMessage);
  }
}

/** The stop reason, if the model's reply was cut. */
function readStopReason(end: BadEnd): string | null {
  const reason = end.type === 'failed' ? end.error.data['stopReason'] : undefined;
  return typeof reason === 'string' ? reason : null;
}

type BadEnd = Extract<
  TurnEnd,
  { type: 'max-turns' | 'max-budget' | 'no-output' | 'stopped' | 'failed' }
>;

function toErrorSubtype({ type }: BadEnd): SDKResultError['subtype'] {
  if (type === 'max-turns') return 'error_max_turns';
  if (type === 'no-output') return 'error_max_structured_output_retries';
  return type === 'max-budget' ? 'error_max_budget_usd' : 'error_during_execution';
}

function describeEnd(end: BadEnd): string {
  switch (end.type) {
    case 'max-turns':
      return `The task was not finished within ${end.maxTurns} ${end.maxTurns === 1 ? 'request' : 'requests'} (maxTurns).`;
    case 'max-budget':
      return `The budget of $${end.maxBudgetUsd} (maxBudgetUsd) is spent: the query has cost $${end.spentUsd.toFixed(4)}. Start another query with a higher one to go on.`;
    case 'no-output':
      return `The model gave no answer in the form of outputFormat, in ${end.misses} tries. Make its schema simpler, or say in the prompt what the answer is to hold.`;
    case 'stopped':
      return 'Stopped before the task was finished.';
    case 'failed':
      return end.error.message;
  }
}

/** The end as the SDK's `TerminalReason`. */
function nameEnd(end: BadEnd): string {
  switch (end.type) {
    case 'max-turns':
      return 'max_turns';
    case 'max-budget':
      return 'budget_exhausted';
    case 'no-output':
      return 'structured_output_retry_exhausted';
    case 'stopped':
      return end.during === 'streaming' ? 'aborted_streaming' : 'aborted_tools';
    case 'failed':
      if (end.error.code === 'model-context-window') return 'prompt_too_long';
      if (end.error.code === 'model-max-tokens') return 'model_error';
      return end.error.code.startsWith('model-') ? 'api_error' : 'turn_setup_failed';
  }
}
