// The conversation of the tests that kill a session with an isolated agent: it changes two files, a person types in
// one of them meanwhile, and it has another turn for that. And what must be the same however often it was killed.
import { readBranchRecord } from '../../src/agent/agents/agent-branch.ts';
import type { Host } from '../../src/agent/host.ts';
import type { AgentSession } from '../../src/agent/agent-session.ts';
import { SessionFold } from '../../src/agent/journal/fold.ts';
import { readEntries } from '../../src/agent/journal/stored-journal.ts';
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
import type { AgentsWitness } from './killed-agents.ts';
import { findFault } from './journals.ts';
import { findTwice } from './journal-counts.ts';
import { assistantMessage } from './model-streams.ts';

export const branchSessionId = 'killed-branch';

type Call = readonly [name: string, input: Readonly<Record<string, unknown>>];

const file_path = '/workspace/a.txt';

/** By what was said last, its requests; by request, the calls. */
const toScript = (
  isBackground: boolean,
): Readonly<Record<string, readonly (readonly Call[])[]>> => ({
  'Prompt 0': [
    [
      [
        'Agent',
        {
          description: 'Change them',
          prompt: 'Task branch',
          isolation: 'worktree',
          run_in_background: isBackground,
        },
      ],
    ],
  ],
  'Task branch': [
    [['Read', { file_path }]],
    [
      ['Edit', { file_path, old_string: 'one', new_string: 'mine' }],
      ['Write', { file_path: '/workspace/b.txt', content: 'b\n' }],
    ],
  ],
  'Nothing of your work': [
    [['Read', { file_path }]],
    [['Edit', { file_path, old_string: 'typed', new_string: 'typed, mine' }]],
  ],
});

/** Asks for what wasn't answered yet, as a real model would. While the agent says its last words, a person types. */
function createModel({ workspace }: Host, isBackground: boolean): Model {
  const script = toScript(isBackground);
  return {
    name: 'claude-test',
    apiKeySource: 'none',
    async *stream({ messages }) {
      const fault = findFault(messages);
      if (fault !== undefined) throw new Error(`The API takes no such request: ${fault}`);
      const known = Object.keys(script);
      const who = messages.flatMap((message) => readTask(message, known) ?? []).at(-1) ?? '';
      const answered = new Set(
        messages.flatMap(({ content }) =>
          typeof content === 'string'
            ? []
            : content.filter(isToolResultBlock).map((block) => block.tool_use_id),
        ),
      );
      const steps = (script[who] ?? []).map((calls, step) =>
        calls.map(([name, input], at): ContentBlock => {
          return { type: 'tool_use', id: `${who.replaceAll(' ', '-')}-${step}-${at}`, name, input };
        }),
      );
      const open = steps
        .map((calls) => calls.filter((call) => isToolUseBlock(call) && !answered.has(call.id)))
        .find((calls) => calls.length > 0);
      if (!open && who === 'Task branch') {
        const text = await workspace.fs.readFile(file_path, 'utf8');
        if (text === 'one\n') await workspace.fs.writeFile(file_path, 'typed\n');
      }
      const content: readonly ContentBlock[] = open ?? [{ type: 'text', text: `Done: ${who}.` }];
      const stop_reason = open ? 'tool_use' : 'end_turn';
      yield* toEvents(assistantMessage(content, { stop_reason }));
    },
  };
}

function readTask({ role, content }: MessageParam, known: readonly string[]): string | undefined {
  if (role !== 'user') return undefined;
  const text = typeof content === 'string' ? content : content.filter(isTextBlock).at(0)?.text;
  if (text === undefined) return undefined;
  return known.find((one) => text === one || text.endsWith(`\n\n${one}`) || text.startsWith(one));
}

/** How it has ended: plain data. */
export interface BranchEnding {
  readonly entries: readonly JournalEntry[];
  readonly files: Readonly<Record<string, string>>;
  readonly branches: readonly string[];
}

/** Opens the session in whatever state it is, and plays it until nothing runs any more. */
export async function finishBranch(
  host: Host,
  isBackground: boolean,
  witness: AgentsWitness,
): Promise<BranchEnding> {
  const { streams, fs } = host.workspace;
  const stream = toSessionRootId(branchSessionId);
  const isKept = (await streams.list()).some(({ id }) => id === stream);
  if (!isKept) await fs.writeFile(file_path, 'one\n');
  using _listening = streams.onAppend((appended) => {
    const { n } = appended.entries.at(-1) ?? { n: 0 };
    if (appended.stream === stream) witness.landed?.(n);
  });
  const model = createModel(host, isBackground);
  const open: { session?: AgentSession } = {};
  const session = await openSession({
    host,
    model: {
      ...model,
      async *stream(request, options) {
        await witness.request?.();
        yield* model.stream(request, options);
      },
    },
    tools: ['Agent', 'Read', 'Write', 'Edit'],
    toolSearch: false,
    canUseTool: async (_, __, { requestId }) => {
      // A viewer is shown what the tab that runs the session asks.
      if (open.session?.role() !== 'viewer') await witness.ask(requestId);
      return { behavior: 'allow' };
    },
    ...(isKept ? { resume: branchSessionId } : { sessionId: branchSessionId }),
  });
  open.session = session;
  await witness.opened?.();
  await session.send({
    type: 'user',
    uuid: 'prompt-0',
    message: { role: 'user', content: 'Prompt 0' },
    parent_tool_use_id: null,
  });
  for await (const message of session.messages()) {
    if (message.type !== 'result') continue;
    if (message.is_error) throw new Error(`A turn failed: ${JSON.stringify(message)}`);
    if (await isOver(host)) break;
    // The turn's end was told when it was folded: it may be about to land.
    await host.workspace.streams.list();
    if (await isOver(host)) break;
  }
  await witness.over?.();
  await session.close();
  return readEnding(host);
}

