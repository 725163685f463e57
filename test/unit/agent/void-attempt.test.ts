// A server that begins its reply anew, after calls of the first attempt have run. What they did
// stays, and everybody who could be misled by that is told.
import { expect, it } from 'vitest';
import * as z from 'zod';
import { query } from '../../../src/agent/query.ts';
import { createDeferred } from '../../../src/core/async/deferred.ts';
import type { ContentBlock, ToolUseBlock } from '../../../src/core/messages/blocks.ts';
import { buildTool } from '../../../src/core/tool/build-tool.ts';
import type { ToolDef } from '../../../src/core/tool/build-tool.ts';
import type { MessageParam, ModelEvent } from '../../../src/core/messages/messages.ts';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import type { Trace } from '../../../src/trace/trace.ts';
import type { Model } from '../../../src/model/model.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { createTranscriptStore } from '../../../src/react/transcript-store.ts';
import { assistantMessage } from '../../support/models/model-streams.ts';
import { openHost, toReminders, withoutEnvironment } from '../../support/turns/run-hooked.ts';

const toolUse = (id: string, name: string, input: Record<string, unknown>): ToolUseBlock => ({
  type: 'tool_use',
  id,
  name,
  input,
});

const say = (text: string): ContentBlock => ({ type: 'text', text });

interface Plot {
  /** When the server begins anew: the first call has ended, or this. */
  readonly isDone?: Promise<void>;
  readonly tools?: readonly Tool[];
}

function hasEnded(trace: Trace, callId: string | undefined): Promise<void> {
  return new Promise((resolve) => {
    trace.follow((event) => {
      if (event.type === 'call-end' && event.callId === callId) resolve();
    });
  });
}

/** The first attempt makes these calls and is void; the second says "Anew." and reads. */
async function play(first: readonly ToolUseBlock[], { isDone, tools = [] }: Plot = {}) {
  await using host = await openHost();
  const requests: MessageParam[][] = [];
  const attempt = [...toEvents(assistantMessage([say('First.'), ...first]))];
  // Without its end.
  const open = attempt.filter(({ type }) => type !== 'message_delta' && type !== 'message_stop');
  async function* begunAnew(): AsyncGenerator<ModelEvent, void> {
    yield* open;
    await (isDone ?? hasEnded(running.trace, first[0]?.id));
    const again = [say('Anew.'), toolUse('toolu_second', 'Read', { file_path: 'a.txt' })];
    yield* toEvents(assistantMessage(again, { stop_reason: 'tool_use' }));
  }
  async function* last(): AsyncGenerator<ModelEvent, void> {
    yield* toEvents(assistantMessage([say('Done.')]));
  }
  const model: Model = {
    name: 'anew',
    apiKeySource: 'none',
    stream: (request) => {
      requests.push(structuredClone([...withoutEnvironment(request.messages)]));
      return requests.length === 1 ? begunAnew() : last();
    },
  };
  const messages: SDKMessage[] = [];
  const store = createTranscriptStore();
  const options = {
    host,
    model,
    tools: [...(await host.loadTools()), ...tools],
    toolSearch: false,
    includePartialMessages: true,
    permissionMode: 'acceptEdits',
  } as const;
  const running = query({ prompt: 'Go.', options });
  for await (const message of running) {
    messages.push(message);
    store.apply(message);
  }
  return { messages, requests, store };
}

const write = (id: string, file_path: string) =>
  toolUse(id, 'Write', { file_path, content: 'one' });

it('tells the model and the viewer of a Write that had committed', async () => {
  const { messages, requests, store } = await play([write('toolu_first', 'new.txt')]);
  const told = toReminders(requests);
  expect(told).toHaveLength(1);
  expect(told[0]).toContain('- Write (wrote /workspace/new.txt). Its result: ');
  expect(told[0]).toContain("Don't do it again");
  // Before the new attempt, as it happened: what was sent is the beginning of what is sent.
  const [first = [], second = []] = requests;
  expect(second.slice(0, first.length)).toEqual(first);
  expect(second.map(({ role }) => role)).toEqual(['user', 'user', 'assistant', 'user']);
  // No call of the void attempt is in the conversation.
  expect(JSON.stringify(second)).not.toContain('toolu_first');

  const shown = messages.filter(({ type }) => type !== 'stream_event');
  const cut = shown.findIndex((message) => message.type === 'assistant' && message.aborted);
  expect(shown[cut]).toMatchObject({ message: { content: [{ id: 'toolu_first' }] } });
  expect(shown[cut + 1]).toMatchObject({
    type: 'user',
    message: { content: [{ type: 'tool_result', tool_use_id: 'toolu_first' }] },
  });
  expect(shown[cut + 2]).toMatchObject({
    subtype: 'informational',
    level: 'warning',
    content: expect.stringContaining('Write (wrote /workspace/new.txt)'),
  });
  const entries = store.getSnapshot().turns.flatMap((turn) => turn.entries);
  expect(
    entries.map((entry) => (entry.kind === 'call' ? [entry.toolName, entry.state] : entry.text)),
  ).toEqual([
    ['Write', 'output-available'],
    expect.stringContaining('begun anew'),
    'Anew.',
    ['Read', 'output-available'],
    'Done.',
  ]);
});

it('says nothing where the void attempt had only read', async () => {
  const { messages, requests } = await play([
    toolUse('toolu_first', 'Read', { file_path: 'a.txt' }),
  ]);
  expect(toReminders(requests)).toEqual([]);
  expect(messages.filter(({ type }) => type === 'assistant')).toHaveLength(2);
  expect(JSON.stringify(requests)).not.toContain('toolu_first');
});

it('tells of a host’s tool that was cut while it ran', async () => {
  const { promise: hasBegun, resolve: begun } = createDeferred();
  const deploy = buildTool({
    name: 'Deploy',
    inputSchema: z.strictObject({}),
    description: async () => 'Deploys.',
    prompt: async () => '',
    checkPermissions: async () => ({ behavior: 'allow' }),
    call: (_input, { abortController }) => {
      begun();
      return new Promise((_resolve, reject) => {
        abortController.signal.addEventListener('abort', () => reject(new Error('Stopped.')));
      });
    },
    mapToolResultToToolResultBlockParam: (_, tool_use_id) => ({ type: 'tool_result', tool_use_id }),
  } satisfies ToolDef) as unknown as Tool;
  const { requests } = await play([toolUse('toolu_first', 'Deploy', {})], {
    isDone: hasBegun,
    tools: [deploy],
  });
  expect(toReminders(requests)[0]).toContain(
    '- Deploy (it was cut while it ran, and may have acted).',
  );
});
