// The task of the tests that kill a session with agents. Main plans, asks the person, keeps a task
// list, and begins agents. One is in the foreground and asks. One is in the background with one
// below it and one beside that. One on a branch meets a conflict. Each is written to. The file also
// says what must be the same however often it was killed.
import { readBranchRecord } from '../../../src/agent/agents/agent-branch.ts';
import type { AgentSession } from '../../../src/agent/agent-session.ts';
import type { SessionFold } from '../../../src/agent/journal/fold.ts';
import { readEntries } from '../../../src/agent/journal/stored-journal.ts';
import type { Host } from '../../../src/agent/host.ts';
import { openSession } from '../../../src/agent/open-session.ts';
import {
  isTextBlock,
  isToolResultBlock,
  isToolUseBlock,
  toResultText,
} from '../../../src/core/messages/blocks.ts';
import type { ContentBlock } from '../../../src/core/messages/blocks.ts';
import type { JournalEntry } from '../../../src/core/session/journal.ts';
import type { MessageParam } from '../../../src/core/messages/messages.ts';
import type { PermissionResult } from '../../../src/core/permissions/permission.ts';
import { isSameData } from '../../../src/core/values/same-data.ts';
import { toSessionRootId } from '../../../src/core/session/session-path.ts';
import { listTasks, readRecordedTasks } from '../../../src/core/session/task-list.ts';
import type { Model } from '../../../src/model/model.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import type { Witness } from './finish-session.ts';
import { findFault } from '../sessions/journals.ts';
import { answeredBefore, findTwice } from '../sessions/journal-counts.ts';
import { assistantMessage } from '../models/model-streams.ts';
import { foldEntries } from '../sessions/journals.ts';
import { readFiles } from '../files/read-files.ts';

const agentsSessionId = 'killed-agents';

/** The test's callbacks outside of the host that is killed, as in finish-session.ts. */
export type AgentsWitness = Pick<Witness, 'ask'> & Partial<Witness>;

type Call = readonly [name: string, input: Readonly<Record<string, unknown>>];

const agent = (prompt: string, more: Readonly<Record<string, unknown>>): Call => [
  'Agent',
  { description: `It does ${prompt}`, prompt, ...more },
];
const write = (name: string): Call => ['Write', { file_path: `${name}.txt`, content: `${name}\n` }];
const mail = (to: string): Call => ['SendMessage', { to, message: `Mail for ${to}.` }];

const planPath = `/session/${agentsSessionId}/plan.md`;
const contested = '/workspace/a.txt';
const question = {
  question: 'Which?',
  header: 'Which',
  options: [
    { label: 'A', description: '' },
    { label: 'B', description: '' },
  ],
  multiSelect: false,
};

/** The requests by the agent's task, and the calls by request. */
const script: Readonly<Record<string, readonly (readonly Call[])[]>> = {
  'Prompt 0': [
    [['EnterPlanMode', {}]],
    [['Write', { file_path: planPath, content: '# Mine\n' }]],
    [['AskUserQuestion', { questions: [question] }]],
    [['ExitPlanMode', {}]],
    [
      ['TaskCreate', { subject: 'one', description: '' }],
      ['TaskCreate', { subject: 'two', description: '' }],
    ],
    [
      agent('Task back', { name: 'back' }),
      agent('Task branch', { name: 'branch', isolation: 'worktree', run_in_background: false }),
      agent('Task front', { name: 'front', run_in_background: false }),
    ],
    [mail('back'), mail('branch'), mail('front')],
    [
      ['TaskUpdate', { taskId: '1', status: 'completed' }],
      ['TaskUpdate', { taskId: '2', status: 'deleted' }],
    ],
  ],
  'Task front': [[write('front')], [['Read', { file_path: 'front.txt' }]]],
  'Task back': [
    [write('back')],
    [agent('Task below', { name: 'below', run_in_background: false })],
    [agent('Task beside', {}), mail('below')],
  ],
  'Task below': [[write('below')]],
  'Task beside': [[['Glob', { pattern: '*.txt' }]]],
  'Task branch': [
    [['Read', { file_path: contested }]],
    [['Edit', { file_path: contested, old_string: 'one', new_string: 'mine' }], write('b')],
  ],
  'Nothing of your work': [
    [['Read', { file_path: contested }]],
    [['Edit', { file_path: contested, old_string: 'typed', new_string: 'typed, mine' }]],
  ],
  // The agent is idle by then, and gets a branch again.
  'Mail for branch.': [[write('c')]],
};

/** The person's answers. All other questions are allowed. */
const answers: Readonly<Record<string, PermissionResult>> = {
  AskUserQuestion: {
    behavior: 'allow',
    updatedInput: { questions: [question], answers: { 'Which?': 'B' } },
  },
  ExitPlanMode: {
    behavior: 'allow',
    updatedInput: { plan: '# Edited\n' },
    updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
  },
};

/**
 * Replies by the state of the conversation: like a real model it makes the calls that have no result yet. During the
 * last reply of the agent on the branch a person types.
 */
