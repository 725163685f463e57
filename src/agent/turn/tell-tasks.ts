// Sends viewers the progress of tasks, which isn't recorded: each step of a sub-agent, and the list
// of all background tasks. Set up by create-session.ts.
import type {
  SDKBackgroundTasksChangedMessage,
  SDKMessage,
} from '../../core/messages/sdk-message.ts';
import type { ToolUseBlock } from '../../core/messages/blocks.ts';
import { isListedTool } from '../../core/tool/listed-tool.ts';
import type { KnownTools } from '../../core/tool/listed-tool.ts';
import { findToolByName } from '../../core/tool/tool.ts';
import { countWork, listCalls } from '../journal/agent-work.ts';
import type { SessionFold } from '../journal/fold.ts';
import type { FoldedAgent } from '../journal/folded.ts';
import type { SessionJournal } from '../journal/session-journal.ts';
import { toTaskProgress, toTasksChanged } from '../messages/to-sdk-message.ts';
import type { Teller } from '../messages/to-sdk-message.ts';

type ListedTasks = SDKBackgroundTasksChangedMessage['tasks'];

/**
 * Sends progress from now on, by the entries of all agents. `tools` describe the agents' last
 * calls.
 */
export function tellTasks(
  journal: SessionJournal,
  teller: Teller,
  emit: (message: SDKMessage) => void,
  tools: KnownTools,
): void {
  const { fold } = journal;
  let listed = toKey(listBackgroundTasks(fold));
  journal.onEntry((entry) => {
    if (entry.type === 'usage' && entry.purpose === 'turn') {
      const agent = entry.agent === undefined ? undefined : fold.agents.get(entry.agent);
      if (agent) emit(toTaskProgress(teller, describeProgress(agent, tools)));
    }
    if (entry.type !== 'task') return;
    const tasks = listBackgroundTasks(fold);
    const key = toKey(tasks);
    if (key === listed) return;
    listed = key;
    emit(toTasksChanged(teller, tasks));
  });
}

function describeProgress({ record, fold }: FoldedAgent, tools: KnownTools) {
  const last = listCalls(fold).at(-1);
  const summary = last && describeActivity(last, tools);
  return {
    task_id: record.id,
    tool_use_id: record.callId,
    description: record.description,
    subagent_type: record.agentType,
    usage: countWork(fold),
    ...(last && { last_tool_name: last.name }),
    ...(summary && { summary }),
  };
}

/** The input is the model's, while a tool may expect a complete one. */
function describeActivity({ name, input }: ToolUseBlock, tools: KnownTools): string | null {
  const tool = findToolByName(tools, name);
  if (!tool || isListedTool(tool)) return null;
  try {
    return tool.getActivityDescription?.(input as Readonly<Record<string, unknown>>) ?? null;
  } catch {
    return null;
  }
}

/** Lists the cells and sub-agents that run in the background. */
export function listBackgroundTasks(fold: SessionFold): ListedTasks {
  const owners = [{ tasks: fold.tasks, id: undefined }, ...[...fold.agents].map(toOwner)];
  return owners.flatMap(({ tasks, id }) =>
    [...tasks.values()].flatMap((task) => {
      const agent = fold.agents.get(task.id)?.record;
      if (task.status !== 'running' || (agent && !task.isBackground)) return [];
      return {
        task_id: task.id,
        task_type: task.taskType,
        description: task.description,
        ...(agent && { subagent_type: agent.agentType }),
        ...(id !== undefined && { parent_task_id: id }),
      };
    }),
  );
}

const toOwner = ([id, { fold }]: readonly [string, FoldedAgent]) => ({ tasks: fold.tasks, id });

const toKey = (tasks: ListedTasks) => tasks.map((task) => task.task_id).join(' ');
