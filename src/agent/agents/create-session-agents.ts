// The sub-agents of one session: starts them, runs each to its report, and delivers mail between them. It resumes
// those that ran when the page was closed. Created by create-session.ts; tools reach it by `portOf`.
import { createAbortError, createChildController, throwIfAborted } from '../../core/async/abort.ts';
import type {
  AgentCall,
  AgentReport,
  AgentRequest,
  LaunchedAgent,
} from '../../core/agents/agents.ts';
import { describeThrown } from '../../core/errors.ts';
import type { AgentRecord } from '../../core/session/journal.ts';
import type { StoppedTask, TaskStatus } from '../../core/tool/background.ts';
import { createOutputFile } from '../background/output-file.ts';
import { createAgentJournal } from '../journal/agent-journal.ts';
import { endLost } from '../journal/end-lost.ts';
import type { FoldedAgent } from '../journal/folded.ts';
import type { SessionJournal } from '../journal/session-journal.ts';
import { toNoticeMessage } from '../messages/to-sdk-message.ts';
import { restoreRepl } from '../session/files/restore-repl.ts';
import { createSessionFiles } from '../session/files/session-files.ts';
import type { SessionFiles } from '../session/files/session-files.ts';
import type { Session } from '../session/session.ts';
import type { SessionAgents } from './session-agents.ts';
import { createAgentReader } from './agent-reader.ts';
import { toAgentState, toReport, toReportText } from './agent-report.ts';
import { followSkill } from './follow-skill.ts';
import { playTurns } from './play-turns.ts';
import type { TurnRunner } from './play-turns.ts';
import { untilNews } from './until-news.ts';
import { agentTaskType, toAgentId, toBeginning, toTask, toTaskEnd } from './agent-task.ts';
import { createAgentKinds } from './agent-kinds.ts';
import { createAgentMail } from './agent-mail.ts';
import { checkAgentLimits, checkName, checkRunning, hasRoom } from './agent-limits.ts';
import { defaultAgentName } from './definitions.ts';
import type { NamedDefinition } from './definitions.ts';
import { createForeground } from './foreground.ts';
import { createIsolation, toBranchNote, toFirstBranch } from './isolation.ts';
import { createOpenedAgents } from './opened-agents.ts';
import type { OpenedAgentsParts } from './opened-agents.ts';
import type { FoundAgents } from './workspace-agents.ts';

/** The parts of the session that its agents use, beside the session itself. */
export interface SessionAgentsParts extends OpenedAgentsParts {
  readonly turns: TurnRunner;
  /** The workspace's definitions. Undefined: the query doesn't use them. */
  readonly findDefinitions: (() => Promise<FoundAgents>) | undefined;
}

/** A request for an agent, with what a trusted skill allows it. */
interface BegunAgent extends AgentRequest {
  readonly allowed?: readonly string[];
  /** True if the caller can continue without the report. */
  readonly mayLeave?: boolean;
}

interface Run {
  readonly folded: FoldedAgent;
  readonly definition: NamedDefinition;
  readonly controller: AbortController & Disposable;
  readonly agent: Session;
  /** Resolves with the report. Never rejects. */
  readonly ended: Promise<AgentReport>;
  /** The model has stopped the agent, and gets its end as the result of that call. */
  isStoppedByModel: boolean;
}

/** An agent that has no run yet. */
interface Starting {
  readonly name: string | undefined;
  readonly run: Promise<Run | undefined>;
}

