// Parts of a conversation whose objects are gone from the bucket: the session opens, and says what is missing.
import { env } from 'cloudflare:workers';
import { runInDurableObject } from 'cloudflare:test';
import wasm from 'quickjs-wasi/quickjs.wasm';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { buildTool } from '../../src/core/tool/build-tool.ts';
import { createSessionObject } from '../../src/edge.ts';
import type { ObjectSessionOptions, SessionObject } from '../../src/edge.ts';
import { toResultText, type ToolResultBlock } from '../../src/core/messages/blocks.ts';
import type { ModelRequest } from '../../src/model/model.ts';
import type { SessionWire } from '../../src/hosts/edge/object/session-wire.ts';
import type { ServedFiles } from '../../src/wire/feed-client.ts';
import type { SDKMessage, SDKUserMessage } from '../../src/core/messages/sdk-message.ts';
import { ringByHand } from '../support/edge/hand-rung.ts';
import { makePng } from '../support/files/make-png.ts';
import { readUntil, texts } from '../support/sessions/open-sessions.ts';
import { asks, listModel, says, type ListModel, type Reply } from '../support/turns/play-turns.ts';
import { watchBucket } from '../support/edge/watched-bucket.ts';

const user = { kind: 'user' } as const;

it('a picture whose object is gone is named in its place, and is back with the object', async () => {
  await runInDurableObject(env.STORE.getByName('a gone picture'), async (_instance, state) => {
    const { ctx, at } = ringByHand(state as unknown as DurableObjectState);
    const bucket = watchBucket(env.CONTENTS);
    const model = listModel('claude-test', [
      says('One.'),
      asks({ type: 'tool_use', id: 'look', name: 'Read', input: { file_path: 'seen.png' } }),
      says('Two.'),
      says('Three.'),
      says('Four.'),
    ]);
    let files: () => Promise<ServedFiles> = () => Promise.reject(new Error('No files yet.'));
    const object = createSessionObject(ctx, {
      wasm,
      model,
      contents: { bucket, cacheBytes: 0 },
      wire(_session, served) {
        files = served;
        return silentWire;
      },
    });
    const session = await object.session();
    const turn = async (prompt: string | SDKUserMessage) => {
      await session.send(prompt);
      while ((at() ?? Infinity) <= Date.now()) await object.alarm();
    };
    const sent = await makePng(700, 700, 'noise');
    const seen = await makePng(640, 800, 'noise');
    await turn(toPrompt(sent));
    const served = await files();
    const written = { mode: 0o644, mtimeMs: 0, baseVersion: 0 };
    const change = {
      type: 'write',
      path: '/workspace/seen.png',
      content: seen,
      ...written,
    } as const;
    await served.commit({ baseSeq: served.state.seq, changes: [change] }, { author: user });
    await turn('Look at it.');
    await object.release();
    const prefix = `rockpool/contents/${state.id}/`;
    const { objects } = await env.CONTENTS.list({ prefix });
    const copies = await Promise.all(
      objects.map(async ({ key }) => [key, await (await env.CONTENTS.get(key))?.bytes()] as const),
    );
    bucket.mood = 'down';
    await expect(object.session()).rejects.toThrow('failed to give a large file');
    bucket.mood = 'well';
    await env.CONTENTS.delete(objects.map(({ key }) => key));

    await turn('Go on.');
    const isDone = (message: SDKMessage) => texts([message])[0] === 'assistant: Three.';
    const told = await readUntil(session, isDone);
    const gone: unknown = expect.stringMatching(
      /An image is missing here\. EIO: these bytes are gone: /,
    );
    expect(texts(told)).toEqual([
      gone,
      'assistant: One.',
      'user: Look at it.',
      'assistant: tool_use',
      'user: tool_result',
      'assistant: Two.',
      'user: Go on.',
      'assistant: Three.',
    ]);
    const text = { type: 'text', text: gone };
    const result = { type: 'tool_result', tool_use_id: 'look', content: [text] };
    const { messages = [] } = model.requests.at(-1) ?? {};
    expect(messages).toContainEqual({ role: 'user', content: [text] });
    expect(messages).toContainEqual({ role: 'user', content: [result] });
    expect(told.some((message) => 'tool_use_result' in message)).toBe(false);
    await object.release();

    for (const [key, bytes] of copies) await env.CONTENTS.put(key, bytes ?? '');
    await turn('And now?');
    expect(model.requests.at(-1)?.messages).toContainEqual(toPrompt(sent).message);
    await object.release();
  });
}, 60_000);

