// What runs beside the conversation: one session's background tasks, from the output file to the last word.
// Each end is told exactly once. What a task did is committed only while the agent is idle, so that no call
// finds files changed under it by another one.
import { createAbortError, createChildController } from '../../core/async/abort.ts';
import { toResultText } from '../../core/messages/blocks.ts';
import { clipText } from '../../core/text/clip-text.ts';
import { SdkError } from '../../core/errors.ts';
import type { TaskRecord } from '../../core/session/journal.ts';
import type {
  BackgroundTasks,
  StartedTask,
  StoppedTask,
  TaskRun,
  TaskStatus,
  TaskSummary,
} from '../../core/tool/background.ts';
import type { Clock } from '../../core/tool/ports.ts';
import type { Tool } from '../../core/tool/tool.ts';
import { readSummary } from '../../trace/call-display.ts';
import type { AllowedCall } from '../calls/authorize.ts';
import type { DispatchOutcome } from '../calls/dispatch-outcome.ts';
import type { Settled } from '../calls/settled.ts';
import type { SessionFiles } from '../session/files/session-files.ts';
import { createOutputFile } from './output-file.ts';
import type { OutputFile } from './output-file.ts';
import type { Prompt } from '../turn/between-turns.ts';
import { toUserContent } from '../../core/messages/messages.ts';
import type { News } from '../journal/folded.ts';
import type { SessionJournal } from '../journal/session-journal.ts';
import type { SessionIds } from '../session/session-ids.ts';
import type { PermissionState } from '../permissions/permission-state.ts';
import { summarizeEnd, toNotification, toStatus } from './task-messages.ts';
import type { EndedTask, UserMessage } from './task-messages.ts';
import { tellLines } from './told-lines.ts';

/** What a call does in the background. */
export interface TaskWork {
  readonly call: AllowedCall;
  /** The conversation's call that has left its rest to `call`, which is another tool's. Left out: `call` itself. */
  readonly by?: AllowedCall;
  /**
   * Stations 6 to 10. `onComputed` is called when only its changes are left: they wait until the agent is
   * idle. Never rejects.
   */
  run(task: RunningTask, onComputed: () => void): Promise<EndedWork>;
}

/** `outcome` is absent where a mistake of ours ended it. */
interface EndedWork {
  readonly settled: Settled;
  readonly outcome?: DispatchOutcome;
}

/** A task, as its own work sees it. */
export interface RunningTask extends StartedTask {
  /** Aborted when the task is stopped, or the query ends. */
  readonly signal: AbortSignal;
  /** Adds what a progress payload says to its output file. */
  print(progress: unknown): void;
  /** Stops the turn, as a person's refusal with `interrupt` does. */
  stop(): void;
  /** Resolves when none of the conversation's own calls runs. Rejects when the task is stopped. */
  whenIdle(): Promise<void>;
}

/** The background tasks of one session. */
export interface SessionTasks extends BackgroundTasks {
  /** One of the conversation's own calls runs, until it is disposed: nothing is committed meanwhile. */
  enterCall(): Disposable;
  /**
   * Starts a task. The journal is told that it runs and, once, how it has ended.
   *
   * @throws SdkError `limit-exceeded` where too many run, and what the workspace throws where the
   * output file can't be made.
   */
  start(work: TaskWork): Promise<StartedTask>;
  /** Does a task run that keeps a turn open: see `holdsTurn` of a tool's `background`? */
  holdsTurn(): boolean;
  /** Is there something that the model wasn't told of, and that is a reason to go on? */
  hasNews(): boolean;
  /** {@link BackgroundTasks.stop} by a person: the model is told of it with its next request. */
  stopByPerson(taskId: string): Promise<void>;
  /** What the model is to be told: ends of tasks, and mail. An item leaves this list when it is recorded as told. */
  listNews(): readonly News[];
  /** The same as one prompt, where there is a reason to go on; undefined where there is none. */
  takeNews(): Prompt | undefined;
  /** Stops what still computes, and waits for what is being judged. None can be started afterwards. */
  close(): Promise<void>;
}

