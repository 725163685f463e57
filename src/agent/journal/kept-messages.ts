// Makes the messages of an entry for viewers: the same messages live and whenever the journal is read again. Deltas,
// progress and retries aren't kept, and are emitted by the code that makes them.
import { isEmptyText, isToolResultBlock, isToolUseBlock } from '../../core/messages/blocks.ts';
import { isRecord } from '../../core/values/is-record.ts';
import type {
  CallRecord,
  CompactedRecord,
  JoinedRecord,
  JournalEntry,
  PermissionsRecord,
  ReplyRecord,
  ResultRecord,
  SettledRecord,
  TaskRecord,
} from '../../core/session/journal.ts';
import { deriveId } from '../../core/hashes/seeded-ids.ts';
import { goalState, toActiveGoal } from '../../core/session/goal.ts';
import type { SDKMessage, SDKTaskUpdatedMessage } from '../../core/messages/sdk-message.ts';
import type { PermissionMode } from '../../core/permissions/permission.ts';
import { explainReason } from '../../trace/explain-reason.ts';
import { countWork } from './agent-work.ts';
import type { SessionFold } from './fold.ts';
import type { FoldedAgent } from './folded.ts';

// A message without the fields that all messages get.
type Body = SDKMessage extends infer Message
  ? Message extends SDKMessage
    ? Omit<Message, 'uuid' | 'session_id' | 'n'> & { readonly uuid?: string }
    : never
  : never;

/**
 * The messages of the entry that `fold` has just taken, in order. Pure. `sessionId`: a fork's own id, also for
 * entries of the original session.
 */
export function toKeptMessages(
  entry: JournalEntry,
  fold: SessionFold,
  sessionId: string | undefined = fold.session?.id,
): SDKMessage[] {
  const { session } = fold;
  if (!session) return [];
  const whose = entry.agent === undefined ? undefined : fold.agents.get(entry.agent);
  if (entry.agent !== undefined && !whose) return [];
  const bodies = toBodies(entry, whose?.fold ?? fold);
  const told = whose ? bodies.flatMap((body) => toBodyOfAgent(body, whose)) : bodies;
  return told.map(
    (body, index) =>
      ({
        ...body,
        uuid: body.uuid ?? deriveId(session.seed, 'message', entry.n, index),
        session_id: sessionId,
        n: entry.n,
      }) as SDKMessage,
  );
}

/**
 * The message without `forwardSubagentText`: of sub-agents only calls and results are sent. Undefined: it isn't sent.
 */
export function withoutAgentText(message: SDKMessage): SDKMessage | undefined {
  if (message.type !== 'assistant' && message.type !== 'user') return message;
  if (message.agent_id === undefined) return message;
  if (message.type === 'user') {
    const { content } = message.message;
    const isResult = typeof content !== 'string' && content.some(isToolResultBlock);
    return isResult ? message : undefined;
  }
  const content = message.message.content.filter(isToolUseBlock);
  return content.length > 0 ? { ...message, message: { ...message.message, content } } : undefined;
}

/** Leaves out the results of a sub-agent's turns, which end with its task, and its compactions and modes. */
function toBodyOfAgent(body: Body, { record }: FoldedAgent): Body[] {
  const { id, callId, agentType, description } = record;
  switch (body.type) {
    case 'assistant':
    case 'user':
      return [
        {
          ...body,
          parent_tool_use_id: body.parent_tool_use_id ?? callId,
          agent_id: id,
          subagent_type: agentType,
          task_description: description,
        },
      ];
    case 'system':
      if (['compact_boundary', 'conversation_rewound', 'status'].includes(body.subtype)) return [];
      if (body.subtype === 'permission_denied') return [{ ...body, agent_id: id }];
      if (body.subtype === 'task_started') return [{ ...body, parent_task_id: id }];
      return [body];
    default:
      return [];
  }
}