function foldOf({ entries }: BranchEnding): SessionFold {
  const fold = new SessionFold();
  for (const entry of entries) fold.apply(entry);
  return fold;
}

/** Everything that was begun has come to its end, and all of it was told. */
async function isOver(host: Host): Promise<boolean> {
  const fold = foldOf(await readEnding(host));
  const folds = [fold, ...[...fold.agents.values()].map((one) => one.fold)];
  return (
    folds.length === 2 &&
    folds.every((one) => !one.turn && one.news.size === 0 && one.waiting.length === 0) &&
    folds.every(({ tasks }) => [...tasks.values()].every(({ status }) => status !== 'running'))
  );
}

async function readEnding({ workspace }: Host): Promise<BranchEnding> {
  const entries = await readEntries(workspace, branchSessionId);
  const files: Record<string, string> = {};
  for (const { path } of await workspace.fs.walk('/workspace')) {
    const stats = await workspace.fs.stat(path);
    if (stats.isFile()) files[path] = String(await workspace.fs.readFile(path, 'utf8'));
  }
  const branches = (await workspace.roots.list({ kind: 'branch' })).map(({ id }) => id);
  return { entries, files, branches };
}

/** What isn't as it must be; undefined: nothing. `asked`: the questions that the last host has shown. */
export function findBranchFaults(
  ending: BranchEnding,
  { asked }: { readonly asked: readonly string[] },
): object | undefined {
  const { entries, files, branches } = ending;
  const fold = foldOf(ending);
  const told = JSON.stringify(fold.messages);
  const times = (text: string) => told.split(text).length - 1;
  const ends = entries.flatMap((entry) => readBranchRecord(entry)?.report ?? []);
  const answers = entries.filter((entry) => entry.type === 'answer' && entry.result !== null);
  const result = {
    files,
    branches,
    begun: entries.filter(({ type }) => type === 'agent').length,
    turns: entries.filter((entry) => entry.type === 'turn' && entry.agent !== undefined).length,
    merges: ends.map(({ mergeNote }) => mergeNote),
    answers: answers.length,
    twice: [undefined, ...fold.agents.keys()].flatMap((id) =>
      findTwice(entries.filter((entry) => entry.agent === id)),
    ),
    reports: [times('Done: Nothing of your work.'), times('Its changes were merged')],
    askedAgain: asked.filter((id) => answeredBefore(entries, id)),
  };
  // A call that was cut twice isn't run a third time, and what follows goes by what it left.
  const isInterrupted = JSON.stringify(entries).includes('was interrupted');
  const { branches: left, begun, twice, askedAgain } = result;
  const kept = isInterrupted ? { ...wanted, branches: left, begun, twice, askedAgain } : result;
  return JSON.stringify(kept) === JSON.stringify(wanted) ? undefined : result;
}

const wanted = {
  files: { '/workspace/a.txt': 'typed, mine\n', '/workspace/b.txt': 'b\n' },
  branches: [],
  begun: 1,
  turns: 2,
  merges: ['Its changes were merged: /workspace/a.txt, /workspace/b.txt.'],
  answers: 1,
  twice: [],
  reports: [1, 1],
  askedAgain: [],
};

/** The journal had its answer when the session was opened again. */
function answeredBefore(entries: readonly JournalEntry[], requestId: string): boolean {
  const again = entries.findLastIndex((entry) => entry.type === 'opened');
  return entries
    .slice(0, again)
    .some((entry) => entry.type === 'answer' && entry.requestId === requestId);
}

/** The text of the result of the call that has begun it, without what varies. */
export function readReport(ending: BranchEnding): string {
  const results = foldOf(ending).messages.flatMap(({ content }) =>
    typeof content === 'string' ? [] : content.filter(isToolResultBlock).map(toResultText),
  );
  // What was said again after a kill is counted once.
  return results.join('\n').replaceAll(/\ba[\da-f]{8}\b|\d+ tokens/gu, '');
}
