// Describes the end of a background task for the journal's entry and for the model.
import { toResultText } from '../../core/messages/blocks.ts';
import type { UserBlock } from '../../core/messages/blocks.ts';
import type { ChangeSet, FileChange } from '../../core/change-set.ts';
import { clipText } from '../../core/text/clip-text.ts';
import type { TaskStatus, TaskSummary } from '../../core/tool/background.ts';
import { readFileChanges } from '../../core/tool/read-file-changes.ts';
import type { Tool } from '../../core/tool/tool.ts';
import type { DispatchOutcome } from '../calls/dispatch-outcome.ts';
import type { Settled } from '../calls/settled.ts';

/** A task that has ended. */
export interface EndedTask extends TaskSummary {
  readonly toolUseId: string;
  /** The name of the tool whose call started the task. */
  readonly toolName: string;
  /** The tool of the call. */
  readonly tool: Tool;
  readonly outputPath: string;
  readonly outcome: DispatchOutcome | undefined;
  readonly settled: Settled;
  /** Somebody has stopped the task, which may have been finished by then. */
  readonly isStopped: boolean;
  /** Why its output isn't in the file. */
  readonly outputError?: unknown;
}

/** A user message of blocks. Several may be merged into one prompt. */
export interface UserMessage {
  readonly role: 'user';
  readonly content: readonly UserBlock[];
}

/** `completed`: its changes were committed. The other statuses: none of them. */
export function toTaskStatus({ settled, isStopped }: EndedTask): TaskStatus {
  if (settled.state === 'output-available') return 'completed';
  return isStopped ? 'stopped' : 'failed';
}

// 1 000 characters: an error's message and its first lines. The file has the whole text.
const MAX_REASON_CHARS = 1_000;

/** Describes the outcome in one or two sentences, with the changed files. */
export function summarizeEnd(task: EndedTask): string {
  const { toolName, tool, settled, description } = task;
  const status = toTaskStatus(task);
  const verbs = { completed: 'is done', failed: 'failed', stopped: 'was stopped' };
  const reason = clipText(toReason(task), MAX_REASON_CHARS);
  const parts = [
    `${toolName} in the background (${description}) ${verbs[status]}${reason === '' ? '.' : `: ${reason}`}`,
    status === 'completed' ? listChanges(readFileChanges(tool, settled.output)) : '',
    task.outputError === undefined
      ? ''
      : `Its output could not be written to the file: ${String(task.outputError)}`,
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function toReason(task: EndedTask): string {
  const { settled, tool, outcome } = task;
  if (toTaskStatus(task) === 'stopped') return 'nothing that it did was kept.';
  if (settled.denial) return settled.denial.message;
  const hadChanges = outcome?.type === 'done' && hasChanges(outcome.changeSet);
  const isUnkept = settled.state === 'output-error' && hadChanges;
  // A failed commit, or a call without an output. Its result contains the reason.
  if (settled.output === undefined || isUnkept) return toFirstText(settled);
  return describeOutcome(tool, settled.output);
}

// The tool's description may throw; the end of the task must be reported anyway.
function describeOutcome(tool: Tool, output: unknown): string {
  try {
    return tool.background?.describeOutcome(output) ?? '';
  } catch {
    return '';
  }
}

function hasChanges(changeSet: ChangeSet | null): boolean {
  return changeSet !== null && changeSet.changes.length > 0;
}

/** The reason of a refusal, without the call's output below it. */
function toFirstText({ result }: Settled): string {
  const { content } = result;
  const [first] = Array.isArray(content) ? content : [];
  return first?.type === 'text' ? first.text : toResultText(result);
}

function listChanges(changes: readonly FileChange[]): string {
  if (changes.length === 0) return '';
  const verbs = { create: 'created', update: 'updated', delete: 'deleted' };
  // 20: enough to find them. A task may have changed thousands.
  const lines = changes.slice(0, 20).map(({ type, path, additions, deletions }) => {
    return `${verbs[type]} ${path} (+${additions} -${deletions})`;
  });
  if (changes.length > lines.length) lines.push(`and ${changes.length - lines.length} more`);
  return `Changed files:\n${lines.join('\n')}`;
}

/** The one message to the model about the task's end. */
export function toNotification(task: EndedTask): UserMessage {
  return writeNotification({ ...task, status: toTaskStatus(task), summary: summarizeEnd(task) });
}

/** The end of a task, for the model. */
export interface TaskEnd extends Pick<EndedTask, 'taskId' | 'toolUseId' | 'outputPath'> {
  readonly status: TaskStatus;
  readonly summary: string;
}

/** Like {@link toNotification}, for a task of which only the journal's entries exist. */
export function writeNotification(end: TaskEnd): UserMessage {
  return writeFields([...toFields(end), ['summary', end.summary]]);
}

/** Lines that a running task has printed. */
export interface PrintedLines extends Pick<TaskEnd, 'taskId' | 'toolUseId' | 'outputPath'> {
  readonly summary: string;
  readonly lines: readonly string[];
}

/** The message to the model about printed lines. */
export function writePrintedLines(printed: PrintedLines): UserMessage {
  return writeFields([
    ...toFields({ ...printed, status: 'running' }),
    ['summary', printed.summary],
    ['event', printed.lines.join('\n')],
  ]);
}

type Field = readonly [name: string, text: string];

function toFields(task: Pick<TaskEnd, 'taskId' | 'toolUseId' | 'outputPath'> & Status): Field[] {
  return [
    ['task-id', task.taskId],
    ['tool-use-id', task.toolUseId],
    ['status', task.status],
    ['output-file', task.outputPath],
  ];
}

interface Status {
  readonly status: 'running' | TaskStatus;
}

function writeFields(fields: readonly Field[]): UserMessage {
  const lines = fields.map(([name, text]) => `<${name}>${escape(text)}</${name}>`);
  const text = `<task-notification>\n${lines.join('\n')}\n</task-notification>`;
  return { role: 'user', content: [{ type: 'text', text }] };
}

// Security: an error message or a file name of a cell must not close the block and pass for our
// text.
function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
