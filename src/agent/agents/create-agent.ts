// Makes a sub-agent as the stages see it: its session, with a conversation, permissions, a root and a sandbox of its
// own. Called by create-session-agents.ts for a new agent, and for one that continues.
import type { OutputFormat } from '../../core/messages/output-format.ts';
import type { KnownTools } from '../../core/tool/listed-tool.ts';
import { findToolByName } from '../../core/tool/tool.ts';
import type { Tool, Tools } from '../../core/tool/tool.ts';
import type { SDKMessage } from '../../core/messages/sdk-message.ts';
import type { Model } from '../../model/model.ts';
import { createSessionTasks } from '../background/tasks.ts';
import { createOwnFiles } from '../calls/own-files.ts';
import { describeNotes, makeNotesDirectory, toNotesPlace } from '../context/agent-notes.ts';
import { createMemory } from '../context/memory.ts';
import type { MemoryRecord } from '../context/memory.ts';
import { createReadCheck } from '../context/read-judge.ts';
import { createHooks } from '../hooks/create-hooks.ts';
import type { HookFields } from '../hooks/hook-inputs.ts';
import type { HooksOption } from '../hooks/hooks.ts';
import { createAgentJournal } from '../journal/agent-journal.ts';
import type { FoldedAgent } from '../journal/folded.ts';
import { createQuestionRecorder } from '../journal/record-questions.ts';
import { createRequestHash } from '../journal/request-hash.ts';
import { toNoticeMessage } from '../messages/to-sdk-message.ts';
import { createQuestions } from '../permissions/questions.ts';
import { createTurnWork } from '../session/turn-work.ts';
import type { Answerer, QuestionQueue } from '../permissions/questions.ts';
import { replaceShell, ruleNamesTool } from '../permissions/rules.ts';
import type { QueryOptions } from '../query-options.ts';
import { createToolParamWriter } from '../registry/to-tool-param.ts';
import { createDownloads } from '../session/files/downloads.ts';
import { createReadFileState } from '../session/files/read-file-state.ts';
import { createSessionFiles, createSessionSpill } from '../session/files/session-files.ts';
import { createSessionIds } from '../session/session-ids.ts';
import type { AgentIdentity, Session } from '../session/session.ts';
import type { RecordingTrace } from '../../trace/record-calls.ts';
import { createUsageMeter } from '../session/usage-meter.ts';
import { createWorkPlace } from '../session/files/work-place.ts';
import type { UsageMeter } from '../session/usage-meter.ts';
import type { Prices } from '../../model/pricing.ts';
import { bindOutputTool } from '../registry/bind-output-tool.ts';
import { openBranch } from './agent-branch.ts';
import { maxDepth } from './agent-limits.ts';
import { createAgentPermissions } from './agent-permissions.ts';
import type { CallerPermissions } from './agent-permissions.ts';
import { toSystemPrompt } from './definitions.ts';
import type { NamedDefinition } from './definitions.ts';

/** The parts of the session that its agents share. */
export interface AgentParts {
  readonly options: QueryOptions;
  readonly prices: Prices;
  /** The queue in which all agents' questions wait. */
  readonly queue: QuestionQueue;
  readonly answerer: Answerer;
  /** The session's meter, which counts the requests of all agents. */
  readonly usage: UsageMeter;
  /** The session's running work: see `HookedSession`. */
  readonly listWaiting: () => Pick<HookFields<'Stop'>, 'background_tasks' | 'session_crons'>;
  /** Makes the agent's way to the auto mode's classifier. */
  readonly toAutoMode: (
    agent: Pick<Session, 'journal' | 'usage' | 'spending' | 'hooks'>,
  ) => Session['autoMode'];
  /** The caller's permissions at each time. */
  readonly permissions: CallerPermissions;
  /** Rules of the trusted skill that it follows. */
  readonly allowed?: readonly string[] | undefined;
  /** The hooks of the agent's definition. A fork has its caller's. */
  readonly hooks?: HooksOption | undefined;
  /** Aborted when the agent is to stop. */
  readonly signal: AbortSignal;
}