/** What the tasks have of their session. */
export interface TaskPorts {
  readonly ids: Pick<SessionIds, 'of'>;
  readonly journal: Pick<SessionJournal, 'fold' | 'note' | 'onEntry' | 'record'>;
  /** The agent whose tasks they are; left out: the session's own agent. */
  readonly agentId?: string;
  /** What a task prints may be text from outside, before its end is judged. */
  readonly permissions: Pick<PermissionState, 'taint'>;
  /** What has tainted any agent of the session; undefined: none is. */
  readonly sessionTaint: () => string | undefined;
  readonly files: SessionFiles;
  readonly clock: Clock;
  /** Aborted with the query. */
  readonly signal: AbortSignal;
  /** See {@link StartedTask}. */
  readonly endsWithFinalResponse: boolean;
  /** Stops a sub-agent: they are told of and stopped as tasks are. Undefined: none of that id runs. */
  readonly stopAgent: (agentId: string, byModel: boolean) => Promise<StoppedTask | undefined>;
  /** Resolves when that sub-agent has ended. Never rejects. Undefined: none of that id runs. */
  readonly whenAgentEnded: (agentId: string) => Promise<void> | undefined;
}

/** None runs to begin with. */
export function createSessionTasks(ports: TaskPorts): SessionTasks {
  const gate = createIdleGate();
  return { enterCall: () => gate.enter(), ...createOpenTasks(ports, gate) };
}

// 3: each has a worker and a sandbox of its own, beside the one of the conversation. A tab on an
// ordinary machine has four cores.
const MAX_TASKS = 3;

interface Task extends TaskSummary {
  readonly holdsTurn: boolean;
  readonly controller: AbortController & Disposable;
  readonly ended: Promise<TaskReport>;
  /** The journal has its end. Never rejects. */
  readonly told: Promise<void>;
  /** The task has done its work, and its changes are being judged. */
  isSettling: boolean;
  /** The model stops it, and learns of it by that call's result. */
  isStoppedByModel: boolean;
}

type OpenTasks = Omit<SessionTasks, 'enterCall'>;

/** None runs to begin with. */
function createOpenTasks(ports: TaskPorts, gate: IdleGate): OpenTasks {
  const tasks = new Map<string, Task>();
  let isClosed = false;
  /** How many tasks are being started: those whose file is being made count, too. */
  let starting = 0;

  async function tell(task: Task, { end, notification }: TaskReport): Promise<void> {
    tasks.delete(task.taskId);
    task.controller[Symbol.dispose]();
    // What a person stopped needs no answer, but the model must not wait for it.
    const isTold = end.status !== 'stopped' || !task.isStoppedByModel;
    const record = { ...end, ...(isTold && { notification }) };
    // A broken journal ends the query by itself.
    await ports.journal.record(record).catch(() => undefined);
  }

  const { news } = ports.journal.fold;
  const hasNews = () => [...news.values()].some(({ isUrgent }) => isUrgent);

  function find(taskId: string): Task {
    const task = tasks.get(taskId);
    if (task) return task;
    const known = [...ports.journal.fold.tasks.values()];
    throw unknownTask(taskId, known.filter(({ status }) => status === 'running').map(toRun));
  }

  /** An agent may be meant by its name, as mail names it. */
  function toTaskId(given: string): string {
    const { tasks: known, agents } = ports.journal.fold;
    if (known.has(given)) return given;
    const named = [...agents.values()].find(
      ({ isGone, record }) => !isGone && record.name === given,
    );
    return named?.record.id ?? given;
  }

  function findRun(taskId: string): TaskRun {
    const known = ports.journal.fold.tasks;
    const task = known.get(taskId);
    if (!task) throw neverRan(taskId, [...known.values()].map(toRun));
    return toRun(task);
  }

  function abort(task: Task, reason: string): Promise<TaskReport> {
    task.controller.abort(createAbortError(reason));
    return task.ended;
  }

  return {
    async start(work) {
      if (isClosed) throw createAbortError(closedReason);
      if (tasks.size + starting >= MAX_TASKS) throw tooMany([...tasks.values()]);
      starting += 1;
      const opened = await openTask(work, ports, gate).finally(() => (starting -= 1));
      // In a microtask of its own: whatever the work does at once, the task is known by then.
      const ended = Promise.resolve().then(() => opened.run(() => (task.isSettling = true)));
      const task: Task = {
        ...opened.summary,
        holdsTurn: work.call.tool.background?.holdsTurn === true,
        controller: opened.controller,
        ended,
        told: ended.then((end) => tell(task, end)),
        isSettling: false,
        isStoppedByModel: false,
      };
      tasks.set(task.taskId, task);
      if (isClosed) void abort(task, closedReason);
      return opened.running;
    },
    async stop(given) {
      const taskId = toTaskId(given);
      const agent = await ports.stopAgent(taskId, true);
      if (agent) return agent;
      const task = find(taskId);
      task.isStoppedByModel = true;
      const { status } = await abort(task, stoppedReason);
      const { taskType, description } = task;
      return { taskId, taskType, description, status };
    },
    async stopByPerson(given) {
      const taskId = toTaskId(given);
      if (await ports.stopAgent(taskId, false)) return;
      await abort(find(taskId), stoppedReason);
    },
    find: findRun,
    async whenEnded(taskId, { timeoutMs, signal }) {
      findRun(taskId);
      const told = tasks.get(taskId)?.told ?? ports.whenAgentEnded(taskId);
      if (!told) return;
      const away = gate.leave();
      try {
        await waitFor(told, { timeoutMs, signal, clock: ports.clock });
      } finally {
        away[Symbol.dispose]();
      }
    },
    holdsTurn: () => [...tasks.values()].some((task) => task.holdsTurn),
    hasNews,
    listNews: () => [...news.values()],
    takeNews() {
      if (!hasNews()) return undefined;
      const content = toUserContent([...news.values()].map(({ message }) => message));
      const message = { role: 'user', content } as const;
      return { message, origin: { kind: 'task-notification' }, tells: [...news.keys()] };
    },
    async close() {
      isClosed = true;
      const open = [...tasks.values()];
      await Promise.all(
        open.map((task) => (task.isSettling ? task.ended : abort(task, closedReason))),
      );
    },
  };
}

