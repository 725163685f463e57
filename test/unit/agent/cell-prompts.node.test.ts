// Prompts that are a person's cells: `!` and code. They run without the model, under the rules of the agent's cells.
import { loadQuickjsWasm } from '#quickjs-wasm';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Host } from '../../../src/agent/host.ts';
import { query } from '../../../src/agent/query.ts';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import { importSession } from '../../../src/agent/stored-sessions/session-file.ts';
import type { SDKMessage, SDKUserMessage } from '../../../src/core/messages/sdk-message.ts';
import type { CanUseTool } from '../../../src/core/permissions/permission.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { createDisk, playSession } from '../../support/sessions/kept-session.ts';
import { asks, listModel, says } from '../../support/turns/play-turns.ts';
import { openHost as openReplayHost, toFile } from '../../support/sessions/replayed-session.ts';
import { replay } from '../../../src/agent/replay/replay.ts';
import { results, talk } from '../../support/sessions/talk-commands.ts';

async function openHost(): Promise<Host> {
  const host = await createInlineHost({ loadWasm: loadQuickjsWasm });
  onTestFinished(() => host[Symbol.asyncDispose]());
  return host;
}

const callCell = (code: string) =>
  asks({ type: 'tool_use', id: 'cell', name: 'Repl', input: { code } });

/** The contents of what was sent, without reminders of other kinds. */
const sent = (model: ReturnType<typeof listModel>) =>
  JSON.stringify(model.requests.at(-1)?.messages);

const calls = (told: readonly SDKMessage[]) =>
  told.flatMap((message) =>
    message.type === 'assistant'
      ? message.message.content.flatMap((block) => (block.type === 'tool_use' ? block : []))
      : [],
  );

describe('a prompt that is a cell', () => {
  it('runs without the model, which hears of it with the next prompt', async () => {
    const host = await openHost();
    const model = listModel('m', [callCell('count + 1'), says('Three.')]);
    const options = { model, cellPrompts: true } as const;
    const { told } = await talk(host, ['!let count = 2; count', 'And one more?'], options);
    expect(results(told)).toMatchObject([
      { subtype: 'success', is_error: false, result: '=> 2', num_turns: 0, total_cost_usd: 0 },
      { result: 'Three.', num_turns: 2 },
    ]);
    expect(calls(told).map(({ name, input }) => [name, input])).toEqual([
      ['Repl', { code: 'let count = 2; count' }],
      ['Repl', { code: 'count + 1' }],
    ]);
    expect(model.requests).toHaveLength(2);
    expect(sent(model)).toContain('The user has written and run the next cell.');
    // The agent's cell has found the person's variable.
    expect(sent(model)).toContain('=> 3');
  });

  it('has its error, and the session goes on', async () => {
    const host = await openHost();
    const model = listModel('m', []);
    const { told } = await talk(host, ['!nothing.here', '! 1 + 1'], { model, cellPrompts: true });
    expect(results(told)).toMatchObject([
      { is_error: false, result: expect.stringContaining('nothing is not defined') },
      { is_error: false, result: '=> 2' },
    ]);
  });

  it.each([
    ['yes', { behavior: 'allow' }, 'kept'],
    ['no', { behavior: 'deny', message: 'Leave it.' }, undefined],
  ] as const)('asks as a cell of the agent does: %s', async (_, answer, expected) => {
    const host = await openHost();
    const asked: (string | undefined)[] = [];
    const canUseTool: CanUseTool = async (name, _input, { changes }) => {
      asked.push(name, changes?.[0]?.path);
      return answer;
    };
    const code = `!fs.writeFileSync('new.txt', 'kept')`;
    await talk(host, [code], { model: listModel('m', []), cellPrompts: true, canUseTool });
    expect(asked).toEqual(['Repl', '/workspace/new.txt']);
    const text = host.workspace.fs.readFile('/workspace/new.txt', 'utf8');
    expect(await text.catch(() => undefined)).toBe(expected);
  });

  it('runs although the budget is spent, as it costs nothing', async () => {
    const host = await openHost();
    const usage = { input_tokens: 1000, output_tokens: 1000 };
    const model = listModel('m', [says('Done.', { usage })]);
    const prices = { m: { input: 3, output: 15 } };
    const options = { model, cellPrompts: true, prices, maxBudgetUsd: 0.001 };
    const { told } = await talk(host, ['Spend it.', '!6 * 7'], options);
    expect(results(told).at(-1)).toMatchObject({ result: '=> 42' });
  });
});

