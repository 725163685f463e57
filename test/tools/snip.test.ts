// Snip in whole sessions: what the model is sent afterwards, byte for byte, and what outlives a reload, a fork, a rewind
// and a compaction. Which parts there are is shown in test/unit/agent/context/snip.
import { loadQuickjsWasm } from '#quickjs-wasm';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AgentSession } from '../../src/agent/agent-session.ts';
import type { Host } from '../../src/agent/host.ts';
import { openSession } from '../../src/agent/open-session.ts';
import type { QueryOptions } from '../../src/agent/query-options.ts';
import type { ContentBlock } from '../../src/core/messages/blocks.ts';
import { isCompactionPrompt } from '../../src/core/messages/compaction-messages.ts';
import type { MessageParam } from '../../src/core/messages/messages.ts';
import type { SDKMessage } from '../../src/core/messages/sdk-message.ts';
import { createInlineHost } from '../../src/hosts/inline/create-inline-host.ts';
import type { Model, ModelRequest } from '../../src/model/model.ts';
import { toEvents } from '../../src/model/to-events.ts';
import { snipInputSchema } from '../../src/tools/snip/schema.ts';
import { snipTool } from '../../src/tools/snip/tool.ts';
import { createMemoryMedium } from '../../src/workspace/drivers/memory.ts';
import { createAgentsModel } from '../support/models/agents-model.ts';
import { listBreaches } from '../support/models/api-rules.ts';
import { assistantMessage } from '../support/models/model-streams.ts';
import { isResult, openHost, quickHost, readUntil } from '../support/sessions/open-sessions.ts';
import { toolUse } from '../support/turns/plan-turns.ts';
import { callTool, say } from '../support/turns/run-hooked.ts';
import { createSimulatedCache, type CacheUse } from '../support/models/simulated-cache.ts';

/** What the model says to a request: blocks, or what it makes of what it was sent. */
type Answer =
  readonly ContentBlock[] | ((messages: readonly MessageParam[]) => readonly ContentBlock[]);

interface WatchedModel extends Model {
  readonly requests: ModelRequest[];
  /** What the API's cache makes of each. */
  readonly uses: CacheUse[];
}

function createModel(answers: readonly Answer[]): WatchedModel {
  const requests: ModelRequest[] = [];
  const uses: CacheUse[] = [];
  const cache = createSimulatedCache();
  let at = 0;
  return {
    name: 'claude-test',
    apiKeySource: 'none',
    requests,
    uses,
    async *stream(given) {
      const request = structuredClone(given);
      requests.push(request);
      uses.push(cache.send(request));
      if (isCompactionPrompt(request.messages.at(-1))) {
        return yield* toEvents(assistantMessage([{ type: 'text', text: 'What was before.' }]));
      }
      const answer = answers[at];
      at += 1;
      if (!answer) throw new Error(`There is no answer number ${at}.`);
      const blocks = typeof answer === 'function' ? answer(request.messages) : answer;
      const isCall = blocks.some(({ type }) => type === 'tool_use');
      yield* toEvents(assistantMessage(blocks, { stop_reason: isCall ? 'tool_use' : 'end_turn' }));
    },
  };
}

const text = (words: string): ContentBlock => ({ type: 'text', text: words });
const thinking = (at: number): ContentBlock => ({
  type: 'thinking',
  thinking: `Hm ${at}.`,
  signature: `signed ${at}`,
});
/** Thinks, and reads the file. */
const reads = (at: number): Answer => [
  thinking(at),
  toolUse(`read-${at}`, 'Read', { file_path: `/workspace/${at}.txt` }),
];
const lists: Answer = [thinking(0), toolUse('list', 'Snip')];
/** By the numbers of the list: the parts that read the files from one to the other. */
const snips =
  (first: number, last: number, id = 'snip'): Answer =>
  (messages) => {
    const listed = JSON.stringify(messages.at(-1));
    const find = (at: number) =>
      Number(new RegExp(String.raw`(\d+): Read [^\n]{0,40}/${at}\.txt`, 'u').exec(listed)?.[1]);
    return [
      thinking(9),
      toolUse(id, 'Snip', { from: find(first), to: find(last), note: 'They say x.' }),
    ];
  };

async function fill(host: Host): Promise<Host> {
  for (let at = 1; at <= 5; at += 1) {
    await host.workspace.fs.writeFile(`/workspace/${at}.txt`, `${at} ${'x'.repeat(4_000)}`);
  }
  return host;
}

async function open(options: Partial<QueryOptions> & Pick<QueryOptions, 'host' | 'model'>) {
  const session = await openSession({ historySnip: true, toolSearch: false, ...options });
  onTestFinished(() => session.close());
  return session;
}