const stoppedReason = 'The task was stopped.';
const closedReason = 'The conversation is over.';

function tooMany(tasks: readonly TaskSummary[]): SdkError {
  return new SdkError(
    'limit-exceeded',
    `${MAX_TASKS} tasks run in the background already, as many as may. Wait until one has ended, or stop one: ${list(tasks)}.`,
    { data: { limit: MAX_TASKS } },
  );
}

function unknownTask(taskId: string, tasks: readonly TaskSummary[]): SdkError {
  const others = tasks.length === 0 ? 'None does.' : `Those that do: ${list(tasks)}.`;
  return new SdkError(
    'bad-usage',
    `No task ${clipText(taskId, 100)} runs in the background. ${others}`,
    { data: { taskId } },
  );
}

function neverRan(taskId: string, tasks: readonly TaskSummary[]): SdkError {
  const others = tasks.length === 0 ? 'None has run.' : `Those that have: ${list(tasks)}.`;
  return new SdkError(
    'bad-usage',
    `No task ${clipText(taskId, 100)} has run in the background. ${others}`,
    { data: { taskId } },
  );
}

function toRun({ id, taskType, description, status, outputPath }: TaskRecord): TaskRun {
  return { taskId: id, taskType, description, status, outputPath };
}

interface WaitLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** Resolves with the promise, which never rejects, or when the time is over. Rejects with `aborted`. */
function waitFor(end: Promise<void>, { timeoutMs, signal, clock }: WaitLimits): Promise<void> {
  if (signal.aborted) return Promise.reject(createAbortError(signal.reason));
  return new Promise((resolve, reject) => {
    const timer = clock.after(timeoutMs, () => finish(resolve));
    const abort = () => finish(() => reject(createAbortError(signal.reason)));
    const finish = (settle: () => void) => {
      timer[Symbol.dispose]();
      signal.removeEventListener('abort', abort);
      settle();
    };
    signal.addEventListener('abort', abort, { once: true });
    void end.then(() => finish(resolve));
  });
}

function list(tasks: readonly TaskSummary[]): string {
  return tasks.map(({ taskId, description }) => `${taskId} (${description})`).join(', ');
}

/** Says whether a call of the conversation runs. Each session has one. */
interface IdleGate {
  /** A call of the conversation runs until the token is disposed. */
  enter(): Disposable;
  /** A running call waits for a task. Until the token is disposed it doesn't count as running. */
  leave(): Disposable;
  isIdle(): boolean;
  /** Called once when no call runs any more, and then removed. */
  readonly waiting: Set<() => void>;
}

/** Idle to begin with. */
function createIdleGate(): IdleGate {
  const running = new Set<object>();
  const away = new Set<object>();
  const waiting = new Set<() => void>();
  const isIdle = () => running.size <= away.size;
  const wake = () => {
    if (!isIdle()) return;
    for (const resume of waiting) resume();
    waiting.clear();
  };
  return {
    waiting,
    isIdle,
    enter() {
      const token = {
        [Symbol.dispose]() {
          if (running.delete(token)) wake();
        },
      };
      running.add(token);
      return token;
    },
    leave() {
      const token = { [Symbol.dispose]: () => void away.delete(token) };
      away.add(token);
      wake();
      return token;
    },
  };
}