it('variables whose objects are gone are named by the next cell, and new ones are kept', async () => {
  await runInDurableObject(env.STORE.getByName('gone variables'), async (_instance, state) => {
    const cell = (id: string, code: string) =>
      asks({ type: 'tool_use', id, name: 'Repl', input: { code } });
    const { object, model, turn, forget } = inBucket(state as unknown as DurableObjectState, {
      replies: [
        // Noise, so that it is large when it is compressed, too.
        cell(
          'one',
          `let x = 1; const noise = Uint32Array.from({ length: 60_000 }, () => (x = x * 48271 % 2147483647)); 1`,
        ),
        says('One.'),
        cell('two', 'typeof noise'),
        cell('three', 'const after = 3; after'),
        says('Two.'),
        cell('four', 'after + 1'),
        says('Three.'),
      ],
    });
    await turn('Keep some noise.');
    await object.release();
    await forget();
    await turn('Is it there?');
    const told = toToolResults(model.requests);
    expect(told.get('two')).toMatch(
      /The variables of this session are gone\. EIO: these bytes are gone: .* Files are not affected\.\n<\/stderr>\n=> 'undefined'$/su,
    );
    expect(told.get('three')).toBe('=> 3');
    await object.release();
    await turn('And now?');
    expect(toToolResults(model.requests).get('four')).toBe('=> 4');
    await object.release();
  });
}, 60_000);

it('a call whose input is gone does not run, and its turn goes on', async () => {
  await runInDurableObject(env.STORE.getByName('a gone input'), async (_instance, state) => {
    const input = { file_path: 'long.txt', content: 'long '.repeat(20_000) };
    const { object, model, turn, forget, ring, at } = inBucket(
      state as unknown as DurableObjectState,
      {
        replies: [asks({ type: 'tool_use', id: 'write', name: 'Write', input }), says('Two.')],
        options: { permissionMode: 'default' },
      },
    );
    const session = await object.session();
    await turn('Write a long file.');
    const [question] = session.questions();
    expect(question?.toolName).toBe('Write');
    await object.release();
    await forget();
    const answering = session.answer(question?.requestId ?? '', { behavior: 'allow' });
    const refused = expect(answering).rejects.toThrow('answered, or withdrawn');
    await expect.poll(at).not.toBeNull();
    await ring();
    await refused;
    expect(toToolResults(model.requests).get('write')).toMatch(
      /It was not run, because a part of its input is gone\. EIO: these bytes are gone: .*Call Write again\./su,
    );
    const told = await readUntil(session, (message) => message.type === 'result');
    expect(texts(told)).toEqual([
      'user: Write a long file.',
      'assistant: tool_use',
      'user: tool_result',
      'assistant: Two.',
    ]);
    await object.release();
  });
}, 60_000);

it('a long list of a result is left out when its object is gone, and its call stays', async () => {
  await runInDurableObject(env.STORE.getByName('a gone list'), async (_instance, state) => {
    const { object, model, turn, forget } = inBucket(state as unknown as DurableObjectState, {
      replies: [
        asks({ type: 'tool_use', id: 'list', name: 'List', input: { rows: [...toRows(9_000)] } }),
        says('One.'),
        says('Two.'),
      ],
      options: { tools: [{ type: 'preset', preset: 'default' }, listTool] },
    });
    await turn('List them.');
    await object.release();
    await forget();
    await turn('And now?');
    expect(toToolResults(model.requests).get('list')).toBe('9000 rows');
    const gone: unknown = expect.stringMatching(/^\[A text is missing here\. EIO: these bytes/);
    expect(model.requests.at(-1)?.messages).toContainEqual({
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'list', name: 'List', input: { rows: gone } }],
    });
    const session = await object.session();
    const told = await readUntil(session, (message) => texts([message])[0] === 'assistant: Two.');
    expect(texts(told)).toEqual([
      'user: List them.',
      'assistant: tool_use',
      'user: tool_result',
      'assistant: One.',
      'user: And now?',
      'assistant: Two.',
    ]);
    await object.release();
  });
}, 60_000);

it('names of variables that are gone are not in a summary', async () => {
  await runInDurableObject(env.STORE.getByName('gone names'), async (_instance, state) => {
    const code = `let x = 1; const noise = Uint32Array.from({ length: 60_000 }, () => (x = x * 48271 % 2147483647)); 1`;
    const { object, model, turn, forget, at, ring } = inBucket(
      state as unknown as DurableObjectState,
      {
        replies: [
          asks({ type: 'tool_use', id: 'one', name: 'Repl', input: { code } }),
          says('One.'),
          says('long '.repeat(12_000)),
          says('more '.repeat(12_000)),
          says('<summary>It was long.</summary>'),
          says('Two.'),
        ],
      },
    );
    await turn('Keep some noise.');
    await turn('Say much.');
    await turn('Say more.');
    await object.release();
    await forget();
    const compacting = (await object.session()).compact();
    await expect.poll(at).not.toBeNull();
    await ring();
    await compacting;
    await turn('And now?');
    const sent = JSON.stringify(model.requests.at(-1)?.messages);
    expect(sent).toContain('It was long.');
    expect(sent).not.toContain('Names that code in Repl still has');
    await object.release();
  });
}, 60_000);

