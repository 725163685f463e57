// What a viewer is told of an entry: the same messages live and whenever they are read again. Deltas,
// progress and retries aren't kept: whoever makes them emits them.
import { isToolResultBlock, isToolUseBlock } from '../../core/blocks.ts';
import type { JournalEntry, ReplyRecord, SettledRecord, TaskRecord } from '../../core/journal.ts';
import { deriveId } from '../../core/seeded-ids.ts';
import type { SDKMessage } from '../../core/sdk-message.ts';
import { explainReason } from '../../trace/explain-reason.ts';
import type { SessionFold } from './fold.ts';

// A message without what all get: its type's own members.
type Body = SDKMessage extends infer Message
  ? Message extends SDKMessage
    ? Omit<Message, 'uuid' | 'session_id' | 'n'> & { readonly uuid?: string }
    : never
  : never;

/** The messages of an entry that `fold` has just taken, in order. Pure. */
export function toKeptMessages(entry: JournalEntry, fold: SessionFold): SDKMessage[] {
  const { session } = fold;
  if (!session) return [];
  return toBodies(entry, fold).map(
    (body, index) =>
      ({
        ...body,
        uuid: body.uuid ?? deriveId(session.seed, 'message', entry.n, index),
        session_id: session.id,
        n: entry.n,
      }) as SDKMessage,
  );
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
    case 'reply':
      return toReply(entry);
    case 'results': {
      const { content } = entry.message;
      if (typeof content === 'string') return [];
      const ids = content.filter(isToolResultBlock).map((block) => block.tool_use_id);
      return ids.flatMap((id) => {
        const settled = fold.calls.get(id)?.settled;
        return settled ? toResult(settled) : [];
      });
    }
    case 'settled':
      // A call of the model is told of with its message's results, in the order of the blocks.
      return entry.parent === undefined ? [] : toResult(entry);
    case 'task':
      return [toTask(entry)];
    case 'result':
      return [{ type: 'result', ...entry.message } as Body];
    default:
      return [];
  }
}

function toReply({ uuid, end, message, observed = {} }: ReplyRecord): Body[] {
  if (end === 'void' || (end === 'cut' && message.content.length === 0)) return [];
  const content = message.content.map((block) =>
    isToolUseBlock(block) && block.id in observed ? { ...block, input: observed[block.id] } : block,
  );
  return [
    {
      type: 'assistant',
      uuid,
      message: { ...message, content },
      parent_tool_use_id: null,
      ...(end === 'cut' && { aborted: true as const }),
    },
  ];
}

function toResult(settled: SettledRecord): Body[] {
  const { id, tool, denial, parent, result, output, mcpMeta, decision } = settled;
  const outer = parent === undefined ? null : parent;
  const told: Body = {
    type: 'user',
    message: { role: 'user', content: [result] },
    parent_tool_use_id: outer,
    ...(output !== undefined && { tool_use_result: output }),
    ...(mcpMeta && { mcp_meta: mcpMeta }),
    ...(decision && { decision }),
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

function toTask(task: TaskRecord): Body {
  const { id, callId, status, taskType, description, outputPath, summary = '', decision } = task;
  if (status === 'running') {
    return {
      type: 'system',
      subtype: 'task_started',
      task_id: id,
      tool_use_id: callId,
      description,
      task_type: taskType,
    };
  }
  return {
    type: 'system',
    subtype: 'task_notification',
    task_id: id,
    tool_use_id: callId,
    status,
    output_file: outputPath,
    summary,
    ...(decision && { decision }),
  };
}
