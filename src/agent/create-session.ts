// Creates a session from a query's options: new, resumed or forked. session-engine.ts calls it for each opening.
import { SdkError, hasCode } from '../core/errors.ts';
import { isSessionPath } from '../core/session/session-path.ts';
import type { SDKMessage } from '../core/messages/sdk-message.ts';
import type { Model } from '../model/model.ts';
import { toPrices } from '../model/pricing.ts';
import { toAnswerer } from './answerer.ts';
import { createSessionAgents } from './agents/create-session-agents.ts';
import { createSessionTasks } from './background/tasks.ts';
import { createCommands } from './commands/create-commands.ts';
import { runTurn } from './turn/loop.ts';
import { resumeTurn } from './turn/resume-turn.ts';
import { endTurn } from './turn/to-result-message.ts';
import { listWaiting } from './turn/list-waiting.ts';
import { tellTasks } from './turn/tell-tasks.ts';
import { describeNotes, makeNotesDirectory } from './context/agent-notes.ts';
import { createMemory } from './context/memory.ts';
import { toCoordinatorPrompt } from './context/coordinator-prompt.ts';
import { createReadCheck } from './context/read-judge.ts';
import type { MemoryRecord } from './context/memory.ts';
import { createHooks } from './hooks/create-hooks.ts';
import { createOwnFiles } from './calls/own-files.ts';
import type { AutoMode, JudgedSession } from './permissions/auto-mode.ts';
import { createAutoMode, withoutClassifier } from './permissions/auto-mode.ts';
import type { PermissionState } from './permissions/permission-state.ts';
import { createQuestionQueue, createQuestions } from './permissions/questions.ts';
import { createTurnWork } from './session/turn-work.ts';
import {
  checkServersOfAgents,
  findPlugins,
  listCommandSources,
  loadAgentFinder,
  loadMcpServers,
  loadSkills,
  openPullRequests,
  openTriggers,
  readServersOfScopes,
} from './load-features.ts';
import type { QueryOptions } from './query-options.ts';
import { toKeptMessages, withoutAgentText } from './journal/kept-messages.ts';
import { createQuestionRecorder } from './journal/record-questions.ts';
import { createRequestHash } from './journal/request-hash.ts';
import type { SessionJournal } from './journal/session-journal.ts';
import { assembleToolPool } from './registry/assemble.ts';
import { toToolSearchMode } from './registry/defer.ts';
import { createToolParamWriter } from './registry/to-tool-param.ts';
import { toCommandsMessage, toNoticeMessage } from './messages/to-sdk-message.ts';
import type { RecordingTrace } from '../trace/record-calls.ts';
import { toToolFilter } from './agents/main-agent.ts';
import { chooseTools } from './turn/choose-tools.ts';
import { createDownloads } from './session/files/downloads.ts';
import { openDryRunRoot } from './session/files/dry-run-root.ts';
import { openJournal } from './session/open-journal.ts';
import { createPageCache } from './session/page-cache.ts';
import { createPlanFiles } from './session/files/plan-files.ts';
import { createReadFileState } from './session/files/read-file-state.ts';
import {
  createSessionFiles,
  createSessionSpill,
  getSessionDirectory,
} from './session/files/session-files.ts';
import { takeServerChanges } from './session/server-changes.ts';
import { createSwitchGuard } from './session/settings/model-switch.ts';
import { createModelChoice, createSessionSettings } from './session/settings/session-settings.ts';
import { createSessionIds } from './session/session-ids.ts';
import { createSessionStates } from './session/session-states.ts';
import { mainRoot, openRoot } from './session/files/session-root.ts';
import type { RootFiles } from './session/files/session-root.ts';
import { defaultWorkLimits, toPoolContext } from './session/session.ts';
import type { Session } from './session/session.ts';
import { listUpdates } from './session/settings/settings.ts';
import { createAliases } from './session/settings/tool-aliases.ts';
import { listDefinitionScopes } from './session/settings/definition-scopes.ts';
import type { DefinitionScope } from './session/settings/definition-scopes.ts';
import { createSpending, listModelNames } from './session/spending.ts';
import { createUsageMeter } from './session/usage-meter.ts';
import { createKnownCopies, createWorkPlace } from './session/files/work-place.ts';
import type { WorkspaceSettings } from './session/settings/workspace-settings.ts';
import { trustsNothing } from './session/settings/workspace-trust.ts';
import { skillToolName } from './skills/announce-skills.ts';
import { lendWorkflows } from './workflows/lend-workflows.ts';