/** `main`: the session's main agent, whose `agents` this becomes. */
export function createSessionAgents(
  main: () => Session,
  journal: SessionJournal,
  parts: SessionAgentsParts,
): SessionAgents {
  const { options, signal, turns } = parts;
  const { fold } = journal;
  const { clock } = options.host;
  const kinds = createAgentKinds(options, parts.findDefinitions, (notice) =>
    main().emit(toNoticeMessage(main(), notice, 'warning')),
  );
  const { findTask, isOpen, isOfParent, hasWork, isLeftByTask, listLine } = createAgentReader(fold);
  const opened = createOpenedAgents(main, fold, kinds, parts);
  const isolation = createIsolation(main, journal);
  const foreground = createForeground(journal, findTask);
  const runs = new Map<string, Run>();
  /** Made once, as each asks the workspace for the session's root. */
  let files: SessionFiles | undefined;
  /** Agents that are being started, or are about to continue, by id. */
  const starting = new Map<string, Starting>();
  /** Called when an agent runs no longer. */
  const whenLeft = new Set<() => void>();
  let isClosed = false;

  const mail = createAgentMail(journal, {
    list: listAgents,
    open: opened.open,
    isRunning,
    checkRoom: (wanted) => checkRunning(listRunning(), wanted),
    wake,
  });

  const listRunning = () => [...new Set([...runs.keys(), ...starting.keys()])];

  function isRunning(id: string): boolean {
    return runs.has(id) || starting.has(id);
  }

  /** Starts or resumes an agent, but never twice at the same time: a second caller gets the same run. */
  function start(
    id: string,
    name: string | undefined,
    work: () => Promise<Run | undefined>,
  ): Promise<Run | undefined> {
    const run = starting.get(id)?.run ?? runs.get(id);
    if (run) return Promise.resolve(run);
    const started = work().finally(() => {
      starting.delete(id);
      // An agent that couldn't be started frees its room for others.
      if (!runs.has(id)) for (const hear of [...whenLeft]) hear();
    });
    starting.set(id, { name, run: started });
    return started;
  }

  function listAgents(): FoldedAgent[] {
    return [...fold.agents.values()].filter(({ isGone }) => !isGone);
  }

  function checkRoom(caller: Session, { name }: AgentRequest): void {
    if (isClosed || signal.aborted) throw createAbortError('The conversation is over.');
    const begun = new Set([...listAgents().map(({ record }) => record.id), ...starting.keys()]);
    checkAgentLimits({
      depth: (caller.agent?.depth ?? 0) + 1,
      begun: begun.size,
      running: listRunning(),
    });
    const names = listAgents().map(({ record }) => record.name);
    const taken = [...starting.values()].map((one) => one.name);
    if (name !== undefined) checkName(name, ['main', ...names, ...taken]);
  }

  /** Starts an agent. Throws as `Agents.run`, before anything is recorded. */
  async function begin(
    caller: Session,
    request: BegunAgent,
    named: Pick<AgentRecord, 'id' | 'callId' | 'part'>,
    waiting: AbortSignal,
  ): Promise<Run> {
    const { id } = named;
    const definition = kinds.find(request.agentType ?? defaultAgentName);
    while (request.waitsForRoom && !hasRoom(listRunning())) {
      await caller.turnWork.wait(() => untilNews(journal, whenLeft, waiting));
      throwIfAborted(waiting);
      if (journal.broken.aborted) throw journal.broken.reason;
    }
    checkRoom(caller, request);
    const run = await start(id, request.name, async () => {
      await recordBeginning(caller, request, definition, named);
      return launch(id, request.allowed);
    });
    if (!run) throw new TypeError(`The agent ${id} was not begun.`);
    return run;
  }

  async function recordBeginning(
    caller: Session,
    request: BegunAgent,
    definition: NamedDefinition,
    { id, callId, part }: Pick<AgentRecord, 'id' | 'callId' | 'part'>,
  ): Promise<void> {
    const isBackground = request.isBackground ?? definition.background ?? true;
    const { description, name, prompt } = request;
    const file = await createOutputFile(`tasks/${id}.output`, { files: openFiles(), clock });
    const model = kinds.modelOf(request.model, definition, caller);
    if (!definition.isFork) {
      kinds.tellUnknownModel(request.model ?? definition.model, definition.name, model);
    }
    const newest = caller.journal.fold.turn?.newest?.request.messages ?? 0;
    const record: AgentRecord = {
      type: 'agent',
      id,
      callId,
      agentType: definition.name,
      description,
      ...(name !== undefined && { name }),
      model: model.name,
      depth: (caller.agent?.depth ?? 0) + 1,
      isBackground,
      ...(!isBackground && request.mayLeave && { canBeBackgrounded: true as const }),
      ...(request.isolation && { root: toFirstBranch(main().id, id) }),
      ...(caller.place.cwd !== caller.cwd && { cwd: caller.place.cwd }),
      ...(definition.isFork && { inherits: newest }),
      ...(part !== undefined && { part }),
      ...(request.outputFormat && { outputFormat: request.outputFormat }),
    };
    const { mode } = caller.permissions.current();
    const task = toTask(prompt, definition);
    const records = toBeginning(record, caller.agent?.id, {
      outputPath: file.path,
      promptId: caller.ids.of('agent prompt', id),
      prompt: request.isolation ? `${toBranchNote(mode)}\n\n${task}` : task,
    });
    await (request.isolation
      ? isolation.begin(caller, record, records)
      : journal.recordSafely(...records));
  }

  /** Runs an agent whose beginning is recorded. If it can't run, its end is recorded. Called within `start`. */
  async function launch(id: string, allowed?: readonly string[]): Promise<Run> {
    const folded = fold.agents.get(id);
    if (!folded) throw new TypeError(`No agent ${id} was begun.`);
    const controller = createChildController(signal);
    try {
      await isolation.reopen(folded, await opened.open(folded.parent));
      const run: Run = {
        ...(await opened.openNew(id, controller.signal, allowed)),
        controller,
        ended: Promise.resolve().then(() => run.agent.turnWork.run(() => play(run))),
        isStoppedByModel: false,
      };
      runs.set(id, run);
      void run.ended.then(() => leave(run));
      return run;
    } catch (error) {
      controller[Symbol.dispose]();
      await endUnheard(folded, describeThrown(error), 'failed');
      throw error;
    }
  }

  /** Runs the agent to its report. Never rejects. */
  async function play(run: Run): Promise<AgentReport> {
    const { folded, agent, controller } = run;
    const { id } = folded.record;
    let failure: unknown;
    try {
      const parent = await opened.open(folded.parent);
      if (agent.journal.fold.vm.size > 0) await restoreRepl(agent);
      // An open turn records the ends of lost tasks when it continues.
      if (!agent.journal.fold.turn) await endLost(agent.journal);
      if (agent.journal.fold.lastStep === 0) {
        await agent.hooks?.start(agent.model.name, controller.signal);
      }
      do {
        await playTurns(run.agent, run.definition, turns, {
          clock,
          signal: controller.signal,
          includePartialMessages: options.includePartialMessages ?? false,
        });
        await stopBelow(id);
      } while (await isolation.settle({ agent, folded, parent }, controller.signal));
    } catch (error) {
      // The journal is broken, or it is a mistake of ours. The report tells the caller.
      failure = error;
      await stopBelow(id);
    }
    await agent.tasks.close();
    await agent.hooks?.end();
    const caller = await opened.open(folded.parent);
    // The caller closes the servers that it lends.
    if (agent.mcpServers !== caller.mcpServers) agent.mcpServers?.close();
    options.host.executor.endSession?.(agent.executorId);
    const { taintedBy } = agent.permissions.current();
    const report = toReport(folded, agent, taintedBy);
    const told: AgentReport =
      failure === undefined
        ? report
        : { ...report, status: 'failed', reason: `It failed: ${describeThrown(failure)}` };
    // Only a broken journal rejects this, which ends the session by itself.
    await recordEnd(run, told).catch(() => undefined);
    return told;
  }

  /** Wakes the agent, and the idle agent that gets its report, if they have a reason to continue. */
  function leave({ folded, controller }: Run): void {
    runs.delete(folded.record.id);
    controller[Symbol.dispose]();
    const parent = folded.parent === undefined ? undefined : fold.agents.get(folded.parent);
    for (const one of [folded, ...(parent ? [parent] : [])]) {
      if (isClosed || signal.aborted || isRunning(one.record.id) || !hasWork(one)) continue;
      // The agent's report says why it can't continue.
      wake(one).catch(() => undefined);
    }
    for (const hear of [...whenLeft]) hear();
  }

  /** Stops the agents that this one has started: nobody waits for them any more. */
  async function stopBelow(id: string): Promise<void> {
    const below = listRunning().filter((one) => fold.agents.get(one)?.parent === id);
    await Promise.all(below.map((one) => stop(one, true)));
  }

  /** Records the end, which is reported once: as the result of the waiting call, or to the caller's conversation. */
  async function recordEnd(run: Run, report: AgentReport): Promise<void> {
    const { folded } = run;
    const { record } = folded;
    const parent = await opened.open(folded.parent);
    // Security: what it says may repeat what came from outside.
    if (report.taintedBy !== undefined) parent.permissions.taint(report.taintedBy);
    const text = await keepReport(record.id, toReportText(report));
    // Read only now, because its call may have left it to the background meanwhile.
    const task = findTask(folded);
    if (!task) return;
    const isTold = task.isBackground && !run.isStoppedByModel;
    await journal.recordSafely({
      ...toTaskEnd(task, report.status, text, isTold ?? false),
      ...(folded.parent !== undefined && { agent: folded.parent }),
    });
  }

  /**
   * Stores the report, and gives its text. If the file can't be written, the reader still learns of
   * the end.
   */
  async function keepReport(id: string, text: string): Promise<string> {
    try {
      await openFiles().write(`tasks/${id}.output`, `${text}\n`);
      return text;
    } catch (error) {
      return `${text}\n\nThe output file could not be written: ${describeThrown(error)}`;
    }
  }

  async function stop(
    agentId: string,
    byModel: boolean,
    by?: string,
  ): Promise<StoppedTask | undefined> {
    const folded = fold.agents.get(agentId);
    const isOwn = folded && listLine(folded).some(({ parent }) => parent === by);
    if (by !== undefined && !isOwn) return undefined;
    // If the agent couldn't be started, it has ended by that failure.
    const run = runs.get(agentId) ?? (await starting.get(agentId)?.run.catch(() => undefined));
    if (!run) return undefined;
    run.isStoppedByModel = byModel;
    run.controller.abort(createAbortError('The agent was stopped.'));
    const { status } = await run.ended;
    const { description } = run.folded.record;
    return { taskId: agentId, taskType: agentTaskType, description, status, keepsChanges: true };
  }

  /** The agent of the call: running, idle, or not resumed yet. */
  async function findOrBegin(
    caller: Session,
    request: BegunAgent,
    { toolUseID: callId, part, signal: waiting }: AgentCall,
  ): Promise<{ readonly run?: Run; readonly folded: FoldedAgent }> {
    const id = toAgentId(caller, callId, part);
    const folded = fold.agents.get(id);
    if (!folded) {
      const of = part !== undefined && { part };
      const run = await begin(caller, request, { id, callId, ...of }, waiting);
      return { run, folded: run.folded };
    }
    const run = isOpen(folded) ? await takeUp(folded, request.allowed) : runs.get(id);
    return { folded, ...(run && { run }) };
  }

  function takeUp(folded: FoldedAgent, allowed?: readonly string[]): Promise<Run | undefined> {
    const { id, name } = folded.record;
    return start(id, name, () => launchKnown(folded, allowed));
  }

  /**
   * Undefined: the agent has ended, because its kind, or that of an agent above it, no longer
   * exists. Called within `start`.
   */
  async function launchKnown(
    folded: FoldedAgent,
    allowed?: readonly string[],
  ): Promise<Run | undefined> {
    const missing = listLine(folded).find(({ record }) => !kinds.has(record.agentType));
    if (!missing) return launch(folded.record.id, allowed);
    await endUnheard(folded, `The kind ${missing.record.agentType} isn't there any more.`);
    return undefined;
  }

  /** Ends an agent that nobody runs any more, and the agents that it has started. */
  async function endUnheard(
    folded: FoldedAgent,
    why: string,
    status: TaskStatus = 'stopped',
  ): Promise<void> {
    const { parent, record } = folded;
    await stopBelow(record.id);
    for (const one of fold.agents.values()) {
      if (one.parent === record.id && isOpen(one)) {
        await endUnheard(one, 'Who has begun it has ended.');
      }
    }
    await endLost(createAgentJournal(journal, record.id));
    const task = findTask(folded);
    if (task?.status !== 'running') return;
    const how = status === 'failed' ? 'it failed.' : 'it was stopped.';
    await journal.record({
      ...toTaskEnd(task, status, `${how} ${why}`, task.isBackground ?? false),
      ...(parent !== undefined && { agent: parent }),
    });
  }

  // A settled call waits for no agent any more.
  journal.onEntry((entry) => {
    if (entry.type !== 'settled') return;
    for (const folded of fold.agents.values()) {
      const { record } = folded;
      const isLeft =
        record.callId === entry.id && !findTask(folded)?.isBackground && isOpen(folded);
      if (isLeft && !isRunning(record.id)) {
        // Only a broken journal rejects this, which ends the session by itself.
        endUnheard(folded, 'The call that has begun it is over.').catch(() => undefined);
      }
    }
  });

  return {
    sessionJournal: journal,
    definitions: kinds.list,
    list: kinds.readAnew,
    portOf: (session) => ({
      definitions: kinds.list,
      list: () => listAgents().map((one) => toAgentState(one, isOpen(one))),
      // A workflow's code continues with the reports.
      run: (request, call) =>
        waitFor(session, { ...request, mayLeave: call.part === undefined }, call),
      send: (to, text, callId) => mail.send(session, to, text, callId),
      team: mail.team,
      createTeam: (name, description) => mail.createTeam(session, name, description),
      deleteTeam: () => mail.deleteTeam(session),
      runSkill: (forked, call) =>
        followSkill(forked, call, journal, {
          agentId: toAgentId(session, call.toolUseID),
          rules: session.permissions.current().rules,
          run: (request) => waitFor(session, request, call),
        }),
    }),
    async resume() {
      // A resumed turn begins without a prompt, so the definitions are read here.
      if (listAgents().length > 0 || fold.turn) await kinds.readAnew();
      await isolation.dropLeft();
      for (const folded of fold.agents.values()) {
        if (!folded.isGone || !isOpen(folded)) continue;
        await endUnheard(folded, 'The conversation goes on from before it was begun.');
      }
      // Outer agents come first, because an agent is resumed within the one that has started it.
      for (const folded of listAgents()) {
        if (isOfParent(folded)) {
          await endUnheard(folded, 'It belongs to the session that this one is a fork of.');
        } else if (isLeftByTask(folded)) {
          await endUnheard(
            folded,
            'The task that has begun it ended when its session was cut off.',
          );
        } else if (isOpen(folded) ? findTask(folded)?.isBackground : hasWork(folded)) {
          // The agent's report says why it can't continue. The session is opened anyway.
          await (isOpen(folded) ? takeUp(folded) : wake(folded)).catch(() => undefined);
        }
      }
    },
    stop,
    toBackground: foreground.leave,
    whenEnded: (id) => runs.get(id)?.ended.then(() => undefined),
    isRunning: () => listRunning().length > 0,
    whenLeft,
    taintedBy() {
      const own = main().permissions.current().taintedBy;
      const records = [...fold.agents.values()].flatMap((one) => one.fold.permissions);
      return own ?? records.find(({ taintedBy }) => taintedBy !== undefined)?.taintedBy;
    },
    async whenNews(session, stopping) {
      const parent = session.agent?.id;
      const isBelow = (one: FoldedAgent) =>
        parent === undefined || listLine(one).some((above) => above.parent === parent);
      const isBusy = (one: FoldedAgent) =>
        isOpen(one) ? findTask(one)?.isBackground : isRunning(one.record.id);
      const runsBelow = () =>
        session.tasks.holdsTurn() || listAgents().some((one) => isBelow(one) && isBusy(one));
      while (!stopping.aborted && runsBelow() && !session.tasks.hasNews()) {
        await untilNews(journal, whenLeft, stopping);
        if (journal.broken.aborted) return;
      }
    },
    async close() {
      isClosed = true;
      await Promise.all(listRunning().map((id) => stop(id, false)));
    },
  };

  async function waitFor(
    caller: Session,
    request: BegunAgent,
    call: AgentCall,
  ): Promise<AgentReport | LaunchedAgent> {
    const { run, folded } = await findOrBegin(caller, request, call);
    const { signal: waiting } = call;
    const { record } = folded;
    const toLaunched = (): LaunchedAgent => {
      const { outputPath = '' } = findTask(folded) ?? {};
      return { agentId: record.id, resolvedModel: record.model, outputPath };
    };
    if (record.isBackground || findTask(folded)?.isBackground) return toLaunched();
    if (!run) return toReport(folded, opened.find(record.id) ?? main());
    const cut = () => void stop(record.id, true);
    if (waiting.aborted) cut();
    waiting.addEventListener('abort', cut, { once: true });
    try {
      const ended = () =>
        record.canBeBackgrounded ? foreground.report(folded, run.ended) : run.ended;
      return (await caller.turnWork.wait(ended)) ?? toLaunched();
    } finally {
      waiting.removeEventListener('abort', cut);
    }
  }

  /** Wakes an idle agent, which reads its letters. Its new report is delivered like the first. */
  async function wake(folded: FoldedAgent): Promise<void> {
    const { parent, record } = folded;
    await start(record.id, record.name, async () => {
      const task = findTask(folded);
      if (!task) return undefined;
      const { notification: _, summary: __, ...rest } = task;
      await journal.record({
        ...rest,
        status: 'running',
        isBackground: true,
        ...(parent !== undefined && { agent: parent }),
      });
      return launchKnown(folded);
    });
  }

  function openFiles(): SessionFiles {
    files ??= createSessionFiles(options.host.workspace, main().id);
    return files;
  }
}
