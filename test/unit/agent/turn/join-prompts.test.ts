// What `priority` of a prompt does while a turn runs. Each prompt is sent by a call, so it comes
// between two requests of one turn.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { AgentSession } from '../../../../src/agent/agent-session.ts';
import type { Host } from '../../../../src/agent/host.ts';
import { openSession } from '../../../../src/agent/open-session.ts';
import { listSessions } from '../../../../src/agent/stored-sessions/session-info.ts';
import { query } from '../../../../src/agent/query.ts';
import type { QueryOptions } from '../../../../src/agent/query-options.ts';
import { getSessionMessages } from '../../../../src/agent/stored-sessions/session-messages.ts';
import { createDeferred } from '../../../../src/core/async/deferred.ts';
import type { MessageParam } from '../../../../src/core/messages/messages.ts';
import type { PromptPriority, SDKUserMessage } from '../../../../src/core/messages/sdk-message.ts';
import type { ContentBlock } from '../../../../src/core/messages/blocks.ts';
import { buildTool } from '../../../../src/core/tool/build-tool.ts';
import type { Tool } from '../../../../src/core/tool/tool.ts';
import type { Model } from '../../../../src/model/model.ts';
import type { ScriptTurn } from '../../../../src/model/script.ts';
import { toEvents } from '../../../../src/model/to-events.ts';
import { listBreaches } from '../../../support/models/api-rules.ts';
import { createAgentsModel } from '../../../support/models/agents-model.ts';
import { assistantMessage } from '../../../support/models/model-streams.ts';
import {
  isResult,
  openHost as openKeptHost,
  readUntil,
  texts,
} from '../../../support/sessions/open-sessions.ts';
import { createRecordedMedium } from '../../../support/storage/recorded-medium.ts';
import type { RecordedMedium } from '../../../support/storage/recorded-medium.ts';
import { callTool, openHost, readAll, say } from '../../../support/turns/run-hooked.ts';

let host: Host;
beforeEach(async () => void (host = await openHost()));
afterEach(() => host[Symbol.asyncDispose]());

const toPrompt = (text: string, priority?: PromptPriority): SDKUserMessage => ({
  type: 'user',
  uuid: `uuid-${text}`,
  message: { role: 'user', content: text },
  parent_tool_use_id: null,
  ...(priority && { priority }),
});

/** Runs `act` as its call. */
const createPoke = (act: (signal: AbortSignal) => Promise<unknown>, isCutByPrompt = false) =>
  buildTool({
    name: 'Poke',
    inputSchema: z.strictObject({}),
    description: () => Promise.resolve('Pokes.'),
    prompt: () => Promise.resolve(''),
    ...(isCutByPrompt && { interruptBehavior: () => 'cancel' as const }),
    checkPermissions: () => Promise.resolve({ behavior: 'allow' as const }),
    mapToolResultToToolResultBlockParam: (output, toolUseID) => ({
      type: 'tool_result' as const,
      tool_use_id: toolUseID,
      content: String(output),
    }),
    call: async (_input, { abortController }) => {
      await act(abortController.signal);
      return { data: 'poked' };
    },
  }) as Tool;

/** What the model was told by people and by calls, without reminders. */
const told = (messages: readonly MessageParam[]) =>
  texts(messages.map((message) => ({ type: message.role, message }) as never)).filter(
    (text) => !text.includes('<system-reminder>'),
  );

/** A session whose script's calls of Poke run `act`, one after the other. */
async function talk(
  turns: readonly ScriptTurn[],
  acts: readonly ((session: AgentSession, signal: AbortSignal) => Promise<unknown>)[],
  options: Partial<QueryOptions> & { readonly isCutByPrompt?: boolean } = {},
) {
  const { isCutByPrompt = false, ...others } = options;
  const model = createAgentsModel({ main: turns });
  const left = [...acts];
  const poke = createPoke(async (signal) => left.shift()?.(session, signal), isCutByPrompt);
  const session: AgentSession = await openSession({
    ...{ host, model, sessionId: 'joined', toolSearch: false, ...others },
    tools: [...(await host.loadTools()), poke],
  });
  const requests = () => model.requests.map(({ request }) => request.messages);
  return { session, model, requests };
}

const poke = callTool('Poke', {});
const results = (count: number) => {
  let seen = 0;
  return (message: { readonly type: string }) => message.type === 'result' && ++seen === count;
};