// 10: more calls would only wait for each other. The executor's pool has its own limits.
const MAX_RUNNING_CALLS = 10;

/** The parts that exist before the session. */
export interface SessionStart {
  readonly id: string;
  readonly model: Model;
  /** See `toCwd` of query-options.ts. */
  readonly cwd: string;
  /** The id of the root that it works in. @defaultValue `main` */
  readonly root?: string;
  readonly permissions: PermissionState;
  /** See `NewSession` of session/open-journal.ts. */
  readonly journal?: SessionJournal;
  /** For tests and replays: as in `NewSession`. */
  readonly seed?: string;
  /** Gets all messages, also while no turn runs. */
  readonly emit: (message: SDKMessage) => void;
  /** Also emits the user's own prompts. @defaultValue false, because the reader of the messages has sent them */
  readonly tellsPrompts?: boolean;
  readonly trace: RecordingTrace;
  readonly whenPrompted: (listener: () => void) => () => void;
  /** Aborted with the query. */
  readonly signal: AbortSignal;
  /** True if the query has one prompt, and ends when that is answered. */
  readonly hasOnePrompt: boolean;
}

/**
 * Loads the tools and creates the session.
 *
 * @throws SdkError `bad-usage` if there is a budget and a model without a known price, or if the host lacks a tool.
 * Also if a tool of the caller's own has a built-in's name or one that the API refuses. Throws `bad-usage` or
 * `invalid-input` for invalid hooks, and the host's error if its tools can't be loaded
 */