let prompts = 0;
async function play(session: AgentSession, words: string): Promise<SDKMessage[]> {
  prompts += 1;
  const { n } = await session.send({
    type: 'user',
    message: { role: 'user', content: words },
    parent_tool_use_id: null,
    uuid: `p${prompts}`,
  });
  return readUntil(session, (one) => isResult(one) && (one.n ?? 0) > n, n);
}

const noted = 'This is what you noted of it:\\n\\nThey say x.';
const bytes = (messages: readonly MessageParam[]) => messages.map((one) => JSON.stringify(one));
const newest = ({ requests }: WatchedModel) => requests.at(-1)?.messages ?? [];
const results = (messages: readonly SDKMessage[]) =>
  messages.flatMap((one) =>
    one.type === 'user' && one.tool_use_result ? [one.tool_use_result] : [],
  );

/** Reads five files, and takes out what the second to the fourth gave. */
const work: readonly Answer[] = [
  ...[1, 2, 3, 4, 5].map(reads),
  [text('I have read them.')],
  lists,
  snips(2, 4),
  [text('There is room.')],
];

async function playWork(host: Host, more: readonly Answer[] = [], sessionId = 's') {
  const model = createModel([...work, ...more]);
  const session = await open({ host: await fill(host), model, sessionId });
  await play(session, 'Read all five.');
  const told = await play(session, 'Make room.');
  return { model, session, told, lastPrompt: `p${prompts}` };
}

describe('what Snip takes out', () => {
  it('is sent no more, and every other message as it was, signatures and all', async () => {
    const { model, told } = await playWork(await quickHost());
    const before = bytes(model.requests[7]?.messages ?? []);
    const after = bytes(newest(model));
    // The prompt and the first step, then the note; after the fourth step everything is as before.
    const cut = before.findIndex((one) => one.includes('read-2'));
    const end = before.findIndex((one) => one.includes('read-5'));
    expect(after.slice(0, cut)).toEqual(before.slice(0, cut));
    expect(after[cut]).toContain(`3 of your replies, with the results of what you called`);
    expect(after[cut]).toContain(noted);
    expect(after.slice(cut + 1, cut + 1 + before.length - end)).toEqual(before.slice(end));
    expect(listBreaches(newest(model))).toEqual([]);
    expect(after.join('')).not.toContain('signed 3');
    expect(results(told).at(-1)).toMatchObject({
      operation: 'snip',
      note: 'They say x.',
      parts: [2, 3, 4].map((at) => ({
        text: expect.stringContaining(`/workspace/${at}.txt`),
      })),
    });
  });

  it('costs no cache of what stands before it, however far behind the end that is', async () => {
    // More blocks behind the span than the 20 over which the API looks back.
    const many = Array.from({ length: 24 }, (_, at) =>
      toolUse(`many-${at}`, 'Read', { file_path: '/workspace/5.txt' }),
    );
    const model = createModel([reads(1), reads(2), many, lists, snips(2, 2), [text('Done.')]]);
    const session = await open({ host: await fill(await quickHost()), model });
    await play(session, 'Read them.');
    // The request by which the part came ends where it began.
    const [, second] = model.uses;
    expect(model.uses.at(-1)?.read).toBe((second?.read ?? 0) + (second?.written ?? 0));
    expect(second?.read).toBeGreaterThan(0);
  });

  it('stays in the transcript', async () => {
    const { session } = await playWork(await quickHost());
    let turns = 0;
    const whole = (one: SDKMessage) => isResult(one) && (turns += 1) === 2;
    const shown = JSON.stringify(await readUntil(session, whole));
    for (const at of [1, 2, 3, 4, 5]) expect(shown).toContain(`signed ${at}`);
    expect(shown).toContain('They say x.');
  });

  it('is still out in the next opening and in a fork', async () => {
    const medium = createMemoryMedium();
    await using before = await openHost(medium);
    const { model, session } = await playWork(before);
    const { sessionId } = await session.fork();
    await session.close();
    const sent = bytes(newest(model));
    await using after = await openHost(medium);
    for (const resume of ['s', sessionId]) {
      const again = createModel([[text('Still.')]]);
      const reopened = await open({ host: after, model: again, resume });
      await play(reopened, 'Go on.');
      expect(bytes(newest(again)).slice(0, sent.length)).toEqual(sent);
      await reopened.close();
    }
  });

  it('is back after a rewind to before it, and out after one to behind it', async () => {
    const more: readonly Answer[] = [[text('A.')], [text('B.')], [text('C.')]];
    const { model, session, lastPrompt } = await playWork(await quickHost(), more);
    await play(session, 'One.');
    const out = bytes(newest(model)).slice(0, -1);
    await session.rewind(`p${prompts}`);
    await play(session, 'Two.');
    expect(bytes(newest(model)).slice(0, -1)).toEqual(out);
    await session.rewind(lastPrompt);
    await play(session, 'Three.');
    const back = bytes(newest(model)).join('');
    for (const at of [1, 2, 3, 4, 5]) expect(back).toContain(`signed ${at}`);
    expect(back).not.toContain(noted);
  });

  it('is not summed up: a compaction sees the note', async () => {
    const long = text('x'.repeat(90_000));
    const { model, session } = await playWork(await quickHost(), [[long], [text('End.')]]);
    await play(session, 'Say much.');
    await session.compact();
    const summing = bytes(newest(model)).join('');
    expect(summing).toContain(noted);
    expect(summing).not.toContain('signed 3');
    await play(session, 'Go on.');
    expect(bytes(newest(model)).join('')).not.toContain(noted);
    expect(listBreaches(newest(model))).toEqual([]);
  });
});

