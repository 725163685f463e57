// A sub-agent in words, for its line in the transcript, the list of tasks and its questions.
import type { RunningTask, TaskAgent } from '../transcript.ts';

/** "3 calls · 12.3k tokens". */
export function describeWork({ toolUses, totalTokens }: TaskAgent): string {
  const calls = toolUses === 1 ? '1 call' : `${toolUses} calls`;
  return totalTokens === 0 ? calls : `${calls} · ${toShortCount(totalTokens)} tokens`;
}

/** Three digits are enough for a comparison. */
function toShortCount(count: number): string {
  if (count < 1000) return String(count);
  const thousands = count / 1000;
  return thousands < 10 ? `${thousands.toFixed(1)}k` : `${Math.round(thousands)}k`;
}

/**
 * Names the asker of a question: 'agent "Find the callers" (Explore)'. Undefined: the session's own
 * agent asks.
 */
export function nameAsker(
  agentId: string | undefined,
  tasks: readonly RunningTask[],
): string | undefined {
  if (agentId === undefined) return undefined;
  const task = tasks.find(({ taskId }) => taskId === agentId);
  return task?.agent ? `agent “${task.description}” (${task.agent.type})` : `agent ${agentId}`;
}