export async function createSession(options: QueryOptions, start: SessionStart): Promise<Session> {
  const { host } = options;
  /** Empty until the session is created, because servers connect earlier. */
  const opened: { session?: Session } = {};
  const { id, model, cwd, permissions, emit, signal, trace } = start;
  const usual = options.dryRun ? () => openDryRunRoot(host.workspace, id) : () => mainRoot;
  const root = openRoot(host.workspace, start.root ?? (await usual()));
  await checkCwd(options, root.fs);
  await checkHome(options, root.fs);
  const plugins = await findPlugins(options, root.fs, cwd);
  const scopes = listDefinitionScopes(options, cwd, plugins.plugins);
  const { trust, problems, disabledServers } = await readSettings(options, start, root.fs, scopes);
  const files = createSessionFiles(host.workspace, id);
  const ofProject = await readServersOfScopes(options, scopes, {
    fs: root.fs,
    trust,
    disabledServers,
  });
  const changes = takeServerChanges(host.workspace, id);
  const mcpServers =
    options.mcpServers || changes || Object.keys(ofProject.servers).length > 0
      ? await loadMcpServers(options.mcpServers ?? {}, options, {
          cwd,
          signal,
          session: () => opened.session,
          ofProject: ofProject.servers,
          changes,
        })
      : undefined;
  await checkServersOfAgents(options);
  const chosen = await chooseTools(await host.loadTools('listed'), options);
  const isKept = toToolFilter(options);
  const aliases = options.toolAliases && createAliases(options.toolAliases);
  const tools = aliases?.addTo(chosen, mcpServers?.tools() ?? []) ?? chosen;
  const prices = toPrices(options.prices);
  const usage = createUsageMeter(prices);
  const spending = createSpending(options.maxBudgetUsd, prices, usage);
  for (const name of listModelNames(options, model)) spending.checkModel(name);
  // Opened only now, so that nothing is recorded of a session whose options are refused.
  const journal = await openJournal(start, host.clock);
  const { fold } = journal;
  const ids = createSessionIds(fold);
  const directories = [id, ...fold.ancestors].map(getSessionDirectory);
  permissions.recordBy(journal.note);
  const warn = (message: string) => emit(toNoticeMessage({ id, ids }, message, 'warning'));
  const { notes, mode } = permissions.current();
  const isNew = !fold.states.has('memory') && root.id === mainRoot;
  if (notes?.asks && isNew && mode !== 'plan')
    await makeNotesDirectory(notes, host.workspace.at(root.id).fs, warn);
  const mayRead = createReadCheck(cwd, permissions.current);
  const models = createModelChoice(model, options.models ?? {}, journal, () => switches);
  const effort = () => session.effort ?? models.current().effort;
  const toolSearchMode = toToolSearchMode(options.toolSearch, options.experimentalBetas);
  const copies = createKnownCopies(journal);
  const place = createWorkPlace(fold, copies, cwd);
  const { watch } = root;
  const hooks =
    options.hooks &&
    createHooks(options, {
      ...{ ...start, effort, journal, ids, place, watch },
      listWaiting: () => listWaiting(session),
    });
  const cacheTtl = options.cacheTtl ?? '5m';
  const now = () => host.clock.now();
  const switches = hooks && createSwitchGuard({ hooks, fold, prices, cacheTtl, now });
  tellKept(journal, start, options.forwardSubagentText ?? false);
  tellTasks(journal, { id, ids }, emit, [...tools.builtInTools, ...tools.ownTools]);
  const queue = createQuestionQueue();
  const turnWork = createTurnWork(host.steps);
  const answerer = toAnswerer(options, () => opened.session?.mcpServers);
  const judgedBy = (agent: Parameters<typeof toJudged>[0]) => toAutoMode(options, toJudged(agent));
  const agents = createSessionAgents(() => session, journal, {
    options,
    prices,
    queue,
    answerer,
    turns: { run: runTurn, resume: resumeTurn, end: endTurn },
    usage,
    listWaiting: () => listWaiting(session),
    toAutoMode: judgedBy,
    findDefinitions: await loadAgentFinder(options, start, root.fs, scopes),
    signal,
  });
  for (const problem of ofProject.problems) warn(problem);
  const skills = await loadSkills(options, start, {
    fs: root.fs,
    scopes,
    trust,
    tools,
    servers: mcpServers && (() => opened.session?.mcpServers ?? mcpServers),
    warn,
  });
  const hasTool = (wanted: string) =>
    assembleToolPool(toPoolContext(session)).builtIn.some(({ name }) => name === wanted);
  const session: Session = {
    id,
    agents,
    executorId: id,
    waitsForAgents: start.hasOnePrompt,
    cellPrompts: options.cellPrompts ?? false,
    journal,
    ids,
    states: createSessionStates(journal),
    get messages() {
      return fold.messages;
    },
    get prompts() {
      return fold.prompts;
    },
    hashRequest: createRequestHash(),
    get model() {
      return models.current();
    },
    models,
    settings: createSessionSettings(models, permissions, journal),
    effort: options.effort,
    taskBudget: options.taskBudget,
    fallbackModels: [options.fallbackModel ?? []].flat(),
    permissions,
    emit,
    host,
    root,
    cwd,
    place,
    copies,
    ...tools,
    get ownTools() {
      const connected = session.mcpServers?.tools() ?? [];
      // Security: nobody may call the tool that answers permission questions.
      const offered = connected.filter(({ name }) => name !== options.permissionPromptToolName);
      const remote = isKept ? offered.filter(isKept) : offered;
      return [...tools.ownTools, ...(aliases?.ofRemote(remote) ?? remote)];
    },
    mcpServers,
    switches: toSwitches(options, toolSearchMode),
    toolSearchMode,
    tellsNamesOnce: options.toolSearchDelta ?? true,
    readFileState: createReadFileState(fold.reads),
    memory: await createMemory({
      ...(fold.states.has('memory') && { record: fold.states.get('memory') as MemoryRecord }),
      host,
      root,
      cwd,
      place,
      home: options.homeDirectory,
      async readOwn() {
        if (!notes) return [];
        const canWrite = permissions.current().mode !== 'plan' && hasTool('Write');
        return [await describeNotes(notes, root.fs, { mayRead, canWrite, isMain: true })];
      },
      sources: options.settingSources ?? [],
      permissions: permissions.current,
      onLoaded: (loaded) => hooks?.noteInstructions(loaded),
      warn,
    }),
    trust,
    settingsProblems: problems,
    skills,
    plugins,
    workflows: lendWorkflows(
      () => session,
      // Plugins have none.
      scopes.filter(({ plugin }) => !plugin),
    ),
    commands: await createCommands({
      sources: await listCommandSources(scopes, start, {
        skills,
        hasSkillTool: () => hasTool(skillToolName),
        servers: () => (opened.session ? opened.session.mcpServers : mcpServers),
        files: { fs: root.fs, trust, mayRead },
      }),
      async listAgents() {
        await agents.list();
        return agents.definitions();
      },
      warn,
      onChanged: (commands) => emit(toCommandsMessage({ id, ids }, commands)),
    }),
    downloads: createDownloads(host.workspace, journal),
    ownFiles: createOwnFiles(root, fold.own),
    hooks,
    trace,
    questions: createQuestions(
      { answerer, hooks, recorder: createQuestionRecorder(journal, ids, host.steps?.opening) },
      { record: trace.record, queue, turnWork },
    ),
    queue,
    turnWork,
    onElicitation: options.onElicitation,
    onUserFile: options.onUserFile,
    pages: createPageCache(host.clock),
    smallModel: options.smallModel,
    webSearch: options.webSearch,
    onPushNotification: options.onPushNotification ?? host.onPushNotification,
    onRemoteTrigger: options.onRemoteTrigger,
    autoMode: judgedBy({ journal, usage, spending, hooks }),
    schedule: {
      maxRunning: options.maxRunningCalls ?? MAX_RUNNING_CALLS,
      policy: options.schedulePolicy ?? 'default',
      seat: options.callLimiter?.sit(),
    },
    whenPrompted: start.whenPrompted,
    sessionDirectories: directories,
    plan: createPlanFiles(host.workspace, id, directories),
    planModeInstructions: options.planModeInstructions,
    files,
    spill: createSessionSpill(files),
    tasks: createSessionTasks({
      ids,
      journal,
      files,
      clock: host.clock,
      signal,
      permissions,
      sessionTaint: agents.taintedBy,
      endsWithFinalResponse: start.hasOnePrompt,
      stopAgent: agents.stop,
      whenAgentEnded: agents.whenEnded,
    }),
    pullRequests: await openPullRequests(options, start, journal),
    ...(await openTriggers(options, start, journal, ids)),
    usage,
    spending,
    systemPrompt:
      options.coordinator && !options.simple
        ? toCoordinatorPrompt(options.systemPrompt)
        : options.systemPrompt,
    cacheTtl,
    limits: { ...defaultWorkLimits, ...host.limits },
    toolParams: createToolParamWriter(),
  };
  opened.session = session;
  // Needed for the agents in the first message.
  await agents.list();
  return session;
}

