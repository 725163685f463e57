import { describe, expect, it } from 'vitest';
import type { HookCallback } from '../../../../src/agent/hooks/hooks.ts';
import { query } from '../../../../src/agent/query.ts';
import {
  isCompactionPrompt,
  readSummaryMessage,
} from '../../../../src/core/messages/compaction-messages.ts';
import { SdkError } from '../../../../src/core/errors.ts';
import type { SDKMessage, SDKUserMessage } from '../../../../src/core/messages/sdk-message.ts';
import { createInlineHost } from '../../../../src/hosts/inline/create-inline-host.ts';
import type { Model, ModelRequest } from '../../../../src/model/model.ts';
import { toEvents } from '../../../../src/model/to-events.ts';
import { listBreaches } from '../../../support/models/api-rules.ts';
import { asks, listModel, playTurns, says } from '../../../support/turns/play-turns.ts';
import type { Reply } from '../../../support/turns/play-turns.ts';
import { createSimulatedCache } from '../../../support/models/simulated-cache.ts';

interface Windowed extends Model {
  readonly requests: readonly ModelRequest[];
  /** Of them, those that asked for a summary. */
  readonly compactions: readonly ModelRequest[];
}

const sizeOf = ({ system, tools, messages }: ModelRequest) =>
  Math.ceil(JSON.stringify({ system, tools, messages }).length / 4);

/**
 * Counts at four characters a token, and refuses what is longer than `limit`. Other requests get the next
 * reply, summaries the next of `summaries`, or the same one again.
 */
function windowed(
  replies: readonly Reply[],
  {
    summaries = [says('All is as it should be.')],
    limit = Infinity,
    ...rest
  }: Partial<Model> & { readonly summaries?: readonly Reply[]; readonly limit?: number } = {},
): Windowed {
  const requests: ModelRequest[] = [];
  const compactions: ModelRequest[] = [];
  const plain: ModelRequest[] = [];
  return {
    name: 'windowed',
    apiKeySource: 'none',
    maxTokens: 12_000,
    ...rest,
    requests,
    compactions,
    async *stream(given) {
      const request = { ...given, messages: structuredClone(given.messages) };
      requests.push(request);
      const isCompaction = isCompactionPrompt(request.messages.at(-1));
      const list = isCompaction ? summaries : replies;
      const mine = isCompaction ? compactions : plain;
      const reply = list[Math.min(mine.length, isCompaction ? list.length - 1 : Infinity)];
      mine.push(request);
      const input_tokens = sizeOf(request);
      if (input_tokens > limit) throw new SdkError('model-context-window', 'prompt is too long');
      if (reply instanceof Error) throw reply;
      if (!reply || !('role' in reply)) throw new Error(`There is no reply ${mine.length}.`);
      const usage = { input_tokens, output_tokens: JSON.stringify(reply.content).length >> 2 };
      yield* toEvents({ ...reply, usage, model: 'windowed' });
    },
  };
}

let made = 0;
const call = (chars: number) =>
  asks({ type: 'tool_use', id: `write-${(made += 1)}`, name: 'Write', input: toFile(chars) });
const toFile = (chars: number) => ({
  file_path: 'long.txt',
  content: `${'x'.repeat(chars)}${made}`,
});

/** Five calls of 10 000 tokens each, and an end. */
const long = () => [...Array.from({ length: 5 }, () => call(40_000)), says('Done.')];

const boundaries = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) =>
    message.type === 'system' && message.subtype === 'compact_boundary' ? [message] : [],
  );
const statuses = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) =>
    message.type === 'system' && message.subtype === 'status'
      ? [[message.status, message.compact_result, message.compact_error]]
      : [],
  );
const summaryOf = ({ messages }: ModelRequest) =>
  messages.flatMap((message) => readSummaryMessage(message) ?? [])[0];

