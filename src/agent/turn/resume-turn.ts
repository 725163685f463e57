// Resumes a session that was interrupted when its page was closed. It carries out the journal's
// plan (journal/resume.ts), and the loop continues from there. Called after an opening, before the
// first prompt.
import { isToolUseBlock } from '../../core/messages/blocks.ts';
import { clipText } from '../../core/text/clip-text.ts';
import type {
  AmendedRecord,
  CallRecord,
  JournalRecord,
  SettledRecord,
} from '../../core/session/journal.ts';
import type { AssistantMessage } from '../../core/messages/messages.ts';
import type { SDKPermissionDenial } from '../../core/messages/sdk-message.ts';
import { isListedTool } from '../../core/tool/listed-tool.ts';
import { findToolByName } from '../../core/tool/tool.ts';
import type { Tool } from '../../core/tool/tool.ts';
import { classifyCall } from '../calls/classify-call.ts';
import { hearOpenCall } from '../calls/hear-open-call.ts';
import { noteTurnEnd } from '../calls/turn.ts';
import type { Turn, TurnOptions } from '../calls/turn.ts';
import type { ValidCall } from '../calls/validate.ts';
import type { TurnEnd } from '../hooks/hooks.ts';
import { endLost } from '../journal/end-lost.ts';
import type { SessionFold } from '../journal/fold.ts';
import type { News } from '../journal/folded.ts';
import { toNewsContext } from '../journal/record-context.ts';
import { planResume } from '../journal/resume.ts';
import type { CallPlan, ResumeTraits, TaskPlan, TurnPlan } from '../journal/resume.ts';
import { playTurn, startCalls } from './loop.ts';
import type { TurnResult, TurnStart } from './loop.ts';
import { toSettled } from './put-off.ts';
import { endWithUser, recordResults } from './record-step.ts';
import type { ToolUse } from '../messages/collect.ts';
import { awaitServersOf } from '../session/mcp/await-servers.ts';
import { prepareSessionPool } from '../session/prepare-session-pool.ts';
import type { Session } from '../session/session.ts';

/**
 * Continues the interrupted turn, and gives its end. Undefined: no turn was interrupted. The caller
 * records its result (`endTurn`) and the waiting prompts (`journal.fold.waiting`). The opening must
 * have been recorded. Background tasks are ended, and the next request reports that.
 *
 * Settled calls never run again. Rejects if the journal is broken.
 */
export async function resumeTurn(
  session: Session,
  options: TurnOptions,
): Promise<TurnResult | undefined> {
  const { journal } = session;
  const { fold } = journal;
  restoreUsage(session);
  if (!fold.turn) {
    // In an object that was lost. What a move has cut waits for the person who has moved it.
    await endLost(journal, undefined, session.host.steps !== undefined && !fold.isCutByMove);
    return undefined;
  }
  const { prompt } = fold.turn;
  const rest = { promptId: prompt?.uuid, ...(prompt?.origin && { origin: prompt.origin }) };
  return playTurn(session, { ...options, ...rest }, (turn) => takeUp(session, turn));
}

/** Brings the open turn to a state in which the loop can continue. */
async function takeUp(session: Session, turn: Turn): Promise<TurnStart> {
  const { journal, hooks } = session;
  const { fold } = journal;
  hooks?.startTurn(turn, turn.promptId ?? '');
  turn.denials.push(...listDenials(fold));
  await awaitServers(session, turn);
  const traits = await readTraits(session);
  // Only the tasks that were running, not those that the turn's calls will start.
  const { turn: first, ...lost } = planResume(fold, ({ id }) => traits.get(id));
  const isRefused = first?.asksFirst && !(await askToGoOn(session, turn));
  const plan = isRefused ? planResume(fold, () => undefined, true).turn : first;
  if (!plan) throw new TypeError('No turn is open.');
  if (plan.ending === 'blocked') {
    await endLost(journal, lost);
    return { steps: 0, end: endBlocked(plan, fold) };
  }
  if (plan.broken) await journal.record(plan.broken);
  if (plan.calls.length > 0) await runCalls(session, turn, plan);
  // A tool's own message may be the last one, if its reminder was lost with the page.
  else if (plan.message?.content.some(isToolUseBlock)) {
    await noteEnds(session, turn, plan.message);
    await endWithUser(session);
  }
  await withdrawQuestions(session);
  await endLost(journal, lost);
  // No message can follow a call without a result.
  if (!turn.putOff) await journal.record(...toNewsContext(listFirstNews(session, lost.tasks)));
  turn.handedOver ??= plan.handedOver;
  const { message } = plan;
  const cell = fold.turn?.turn.cell;
  const begun = { steps: fold.turn?.steps ?? 0, ...(cell !== undefined && { cell }) };
  // From here on, no hook can make a stopped turn continue.
  if (fold.turn?.isStopped) turn.stop();
  if (plan.ending === 'stopped') {
    const isWhole = fold.turn?.newest?.reply?.end === 'whole';
    return { ...begun, end: { type: 'stopped', during: isWhole ? 'tools' : 'streaming' } };
  }
  if (!message) return begun;
  const calls = message.content.filter(isToolUseBlock).length;
  return { ...begun, step: { type: 'answered', message, calls } };
}