function createModel({ workspace: { fs } }: Host): Model {
  return {
    name: 'claude-test',
    apiKeySource: 'none',
    async *stream({ messages }) {
      const fault = findFault(messages);
      if (fault !== undefined) throw new Error(`The API takes no such request: ${fault}`);
      const told = [...new Set(messages.flatMap(readTold))];
      const answered = new Set(
        messages.flatMap(({ content }) =>
          typeof content === 'string'
            ? []
            : content.filter(isToolResultBlock).map((block) => block.tool_use_id),
        ),
      );
      const steps = told.flatMap((what) =>
        (script[what] ?? []).map((calls, step) =>
          calls.map(([name, input], at): ContentBlock => {
            const id = `${what.replaceAll(/\W/gu, '-')}-${step}-${at}`;
            return { type: 'tool_use', id, name, input };
          }),
        ),
      );
      const open = steps
        .map((calls) => calls.filter((call) => isToolUseBlock(call) && !answered.has(call.id)))
        .find((calls) => calls.length > 0);
      const last = told.at(-1) ?? '';
      if (!open && last === 'Task branch') {
        const text = await fs.readFile(contested, 'utf8');
        if (text === 'one\n') await fs.writeFile(contested, 'typed\n');
      }
      const content: readonly ContentBlock[] = open ?? [{ type: 'text', text: `Done: ${last}.` }];
      const stop_reason = open ? 'tool_use' : 'end_turn';
      yield* toEvents(assistantMessage(content, { stop_reason }));
    },
  };
}

/** The texts of a task, of a conflict, or of mail. */
function readTold({ role, content }: MessageParam): string[] {
  if (role !== 'user') return [];
  const texts =
    typeof content === 'string' ? [content] : content.filter(isTextBlock).map(({ text }) => text);
  const isTold = (text: string, what: string) =>
    text.startsWith(what) || text.endsWith(`\n\n${what}`) || text.includes(`user's:\n${what}`);
  return texts.flatMap((text) => Object.keys(script).filter((what) => isTold(text, what)));
}

/** The end of the session as plain data. */
export interface AgentsEnding {
  readonly entries: readonly JournalEntry[];
  readonly files: Readonly<Record<string, string>>;
  readonly branches: readonly string[];
  readonly plan: string;
}

const tools = [
  ...['Agent', 'SendMessage', 'Read', 'Write', 'Edit', 'Glob', 'TaskCreate', 'TaskUpdate'],
  ...['AskUserQuestion', 'EnterPlanMode', 'ExitPlanMode'],
];