describe('a compaction before a request', () => {
  it('comes when the next reply would not fit, and the turn goes on', async () => {
    const model = windowed(long(), { contextWindow: 56_000 });
    const { messages, results } = await playTurns({ model }, ['Write it five times.']);
    expect(results.map(({ subtype }) => subtype)).toEqual(['success']);
    expect(model.compactions).toHaveLength(1);
    const [boundary] = boundaries(messages);
    const { pre_tokens = 0, post_tokens = 0, trigger } = boundary?.compact_metadata ?? {};
    expect(trigger).toBe('auto');
    expect(pre_tokens).toBeGreaterThan(41_000);
    expect(post_tokens).toBeLessThan(pre_tokens * 0.6);
    expect(boundary?.n).toBeGreaterThan(0);
    expect(statuses(messages)).toEqual([
      ['compacting', undefined, undefined],
      [null, 'success', undefined],
    ]);
    for (const request of model.requests) expect(listBreaches(request.messages)).toEqual([]);
    const next = model.requests[model.requests.indexOf(model.compactions[0] as never) + 1];
    expect(summaryOf(next as ModelRequest)).toEqual({
      text: 'All is as it should be.',
      replies: expect.any(Number) as number,
    });
    expect(next?.messages).toContainEqual({ role: 'user', content: 'Write it five times.' });
    // What was reckoned is what is sent.
    expect(Math.abs(sizeOf(next as ModelRequest) - post_tokens)).toBeLessThan(post_tokens / 10);
  });

  it('does not come for a picture whose bytes would be too much as a text', async () => {
    const model = listModel('list', [says('Read.'), says('A cat.')]);
    const source = { type: 'base64', media_type: 'image/png', data: 'A'.repeat(1_000_000) };
    async function* prompts() {
      for (const content of ['word '.repeat(3_000), [{ type: 'image', source }]]) {
        const message = { role: 'user', content } as SDKUserMessage['message'];
        yield { type: 'user', message, parent_tool_use_id: null } as const;
      }
    }
    await using host = await createInlineHost();
    const options = { host, model: { ...model, contextWindow: 200_000 } };
    const messages: SDKMessage[] = [];
    for await (const one of query({ prompt: prompts(), options })) messages.push(one);
    expect(messages.at(-1)).toMatchObject({ type: 'result', result: 'A cat.' });
    expect(statuses(messages)).toEqual([]);
  });

  it('sends the conversation as it stands, and one message: the cache has it', async () => {
    const model = windowed(long(), { contextWindow: 56_000 });
    await playTurns({ model });
    const cache = createSimulatedCache();
    const [asked] = model.compactions as [ModelRequest];
    const at = model.requests.indexOf(asked);
    const before = model.requests[at - 1] as ModelRequest;
    const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
    expect(isSame(asked.messages.slice(0, before.messages.length), before.messages)).toBe(true);
    expect(isSame([asked.system, asked.tools], [before.system, before.tools])).toBe(true);
    const uses = model.requests.slice(0, at + 1).map((request) => cache.send(request));
    const [previous, last] = uses.slice(-2);
    expect(last?.read).toBe((previous?.read ?? 0) + (previous?.written ?? 0));
  });

  it('does not come where the window is unknown', async () => {
    const model = windowed(long());
    const { results } = await playTurns({ model });
    expect(results.map(({ subtype }) => subtype)).toEqual(['success']);
    expect(model.compactions).toEqual([]);
  });

  it.each([
    ['no text', says(' '), /wrote no summary/u],
    ['a refusal', says('No.', { stop_reason: 'refusal' }), /refused to write/u],
    ['a summary that is cut', says('All', { stop_reason: 'max_tokens' }), /was cut off/u],
    ['an error', new SdkError('model-server', 'It is down.'), /It is down/u],
  ])(
    'changes nothing where the model gives %s, and is not tried again in the turn',
    async (...given) => {
      const [, reply, why] = given;
      const model = windowed(long(), { contextWindow: 56_000, summaries: [reply] });
      const { messages, results } = await playTurns({ model });
      expect(results.map(({ subtype }) => subtype)).toEqual(['success']);
      expect(boundaries(messages)).toEqual([]);
      expect(model.compactions).toHaveLength(1);
      expect(statuses(messages)).toEqual([
        ['compacting', undefined, undefined],
        [null, 'failed', expect.stringMatching(why) as string],
      ]);
    },
  );

  it('takes the text of a reply that calls tools, and runs none of them', async () => {
    const summary = says('Summed up.');
    const summaries = [{ ...summary, content: [...summary.content, ...call(10).content] }];
    const model = windowed(long(), { contextWindow: 56_000, summaries });
    const { messages } = await playTurns({ model });
    expect(boundaries(messages)).toHaveLength(1);
    expect(summaryOf(model.requests.at(-1) as ModelRequest)?.text).toBe('Summed up.');
    const results = messages.filter(({ type }) => type === 'user');
    expect(results).toHaveLength(5);
  });

  it('is not repeated before the next prompt where it frees too little', async () => {
    const summaries = [says('y'.repeat(120_000))];
    const replies = [...Array.from({ length: 7 }, () => call(40_000)), says('Done.'), says('Bye.')];
    const model = windowed(replies, { contextWindow: 56_000, summaries });
    const { messages } = await playTurns({ model }, ['One.', 'Two.']);
    const counts = boundaries(messages).map(({ compact_metadata: counted }) => counted);
    const isFutile = counts.map(
      ({ pre_tokens, post_tokens = 0 }) => post_tokens > pre_tokens * 0.8,
    );
    // At most one of them in each turn, as the last.
    expect(isFutile[0]).toBe(true);
    expect(counts.length).toBeLessThanOrEqual(2);
  });

  it('counts once, with a purpose of its own', async () => {
    const model = windowed(long(), { contextWindow: 56_000 });
    const { results } = await playTurns({ model });
    const { modelUsage = {} } = results[0] ?? {};
    const sum = model.requests.reduce((tokens, request) => tokens + sizeOf(request), 0);
    expect(modelUsage['windowed']?.inputTokens).toBe(sum);
  });
});

