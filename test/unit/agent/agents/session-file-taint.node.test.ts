// What one agent has read from outside is written down in files of the session. Who reads those is tainted, too.
import { expect, it } from 'vitest';
import * as z from 'zod';
import { query } from '../../../../src/agent/query.ts';
import { createDeferred } from '../../../../src/core/async/deferred.ts';
import { buildTool } from '../../../../src/core/tool/build-tool.ts';
import type { Tool } from '../../../../src/core/tool/tool.ts';
import type { ScriptTurn } from '../../../../src/model/script.ts';
import { createAgentsModel } from '../../../support/models/agents-model.ts';
import { callTool, openHost, readAll, say, toResults } from '../../../support/turns/run-hooked.ts';

const spilled = '/session/s1/tool-results/call-g.txt';

/** One that answers with a text. */
function ownTool(name: string, isOpenWorld: boolean, call: Tool['call']): Tool {
  return buildTool({
    name,
    inputSchema: z.strictObject({}),
    description: () => Promise.resolve(name),
    prompt: () => Promise.resolve(''),
    isReadOnly: () => true,
    isOpenWorld: () => isOpenWorld,
    maxResultSizeChars: 1_000,
    call: call as never,
    mapToolResultToToolResultBlockParam: (content: string, tool_use_id: string) => ({
      type: 'tool_result' as const,
      tool_use_id,
      content,
    }),
  } as never) as unknown as Tool;
}

const fetches = ownTool('Fetch', true, () => Promise.resolve({ data: 'outside '.repeat(2_000) }));
const looks = ownTool('Look', false, async (_, { fs }) => ({
  data: (await fs.readFile(spilled, 'utf8')).slice(0, 10),
}));

/** Two agents beside each other: while one has fetched, the other does this, and then fetches, too. */
async function play(first: ScriptTurn): Promise<readonly string[]> {
  await using host = await openHost();
  const { promise: fetched, resolve: hasFetched } = createDeferred();
  const { promise: tried, resolve: hasTried } = createDeferred();
  const counts = new Map<string, number>();
  const beside = (prompt: string, id: string) =>
    callTool('Agent', { description: 'Work', prompt }, id);
  const model = createAgentsModel(
    {
      main: [
        {
          blocks: [...beside('Fetch it.', 'call-a').blocks, ...beside('Read it.', 'call-b').blocks],
        },
        ...[say('I wait.'), say('One is done.'), say('Both are done.')],
      ],
      'Fetch it.': [callTool('Fetch', {}, 'call-g'), say('Fetched.')],
      'Read it.': [first, callTool('Fetch', {}, 'call-f'), say('Read.')],
    },
    (who) => {
      const count = (counts.get(who) ?? 0) + 1;
      counts.set(who, count);
      if (who === 'Fetch it.' && count === 2) hasFetched();
      if (who === 'Read it.' && count === 3) hasTried();
      if (who === 'Fetch it.' && count === 2) return tried;
      return who === 'Read it.' && count === 1 ? fetched : undefined;
    },
  );
  const messages = await readAll(
    query({
      prompt: 'Go.',
      options: {
        ...{ host, model, toolSearch: false, sessionId: 's1', egress: 'deny' },
        tools: ['Agent', 'Read', 'Grep', 'Repl', fetches, looks],
        canUseTool: () => Promise.resolve({ behavior: 'allow' }),
      },
    }),
  );
  const own = messages.filter(
    (message) => message.type === 'user' && message.parent_tool_use_id === 'call-b',
  );
  return toResults(own);
}

it.each<[string, ScriptTurn]>([
  ['Read', callTool('Read', { file_path: spilled }, 'call-r')],
  [
    'a search',
    callTool('Grep', { pattern: 'outside', path: '/session/s1', output_mode: 'content' }, 'call-r'),
  ],
  [
    'a cell',
    callTool('Repl', { code: `fs.readFileSync('${spilled}', 'utf8').slice(0, 9)` }, 'call-r'),
  ],
  ['a tool of the host', callTool('Look', {}, 'call-r')],
])('who reads by %s what another agent has spilled may not reach out', async (_, first) => {
  const [read, fetched] = await play(first);
  expect(read).toContain('outside o');
  expect(fetched).toMatch(/^Fetch was refused: text from outside/u);
});

it('who has read none of it may', async () => {
  const first = callTool('Grep', { pattern: 'one', path: '/workspace' }, 'call-r');
  const [read, fetched] = await play(first);
  expect(read).toContain('a.txt');
  expect(fetched).toContain('outside outside');
});