it('a state that is gone counts as never set, and the session says so', async () => {
  await runInDurableObject(env.STORE.getByName('a gone state'), async (_instance, state) => {
    const note = (id: string, text: string) =>
      asks({ type: 'tool_use', id, name: 'Note', input: { text } });
    const { object, model, turn, forget } = inBucket(state as unknown as DurableObjectState, {
      replies: [
        note('one', 'short'),
        note('two', 'long '.repeat(20_000)),
        says('One.'),
        note('three', 'new'),
        says('Two.'),
      ],
      options: { tools: [{ type: 'preset', preset: 'default' }, noteTool] },
    });
    await turn('Note it.');
    await object.release();
    await forget();
    const warnings = async () => {
      const [init] = await readUntil(await object.session(), ({ n }) => n !== undefined);
      return init?.type === 'system' && init.subtype === 'init' ? init.warnings : [];
    };
    expect(await warnings()).toEqual([
      expect.stringMatching(
        /^What this session keeps as "note" is gone, and counts as never set\. EIO: these bytes/,
      ),
    ]);
    await turn('Note it again.');
    expect(toToolResults(model.requests).get('three')).toBe('Before: nothing');
    expect(await warnings()).toEqual([]);
    await object.release();
  });
}, 60_000);

const noteTool = buildTool({
  name: 'Note',
  searchHint: 'keeps a note',
  inputSchema: z.object({ text: z.string() }),
  description: async () => 'Keeps a note.',
  prompt: async () => 'Keeps a note.',
  async call({ text }, { states }) {
    const before = states.get('note');
    await states.set('note', text);
    return { data: { before: typeof before === 'string' ? before.slice(0, 9) : 'nothing' } };
  },
  mapToolResultToToolResultBlockParam: ({ before }, id) => ({
    type: 'tool_result',
    tool_use_id: id,
    content: `Before: ${before}`,
  }),
});

const toRows = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ at, name: `row ${at}` }));

const listTool = buildTool({
  name: 'List',
  searchHint: 'lists what it was given',
  inputSchema: z.object({ rows: z.array(z.object({ at: z.number(), name: z.string() })) }),
  description: async () => 'Lists rows.',
  prompt: async () => 'Lists rows.',
  isReadOnly: () => true,
  call: async ({ rows }) => ({ data: { rows } }),
  mapToolResultToToolResultBlockParam: ({ rows }, id) => ({
    type: 'tool_result',
    tool_use_id: id,
    content: `${rows.length} rows`,
  }),
});

const silentWire: SessionWire = {
  fetch: async () => undefined,
  webSocketMessage: async () => false,
  webSocketClose: async () => false,
  webSocketError: async () => false,
};

/** So large that its text is a content of its own in the bucket. */
function toPrompt(png: Uint8Array): SDKUserMessage {
  const data = Buffer.from(png).toString('base64');
  const source = { type: 'base64', media_type: 'image/png', data } as const;
  const message = { role: 'user', content: [{ type: 'image', source }] } as const;
  return { type: 'user', message, parent_tool_use_id: null };
}

interface InBucket {
  readonly object: SessionObject;
  readonly model: ListModel;
  turn(prompt: string): Promise<void>;
  at(): number | null;
  /** Until nothing is due. */
  ring(): Promise<void>;
  /** The bucket loses all that it has of the session. */
  forget(): Promise<void>;
}

/** A session all of whose long contents are in the bucket, and nowhere else. */
function inBucket(
  state: DurableObjectState,
  { replies, options = {} }: { replies: readonly Reply[]; options?: ObjectSessionOptions },
): InBucket {
  const { ctx, at } = ringByHand(state);
  const model = listModel('claude-test', replies);
  const object = createSessionObject(ctx, {
    wasm,
    model,
    contents: { bucket: watchBucket(env.CONTENTS), cacheBytes: 0, minBytes: 65_536 },
    options: { permissionMode: 'bypassPermissions', ...options },
  });
  const ring = async () => {
    while ((at() ?? Infinity) <= Date.now()) await object.alarm();
  };
  return {
    object,
    model,
    at,
    ring,
    async turn(prompt) {
      await (await object.session()).send(prompt);
      await ring();
    },
    async forget() {
      const { objects } = await env.CONTENTS.list({ prefix: `rockpool/contents/${state.id}/` });
      expect(objects).not.toEqual([]);
      await env.CONTENTS.delete(objects.map(({ key }) => key));
    },
  };
}

/** What the model was told of each call. */
function toToolResults(requests: readonly ModelRequest[]): ReadonlyMap<string, string> {
  const told = new Map<string, string>();
  for (const { content } of requests.flatMap(({ messages }) => messages)) {
    for (const block of typeof content === 'string' ? [] : content) {
      if (block.type === 'tool_result') told.set(String(block.tool_use_id), toText(block));
    }
  }
  return told;
}

const toText = (block: unknown) => toResultText(block as ToolResultBlock);