/** `folded`: the agent's recorded beginning. `parent`: the session whose call has started it. */
export async function createAgent(
  parent: Session,
  folded: FoldedAgent,
  definition: NamedDefinition,
  model: Model,
  parts: AgentParts,
): Promise<Session> {
  const { record } = folded;
  const { options, prices, queue, signal } = parts;
  const { host, id, cwd } = parent;
  const journal = createAgentJournal(parent.agents.sessionJournal, record.id);
  const { fold } = journal;
  const place = createWorkPlace(fold, parent.copies, cwd, record.cwd);
  const ids = createSessionIds(fold);
  const isIsolated = record.root !== undefined;
  const root = isIsolated ? openBranch(host.workspace, folded) : parent.root;
  const turnWork = createTurnWork(host.steps);
  const agent: AgentIdentity = {
    id: record.id,
    type: record.agentType,
    callId: record.callId,
    depth: record.depth,
    ...(record.outputFormat && { answersInForm: true as const }),
  };
  const emit = (message: SDKMessage) => {
    // If a sub-agent's texts aren't wanted, neither are their streamed parts.
    const isWord = message.type === 'stream_event' && message.parent_tool_use_id === null;
    if (!isWord || options.forwardSubagentText) parent.emit(markAsAgents(message, folded));
  };
  const { memory: scope, name } = definition;
  const { homeDirectory: home } = options;
  const effort = definition.effort ?? parent.effort;
  const notes = scope && toNotesPlace(scope, name, { cwd, home });
  const permissions = createAgentPermissions(parts.permissions, {
    wanted: definition.permissionMode,
    past: fold.permissions,
    allowed: parts.allowed,
    isDraft: isIsolated,
    notes,
  });
  const warn = (message: string) => emit(toNoticeMessage({ id, ids }, message, 'warning'));
  const isNew = !fold.states.has('memory') && !isIsolated;
  if (notes && scope === 'user' && isNew && permissions.current().mode !== 'plan') {
    await makeNotesDirectory(notes, host.workspace.at(parent.root.id).fs, warn);
  }
  permissions.recordBy(journal.note);
  const readOwn = async () => {
    const { fs } = root;
    const own =
      notes === undefined
        ? []
        : [await describeNotes(notes, fs, { mayRead, canWrite: canWrite(), isMain: false })];
    const { skills: names = [] } = definition;
    if (names.length === 0) return own;
    const { preloadSkills } = await import('../skills/preload-skills.ts');
    const { rules } = permissions.current();
    return [...own, ...(await preloadSkills(names, { skills: parent.skills, rules, warn }))];
  };
  const mayRead = createReadCheck(cwd, permissions.current);
  const canWrite = () =>
    permissions.current().mode !== 'plan' &&
    tools.builtInTools.some(({ name }) => name === 'Write');
  const given = joinHooks(options.hooks, parts.hooks);
  const hooks =
    given &&
    createHooks(
      { ...options, hooks: given },
      {
        ...{ id, ids, journal, place, permissions, emit, agent },
        effort: () => effort ?? model.effort,
        listWaiting: parts.listWaiting,
        member: () => findMember(parent, record.id),
      },
    );
  const files = createSessionFiles(host.workspace, id);
  const usage = createUsageMeter(prices, parts.usage);
  const chosen = definition.isFork
    ? toTools(parent)
    : await chooseTools(parent, definition, { signal, samplingModel: options.samplingModel });
  const { outputFormat } = record;
  const tools = outputFormat ? await giveOutputTool(chosen, parent, outputFormat) : chosen;
  return {
    ...parent,
    agent,
    executorId: `${id}-${record.id}`,
    root,
    place,
    model,
    effort,
    // The task budget holds only for the main agent.
    taskBudget: undefined,
    builtInTools: tools.builtInTools,
    unchosenTools: tools.unchosenTools,
    mcpServers: tools.mcpServers,
    get ownTools() {
      return tools.listOwn();
    },
    // The agents that a coordinator leads do the work. A fork sends the same as its caller.
    switches: definition.isFork
      ? { ...parent.switches, ...(outputFormat && { outputSchema: true }) }
      : {
          ...parent.switches,
          coordinator: false,
          outputSchema: outputFormat !== undefined,
          lastAgent: record.depth >= maxDepth,
        },
    journal,
    ids,
    get messages() {
      return fold.messages;
    },
    get prompts() {
      return fold.prompts;
    },
    hashRequest: createRequestHash(),
    readFileState: createReadFileState(fold.reads),
    trace: traceWithin(parent, record.callId),
    memory: await createMemory({
      ...toToldMemory(fold, definition, parent),
      host,
      root,
      cwd,
      place,
      home,
      readOwn,
      sources: definition.omitClaudeMd ? [] : (options.settingSources ?? []),
      permissions: permissions.current,
      onLoaded: (loaded) => hooks?.noteInstructions(loaded),
      warn,
    }),
    downloads: createDownloads(host.workspace, journal),
    ownFiles: createOwnFiles(root, fold.own),
    permissions,
    hooks,
    questions: createQuestions(
      {
        answerer: parts.answerer,
        hooks,
        recorder: createQuestionRecorder(journal, ids, host.steps?.opening),
      },
      { record: parent.trace.record, queue, turnWork, agentID: record.id },
    ),
    turnWork,
    autoMode: parts.toAutoMode({ journal, usage, spending: parent.spending, hooks }),
    // A sub-agent gets no prompts during a turn. Other agents send mail, which waits for its next request.
    whenPrompted: () => () => undefined,
    files,
    spill: createSessionSpill(files),
    emit,
    tasks: createSessionTasks({
      ids,
      journal,
      files,
      clock: host.clock,
      signal,
      agentId: record.id,
      permissions,
      sessionTaint: parent.agents.taintedBy,
      endsWithFinalResponse: true,
      stopAgent: (agentId, byModel) => parent.agents.stop(agentId, byModel, record.id),
      whenAgentEnded: parent.agents.whenEnded,
    }),
    usage,
    systemPrompt: definition.isFork ? parent.systemPrompt : toSystemPrompt(definition),
    toolParams: definition.isFork ? parent.toolParams : createToolParamWriter(parent.toolParams),
    waitsForAgents: true,
  };
}