/** Resolves when no call runs. Rejects with `aborted` when `signal` aborts first. */
function whenIdle({ isIdle, waiting }: IdleGate, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.reject(createAbortError(signal.reason));
  if (isIdle()) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const abort = () => {
      waiting.delete(resume);
      reject(createAbortError(signal.reason));
    };
    const resume = () => {
      signal.removeEventListener('abort', abort);
      resolve();
    };
    waiting.add(resume);
    signal.addEventListener('abort', abort, { once: true });
  });
}

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
  /** For the journal. */
  readonly end: TaskRecord;
}

/** Makes the task's output file, and tells that it has started. Rejects as the workspace does. */
async function openTask(work: TaskWork, ports: TaskPorts, gate: IdleGate): Promise<OpenedTask> {
  const { call, by = call } = work;
  const { tool, toolUse } = by;
  // Short, as the model has to write it.
  const { journal } = ports;
  const taskId = `b${ports.ids.of('task', toolUse.id, journal.fold.tasks.size).slice(0, 8)}`;
  const file = await createOutputFile(`tasks/${taskId}.output`, ports);
  const controller = createChildController(ports.signal);
  const summary: TaskSummary = {
    taskId,
    taskType: tool.background?.taskType ?? tool.name,
    description: describe(by),
  };
  const lines = tool.background?.tellsLines
    ? tellLines(
        { ...summary, toolName: tool.name, toolUseId: toolUse.id, outputPath: file.path },
        {
          journal,
          clock: ports.clock,
          ...(ports.agentId !== undefined && { agentId: ports.agentId }),
          taint: () => taintByPrinted(call, ports),
          stop: (reason) => controller.abort(createAbortError(reason)),
        },
      )
    : undefined;
  const running: RunningTask = {
    taskId,
    outputPath: file.path,
    endsWithFinalResponse: ports.endsWithFinalResponse && !tool.background?.holdsTurn,
    signal: controller.signal,
    print(progress) {
      const text = toOutputText(call.tool, progress);
      file.append(text);
      lines?.print(text);
    },
    stop: () => controller.abort(createAbortError('A refusal stopped it.')),
    whenIdle: () => whenIdle(gate, controller.signal),
  };
  const record = {
    type: 'task',
    id: taskId,
    callId: toolUse.id,
    taskType: summary.taskType,
    description: summary.description,
    outputPath: file.path,
  } as const;
  await journal.record({ ...record, status: 'running' });
  return {
    summary,
    running,
    controller,
    async run(onComputed) {
      const end = await runTask(work, running, { summary, file, onComputed });
      await lines?.end(!controller.signal.aborted);
      const status = toStatus(end);
      const notification = toNotification(end);
      const { decision } = end.settled;
      const told = { status, summary: summarizeEnd(end), ...(decision && { decision }) };
      return { status, notification, end: { ...record, ...told } };
    },
  };
}

interface TaskParts {
  readonly summary: TaskSummary;
  readonly file: OutputFile;
  readonly onComputed: () => void;
}

/** Runs a task from its start to its end. Never rejects. */
async function runTask(
  work: TaskWork,
  task: RunningTask,
  { summary, file, onComputed }: TaskParts,
): Promise<EndedTask> {
  const { call, by = call } = work;
  const { tool } = call;
  const { settled, outcome } = await work.run(task, onComputed);
  const end: EndedTask = {
    ...summary,
    toolUseId: by.toolUse.id,
    toolName: by.tool.name,
    tool,
    outputPath: task.outputPath,
    outcome,
    settled,
    isStopped: task.signal.aborted,
  };
  const text = `${toResultText(settled.result)}\n`;
  try {
    // What it printed by then is all that there is of a task that came to no result; and of one whose lines are told.
    const isWhole = settled.output !== undefined && !by.tool.background?.tellsLines;
    await file.finish(isWhole ? { whole: text } : { rest: text });
    return end;
  } catch (outputError) {
    return { ...end, outputError };
  }
}

/** Security: what is printed speaks to the model before the call is settled, and may come from where a result may. */
function taintByPrinted(
  { traits, network, tool }: AllowedCall,
  { permissions, sessionTaint }: TaskPorts,
): void {
  const taintedBy = traits.isOpenWorld || network ? tool.name : sessionTaint();
  if (taintedBy !== undefined) permissions.taint(taintedBy);
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
