// The background tasks of one session, from the output file to the notification. Each end is
// reported exactly once. A task's changes are committed only while the agent is idle, so that no
// running call finds its files changed.
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
import { summarizeEnd, toNotification, toTaskStatus } from './task-messages.ts';
import type { EndedTask, UserMessage } from './task-messages.ts';
import { tellLines } from './told-lines.ts';

/** The work of a call in the background. */
export interface TaskWork {
  readonly call: AllowedCall;
  /**
   * The conversation's call that has passed its remaining work to `call`, a call of another tool.
   * Left out: `call` itself.
   */
  readonly by?: AllowedCall;
  /**
   * Runs stages 6 to 10. `onComputed` is called when only the commit of its changes is left,
   * which waits until the agent is idle. Never rejects.
   */
  run(task: RunningTask, onComputed: () => void): Promise<EndedWork>;
}

/** `outcome` is missing if an internal error has ended the work. */
interface EndedWork {
  readonly settled: Settled;
  readonly outcome?: DispatchOutcome;
}

/** A task, as its own work sees it. */
export interface RunningTask extends StartedTask {
  /** Aborted when the task is stopped or the query ends. */
  readonly signal: AbortSignal;
  /** Appends the text of a progress payload to its output file. */
  print(progress: unknown): void;
  /** Stops the turn, like a person's denial with `interrupt`. */
  stop(): void;
  /** Resolves when none of the conversation's own calls runs. Rejects when the task is stopped. */
  whenIdle(): Promise<void>;
}

/** The background tasks of one session. */
export interface SessionTasks extends BackgroundTasks {
  /**
   * Marks that one of the conversation's own calls runs, until the result is disposed. Nothing is
   * committed meanwhile.
   */
  enterCall(): Disposable;
  /**
   * Starts a task. Its start and, once, its end are recorded in the journal.
   *
   * @throws SdkError `limit-exceeded` if too many run; the workspace's error if the output file
   * can't be created
   */
  start(work: TaskWork): Promise<StartedTask>;
  /** True if a task runs that keeps a turn open; see `holdsTurn` of a tool's `background`. */
  holdsTurn(): boolean;
  /** True if there is unreported news for the model that is a reason to continue. */
  hasNews(): boolean;
  /** {@link BackgroundTasks.stop} by a person. The model gets it with its next request. */
  stopByPerson(taskId: string): Promise<void>;
  /**
   * The news for the model: ends of tasks, and mail. An item is removed when it is recorded as
   * told.
   */
  listNews(): readonly News[];
  /** The news as one prompt, if there is a reason to continue; otherwise undefined. */
  takeNews(): Prompt | undefined;
  /**
   * Stops running computations and waits for pending decisions. No task can be started afterwards.
   */
  close(): Promise<void>;
}

/** The parts of their session that tasks use. */
export interface TaskPorts {
  readonly ids: Pick<SessionIds, 'of'>;
  readonly journal: Pick<SessionJournal, 'fold' | 'note' | 'onEntry' | 'record'>;
  /** The agent that owns the tasks; left out: the session's main agent. */
  readonly agentId?: string;
  /** A task's output may be text from outside before its end is judged. */
  readonly permissions: Pick<PermissionState, 'taint'>;
  /** The cause of a taint of any agent of the session; undefined: none is tainted. */
  readonly sessionTaint: () => string | undefined;
  readonly files: SessionFiles;
  readonly clock: Clock;
  /** Aborted with the query. */
  readonly signal: AbortSignal;
  /** See {@link StartedTask}. */
  readonly endsWithFinalResponse: boolean;
  /** Stops a sub-agent, which is a task too. Undefined: no agent with that id runs. */
  readonly stopAgent: (agentId: string, byModel: boolean) => Promise<StoppedTask | undefined>;
  /**
   * Resolves when that sub-agent has ended. Never rejects. Undefined: no agent with that id runs.
   */
  readonly whenAgentEnded: (agentId: string) => Promise<void> | undefined;
}