function toBodies(entry: JournalEntry, fold: SessionFold): Body[] {
  switch (entry.type) {
    case 'turn': {
      const { prompt } = fold.turn ?? {};
      if (!prompt) return [];
      const { uuid, message, origin } = prompt;
      const synthetic = origin && { origin, isSynthetic: true };
      return [{ type: 'user', uuid, message, parent_tool_use_id: null, ...synthetic }];
    }
    case 'joined':
      return toJoined(entry, fold);
    case 'reply':
      return [...toReply(entry, fold), ...toNews(fold)];
    case 'call':
      // Only the first attempt has this message.
      return isMadeByCall(entry) && entry.attempt === 1 ? [toNestedCall(entry)] : [];
    case 'settled':
    case 'amended':
      return toSettledCall(entry.id, fold);
    case 'task':
      return toTask(entry, entry.time, fold.agents.get(entry.id));
    case 'compacted':
      return [toBoundary(entry)];
    case 'rewound':
      // Only the files were reverted.
      if (entry.to === entry.n - 1) return [];
      return [
        { type: 'system', subtype: 'conversation_rewound', to: entry.to },
        // The goal was reverted with the conversation.
        ...(toActiveGoal(fold.states.get(goalState)) ? [toGoal(fold.states.get(goalState))] : []),
      ];
    case 'state':
      return entry.key === goalState ? [toGoal(entry.value)] : [];
    case 'permissions':
      return toMode(entry, fold);
    case 'moved':
      return [{ type: 'conversation_reset', new_conversation_id: entry.to, trigger: 'clear' }];
    case 'result':
      return [...toOutput(entry), { type: 'result', ...entry.message } as Body];
    default:
      return [];
  }
}

function toJoined({ blocked }: JoinedRecord, { turn }: SessionFold): Body[] {
  const joined = turn?.joined.at(-1);
  if (!joined) return [];
  const { uuid, message } = joined.prompt;
  const told: Body = { type: 'user', uuid, message, parent_tool_use_id: null, joins_turn: true };
  if (blocked === undefined) return [told];
  return [told, { type: 'system', subtype: 'informational', content: blocked, level: 'warning' }];
}

function toGoal(state: unknown): Body {
  return { type: 'active_goal', value: toActiveGoal(state) };
}

/** A message with the mode, if the entry sets another one. The same mode isn't sent again. */
function toMode(entry: PermissionsRecord & { readonly n: number }, fold: SessionFold): Body[] {
  const permissionMode = modeOf(entry);
  if (permissionMode === undefined) return [];
  const before = fold.permissions.findLast(
    (other) => other.n < entry.n && modeOf(other) !== undefined,
  );
  // The mode may not have applied in another place.
  const wasTold = before && before.home === undefined && modeOf(before) === permissionMode;
  if (wasTold) return [];
  return [{ type: 'system', subtype: 'status', status: null, permissionMode }];
}

function modeOf({ mode, updates }: PermissionsRecord): PermissionMode | undefined {
  return mode ?? updates.findLast((update) => update.type === 'setMode')?.mode;
}

/** The output of a command that ran without the model. */
function toOutput({ message }: ResultRecord): Body[] {
  const { local_command, result } = message;
  if (local_command === undefined || typeof result !== 'string') return [];
  return [{ type: 'system', subtype: 'local_command_output', content: result }];
}

function toBoundary({ trigger, preTokens, postTokens, durationMs }: CompactedRecord): Body {
  return {
    type: 'system',
    subtype: 'compact_boundary',
    compact_metadata: {
      trigger: trigger === 'manual' ? 'manual' : 'auto',
      pre_tokens: preTokens ?? 0,
      ...(postTokens !== undefined && { post_tokens: postTokens }),
      ...(durationMs !== undefined && { duration_ms: durationMs }),
    },
  };
}

function toReply(reply: ReplyRecord, { turn }: SessionFold): Body[] {
  const { uuid, end, message, observed = {} } = reply;
  const isEmpty = message.content.every(isEmptyText);
  if (isEmpty && end !== 'whole') return [];
  const content = message.content.map((block) =>
    isToolUseBlock(block) && block.id in observed ? { ...block, input: observed[block.id] } : block,
  );
  const supersedes = turn?.newest?.reply === reply ? turn.newest.supersedes : [];
  return [
    {
      type: 'assistant',
      uuid,
      message: { ...message, content },
      parent_tool_use_id: null,
      ...(end !== 'whole' && { aborted: true as const }),
      ...(supersedes.length > 0 && { supersedes }),
    },
  ];
}