describe('a prompt of priority next', () => {
  it('joins the turn that runs, behind the results of its calls', async () => {
    const { session, requests } = await talk(
      [poke, say('With tests.')],
      [(own) => own.send(toPrompt('And tests.', 'next'))],
    );
    await session.send('Write it.');
    const messages = await readUntil(session, isResult);
    expect(told(requests()[1] ?? [])).toEqual([
      'user: Write it.',
      'assistant: tool_use',
      'user: tool_result',
      'user: And tests.',
    ]);
    expect(listBreaches(requests()[1] ?? [])).toEqual([]);
    expect(JSON.stringify(requests()[1])).toContain('has sent the next message while you work');
    expect(messages.filter(({ type }) => type === 'user')).toMatchObject([
      { uuid: expect.any(String) },
      {},
      { uuid: 'uuid-And tests.', joins_turn: true },
    ]);
    expect(session.state()).toBe('idle');
    await session.close();
    const stored = await getSessionMessages('joined', { host });
    expect(texts(stored)).toEqual(texts(messages));
  });

  it('is in the conversation once when the session is opened again, and can be rewound with its turn', async () => {
    const { session } = await talk(
      [poke, say('Done.')],
      [(own) => own.send(toPrompt('And tests.', 'next'))],
    );
    const { uuid } = await session.send('Write it.');
    await readUntil(session, isResult);
    await session.close();
    const again = createAgentsModel({ main: [say('Yes.')] });
    await using opened = await openSession({ host, model: again, resume: 'joined' });
    await opened.send(toPrompt('And tests.', 'next'));
    await opened.send('Is it done?');
    await readUntil(opened, results(2));
    expect(told(again.requests[0]?.request.messages ?? []).slice(3)).toEqual([
      'user: And tests.',
      'assistant: Done.',
      'user: Is it done?',
    ]);
    await expect(opened.rewind('uuid-And tests.')).rejects.toMatchObject({
      code: 'bad-usage',
      data: { turn: uuid },
    });
    await opened.rewind(uuid);
    const gone = opened.rewind('uuid-And tests.');
    await expect(gone).rejects.toThrow('was taken back by a rewind: undo brings it back');
    await opened.send('Anew.');
    await readUntil(opened, results(3)).catch(() => undefined);
    expect(told(again.requests[1]?.request.messages ?? [])).toEqual(['user: Anew.']);
  });

  it('gets a turn of its own where none runs, before prompts that wait', async () => {
    const { session, requests } = await talk([say('One.'), say('Two.')], []);
    // Both are recorded before a turn has begun.
    await Promise.all([session.send('Second.'), session.send(toPrompt('First.', 'next'))]);
    await readUntil(session, results(2));
    expect(told(requests()[1] ?? [])).toEqual(['user: First.', 'assistant: One.', 'user: Second.']);
    await session.close();
  });

  it('waits for a turn of its own if it is a command', async () => {
    const { session, requests } = await talk(
      [poke, say('Done.')],
      [(own) => own.send(toPrompt('/nothing-like-this', 'next'))],
    );
    await session.send('Write it.');
    await readUntil(session, results(2));
    expect(JSON.stringify(requests()[1])).not.toContain('nothing-like-this');
    await session.close();
  });

  it('is left out if a hook refuses it, and the turn goes on', async () => {
    const { session, requests } = await talk(
      [poke, say('Done.')],
      [(own) => own.send(toPrompt('The secret.', 'next'))],
      {
        hooks: {
          UserPromptSubmit: [
            {
              hooks: [
                async (input) =>
                  'prompt' in input && String(input.prompt).includes('secret')
                    ? { decision: 'block', reason: 'No secrets.' }
                    : {
                        hookSpecificOutput: {
                          hookEventName: 'UserPromptSubmit',
                          additionalContext: 'Mind.',
                        },
                      },
              ],
            },
          ],
        },
      },
    );
    await session.send('Write it.');
    const messages = await readUntil(session, isResult);
    expect(JSON.stringify(requests()[1])).not.toContain('secret');
    expect(messages).toContainEqual(
      expect.objectContaining({
        subtype: 'informational',
        content: expect.stringContaining('No secrets.'),
      }),
    );
    expect(messages.at(-1)).toMatchObject({ result: 'Done.' });
    await session.close();
  });

  it('cuts a call that a prompt cuts, and the turn goes on with it', async () => {
    const { session, requests } = await talk(
      [poke, say('Done.')],
      [
        async (own, signal) => {
          void own.send(toPrompt('Stop waiting.', 'next'));
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
          throw signal.reason;
        },
      ],
      { isCutByPrompt: true },
    );
    await session.send('Wait.');
    const messages = await readUntil(session, isResult);
    expect(messages.at(-1)).toMatchObject({ result: 'Done.' });
    expect(told(requests()[1] ?? []).at(-1)).toBe('user: Stop waiting.');
    await session.close();
  });

  it('joins also from the iterable of a query, whose other prompts wait', async () => {
    const called = createDeferred();
    const read = createDeferred();
    async function* prompts() {
      yield toPrompt('Write it.');
      await called.promise;
      yield toPrompt('Later.');
      yield toPrompt('And tests.', 'next');
      read.resolve();
    }
    const tool = createPoke(() => {
      called.resolve();
      return read.promise;
    });
    const model = createAgentsModel({ main: [poke, say('One.'), say('Two.')] });
    const tools = [...(await host.loadTools()), tool];
    const options = { host, model, tools, toolSearch: false };
    const messages = await readAll(query({ prompt: prompts(), options }));
    expect(messages.filter(isResult)).toMatchObject([{ result: 'One.' }, { result: 'Two.' }]);
    expect(told(model.requests[1]?.request.messages ?? []).at(-1)).toBe('user: And tests.');
    expect(told(model.requests[2]?.request.messages ?? []).at(-1)).toBe('user: Later.');
  });
});