/** At first no task runs. */
export function createSessionTasks(ports: TaskPorts): SessionTasks {
  const gate = createIdleGate();
  return { enterCall: () => gate.enter(), ...createOpenTasks(ports, gate) };
}

// 3: each has its own worker and sandbox, in addition to the conversation's. A typical machine has
// four cores.
const MAX_TASKS = 3;

interface Task extends TaskSummary {
  readonly holdsTurn: boolean;
  readonly controller: AbortController & Disposable;
  readonly ended: Promise<TaskReport>;
  /** Resolves when the end is recorded in the journal. Never rejects. */
  readonly told: Promise<void>;
  /** The task's work is done, and its changes are being judged. */
  isSettling: boolean;
  /** The model has stopped it and gets its end as that call's result. */
  isStoppedByModel: boolean;
}

type OpenTasks = Omit<SessionTasks, 'enterCall'>;

/** At first no task runs. */
function createOpenTasks(ports: TaskPorts, gate: IdleGate): OpenTasks {
  const tasks = new Map<string, Task>();
  let isClosed = false;
  /** The number of tasks that are being started: their files are being created. */
  let starting = 0;

  async function tell(task: Task, { end, notification }: TaskReport): Promise<void> {
    tasks.delete(task.taskId);
    task.controller[Symbol.dispose]();
    // A task that a person has stopped needs no answer, but the model must not wait for it.
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

  /** A name means the agent with that name, as in mail. */
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
      // Runs in a later microtask, so the task is registered before its work begins.
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

/**
 * Resolves when the promise, which never rejects, or the time limit is reached. Rejects with
 * `aborted`.
 */
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

/** Tracks whether a call of the conversation runs. One per session. */
interface IdleGate {
  /** Marks a running call until the result is disposed. */
  enter(): Disposable;
  /** A running call waits for a task. It doesn't count as running until the result is disposed. */
  leave(): Disposable;
  isIdle(): boolean;
  /** Called once when no call runs any more, then removed. */
  readonly waiting: Set<() => void>;
}

/** Starts idle. */
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

/** Resolves when no call runs. Rejects with `aborted` if `signal` aborts first. */
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
  /**
   * Runs it to its end. Call it once. Never rejects. `onComputed` is called when only the commit of
   * its changes is left.
   */
  run(onComputed: () => void): Promise<TaskReport>;
}

/** The report about an ended task. */
export interface TaskReport {
  readonly status: TaskStatus;
  /** The message to the model. */
  readonly notification: UserMessage;
  /** The journal's record. */
  readonly end: TaskRecord;
}

/** Creates the task's output file and reports its start. Rejects like the workspace. */
async function openTask(work: TaskWork, ports: TaskPorts, gate: IdleGate): Promise<OpenedTask> {
  const { call, by = call } = work;
  const { tool, toolUse } = by;
  // A short id, because the model has to write it.
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
      const status = toTaskStatus(end);
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
    // Without a result, the printed text is kept as the output. The same if its lines are reported
    // as they are printed.
    const isWhole = settled.output !== undefined && !by.tool.background?.tellsLines;
    await file.finish(isWhole ? { whole: text } : { rest: text });
    return end;
  } catch (outputError) {
    return { ...end, outputError };
  }
}

/**
 * Security: the model gets printed text before the call is settled. It may be text from outside, as
 * a result may.
 */
function taintByPrinted(
  { traits, network, tool }: AllowedCall,
  { permissions, sessionTaint }: TaskPorts,
): void {
  const taintedBy = traits.isOpenWorld || network ? tool.name : sessionTaint();
  if (taintedBy !== undefined) permissions.taint(taintedBy);
}

/** The description for a person. If the tool's display function throws, the task starts anyway. */
function describe({ tool, input }: AllowedCall): string {
  try {
    return readSummary(tool, input) || tool.userFacingName(input);
  } catch {
    return tool.name;
  }
}

// If the tool's function throws, the call continues without that text.
function toOutputText(tool: Tool, progress: unknown): string {
  try {
    return tool.background?.toOutputText(progress) ?? '';
  } catch {
    return '';
  }
}
