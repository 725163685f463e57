// The conversation of the tests that kill a session with agents: one in the foreground that asks, one in the
// background with one below it, a message to each, and what must be the same however often it was killed.
import type { AgentSession } from '../../src/agent/agent-session.ts';
import { SessionFold } from '../../src/agent/journal/fold.ts';
import { readEntries } from '../../src/agent/journal/stored-journal.ts';
import type { Host } from '../../src/agent/host.ts';
import { openSession } from '../../src/agent/open-session.ts';
import {
  isTextBlock,
  isToolResultBlock,
  isToolUseBlock,
  toResultText,
} from '../../src/core/blocks.ts';
import type { ContentBlock } from '../../src/core/blocks.ts';
import type { JournalEntry } from '../../src/core/journal.ts';
import type { MessageParam } from '../../src/core/messages.ts';
import { toSessionRootId } from '../../src/core/session-path.ts';
import type { Model } from '../../src/model/model.ts';
import { toEvents } from '../../src/model/to-events.ts';
import type { Witness } from './finish-session.ts';
import { findFault } from './journals.ts';
import { findTwice } from './journal-counts.ts';
import { assistantMessage } from './model-streams.ts';

export const agentsSessionId = 'killed-agents';

/** What is outside of the host that may be killed. All of it as finish-session.ts has it. */
export type AgentsWitness = Pick<Witness, 'ask'> & Partial<Witness>;

type Call = readonly [name: string, input: Readonly<Record<string, unknown>>];

const agent = (prompt: string, more: Readonly<Record<string, unknown>>): Call => [
  'Agent',
  { description: `It does ${prompt}`, prompt, ...more },
];

/** By prompt, its requests; by request, the calls. */
const script: Readonly<Record<string, readonly (readonly Call[])[]>> = {
  'Prompt 0': [
    [
      agent('Task back', { name: 'back' }),
      agent('Task front', { name: 'front', run_in_background: false }),
    ],
    [['SendMessage', { to: 'back', message: 'Mail for back.' }]],
    [['Read', { file_path: 'front.txt' }]],
  ],
  'Task front': [
    [['Write', { file_path: 'front.txt', content: 'front\n' }]],
    [['Read', { file_path: 'front.txt' }]],
  ],
  'Task back': [
    [['Write', { file_path: 'back.txt', content: 'back\n' }]],
    [agent('Task below', { run_in_background: false })],
    [agent('Task beside', {})],
  ],
  'Task below': [[['Write', { file_path: 'below.txt', content: 'below\n' }]]],
  'Task beside': [[['Glob', { pattern: '*.txt' }]]],
};

/** Answers by what the conversation has: it asks for what wasn't answered yet, as a real model would. */
const agentsModel: Model = {
  name: 'claude-test',
  apiKeySource: 'none',
  async *stream({ messages }) {
    const fault = findFault(messages);
    if (fault !== undefined) throw new Error(`The API takes no such request: ${fault}`);
    const who = messages.flatMap((message) => readTask(message) ?? []).at(-1) ?? '';
    const answered = new Set(
      messages.flatMap(({ content }) =>
        typeof content === 'string'
          ? []
          : content.filter(isToolResultBlock).map((block) => block.tool_use_id),
      ),
    );
    const steps = (script[who] ?? []).map((calls, step) =>
      calls.map(([name, input], at): ContentBlock => {
        return { type: 'tool_use', id: `${who.replace(' ', '-')}-${step}-${at}`, name, input };
      }),
    );
    const open = steps
      .map((calls) => calls.filter((call) => isToolUseBlock(call) && !answered.has(call.id)))
      .find((calls) => calls.length > 0);
    const content: readonly ContentBlock[] = open ?? [{ type: 'text', text: `Done: ${who}.` }];
    const stop_reason = open ? 'tool_use' : 'end_turn';
    yield* toEvents(assistantMessage(content, { stop_reason }));
  },
};

function readTask({ role, content }: MessageParam): string | undefined {
  if (role !== 'user') return undefined;
  const text = typeof content === 'string' ? content : content.filter(isTextBlock).at(0)?.text;
  return text !== undefined && text in script ? text : undefined;
}

/** How it has ended: plain data. */
export interface AgentsEnding {
  readonly entries: readonly JournalEntry[];
  readonly files: Readonly<Record<string, string>>;
}

/** Opens the session in whatever state it is, and plays it until nothing runs any more. */
export async function finishAgents(host: Host, witness: AgentsWitness): Promise<AgentsEnding> {
  const { streams } = host.workspace;
  const stream = toSessionRootId(agentsSessionId);
  const isKept = (await streams.list()).some(({ id }) => id === stream);
  using _listening = streams.onAppend((appended) => {
    const { n } = appended.entries.at(-1) ?? { n: 0 };
    if (appended.stream === stream) witness.landed?.(n);
  });
  const open: { session?: AgentSession } = {};
  const session = await openSession({
    host,
    model: {
      ...agentsModel,
      async *stream(request, options) {
        await witness.request?.();
        yield* agentsModel.stream(request, options);
      },
    },
    tools: ['Agent', 'SendMessage', 'Read', 'Write', 'Glob'],
    toolSearch: false,
    canUseTool: async (_, __, { requestId }) => {
      // A viewer is shown what the tab that runs the session asks.
      if (open.session?.role() !== 'viewer') await witness.ask(requestId);
      return { behavior: 'allow' };
    },
    ...(isKept ? { resume: agentsSessionId } : { sessionId: agentsSessionId }),
  });
  open.session = session;
  await witness.opened?.();
  const message = { role: 'user', content: 'Prompt 0' } as const;
  const prompt = { type: 'user', uuid: 'prompt-0', message, parent_tool_use_id: null } as const;
  await session.send(prompt);
  for await (const told of session.messages()) {
    if (told.type !== 'result') continue;
    if (told.is_error) throw new Error(`A turn failed: ${JSON.stringify(told)}`);
    // Known by now: it resolves when all that was recorded has landed.
    await session.send(prompt);
    if (await isOver(host)) break;
  }
  await witness.over?.();
  await session.close();
  return readEnding(host);
}