// 30 s: the same time as for WaitForMcpServers.
const serverMs = 30_000;

/**
 * Waits for the servers of the turn's open calls, because servers connect again at each opening.
 * Otherwise the tool would be missing for a call that a person was asked about.
 */
async function awaitServers(session: Session, { signal }: Turn): Promise<void> {
  const { calls, turn } = session.journal.fold;
  if (!session.mcpServers || turn?.isStopped) return;
  const { blocks, reply, uses = [] } = turn?.newest ?? {};
  const broken = reply || !blocks ? [] : [...blocks.values()].map(({ block }) => block);
  const asked = [...uses, ...broken.filter(isToolUseBlock)];
  // Calls by cells are included.
  const begun = [...calls.values()].flatMap(({ call }) => call ?? []);
  const names = [...asked, ...begun.map(({ id, tool }) => ({ id, name: tool }))].flatMap(
    ({ id, name }) => (calls.get(id)?.settled ? [] : name),
  );
  await awaitServersOf(names, session, serverMs, signal);
}

/**
 * The notifications for the next request. The model's calls depend on them, and on the session's
 * place.
 */
function listFirstNews({ journal, tasks }: Session, lost: readonly TaskPlan[]): readonly News[] {
  const ids = new Set(lost.map(({ task }) => task.id));
  return tasks.listNews().filter(({ id }) => journal.fold.isCutByMove || ids.has(id));
}

/** Records ends of the turn that are in results which the conversation already has. */
async function noteEnds(
  session: Session,
  turn: Turn,
  { content }: AssistantMessage,
): Promise<void> {
  for (const { id } of content.filter(isToolUseBlock)) {
    const settled = session.journal.fold.calls.get(id)?.settled;
    if (settled?.output === undefined) continue;
    noteTurnEnd(turn, settled, await findTool(session, settled.tool));
  }
}

/**
 * Ends the turn like a hook that refuses a prompt. The hook's message was lost with the page. A
 * command isn't run again.
 */
function endBlocked({ open: { turn } }: TurnPlan, { moved }: SessionFold): TurnEnd {
  const { command } = turn;
  if (command === undefined) {
    const result = { result: '', stop_reason: null, terminal_reason: 'hook_stopped' };
    return { type: 'hook', result };
  }
  if (moved) {
    const text = `/${command} has left this session. The conversation goes on in the session ${moved.to}.`;
    return { type: 'command', command, text, isError: false };
  }
  const text = `/${command} was interrupted: the session was cut off while it ran. Look at how things stand before you give it again.`;
  return { type: 'command', command, text, isError: true };
}

/**
 * Settles all calls of the message. Settled calls stay as they are, and the others run in parallel.
 */
async function runCalls(session: Session, turn: Turn, plan: TurnPlan): Promise<void> {
  const { message } = plan;
  if (!message) return;
  const pool = await prepareSessionPool(session);
  // Calls without work come first, because viewers get results in the order of the blocks.
  for (const one of plan.calls)
    await session.journal.record(...(await toRecords(one, session, turn)));
  const calls = startCalls(session, pool, turn, () => message);
  try {
    const ends = plan.calls.map((one) =>
      'attempt' in one ? calls.add(one.toolUse) : Promise.resolve(toSettled(one.toolUse, session)),
    );
    calls.close();
    await Promise.all(ends);
    await withdrawQuestions(session);
    await recordResults(session, pool, turn, message, ends);
  } finally {
    calls[Symbol.dispose]();
  }
}

async function toRecords(
  plan: CallPlan,
  session: Session,
  { signal }: Turn,
): Promise<readonly JournalRecord[]> {
  if (plan.type === 'interrupted') return plan.settled;
  if (plan.type !== 'kept' || !plan.settled.isOpen) return [];
  const { hooks, journal, spill } = session;
  const { settled, toolUse } = plan;
  const begun = journal.fold.calls.get(settled.id)?.call;
  const tool = hooks && begun && (await findTool(session, begun.tool));
  const call = tool && toValidCall(tool, begun, toolUse);
  const heard = call && (await hearOpenCall(call, settled, { hooks, spill, signal }));
  return [heard ?? closeUnheard(settled)];
}

/**
 * Amends a call whose changes are kept, and whose result no hook can get. The session has no hooks
 * any more, or the call's tool is missing.
 *
 * Security: the earlier hooks might have hidden a part of the result, so nobody gets it.
 */
function closeUnheard({ id, tool, result }: SettledRecord): AmendedRecord {
  const content = `${tool} is done, and what it changed is kept. Its result is not shown: the session was cut off before the hooks had seen it. Look at how things stand.`;
  return {
    type: 'amended',
    id,
    state: 'output-available',
    result: { type: 'tool_result', tool_use_id: result.tool_use_id, content },
  };
}

/**
 * Withdraws the questions of calls that have ended without an answer, or have asked another
 * question this time.
 */