/** Results of the model's calls are sent in the order of their blocks, those of nested calls when they end. */
function toSettledCall(id: string, fold: SessionFold): Body[] {
  const { call, settled } = fold.calls.get(id) ?? {};
  if (settled?.parent === undefined) return toNews(fold);
  // The end of a task has a message of its own.
  if (settled.isOpen || call?.origin === 'background') return [];
  const { parent, tool, input = {} } = settled;
  const unstarted = call ? [] : [toNestedCall({ id, parent, tool, input })];
  return [...unstarted, ...toResult(settled)];
}

function isMadeByCall(call: CallRecord): call is CallRecord & { readonly parent: string } {
  return call.parent !== undefined && ['code', 'tool', 'app'].includes(call.origin);
}

/** The message of a nested call, which isn't in a reply of the model: another call's code or another tool made it. */
function toNestedCall(call: Pick<Required<CallRecord>, 'id' | 'parent' | 'tool' | 'input'>): Body {
  const { id, parent, tool: name, input } = call;
  return {
    type: 'assistant',
    message: {
      id: `msg_${id}`,
      type: 'message',
      role: 'assistant',
      // The SDK's model name for a message that no model has written.
      model: '<synthetic>',
      content: [{ type: 'tool_use', id, name, input: isRecord(input) ? input : {} }],
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: { input_tokens: 0, output_tokens: 0 },
    },
    parent_tool_use_id: parent,
  };
}

function toNews(fold: SessionFold): Body[] {
  return (fold.turn?.newest?.telling ?? []).flatMap(toResult);
}

function toResult(settled: SettledRecord): Body[] {
  const { id, tool, denial, parent, result, output, mcpMeta, decision, isStopped } = settled;
  const outer = parent === undefined ? null : parent;
  const told: Body = {
    type: 'user',
    message: { role: 'user', content: [result] },
    parent_tool_use_id: outer,
    ...(output !== undefined && { tool_use_result: output }),
    ...(mcpMeta && { mcp_meta: mcpMeta }),
    ...(decision && { decision }),
    ...(isStopped && { is_stopped: true as const }),
  };
  if (!denial) return [told];
  return [
    {
      type: 'system',
      subtype: 'permission_denied',
      tool_name: tool,
      tool_use_id: id,
      decision_reason_type: denial.reason.type,
      decision_reason: explainReason(denial.reason),
      message: denial.message,
    },
    told,
  ];
}

function toTask(task: TaskRecord, time: number, agent: FoldedAgent | undefined): Body[] {
  const { id, callId, status, taskType, description, outputPath, summary = '', decision } = task;
  if (status === 'running') {
    // An agent with earlier entries was idle, and continues.
    if (agent && agent.fold.entries.length > 0) {
      return [toUpdate(id, { status, is_backgrounded: task.isBackground ?? false })];
    }
    return [
      {
        type: 'system',
        subtype: 'task_started',
        task_id: id,
        tool_use_id: callId,
        description,
        task_type: taskType,
        ...(agent && {
          subagent_type: agent.record.agentType,
          is_backgrounded: agent.record.isBackground,
          ...(agent.record.canBeBackgrounded && { can_be_backgrounded: true as const }),
          spawn_depth: agent.record.depth,
        }),
      },
    ];
  }
  return [
    toUpdate(id, {
      status: status === 'stopped' ? 'killed' : status,
      end_time: time,
      ...(status === 'failed' && { error: summary }),
    }),
    {
      type: 'system',
      subtype: 'task_notification',
      task_id: id,
      tool_use_id: callId,
      status,
      output_file: outputPath,
      summary,
      ...(agent && { usage: countWork(agent.fold) }),
      ...(decision && { decision }),
    },
  ];
}

function toUpdate(taskId: string, patch: SDKTaskUpdatedMessage['patch']): Body {
  return { type: 'system', subtype: 'task_updated', task_id: taskId, patch };
}
