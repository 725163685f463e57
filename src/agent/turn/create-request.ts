// Stage 11 creates one request from the present tools, the system prompt and the conversation.
// Called by loop.ts before each request. compact-session.ts calls it too, so its request starts
// with the same bytes.
import type { TextBlock } from '../../core/messages/blocks.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { toldKey } from '../../core/mcp/mcp-app.ts';
import type { McpAppTold } from '../../core/mcp/mcp-app.ts';
import type { MessageParam } from '../../core/messages/messages.ts';
import { nextTask } from '../../core/async/next-task.ts';
import type { Breakpoints, Model, ModelRequest, TaskBudget } from '../../model/model.ts';
import { toAgentAnnouncement } from '../agents/announce-agents.ts';
import { toItemsDelta } from '../context/announce-items.ts';
import { toAppNews } from '../context/announce-apps.ts';
import { toServerNews } from '../context/announce-servers.ts';
import { placeBreakpoints } from '../context/breakpoints.ts';
import { toModeReminder } from '../context/mode-reminder.ts';
import { buildSystemPrompt } from '../context/system-prompt.ts';
import { toContext } from '../journal/record-context.ts';
import { toChangedTools } from '../registry/announce-changes.ts';
import { toNamesDelta, toNamesMessage } from '../registry/announce-tools.ts';
import type { Pool } from '../registry/prepare-pool.ts';
import { writeMessages, writeTools } from '../registry/write-request.ts';
import { prepareSessionPool } from '../session/prepare-session-pool.ts';
import type { Session } from '../session/session.ts';
import { toSkillAnnouncement } from '../skills/announce-skills.ts';

/** A request and the tools in it. */
export interface PreparedRequest {
  readonly pool: Pool;
  readonly request: ModelRequest;
}

/**
 * Prepares a request. Changes of agents, skills, names and the mode are first recorded and added to
 * the conversation.
 * @throws SdkError for a tool whose code can't be loaded or whose schema can't be written, and if
 * the journal is broken
 */
export async function prepareRequest(session: Session, model: Model): Promise<PreparedRequest> {
  // Recording, hashing and sending so long a text each take a while, so the page may respond in
  // between.
  if (hasLongText(session.messages.at(-1)?.content)) await nextTask();
  const pool = await prepareSessionPool(session, { model });
  await announce(session, pool, model);
  return { pool, request: await createRequest(session, pool) };
}

// 1 000 000 characters: mostly an image. Recording or hashing one takes a page about 5 ms.
const longText = 1_000_000;

function hasLongText(value: unknown): boolean {
  if (typeof value === 'string') return value.length > longText;
  if (Array.isArray(value)) return value.some(hasLongText);
  return isRecord(value) && Object.values(value).some(hasLongText);
}

// 200 000 tokens: the usual window of a model whose server doesn't say.
const usualWindow = 200_000;

/** Adds the changes of lists whose items come and go. Each list may use 1 % of the window. */
async function announce(session: Session, pool: Pool, model: Model): Promise<void> {
  const { skills, agents, permissions, messages, journal } = session;
  // As in `createRequest`: the changes are added with the next request.
  if (messages.at(-1)?.role === 'assistant') return;
  const maxTokens = (model.contextWindow ?? usualWindow) / 100;
  const { rules } = permissions.current();
  const lists = [
    toAgentAnnouncement(agents.definitions(), rules),
    toSkillAnnouncement(skills.found.skills, rules),
  ];
  for (const list of lists) {
    if (!pool.tools.some(({ name }) => name === list.toolName)) continue;
    const news = toItemsDelta(list, messages, maxTokens);
    await journal.record(...toContext('reminder', news ? [news] : []));
  }
  const servers = toServerNews(session.mcpServers?.notes() ?? [], session.messages);
  await journal.record(...toContext('reminder', servers ? [servers] : []));
  const told = session.agent ? [] : ((session.states.get(toldKey) ?? []) as readonly McpAppTold[]);
  const apps = toAppNews(told, session.messages);
  await journal.record(...toContext('reminder', apps ? [apps] : []));
  const tools = await toChangedTools(pool, session.toolParams, session.messages);
  await journal.record(...toContext('reminder', tools ? [tools] : []));
  const resources = session.mcpServers?.exchange.watch.takeNews(session.agent?.id);
  await journal.record(...toContext('reminder', resources ? [resources] : []));
}

/** The cache breakpoints of a request with these messages. */
export function toBreakpoints(
  { cacheTtl: ttl, journal, tellsNamesOnce }: Session,
  pool: Pool,
  sent: { readonly system: readonly TextBlock[]; readonly messages: readonly MessageParam[] },
): Breakpoints {
  // The names of deferred tools may come before the conversation.
  const head = tellsNamesOnce || !toNamesMessage(pool) ? 0 : 1;
  const { cutAt } = journal.fold;
  return placeBreakpoints(sent, {
    ttl,
    steadyTools: pool.prefix.length || pool.steady.length,
    ...(cutAt !== undefined && { cutAt: cutAt + head }),
  });
}

/** Creates only the request, with these tools. A replay creates the same requests with it. */
export async function createRequest(session: Session, pool: Pool): Promise<ModelRequest> {
  const { toolParams, tellsNamesOnce } = session;
  // If the server should continue a reply, that reply must be the last message. Changes are then
  // added with the next request.
  if (session.messages.at(-1)?.role !== 'assistant') {
    const news = tellsNamesOnce && toNamesDelta(pool, session.messages);
    const { mode } = session.permissions.current();
    const isExit = ({ name }: { readonly name: string }) => name === 'ExitPlanMode';
    const modeNews = toModeReminder(mode, session.messages, {
      // A sub-agent has no plan file: its report is the plan.
      path: !session.agent && pool.tools.some(isExit) ? session.plan.path : undefined,
      instructions: session.planModeInstructions,
    });
    await session.journal.record(
      ...toContext('names', news ? [news] : []),
      ...toContext('reminder', modeNews ? [modeNews] : []),
    );
  }
  const head = tellsNamesOnce ? undefined : toNamesMessage(pool);
  const written = await writeMessages(session.messages, pool, toolParams);
  const messages = head ? [head, ...written] : written;
  const system = await buildSystemPrompt(session.systemPrompt, pool.promptOptions);
  const tools = await writeTools(pool, toolParams);
  const breakpoints = toBreakpoints(session, pool, { system, messages });
  const { effort } = session;
  const taskBudget = session.taskBudget && (await toTaskBudget(session, session.taskBudget));
  return {
    ...{ system, messages, tools, breakpoints },
    ...(effort && { effort }),
    ...(taskBudget && { taskBudget }),
  };
}

/** Loads the code for counting, if the query has a budget. */
async function toTaskBudget(session: Session, given: TaskBudget): Promise<TaskBudget> {
  const code = await import('./task-budget.ts');
  return code.toTaskBudget(session, given);
}