async function withdrawQuestions({ journal }: Session): Promise<void> {
  const open = [...journal.fold.questions.values()].filter(({ answer }) => !answer);
  const records = open.map(({ question: { requestId } }) => {
    return { type: 'answer', requestId, result: null } as const;
  });
  await journal.record(...records);
}

/**
 * Asks a person whether to continue. A session that crashes each time must not do so forever,
 * because each time costs money.
 */
async function askToGoOn({ journal, questions, ids }: Session, turn: Turn): Promise<boolean> {
  const { fold } = journal;
  const asked = [...fold.questions.values()].find(
    ({ question, answer }) => !answer && question.question.toolName === resumeName,
  );
  const toolUseID = asked?.question.callId ?? ids.of('go on', fold.length);
  const said = fold.prompts.at(-1) ?? '';
  const answer = await questions.put(
    {
      toolName: resumeName,
      input: {},
      toolUseID,
      title: 'Go on with the turn that was cut?',
      displayName: resumeName,
      // 200: enough to recognise the prompt.
      description: clipText(said, 200),
      decisionReason: 'It was taken up three times, and came no further.',
      suppressAlwaysAllowRule: true,
    },
    turn.signal,
  );
  return answer.type === 'allowed';
}

/** The tool name in a question about the session itself. */
const resumeName = 'Resume';

/** What the tools say at present about the calls that had started. */
async function readTraits(session: Session): Promise<ReadonlyMap<string, ResumeTraits>> {
  const traits = new Map<string, ResumeTraits>();
  for (const { id, call, settled } of session.journal.fold.calls.values()) {
    const tool = call && !settled ? await findTool(session, call.tool) : undefined;
    const found = tool && call && classify(tool, call);
    if (found) traits.set(id, found);
  }
  return traits;
}

async function findTool(
  { builtInTools, ownTools }: Session,
  name: string,
): Promise<Tool | undefined> {
  const known = findToolByName([...builtInTools, ...ownTools], name);
  return known && isListedTool(known) ? load(known) : known;
}

/** Loads a tool. A tool whose code can't be loaded counts as missing. */
function load(tool: { load(): Promise<Tool> }): Promise<Tool | undefined> {
  return tool.load().catch(() => undefined);
}

function classify(tool: Tool, call: CallRecord): ResumeTraits | undefined {
  const input = parseInput(tool, call);
  if (!input) return undefined;
  const { isReadOnly, isOpenWorld } = classifyCall(tool, input);
  return { isReadOnly, isOpenWorld, resumesItself: tool.resumeCall !== undefined };
}

/** The call as it was started. Its tool's checks had passed, but may fail now. */
function toValidCall(tool: Tool, call: CallRecord, toolUse: ToolUse): ValidCall | undefined {
  const input = parseInput(tool, call);
  return input && { stage: 'valid', toolUse, tool, input, traits: classifyCall(tool, input) };
}

function parseInput(tool: Tool, { input }: CallRecord): Record<string, unknown> | undefined {
  try {
    // The input may contain a person's answer.
    const schema = tool.answerSchema ?? tool.inputSchema;
    return schema.safeParse(input, { jitless: true }).data;
  } catch {
    // If a schema throws for an input that it once accepted, the tool counts as missing.
    return undefined;
  }
}

/** The denied calls of the turn so far. Those of the newest reply are added with their results. */
function listDenials(fold: SessionFold): SDKPermissionDenial[] {
  const { n = 0, newest } = fold.turn ?? {};
  const inputs = new Map<string, ToolUse['input']>();
  const denials: SDKPermissionDenial[] = [];
  // A sub-agent's fold has only its own entries. The session's fold has the entries of all agents.
  const { agent: whose } = fold.entries.findLast((entry) => entry.n === n) ?? {};
  const own = fold.entries.filter((entry) => entry.n > n && entry.agent === whose);
  const pending = new Set(
    newest?.hasResults
      ? []
      : newest?.reply?.message.content.filter(isToolUseBlock).map(({ id }) => id),
  );
  for (const entry of own) {
    if (entry.type === 'block' && isToolUseBlock(entry.block)) {
      inputs.set(entry.block.id, entry.block.input);
    } else if (entry.type === 'settled' && entry.denial && !pending.has(entry.id)) {
      denials.push({
        tool_name: entry.tool,
        tool_use_id: entry.id,
        tool_input: (inputs.get(entry.id) ?? {}) as Record<string, unknown>,
      });
    }
  }
  return denials;
}

/** Sessions whose earlier usage was already added. Meters add later usage when it is recorded. */
const restored = new WeakSet<Session['usage']>();

/**
 * Adds the usage of earlier openings: all of it to the session, and the open turn's to the turn.
 * Call it before any other use of the session.
 */
export function restoreUsage({ journal, usage }: Session): void {
  if (restored.has(usage)) return;
  restored.add(usage);
  const { usage: used, turn } = journal.fold;
  const begun = turn ? used.findIndex(({ n }) => n > turn.n) : -1;
  const from = begun === -1 ? used.length : begun;
  for (const entry of used.slice(0, from)) usage.restore(entry);
  usage.startTurn();
  for (const entry of used.slice(from)) usage.restore(entry);
}