/** The options on which a built-in tool's place in the pool depends. */
function toSwitches(
  options: QueryOptions,
  toolSearchMode: Session['toolSearchMode'],
): Session['switches'] {
  const { host } = options;
  return {
    simple: options.simple ?? false,
    replMode: options.replMode ?? false,
    embeddedSearch: options.embeddedSearch ?? false,
    toolSearch: toolSearchMode.type !== 'standard',
    tasksV2: options.tasksV2 ?? options.teams ?? false,
    teams: options.teams ?? false,
    coordinator: options.coordinator ?? false,
    taskOutput: options.taskOutput ?? false,
    worktrees: options.worktrees ?? false,
    historySnip: options.historySnip ?? false,
    forge: options.forge !== undefined,
    remoteTrigger: options.onRemoteTrigger !== undefined,
    lsp: (options.lsp ?? true) && host.hasLanguageServers === true,
    preview: host.preview !== undefined,
    outputSchema: options.outputFormat !== undefined,
    proactive: options.proactive !== undefined && options.proactive !== false,
    triggers: options.triggers !== undefined && options.triggers !== false,
    brief: options.brief ?? false,
    userFileBridge: options.onUserFile !== undefined,
  };
}

/** Emits each kept message when its entry is recorded. */
function tellKept(
  journal: SessionJournal,
  { emit, tellsPrompts = false }: SessionStart,
  forwardsText: boolean,
): void {
  journal.onEntry((entry) => {
    const isOfMain = entry.type === 'turn' && entry.agent === undefined;
    const isOwnWord = isOfMain && !journal.fold.turn?.prompt?.origin;
    if (!tellsPrompts && isOwnWord) return;
    for (const message of toKeptMessages(entry, journal.fold)) {
      const told = forwardsText ? message : withoutAgentText(message);
      if (told) emit(told);
    }
  });
}

