// One background task, from its output file to its last word. Loaded when the first one starts.
import { createAbortError, createChildController } from '../../core/abort.ts';
import type { TaskStatus, TaskSummary } from '../../core/tool/background.ts';
import { toResultText } from '../../core/blocks.ts';
import { readSummary } from '../../trace/call-display.ts';
import { createId } from '../../core/ids.ts';
import { joinPath } from '../../core/path.ts';
import type { SDKMessage } from '../../core/sdk-message.ts';
import type { AllowedCall } from '../calls/authorize.ts';
import type { DispatchOutcome } from '../calls/dispatch.ts';
import type { Tool } from '../../core/tool/tool.ts';
import type { IdleGate } from './idle-gate.ts';
import { whenIdle } from './when-idle.ts';
import { createOutputFile } from './output-file.ts';
import type { OutputFile } from './output-file.ts';
import { toNotification, toStatus } from './task-end.ts';
import type { EndedTask, UserMessage } from './task-end.ts';
import { toTaskNotificationMessage, toTaskStartedMessage } from './task-messages.ts';
import type { RunningTask, TaskPorts, TaskWork } from './tasks.ts';

/** A task that is about to run. */
export interface OpenedTask {
  readonly summary: TaskSummary;
  readonly running: RunningTask;
  readonly controller: AbortController & Disposable;
  /** Runs it to its end, once. Never rejects. `onComputed` is called when only its changes are left. */
  run(onComputed: () => void): Promise<TaskReport>;
}

/** What there is to tell of a task that has ended. */
export interface TaskReport {
  readonly status: TaskStatus;
  /** For the model. */
  readonly notification: UserMessage;
  /** For viewers. */
  readonly message: SDKMessage;
}

/** Makes the task's output file, and tells that it has started. Rejects as the workspace does. */
export async function openTask(
  work: TaskWork,
  ports: TaskPorts,
  gate: IdleGate,
): Promise<OpenedTask> {
  const { tool, toolUse } = work.call;
  // Short, as the model has to write it.
  const taskId = `b${createId().slice(0, 8)}`;
  const path = joinPath(ports.sessionDirectory, 'tasks', `${taskId}.output`);
  const file = await createOutputFile(path, ports);
  const controller = createChildController(ports.signal);
  const summary: TaskSummary = {
    taskId,
    taskType: tool.background?.taskType ?? tool.name,
    description: describe(work.call),
  };
  const running: RunningTask = {
    taskId,
    outputPath: path,
    endsWithFinalResponse: ports.endsWithFinalResponse,
    signal: controller.signal,
    print: (progress) => file.append(toOutputText(tool, progress)),
    stop: () => controller.abort(createAbortError('A refusal stopped it.')),
    whenIdle: () => whenIdle(gate, controller.signal),
  };
  ports.emit(toTaskStartedMessage(ports.sessionId, summary, toolUse));
  return {
    summary,
    running,
    controller,
    async run(onComputed) {
      const end = await runTask(work, running, { summary, file, onComputed });
      return {
        status: toStatus(end),
        notification: toNotification(end),
        message: toTaskNotificationMessage(ports.sessionId, end),
      };
    },
  };
}

interface TaskParts {
  readonly summary: TaskSummary;
  readonly file: OutputFile;
  readonly onComputed: () => void;
}

/** From its start to its end. Never rejects. */
async function runTask(
  work: TaskWork,
  task: RunningTask,
  { summary, file, onComputed }: TaskParts,
): Promise<EndedTask> {
  const { tool, toolUse } = work.call;
  const computed = await work.run(task);
  onComputed();
  const isIdle = await task.whenIdle().then(
    () => true,
    () => false,
  );
  const outcome: DispatchOutcome = isIdle ? computed : { type: 'aborted' };
  const settled = await work.settle(outcome, task);
  const end: EndedTask = {
    ...summary,
    toolUseId: toolUse.id,
    tool,
    outputPath: task.outputPath,
    outcome,
    settled,
    isStopped: task.signal.aborted,
  };
  const text = `${toResultText(settled.result)}\n`;
  try {
    // What it printed by then is all that there is of a task that came to no result.
    await file.finish(settled.output === undefined ? { rest: text } : { whole: text });
    return end;
  } catch (outputError) {
    return { ...end, outputError };
  }
}

/** What a person reads of it. A display member that fails must not keep the task from starting. */
function describe({ tool, input }: AllowedCall): string {
  try {
    return readSummary(tool, input) || tool.userFacingName(input);
  } catch {
    return tool.name;
  }
}

// A tool's own words that fail must not cost the call its progress.
function toOutputText(tool: Tool, progress: unknown): string {
  try {
    return tool.background?.toOutputText(progress) ?? '';
  } catch {
    return '';
  }
}