type AgentTools = Pick<Session, 'builtInTools' | 'mcpServers' | 'unchosenTools'> & {
  /** The agent's present own tools: servers come and go. */
  readonly listOwn: () => Tools;
};

function toTools(parent: Session): AgentTools {
  const { builtInTools, mcpServers, unchosenTools } = parent;
  return { builtInTools, mcpServers, unchosenTools, listOwn: () => parent.ownTools };
}

/** The tools for keeping notes. */
const notesTools = ['Read', 'Write', 'Edit'];

/**
 * Chooses the agent's tools. They are never more than its caller's, except for those of servers
 * that the host gives the agent.
 */
async function chooseTools(
  parent: Session,
  definition: NamedDefinition,
  { signal, samplingModel }: { signal: AbortSignal; samplingModel: Model | undefined },
): Promise<AgentTools> {
  const { tools, disallowedTools = [], mcpServers = [], memory } = definition;
  // Names are compared as in rules. So a definition may exclude tools by a server's name, as a query may.
  const isNamed = (names: readonly string[], tool: KnownTools[number]) =>
    names.some((name) => ruleNamesTool(replaceShell(name), tool));
  const isKept = (tool: KnownTools[number]) =>
    (tools === undefined || isNamed(tools, tool) || (memory && isNamed(notesTools, tool))) &&
    !isNamed(disallowedTools, tool);
  const isOfServer = (tool: Tool) =>
    mcpServers.includes(tool.mcpInfo?.serverName ?? '') && !isNamed(disallowedTools, tool);
  const listInherited = () => parent.ownTools.filter((tool) => isKept(tool) || isOfServer(tool));
  const inherited = {
    builtInTools: parent.builtInTools.filter(isKept),
    unchosenTools: parent.unchosenTools,
    mcpServers: parent.mcpServers,
    listOwn: listInherited,
  };
  if (mcpServers.length === 0) return inherited;
  const { joinServers, openOwnServers } = await import('./agent-servers.ts');
  const { mcp: client, clock } = parent.host;
  const own = await openOwnServers(definition, {
    ...{ client, clock, signal, cwd: parent.cwd, samplingModel },
    exchange: parent.mcpServers?.exchange,
    session: () => parent,
  });
  if (!own) return inherited;
  return {
    ...inherited,
    listOwn() {
      const added = own.tools().filter((tool) => !isNamed(disallowedTools, tool));
      // The caller may be of the same kind.
      const others = listInherited().filter((tool) => !findToolByName(own.tools(), tool.name));
      return [...others, ...added];
    },
    mcpServers: joinServers(parent.mcpServers, own),
  };
}

/**
 * Adds the tool for answers, whatever tools the definition has, because otherwise the turn couldn't end. The caller's
 * tool has another format.
 */
async function giveOutputTool(
  tools: AgentTools,
  { host }: Session,
  format: OutputFormat,
): Promise<AgentTools> {
  const bound = await bindOutputTool(await host.loadTools('listed'), format);
  const others = tools.builtInTools.filter(({ name }) => name !== bound.name);
  return { ...tools, builtInTools: [...others, bound] };
}

/** Undefined: the agent is in no team. */
function findMember(parent: Session, agentId: string) {
  const team = parent.agents.portOf(parent).team();
  const found = team?.members.find((one) => one.agentId === agentId);
  return team && found && { teammate_name: found.name, team_name: team.name };
}

/** Joins hooks. The query's are the first, and are called first. */
function joinHooks(
  first: HooksOption | undefined,
  second: HooksOption | undefined,
): HooksOption | undefined {
  if (!first || !second) return first ?? second;
  const events = Object.keys({ ...first, ...second }) as (keyof HooksOption)[];
  return Object.fromEntries(
    events.map((event) => [event, [...(first[event] ?? []), ...(second[event] ?? [])]]),
  );
}

/** The instructions that the agent was told. A fork was told the same as its caller. */
function toToldMemory(
  fold: FoldedAgent['fold'],
  { isFork }: NamedDefinition,
  parent: Session,
): { readonly record?: MemoryRecord } {
  if (fold.states.has('memory')) return { record: fold.states.get('memory') as MemoryRecord };
  return isFork ? { record: parent.memory.record } : {};
}

/** The agent's work is traced as a part of the call that has started it. */
function traceWithin({ trace }: Session, callId: string): RecordingTrace {
  return {
    ...trace,
    record(event) {
      switch (event.type) {
        case 'request-start':
        case 'request-end':
        case 'call-start':
          return trace.record({ ...event, parentId: event.parentId ?? callId });
        default:
          return trace.record(event);
      }
    },
  };
}

/** Marks a message as the agent's. This is for messages that aren't recorded. */
function markAsAgents(message: SDKMessage, { record }: FoldedAgent): SDKMessage {
  if (!('parent_tool_use_id' in message)) return message;
  return { ...message, parent_tool_use_id: message.parent_tool_use_id ?? record.callId };
}