function foldOf({ entries }: AgentsEnding): SessionFold {
  const fold = new SessionFold();
  for (const entry of entries) fold.apply(entry);
  return fold;
}

/** Everything that was begun has come to its end, and all of it was told. */
async function isOver(host: Host): Promise<boolean> {
  const fold = foldOf(await readEnding(host));
  const agents = [...fold.agents.values()];
  const folds = [fold, ...agents.map((one) => one.fold)];
  return (
    agents.length === 4 &&
    folds.every((one) => !one.turn && one.news.size === 0 && one.waiting.length === 0) &&
    folds.every(({ tasks }) => [...tasks.values()].every(({ status }) => status !== 'running'))
  );
}

async function readEnding({ workspace }: Host): Promise<AgentsEnding> {
  const entries = await readEntries(workspace, agentsSessionId);
  const files: Record<string, string> = {};
  for (const { path } of await workspace.fs.walk('/workspace')) {
    const stats = await workspace.fs.stat(path);
    if (stats.isFile()) files[path] = String(await workspace.fs.readFile(path, 'utf8'));
  }
  return { entries, files };
}

const wantedFiles = {
  '/workspace/back.txt': 'back\n',
  '/workspace/below.txt': 'below\n',
  '/workspace/front.txt': 'front\n',
};

/** What isn't as it must be; undefined: nothing. `asked`: the questions that the last host has shown. */
export function findAgentFaults(
  ending: AgentsEnding,
  { asked }: { readonly asked: readonly string[] },
): object | undefined {
  const { entries, files } = ending;
  const fold = foldOf(ending);
  const agents = [...fold.agents.values()];
  const begun = entries.filter(({ type }) => type === 'agent').length;
  const textOf = (of: SessionFold) => JSON.stringify(of.messages);
  const back = agents.find(({ record }) => record.name === 'back');
  const times = (text: string, of: SessionFold | undefined) =>
    of ? textOf(of).split(text).length - 1 : -1;
  const result = (id: string) =>
    fold.messages
      .flatMap(({ content }) =>
        typeof content === 'string' ? [] : content.filter(isToolResultBlock),
      )
      .filter((block) => block.tool_use_id === id)
      .map(toResultText);
  // A call that was cut twice isn't run a third time, and what follows it goes by what it left.
  const isCutTwice = [fold, ...agents.map((one) => one.fold)].some((one) =>
    one.entries.some((entry) => entry.type === 'call' && entry.attempt > 1),
  );
  const isInterrupted = isCutTwice && JSON.stringify(entries).includes('was interrupted');
  // One that is written to when it is at rest begins its task again, for another turn.
  const woken = agents
    .filter((one) => one.fold.entries.filter(({ type }) => type === 'turn').length > 1)
    .map(({ record }) => record.id);
  const fault = {
    files:
      isInterrupted || JSON.stringify(files) === JSON.stringify(wantedFiles) ? undefined : files,
    begun: begun === 4 ? undefined : begun,
    twice: [undefined, ...agents.map(({ record }) => record.id)]
      .flatMap((id) => findTwice(entries.filter((entry) => entry.agent === id)))
      .filter((what) => !woken.some((id) => what.startsWith(`task ${id} `))),
    front: result('Prompt-0-0-1').map((text) => text.includes('Done: Task front.')),
    // Each report and message is given once. One that is written to when it is at rest reports again.
    reports: agents.flatMap(({ record, parent }) => {
      const isOfIt = (entry: JournalEntry) => entry.type === 'task' && entry.id === record.id;
      const made = entries.filter((entry) => isOfIt(entry) && 'notification' in entry).length;
      const told = times(`<task-id>${record.id}</task-id>`, fold.foldOf(parent));
      return made === told && (made > 0 || !record.isBackground) ? [] : [{ record, made, told }];
    }),
    mail: times('Mail for back.', back?.fold),
    unfinished: agents
      .filter((one) => one.fold.lastResult?.message['subtype'] !== 'success')
      .map(({ record }) => record.description),
    askedAgain: asked.filter((id) => answeredBefore(entries, id)),
  };
  const wanted = {
    files: undefined,
    begun: undefined,
    twice: [],
    front: [true],
    reports: [],
    mail: 1,
    unfinished: [],
    askedAgain: [],
  };
  return JSON.stringify(fault) === JSON.stringify(wanted) ? undefined : fault;
}

/** The journal had its answer when the session was opened again. */
function answeredBefore(entries: readonly JournalEntry[], requestId: string): boolean {
  const again = entries.findLastIndex((entry) => entry.type === 'opened');
  return entries
    .slice(0, again)
    .some((entry) => entry.type === 'answer' && entry.requestId === requestId);
}