/** An agent, as its classifier sees it. */
function toJudged({
  journal,
  usage,
  spending,
  hooks,
}: Pick<Session, 'journal' | 'usage' | 'spending' | 'hooks'>): JudgedSession {
  const { fold } = journal;
  return {
    get messages() {
      return fold.messages;
    },
    get prompts() {
      return fold.prompts;
    },
    get hostNotes() {
      return hooks?.listHostNotes() ?? [];
    },
    noteUsage: (request) => journal.note(usage.add(request)),
    spending,
  };
}

/** @throws SdkError `bad-usage` if the query's working directory doesn't exist */
async function checkCwd({ cwd }: QueryOptions, fs: RootFiles): Promise<void> {
  if (cwd === undefined) return;
  const isDirectory = await fs.stat(cwd).then(
    (stats) => stats.isDirectory() && !isSessionPath(cwd),
    () => false,
  );
  // Security: what calls may reach follows from its path, and a link would lead out of that.
  const isItself = isDirectory && (await fs.realpath(cwd)) === cwd;
  if (isItself) return;
  const what = isDirectory ? 'is a link, or behind one' : 'is no directory of the workspace';
  const instead = isDirectory
    ? 'Name the directory itself.'
    : 'Make it first: host.workspace.fs.mkdir.';
  throw new SdkError('bad-usage', `cwd is "${cwd}", which ${what}. ${instead}`, { data: { cwd } });
}

/**
 * The home needn't exist. @throws SdkError `bad-usage` for a link, because its path decides which files are the
 * user's
 */
async function checkHome({ homeDirectory: home }: QueryOptions, fs: RootFiles): Promise<void> {
  if (home === undefined) return;
  const real = await fs.realpath(home).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return home;
    throw error;
  });
  if (real === home) return;
  const message = `homeDirectory is "${home}", which is a link, or behind one. Name the directory itself: ${real}.`;
  throw new SdkError('bad-usage', message, { data: { homeDirectory: home } });
}

/** @throws the settings' error if they are invalid */
async function readSettings(
  options: QueryOptions,
  { permissions, cwd, signal }: SessionStart,
  fs: RootFiles,
  scopes: readonly DefinitionScope[],
): Promise<Omit<WorkspaceSettings, 'updates'>> {
  const { settings, managedSettings, settingSources } = options;
  if (!settings && !managedSettings && !settingSources?.length && scopes.length === 0) {
    return { trust: trustsNothing, problems: [], disabledServers: [] };
  }
  const { updates, ...read } = await listUpdates(options, {
    permissions,
    fs,
    cwd,
    scopes,
    signal,
  });
  permissions.configure(updates);
  return read;
}

function toAutoMode({ autoClassifier, host }: QueryOptions, session: JudgedSession): AutoMode {
  if (!autoClassifier) return withoutClassifier;
  return createAutoMode(autoClassifier, host.clock, session);
}