describe('Snip', () => {
  it('lists the largest hundred parts, in their order', async () => {
    const parts = Array.from({ length: 130 }, (_, at) => ({
      entries: [at + 1, at + 2],
      text: `${at}`,
      tokens: at < 30 ? 1 : 10,
    }));
    const history = { list: async () => parts, snip: () => Promise.reject(new Error('No.')) };
    const { data } = await snipTool.call({}, { history, toolUseID: 'c' });
    const listed = snipTool.mapToolResultToToolResultBlockParam(data, 'c').content.split('\n');
    expect([listed.length, listed[0], listed.at(-1)]).toEqual([
      101,
      '31: 30 (about 10 tokens)',
      '(and 30 smaller ones)',
    ]);
  });

  it('takes from, to and note together, or none of them', async () => {
    const check = async (input: object) => {
      const parsed = snipInputSchema().safeParse(input);
      return parsed.success && (await snipTool.validateInput(parsed.data)).result;
    };
    const span = { from: 4, to: 9, note: 'N' };
    const inputs = [{}, span, { from: 4 }, { from: 4, to: 9 }, { ...span, note: ' ' }];
    expect(await Promise.all(inputs.map(check))).toEqual([true, true, false, false, false]);
  });

  it('asks nobody, in plan mode as well', async () => {
    const model = createModel(work);
    const session = await open({
      host: await fill(await quickHost()),
      model,
      permissionMode: 'plan',
    });
    await play(session, 'Read all five.');
    await play(session, 'Make room.');
    expect(bytes(newest(model)).join('')).toContain(noted);
  });

  it('is not there without its switch', async () => {
    const model = createModel([[text('Hi.')]]);
    await play(await open({ host: await quickHost(), model, historySnip: false }), 'Hi.');
    expect(model.requests[0]?.tools.map(({ name }) => name)).not.toContain('Snip');
  });

  it('sees a sub-agent’s own conversation where that calls it', async () => {
    const model = createAgentsModel({
      main: [
        callTool('Glob', { pattern: '*.txt' }, 'call-glob'),
        callTool('Agent', { description: 'look', prompt: 'Look.', run_in_background: false }),
        say('Done.'),
      ],
      'Look.': [
        callTool('Read', { file_path: '/workspace/1.txt' }, 'call-read'),
        callTool('Snip', {}, 'call-snip'),
        say('Seen.'),
      ],
    });
    const session = await open({ host: await fill(await quickHost()), model });
    const told = await play(session, 'Go.');
    const listed = results(told).filter((one) => JSON.stringify(one).includes('"list"'));
    expect(listed).toMatchObject([{ parts: [{ text: expect.stringContaining('Read ') }] }]);
  });

  it('works in a cell', async () => {
    await using host = await createInlineHost({ loadWasm: loadQuickjsWasm });
    const code = `const { parts } = await tools.Snip({});
      const done = await tools.Snip({ from: parts[0].id, to: parts[0].id, note: 'They say x.' });
      done.parts.length`;
    const model = createModel([reads(1), [toolUse('cell', 'Repl', { code })], [text('Done.')]]);
    const session = await open({
      host: await fill(host),
      model,
      permissionMode: 'bypassPermissions',
    });
    await play(session, 'Go.');
    expect(bytes(newest(model)).join('')).toContain(noted);
    expect(bytes(newest(model)).join('')).not.toContain('signed 1');
    await session.close();
  });
});
