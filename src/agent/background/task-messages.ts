// How a background task has ended, in words: for the journal's entry and for the model.
import { toResultText } from '../../core/messages/blocks.ts';
import type { UserBlock } from '../../core/messages/blocks.ts';
import type { ChangeSet, FileChange } from '../../core/change-set.ts';
import { clipText } from '../../core/text/clip-text.ts';
import type { TaskStatus, TaskSummary } from '../../core/tool/background.ts';
import { readFileChanges } from '../../core/tool/read-file-changes.ts';
import type { Tool } from '../../core/tool/tool.ts';
import type { DispatchOutcome } from '../calls/dispatch-outcome.ts';
import type { Settled } from '../calls/settled.ts';

/** A task and its end. */
export interface EndedTask extends TaskSummary {
  readonly toolUseId: string;
  /** The name of the tool whose call started the task. */
  readonly toolName: string;
  /** The tool whose call it is. */
  readonly tool: Tool;
  readonly outputPath: string;
  readonly outcome: DispatchOutcome | undefined;
  readonly settled: Settled;
  /** Someone stopped it. It may have been done by then. */
  readonly isStopped: boolean;
  /** Why its output isn't in the file, where it isn't. */
  readonly outputError?: unknown;
}

/** A user message of blocks, because several may become one prompt. */
export interface UserMessage {
  readonly role: 'user';
  readonly content: readonly UserBlock[];
}

/** `completed` says that what it changed is kept; the others, that nothing is. */
export function toStatus({ settled, isStopped }: EndedTask): TaskStatus {
  if (settled.state === 'output-available') return 'completed';
  return isStopped ? 'stopped' : 'failed';
}

// 1 000 characters: an error's message and its first lines. The file has it all.
const MAX_REASON_CHARS = 1_000;

/** What came of it, in a sentence or two, and the files that it changed. */
export function summarizeEnd(task: EndedTask): string {
  const { toolName, tool, settled, description } = task;
  const status = toStatus(task);
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
  if (toStatus(task) === 'stopped') return 'nothing that it did was kept.';
  if (settled.denial) return settled.denial.message;
  const hadChanges = outcome?.type === 'done' && hasChanges(outcome.changeSet);
  const isUnkept = settled.state === 'output-error' && hadChanges;
  // A commit that failed, or a call that never came to an output: the result itself says why.
  if (settled.output === undefined || isUnkept) return toFirstText(settled);
  return describeOutcome(tool, settled.output);
}

// A tool's own words that fail must not keep the end of the task from anyone.
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

/** What a refusal says, without what the call had returned below it. */
function toFirstText({ result }: Settled): string {
  const { content } = result;
  const [first] = Array.isArray(content) ? content : [];
  return first?.type === 'text' ? first.text : toResultText(result);
}

function listChanges(changes: readonly FileChange[]): string {
  if (changes.length === 0) return '';
  const verbs = { create: 'created', update: 'updated', delete: 'deleted' };
  // 20: enough to know where to look; a task may have written thousands.
  const lines = changes.slice(0, 20).map(({ type, path, additions, deletions }) => {
    return `${verbs[type]} ${path} (+${additions} -${deletions})`;
  });
  if (changes.length > lines.length) lines.push(`and ${changes.length - lines.length} more`);
  return `Changed files:\n${lines.join('\n')}`;
}

/** The message that the model gets about it, once. */
export function toNotification(task: EndedTask): UserMessage {
  return writeNotification({ ...task, status: toStatus(task), summary: summarizeEnd(task) });
}

/** What the model is told of a task's end. */
export interface TaskEnd extends Pick<EndedTask, 'taskId' | 'toolUseId' | 'outputPath'> {
  readonly status: TaskStatus;
  readonly summary: string;
}

/** The same, of a task that only the journal knows of. */
export function writeNotification(end: TaskEnd): UserMessage {
  return writeFields([...toFields(end), ['summary', end.summary]]);
}

/** Lines that a task has printed, and which goes on. */
export interface PrintedLines extends Pick<TaskEnd, 'taskId' | 'toolUseId' | 'outputPath'> {
  readonly summary: string;
  readonly lines: readonly string[];
}

/** What the model is told of them. */
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

// Security: what a cell threw, or how it named a file, must not close the block and speak as we do.
function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
