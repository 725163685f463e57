// Records of an agent as a task, at its beginning and at its end. Used by create-session-agents.ts.
import { clipText } from '../../core/text/clip-text.ts';
import type { AgentJournalRecord, AgentRecord, TaskRecord } from '../../core/session/journal.ts';
import type { TaskStatus } from '../../core/tool/background.ts';
import { writeNotification } from '../background/task-messages.ts';
import type { Session } from '../session/session.ts';
import { forkName } from './definitions.ts';
import type { NamedDefinition } from './definitions.ts';

/** The `task_type` of the Claude Agent SDK. */
export const agentTaskType = 'local_agent';

// Enough for a reader to know the outcome, in a list.
const maxSummaryChars = 1_000;
// 20 000: about 5 000 tokens. A longer report is read from its file.
const maxReportChars = 20_000;

/**
 * The records of an agent's beginning, written together: the agent, its running task, and its
 * prompt.
 */
export function toBeginning(
  record: AgentRecord,
  parentId: string | undefined,
  { outputPath, promptId, prompt }: Readonly<Record<'outputPath' | 'promptId' | 'prompt', string>>,
): readonly AgentJournalRecord[] {
  const by = parentId !== undefined && { agent: parentId };
  return [
    { ...record, ...by },
    { ...toTaskRecord(record, outputPath), status: 'running', ...by },
    {
      type: 'prompt',
      uuid: promptId,
      message: { role: 'user', content: prompt },
      origin: { kind: 'agent' },
      agent: record.id,
    },
  ];
}

/** The task's record at its beginning, without the status. */
function toTaskRecord(
  { id, callId, description, isBackground }: AgentRecord,
  outputPath: string,
): Omit<TaskRecord, 'status'> {
  const told = isBackground && { isBackground: true as const };
  return { type: 'task', id, callId, taskType: agentTaskType, description, outputPath, ...told };
}

/**
 * The task's record at its end. `isTold`: the caller's conversation is told, and not the call that
 * waits for the agent.
 */
export function toTaskEnd(
  task: TaskRecord,
  status: TaskStatus,
  text: string,
  isTold: boolean,
): TaskRecord {
  const { id, callId, description, outputPath } = task;
  const rest = text.length > maxReportChars ? '\nThe rest is in the output file.' : '';
  const notification = writeNotification({
    taskId: id,
    toolUseId: callId,
    status,
    outputPath,
    summary: `${description}: ${clipText(text, maxReportChars)}${rest}`,
  });
  const summary = `${description}: ${clipText(text, maxSummaryChars)}`;
  return { ...task, status, summary, ...(isTold && { notification }) };
}

/** The prompt of an agent. */
export function toTask(prompt: string, { isFork, initialPrompt, name }: NamedDefinition): string {
  if (isFork || name === forkName) {
    return `You are now a fork of the agent above: you know what it knows, and it goes on without you. Do this task alone, then end with a report for it:\n\n${prompt}`;
  }
  return initialPrompt === undefined ? prompt : `${initialPrompt}\n\n${prompt}`;
}

/**
 * The id of an agent. The same call has the same id in each opening. Some servers give the ids of
 * calls again with each reply. `part`: for a call that begins several agents.
 */
export function toAgentId({ ids, journal }: Session, callId: string, part?: number): string {
  const parts = part === undefined ? [] : [part];
  return `a${ids.of('agent', journal.fold.lastStep, callId, ...parts).slice(0, 8)}`;
}