describe('an agent', () => {
  it('works on through more than its window holds, and overflows at no time', async () => {
    const limit = 40_000;
    const writes = Array.from({ length: 20 }, () => call(12_000));
    const input = { description: 'Write', prompt: 'Write it.', run_in_background: false };
    const agent = asks({ type: 'tool_use', id: 'agent', name: 'Agent', input });
    const replies = [agent, ...writes, says('It is written.'), says('Done.')];
    const model = windowed(replies, { contextWindow: limit, maxTokens: 1_000, limit });
    const begun: unknown[] = [];
    const note: HookCallback = async (given) => {
      begun.push(given.hook_event_name === 'SessionStart' && given.source);
      return {};
    };
    const { results } = await playTurns({ model, hooks: { SessionStart: [{ hooks: [note] }] } });
    expect(results.map(({ subtype }) => subtype)).toEqual(['success']);
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('It is written.');
    // Its conversation is no session that begins anew.
    expect(begun).toEqual(['startup']);
    expect(model.compactions.length).toBeGreaterThan(1);
    expect(Math.max(...model.requests.map(sizeOf))).toBeLessThanOrEqual(limit);
  });
});

describe('an overflow', () => {
  it('is summed up once without what stays, and the turn goes on', async () => {
    const model = windowed(long(), { limit: 42_000 });
    const { messages, results } = await playTurns({ model });
    expect(results.map(({ subtype }) => subtype)).toEqual(['success']);
    expect(boundaries(messages)).toHaveLength(1);
    expect(sizeOf(model.compactions[0] as ModelRequest)).toBeLessThan(30_000);
    for (const request of model.requests) expect(listBreaches(request.messages)).toEqual([]);
  });

  it('in mid-reply leaves no half reply at the end, and ends the turn the second time', async () => {
    const full = says('Half', { stop_reason: 'model_context_window_exceeded' });
    const model = windowed([call(40_000), call(40_000), call(40_000), full, full]);
    const { messages, results } = await playTurns({ model });
    expect(model.requests).toHaveLength(6);
    expect(boundaries(messages)).toHaveLength(1);
    for (const request of model.requests) {
      expect(request.messages.at(-1)?.role).toBe('user');
      expect(listBreaches(request.messages)).toEqual([]);
    }
    expect(results).toMatchObject([{ error_code: 'model-context-window' }]);
  });

  it('ends the turn where nothing can be summed up', async () => {
    const model = windowed([call(400_000), says('Done.')], { limit: 42_000 });
    const { messages, results } = await playTurns({ model });
    expect(results.map(({ subtype }) => subtype)).toEqual(['error_during_execution']);
    expect(boundaries(messages)).toEqual([]);
  });
});

describe('the hooks of a compaction', () => {
  it('hear of it in the words of the SDK, and what they say is told', async () => {
    const heard: unknown[] = [];
    const hear = async (input: object) => {
      const { hook_event_name, trigger, custom_instructions, compact_summary, source } =
        input as Record<string, unknown>;
      heard.push([hook_event_name, trigger ?? source, custom_instructions ?? compact_summary]);
      if (hook_event_name !== 'SessionStart' || source !== 'compact') return {};
      const hookEventName = 'SessionStart' as const;
      return { hookSpecificOutput: { hookEventName, additionalContext: 'Mind the style.' } };
    };
    const hooks = {
      PreCompact: [{ matcher: 'auto', hooks: [hear] }],
      PostCompact: [{ hooks: [hear] }],
      SessionStart: [{ matcher: 'compact', hooks: [hear] }],
    };
    const model = windowed(long(), { contextWindow: 56_000 });
    await playTurns({ model, hooks: hooks as never });
    expect(heard).toEqual([
      ['PreCompact', 'auto', undefined],
      ['PostCompact', 'auto', 'All is as it should be.'],
      ['SessionStart', 'compact', undefined],
    ]);
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('Mind the style.');
  });

  it('may stop the turn: then no request follows', async () => {
    const stop = async () => ({ continue: false as const, stopReason: 'Enough.' });
    const model = windowed(long(), { contextWindow: 56_000 });
    const hooks = { PreCompact: [{ hooks: [stop] }] };
    const { results } = await playTurns({ model, hooks: hooks as never });
    expect(model.requests).toHaveLength(4);
    expect(results).toMatchObject([{ subtype: 'success', terminal_reason: 'hook_stopped' }]);
  });

  it('may refuse it: the conversation stays as it is', async () => {
    const block = async () => ({ decision: 'block' as const, reason: 'Not now.' });
    const model = windowed(long(), { contextWindow: 56_000 });
    const hooks = { PreCompact: [{ hooks: [block] }] };
    const { messages } = await playTurns({ model, hooks: hooks as never });
    expect(model.compactions).toEqual([]);
    expect(boundaries(messages)).toEqual([]);
    expect(statuses(messages).at(-1)?.[2]).toContain('Not now.');
  });
});
