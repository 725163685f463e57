// Creates the view of the session that a tool's `call` and hooks get. calls/run-call.ts creates one
// for each call.
import type { ToolUseContext } from '../../core/tool/context.ts';
import type { KnownTools } from '../../core/tool/listed-tool.ts';
import { toNoticeMessage } from '../messages/to-sdk-message.ts';
import { checkMode } from '../permissions/decide.ts';
import type { Pool } from '../registry/prepare-pool.ts';
import { createToolCatalog } from '../registry/tool-catalog.ts';
import { getAppState, setAppState } from './app-state.ts';
import type { Session } from './session.ts';

/**
 * The context of one call. `tools`: the tools that the call may find and call, if they aren't the
 * model's.
 */
export function createToolUseContext(
  session: Session,
  pool: Pool,
  abortController: AbortController,
  tools: KnownTools = pool.tools,
): ToolUseContext {
  return {
    sessionId: session.id,
    cwd: session.place.cwd,
    ...(session.place.worktree && { worktree: session.place.worktree }),
    messages: session.messages,
    ...(session.agent && { agentId: session.agent.id }),
    queryTracking: { chainId: session.id, depth: session.agent?.depth ?? 0 },
    agents: session.agents.portOf(session),
    options: {
      tools,
      mainLoopModel: session.model.name,
      ...(session.model.thinking && { thinkingConfig: session.model.thinking }),
      commands: session.commands.list(),
      mcpClients: session.mcpServers?.status() ?? [],
    },
    abortController,
    readFileState: session.readFileState,
    clock: session.host.clock,
    tasks: session.tasks,
    toolCatalog: createToolCatalog(tools, pool, session),
    addNotification: (text) => session.emit(toNoticeMessage(session, text, 'notice')),
    states: session.states,
    getAppState: () => getAppState(session.states),
    setAppState: (update) => setAppState(session.states, update),
    listOwnPorts: (toolName) => session.journal.fold.kept.get(toolName)?.ports ?? [],
    toolDecisions: {
      get(id) {
        const known = session.journal.fold.calls.get(id);
        return known?.settled?.decision ?? known?.call?.decision;
      },
    },
    announceTask: async (event, task) =>
      session.hooks?.announceTask(event, task, abortController.signal),
    skills: session.skills,
    workflows: session.workflows,
    ...(session.mcpServers && {
      mcpResources: session.mcpServers.toResources(session, abortController.signal),
    }),
    mcpServers: {
      wait: async (names, ms, signal) => session.mcpServers?.wait(names, ms, signal) ?? [],
    },
    async handleElicitation(request) {
      const { elicit } = await import('./elicit.ts');
      return elicit(session, request, abortController.signal);
    },
    ...(session.pullRequests && { pullRequests: session.pullRequests }),
    ...((session.webSearch || session.model.webSearch) && {
      async searchWeb(asked, signal) {
        const { searchWeb } = await import('./search-web.ts');
        return searchWeb(session, asked, signal);
      },
    }),
    ...(session.crons && { crons: session.crons }),
    ...(session.wakeups && { wakeups: session.wakeups }),
    ...(session.host.preview && { preview: session.host.preview }),
    ...(session.onUserFile && { onUserFile: session.onUserFile }),
    ...(session.onPushNotification && { onPushNotification: session.onPushNotification }),
    ...(session.onRemoteTrigger && { onRemoteTrigger: session.onRemoteTrigger }),
    allowForTurn: session.permissions.allowForTurn,
    history: {
      list: async () => (await loadHistory()).listHistory(session),
      snip: async (callId, span) => (await loadHistory()).snipHistory(session, callId, span),
    },
    async setGoal(condition) {
      const { toGoalRecord, toNewGoal } = await import('./session-goal.ts');
      await session.journal.record(toGoalRecord(toNewGoal(session, condition)));
    },
    settings: session.settings,
    plan: session.plan,
    getPermissionContext: () => session.permissions.current(),
    setPermissionMode: (mode) => session.permissions.setMode(checkMode(mode)),
  };
}

/** Loaded separately, with the first call that uses it. */
const loadHistory = () => import('./session-history.ts');