describe('a prompt of priority now', () => {
  it('stops the turn that runs, and is answered before those that wait', async () => {
    const { session, requests } = await talk(
      [poke, say('At once.'), say('At last.')],
      [
        async (own, signal) => {
          await own.send('Later.');
          void own.send(toPrompt('Stop that.', 'now'));
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
          throw signal.reason;
        },
      ],
    );
    await session.send('Write it.');
    const messages = await readUntil(session, results(3));
    expect(messages.filter(isResult)).toMatchObject([
      { subtype: 'error_during_execution' },
      { result: 'At once.' },
      { result: 'At last.' },
    ]);
    expect(told(requests()[1] ?? []).at(-1)).toBe('user: Stop that.');
    await session.close();
  });

  it('stops a turn whose hooks have not answered yet', async () => {
    const asked = createDeferred();
    const { session, requests } = await talk([say('At once.')], [], {
      hooks: {
        UserPromptSubmit: [
          {
            hooks: [
              async (input, _id, { signal }) => {
                if (!('prompt' in input) || input.prompt !== 'Write it.') return {};
                asked.resolve();
                return new Promise((_, reject) => {
                  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
                });
              },
            ],
          },
        ],
      },
    });
    await session.send('Write it.');
    await asked.promise;
    await session.send(toPrompt('Stop that.', 'now'));
    const messages = await readUntil(session, results(2));
    expect(messages.filter(isResult)).toMatchObject([
      { subtype: 'error_during_execution' },
      { result: 'At once.' },
    ]);
    expect(requests()).toHaveLength(1);
    await session.close();
  });
});

it('another priority is refused', async () => {
  const { session } = await talk([], []);
  await expect(session.send(toPrompt('Hello.', 'soon' as never))).rejects.toMatchObject({
    code: 'bad-usage',
    message: "priority of a prompt is 'now', 'next' or 'later'. Leave it out for 'later'.",
  });
  await session.close();
});

it('each prompt is in the conversation once, whenever the page is killed', async () => {
  const disk = createRecordedMedium();
  await playToEnd(disk);
  const ends: string[][] = [];
  for (let writes = 0; writes < disk.count(); writes += 1) {
    ends.push((await playToEnd(await disk.after(writes))).sort());
  }
  expect(ends.length).toBeGreaterThan(10);
  expect(new Set(ends.map(String))).toEqual(new Set(['And tests.,Last.,Write it.']));
});

/** Calls Poke once in a conversation. */
const pokingModel: Model = {
  name: 'poking',
  apiKeySource: 'none',
  async *stream({ messages }) {
    const hasCalled = JSON.stringify(messages).includes('"tool_use"');
    const blocks = (hasCalled ? say('Done.') : poke).blocks as ContentBlock[];
    yield* toEvents(assistantMessage(blocks, { stop_reason: hasCalled ? 'end_turn' : 'tool_use' }));
  },
};

/**
 * The prompts of the conversation after three were sent, of which one joins. A prompt that the
 * medium has already isn't recorded twice: it is known by its uuid.
 */
async function playToEnd({ medium }: RecordedMedium): Promise<string[]> {
  const host = await openKeptHost(medium);
  const isThere = (await listSessions({ host })).some(({ sessionId }) => sessionId === 'joined');
  const tool = createPoke(() => session.send(toPrompt('And tests.', 'next')));
  const tools = [...(await host.loadTools()), tool];
  const session: AgentSession = await openSession({
    ...{ host, model: pokingModel, tools, toolSearch: false },
    ...(isThere ? { resume: 'joined' } : { sessionId: 'joined' }),
  });
  await session.send(toPrompt('Write it.'));
  // Its call may have been cut before.
  if (isThere) await session.send(toPrompt('And tests.', 'next'));
  await session.send(toPrompt('Last.'));
  let isLast = false;
  await readUntil(session, (message) => {
    isLast ||= message.type === 'user' && message.uuid === 'uuid-Last.';
    return isLast && message.type === 'result';
  });
  await session.close();
  const stored = await getSessionMessages('joined', { host });
  await host[Symbol.asyncDispose]();
  return texts(stored).flatMap(
    (text) => /^user: (?!tool_result)(?<said>.*)/u.exec(text)?.[1] ?? [],
  );
}