describe('no cell is', () => {
  const model = () => listModel('m', [says('A text.')]);
  const ask = async (prompt: Partial<SDKUserMessage>, options: Partial<QueryOptions> = {}) => {
    const host = await openHost();
    async function* say(): AsyncGenerator<SDKUserMessage, void> {
      yield {
        type: 'user',
        message: { role: 'user', content: '!1 + 1' },
        parent_tool_use_id: null,
        ...prompt,
      };
    }
    const told: SDKMessage[] = [];
    const given = { host, model: model(), cellPrompts: true, ...options };
    for await (const one of query({ prompt: say(), options: given })) told.push(one);
    return results(told)[0];
  };
  const image = {
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
  } as const;

  it.each<[string, Partial<SDKUserMessage>, Partial<QueryOptions>]>([
    ['a prompt of a session without the option', {}, { cellPrompts: false }],
    ['a prompt of a session whose prompts are verbatim', {}, { verbatimPrompts: true }],
    ['a text that the person has not typed', { client_composed: true }, {}],
    ['an exclamation mark', { message: { role: 'user', content: ' ! ' } }, {}],
    [
      'a text with an image',
      { message: { role: 'user', content: [{ type: 'text', text: '!1' }, image] } },
      {},
    ],
  ])('%s', async (_, prompt, options) => {
    expect(await ask(prompt, options)).toMatchObject({ result: 'A text.' });
  });
});

describe('a session with cells of a person', () => {
  const code = `!fs.appendFileSync('log.txt', 'ran '); 'done'`;
  const options = {
    prompts: [code],
    model: listModel('never asked', []),
    cellPrompts: true,
    permissionMode: 'bypassPermissions',
    loadWasm: loadQuickjsWasm,
  } as const;

  it('runs each at most once and asks no model, after whichever entry it was killed', async () => {
    const whole = await playSession(createDisk(), options);
    expect(await whole.files()).toEqual({ '/workspace/log.txt': 'ran ' });
    for (const freezeAfter of whole.boundaries) {
      const disk = createDisk();
      await playSession(disk, { ...options, freezeAfter });
      const after = await playSession(disk, options);
      const ends = after.entries.flatMap((entry) => (entry.type === 'result' ? entry : []));
      expect(ends, `killed after ${freezeAfter}`).toMatchObject([
        { message: { subtype: 'success', num_turns: 0 } },
      ]);
      const result = ends[0]?.message['result'];
      const log = (await after.files())['/workspace/log.txt'];
      // One that was cut says so, and its files are as they were before.
      expect([result, log]).toEqual(
        String(result).includes("=> 'done'")
          ? [expect.anything(), 'ran ']
          : [expect.stringContaining('interrupted'), undefined],
      );
    }
  });

  it('is replayed without a difference', async () => {
    const { entries } = await playSession(createDisk(), options);
    const host = await openReplayHost();
    expect(await replay(await toFile(entries), { host })).toMatchObject({ requests: 1 });
    expect(await replay(await toFile(entries), { host })).not.toHaveProperty('difference');
  });

  it('is imported without one that is still to run', async () => {
    const whole = await playSession(createDisk(), options);
    const entries = whole.entries.slice(
      0,
      whole.entries.findIndex(({ type }) => type === 'request'),
    );
    expect(entries).toContainEqual(expect.objectContaining({ cell: code.slice(1) }));
    const host = await openHost();
    const { sessionId } = await importSession(await toFile(entries), { host });
    const model = listModel('m', [says('A text.'), says('A text.')]);
    const resumed = { model, cellPrompts: true, resume: sessionId } as const;
    expect(calls((await talk(host, ['Go on.'], resumed)).told)).toEqual([]);
    expect(await host.workspace.fs.readdir(host.cwd)).toEqual([]);
  });
});
