// An agent as a task: what is recorded and told when it is begun, and when it has ended. Used by create-session-agents.ts.
import { clipText } from '../../core/text/clip-text.ts';
import type { AgentJournalRecord, AgentRecord, TaskRecord } from '../../core/session/journal.ts';
import type { TaskStatus } from '../../core/tool/background.ts';
import { writeNotification } from '../background/task-messages.ts';
import type { Session } from '../session/session.ts';
import { forkName } from './definitions.ts';
import type { NamedDefinition } from './definitions.ts';

/** The `task_type` of the Claude Agent SDK. */
export const agentTaskType = 'local_agent';

// As much as a reader needs to know what came of it, in a list.
const maxSummaryChars = 1_000;
// 20 000: about 5 000 tokens. A longer report is read from its file.
const maxReportChars = 20_000;

/** What is recorded together when an agent is begun: that it is there, that it runs, and what it is asked. */
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

/** Its record as it begins, but for the status. */
function toTaskRecord(
  { id, callId, description, isBackground }: AgentRecord,
  outputPath: string,
): Omit<TaskRecord, 'status'> {
  const told = isBackground && { isBackground: true as const };
  return { type: 'task', id, callId, taskType: agentTaskType, description, outputPath, ...told };
}

/** Its record as it has ended. `isTold`: its caller's conversation is told, and not the call that waits for it. */
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

/** What it is asked. */
export function toTask(prompt: string, { isFork, initialPrompt, name }: NamedDefinition): string {
  if (isFork || name === forkName) {
    return `You are now a fork of the agent above: you know what it knows, and it goes on without you. Do this task alone, then end with a report for it:\n\n${prompt}`;
  }
  return initialPrompt === undefined ? prompt : `${initialPrompt}\n\n${prompt}`;
}

/**
 * The same for the same call, in each opening. Some servers give the ids of calls again with each reply. `part`: of a
 * call that begins several.
 */
export function toAgentId({ ids, journal }: Session, callId: string, part?: number): string {
  const parts = part === undefined ? [] : [part];
  return `a${ids.of('agent', journal.fold.lastStep, callId, ...parts).slice(0, 8)}`;
}