/** Opens the session in whatever state it is, and plays it until nothing runs any more. */
export async function finishAgents(host: Host, witness: AgentsWitness): Promise<AgentsEnding> {
  const { fs, streams } = host.workspace;
  const stream = toSessionRootId(agentsSessionId);
  const isKept = (await streams.list()).some(({ id }) => id === stream);
  if (!isKept) await fs.writeFile(contested, 'one\n');
  using _listening = streams.onAppend((appended) => {
    const { n } = appended.entries.at(-1) ?? { n: 0 };
    if (appended.stream === stream) witness.landed?.(n);
  });
  const open: { session?: AgentSession } = {};
  const model = createModel(host);
  const session = await openSession({
    host,
    model: {
      ...model,
      async *stream(request, options) {
        await witness.request?.();
        yield* model.stream(request, options);
      },
    },
    tools,
    tasksV2: true,
    toolSearch: false,
    settings: { permissions: { ask: ['Edit(front.txt)', 'Edit(a.txt)'] } },
    canUseTool: async (name, _, { requestId }) => {
      // A viewer is shown what the tab that runs the session asks.
      if (open.session?.role() !== 'viewer') await witness.ask(requestId);
      return answers[name] ?? { behavior: 'allow' };
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
    // The session already has this prompt, so this resolves when everything is written.
    await session.send(prompt);
    if (await isOver(host)) break;
  }
  await witness.over?.();
  await session.close();
  return readEnding(host);
}

const agentCount = 5;

/** All started work has ended, and all of it was reported. */
async function isOver({ workspace }: Host): Promise<boolean> {
  const fold = foldEntries(await readEntries(workspace, agentsSessionId));
  const agents = [...fold.agents.values()];
  const folds = [fold, ...agents.map((one) => one.fold)];
  return (
    agents.length === agentCount &&
    folds.every((one) => !one.turn && one.news.size === 0 && one.waiting.length === 0) &&
    folds.every(({ tasks }) => [...tasks.values()].every(({ status }) => status !== 'running'))
  );
}

async function readEnding({ workspace }: Host): Promise<AgentsEnding> {
  const { fs, roots } = workspace;
  const entries = await readEntries(workspace, agentsSessionId);
  const files = await readFiles(workspace);
  const branches = (await roots.list({ kind: 'branch' })).map(({ id }) => id);
  return { entries, files, branches, plan: String(await fs.readFile(planPath, 'utf8')) };
}

/** The faults of an ending. Undefined: none. `asked`: the questions that the last host has shown. */
export function findAgentFaults(
  ending: AgentsEnding,
  reference: AgentsEnding,
  { asked }: { readonly asked: readonly string[] },
): object | undefined {
  const { entries, files, branches, plan } = ending;
  const fold = foldEntries(ending.entries);
  const agents = [...fold.agents.values()];
  const times = (text: string, of: SessionFold | undefined) =>
    of ? JSON.stringify(of.messages).split(text).length - 1 : -1;
  const fault = {
    begun: entries.filter(({ type }) => type === 'agent').length,
    branches,
    twice: [undefined, ...agents.map(({ record }) => record.id)]
      .flatMap((id) => findTwice(entries.filter((entry) => entry.agent === id)))
      .filter((what) => !agents.some(({ record }) => what.startsWith(`task ${record.id} `))),
    runs: agents.flatMap(({ record }) => findRunFault(entries, record.id) ?? []),
    // Each report and message is given once. One that is written to when it is at rest reports again.
    reports: agents.flatMap(({ record, parent }) => {
      const isOfIt = (entry: JournalEntry) => entry.type === 'task' && entry.id === record.id;
      const made = entries.filter((entry) => isOfIt(entry) && 'notification' in entry).length;
      const told = times(`<task-id>${record.id}</task-id>`, fold.foldOf(parent));
      return made === told && (made > 0 || !record.isBackground) ? [] : [{ record, made, told }];
    }),
    mail: agents.flatMap(({ record: { name }, fold: own }) =>
      name === undefined || times(`user's:\\nMail for ${name}.`, own) === 1 ? [] : [name],
    ),
    unfinished: agents
      .filter((one) => one.fold.lastResult?.message['subtype'] !== 'success')
      .map(({ record }) => record.description),
    askedAgain: asked.filter((id) => answeredBefore(entries, id)),
    plan,
    mode: fold.permissions.findLast(({ mode }) => mode !== undefined)?.mode,
  };
  const wanted = {
    ...{ begun: agentCount, branches: [], twice: [], runs: [], reports: [], mail: [] },
    ...{ unfinished: [], askedAgain: [], plan: '# Edited\n', mode: 'acceptEdits' },
  };
  const work = {
    files,
    tasks: listTasks(readRecordedTasks(fold.states)).map(({ id, subject, status }) => ({
      ...{ id, subject, status },
    })),
    answers: entries.filter((entry) => entry.type === 'answer' && entry.result !== null).length,
    merges: entries.flatMap((entry) => readBranchRecord(entry)?.report?.mergeNote ?? []),
    results: readResults(fold),
  };
  const wantedWork = {
    files: {
      '/workspace/a.txt': 'typed, mine\n',
      ...Object.fromEntries(
        ['b', 'back', 'below', 'c', 'front'].map((name) => [`/workspace/${name}.txt`, `${name}\n`]),
      ),
    },
    tasks: [{ id: '1', subject: 'one', status: 'completed' }],
    // To enter, on the question, to leave, two edits of the branch, to merge it, and to write.
    answers: 7,
    merges: [
      'Its changes were merged: /workspace/a.txt, /workspace/b.txt.',
      'Its changes were merged: /workspace/c.txt.',
    ],
    results: readResults(foldEntries(reference.entries)),
  };
  // A call that was cut twice isn't run a third time, and what follows goes by what it left.
  const isCutTwice = entries.some((entry) => entry.type === 'call' && entry.attempt > 1);
  const isInterrupted = isCutTwice && JSON.stringify(entries).includes('was interrupted');
  const isRight = isSameData(fault, wanted) && (isInterrupted || isSameData(work, wantedWork));
  return isRight ? undefined : { ...fault, ...work };
}

/** What main was told of its calls, by their ids, without what varies. */
function readResults({ messages }: SessionFold): Readonly<Record<string, string>> {
  const results = messages.flatMap(({ content }) =>
    typeof content === 'string' ? [] : content.filter(isToolResultBlock),
  );
  // An agent that gets mail may or may not be idle by then.
  const mask = (text: string) =>
    text.replaceAll(/\ba[\da-f]{8}\b|\d+ tokens|\b(was at rest|reads it)\b.*$/gu, '');
  return Object.fromEntries(results.map((one) => [one.tool_use_id, mask(toResultText(one))]));
}

/**
 * An agent's task begins for its first turn, and again for each turn for which it is woken. It ends
 * each time before it begins again. Gives what is recorded instead. Undefined: it is so.
 */
function findRunFault(entries: readonly JournalEntry[], id: string): string | undefined {
  const steps = entries.flatMap((entry) => {
    if (entry.type === 'turn' && entry.agent === id) return 'turn';
    if (entry.type !== 'task' || entry.id !== id) return [];
    return entry.status === 'running' ? 'begins' : 'ends';
  });
  const story = steps.join(' ');
  return /^begins( turn)+ ends( begins( turn)+ ends)*$/u.test(story)
    ? undefined
    : `${id}: ${story}`;
}
