// How much of each request a prompt cache has seen: a long conversation in which servers come and go and
// the model finds tools.
import type { SDKUserMessage } from '../../../src/index.ts';
import type { ScriptBlock, ScriptTurn } from '../../../src/model/script.ts';
import { play } from './play.ts';
import { countShared, toPromptBytes, toWireBytes } from './prompt-bytes.ts';
import { listRemoteTools, toTool } from './tool-set.ts';

const turnCount = 50;

/** What there is before the first turn. */
const atStart = ['filesystem', 'github', 'slack'];

/** Which server comes or goes before which turn. */
const events: readonly (readonly [turn: number, event: 'comes' | 'goes', server: string])[] = [
  [3, 'comes', 'jira'],
  [7, 'goes', 'filesystem'],
  [10, 'comes', 'grafana'],
  // One of its tools has been found, and is found no more; then it is back.
  [15, 'goes', 'slack'],
  [18, 'comes', 'slack'],
  [21, 'comes', 'stripe'],
  [25, 'goes', 'github'],
  [28, 'comes', 'github'],
  // Found, and gone for good.
  [33, 'goes', 'jira'],
  [37, 'comes', 'mongodb'],
  [42, 'goes', 'stripe'],
  [46, 'comes', 'supabase'],
];

/** What is looked for in which turn, and the tool that is called then. */
const discoveries = new Map<number, readonly [query: string, tool: string]>([
  [4, ['slack post message', 'mcp__slack__slack_post_message']],
  [13, ['who is on call right now', 'mcp__grafana__get_current_oncall_users']],
  [22, ['refund a Stripe payment', 'mcp__stripe__create_refund']],
  [31, ['select:mcp__jira__jira_get_issue', 'mcp__jira__jira_get_issue']],
  [40, ['find documents in MongoDB', 'mcp__mongodb__find']],
]);

export interface CacheFigures {
  /** Of what the model is given, the part that an earlier request began with. */
  readonly eligible: number;
  /** The same of all that is sent. */
  readonly wire: number;
}

export async function measureCache(isNative: boolean): Promise<CacheFigures> {
  const connected = new Set(atStart);
  const tools = listRemoteTools(500).map((remote) =>
    toTool(remote, () => connected.has(remote.server)),
  );
  const requests = await play(
    {
      prompts: listPrompts(connected),
      turns: listTurns(),
      tools,
      files: Object.fromEntries(
        Array.from({ length: turnCount }, (_, turn) => [`module-${turn}.ts`, toFile(turn)]),
      ),
      isNative,
    },
    (request) => ({ prompt: toPromptBytes(request), wire: toWireBytes(request) }),
  );
  const expected = listTurns().length;
  if (requests.length !== expected) {
    throw new Error(`The conversation had ${requests.length} requests instead of ${expected}.`);
  }
  return {
    eligible: shareSeen(requests.map(({ prompt }) => prompt)),
    wire: shareSeen(requests.map(({ wire }) => wire)),
  };
}

/** The first request counts, too: nothing of it was seen. */
function shareSeen(requests: readonly Buffer[]): number {
  const seen = requests.map((request, at) =>
    Math.max(0, ...requests.slice(0, at).map((earlier) => countShared(earlier, request))),
  );
  return sum(seen) / sum(requests.map(({ length }) => length));
}

async function* listPrompts(connected: Set<string>): AsyncGenerator<SDKUserMessage> {
  for (let turn = 0; turn < turnCount; turn += 1) {
    for (const [, event, server] of events.filter(([at]) => at === turn)) {
      if (event === 'comes') connected.add(server);
      else connected.delete(server);
    }
    yield {
      type: 'user',
      message: { role: 'user', content: `Look at module ${turn}, and tell me what it does.` },
      parent_tool_use_id: null,
    };
  }
}

/** Each turn reads a file; in some a tool is looked for and called before. */
function listTurns(): ScriptTurn[] {
  return Array.from({ length: turnCount }, (_, turn) => {
    const [words, tool] = discoveries.get(turn) ?? [];
    return [
      ...(words && tool ? [ask('ToolSearch', { query: words }), ask(tool, {})] : []),
      ask('Read', { file_path: `module-${turn}.ts` }),
      [{ type: 'text', text: `Module ${turn} keeps what it is given, and gives it back.` }],
    ] satisfies ScriptBlock[][];
  })
    .flat()
    .map((blocks) => ({ blocks }));
}

function ask(name: string, input: Record<string, unknown>): ScriptBlock[] {
  return [{ type: 'tool_use', name, input }];
}

/** Some 2 kB, as the middle one of a project's files has. */
function toFile(turn: number): string {
  return Array.from(
    { length: 40 },
    (_, line) => `export const value${turn}_${line} = keep(${line * 17});`,
  ).join('\n');
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
