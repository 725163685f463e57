// SyntheticOutput, in whole turns of queries with an `outputFormat`.
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSession } from '../../src/agent/open-session.ts';
import { query } from '../../src/agent/query.ts';
import type { QueryOptions } from '../../src/agent/query-options.ts';
import { createDeferred } from '../../src/core/async/deferred.ts';
import { createInlineHost } from '../../src/hosts/inline/create-inline-host.ts';
import { createMemoryMedium } from '../../src/workspace/drivers/memory.ts';
import type { AppendFile, LogMedium } from '../../src/workspace/log/log-medium.ts';
import {
  isResult,
  openHost as openKeptHost,
  readUntil,
} from '../support/sessions/open-sessions.ts';
import { toolUse } from '../support/turns/plan-turns.ts';
import { asks, listModel, playTurns, says } from '../support/turns/play-turns.ts';
import type { Reply } from '../support/turns/play-turns.ts';

const schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    verdict: { enum: ['good', 'bad'] },
    faults: { type: 'array', items: { $ref: '#/$defs/fault' } },
  },
  required: ['verdict'],
  additionalProperties: false,
  $defs: {
    fault: {
      type: 'object',
      properties: { line: { type: 'integer', minimum: 1 } },
      required: ['line'],
    },
  },
} as const;

const outputFormat = { type: 'json_schema', schema } as const;

let calls = 0;
const answers = (input: Record<string, unknown>) =>
  asks(toolUse(`answer-${(calls += 1)}`, 'SyntheticOutput', input));

const good = { verdict: 'good', faults: [{ line: 3 }] };

async function play(
  replies: readonly Reply[],
  options: Partial<QueryOptions> = {},
  prompts?: readonly string[],
) {
  const model = listModel('list', replies);
  const played = await playTurns({ model, outputFormat, ...options }, prompts);
  return { ...played, model };
}

describe('a query with an outputFormat', () => {
  it('ends each prompt by its answer as data, without another request', async () => {
    const bad = { verdict: 'bad' };
    const { results, model } = await play([answers(good), answers(bad)], {}, ['One.', 'Two.']);
    expect(results).toMatchObject([
      {
        subtype: 'success',
        is_error: false,
        structured_output: good,
        terminal_reason: 'completed',
      },
      { subtype: 'success', structured_output: bad, num_turns: 1 },
    ]);
    expect(results.map((one) => 'result' in one && JSON.parse(one.result))).toEqual([good, bad]);
    expect(model.requests).toHaveLength(2);
  });

  it("takes the answer by the SDK's name of the tool, in calls, rules and hooks", async () => {
    const heard: string[] = [];
    const hooks: QueryOptions['hooks'] = {
      PreToolUse: [
        {
          matcher: 'StructuredOutput',
          hooks: [async ({ tool_input }) => (heard.push(JSON.stringify(tool_input)), {})],
        },
      ],
    };
    const call = asks(toolUse('by-alias', 'StructuredOutput', good));
    const { results } = await play([call], { hooks });
    expect(results).toMatchObject([{ subtype: 'success', structured_output: good }]);
    expect(heard).toEqual([JSON.stringify(good)]);
    const denied = await play([call], { disallowedTools: ['StructuredOutput'] });
    expect(denied.results).toMatchObject([{ is_error: true }]);
  });

  it('tells the model its schema, whatever tools were chosen', async () => {
    const chosen: Partial<QueryOptions>[] = [
      {},
      { tools: ['Read'] },
      { simple: true },
      { coordinator: true },
      { replMode: true },
    ];
    for (const options of chosen) {
      const { model } = await play([answers(good)], options);
      const param = model.requests[0]?.tools?.find(({ name }) => name === 'SyntheticOutput');
      const { $schema: _, ...told } = schema;
      expect(param?.input_schema).toEqual(told);
    }
    const { model } = await play([says('Hello.')], { outputFormat: undefined as never });
    expect(model.requests[0]?.tools?.map(({ name }) => name)).not.toContain('SyntheticOutput');
  });

  it('asks again where the answer does not fit, or the model ends without one', async () => {
    const { results, messages, model } = await play([
      answers({ verdict: 'fine' }),
      answers({ verdict: 'bad', faults: [{ line: 0 }] }),
      says('It is good.'),
      answers(good),
    ]);
    expect(results).toMatchObject([{ subtype: 'success', structured_output: good, num_turns: 4 }]);
    const told = JSON.stringify(model.requests.map((request) => request.messages.at(-1)));
    expect(told).toContain('verdict');
    expect(told).toContain('faults');
    expect(told).toContain('Call SyntheticOutput with it now');
    expect(messages.filter(({ type }) => type === 'result')).toHaveLength(1);
  });

  it('gives up after five answers that do not fit', async () => {
    const never = Array.from({ length: 5 }, (_, at) => (at % 2 ? says('No.') : answers({})));
    const { results, model } = await play([...never, answers(good)]);
    expect(results).toMatchObject([
      {
        subtype: 'error_max_structured_output_retries',
        is_error: true,
        terminal_reason: 'structured_output_retry_exhausted',
      },
    ]);
    expect(model.requests).toHaveLength(5);
  });

  it('keeps to maxTurns, and to a refusal of the model', async () => {
    const cut = await play([says('It is good.'), answers(good)], { maxTurns: 1 });
    expect(cut.results).toMatchObject([{ subtype: 'error_max_turns' }]);
    const refused = await play([says('I will not.', { stop_reason: 'refusal' })]);
    expect(refused.results).toMatchObject([{ subtype: 'success', is_error: true }]);
    expect(refused.results[0]).not.toHaveProperty('structured_output');
  });

  it('does not ask it of sub-agents', async () => {
    const task = { description: 'look', prompt: 'Look.', run_in_background: false };
    const { results, model } = await play(
      [asks(toolUse('agent', 'Agent', task)), says('I saw it.'), answers(good)],
      { toolSearch: false },
    );
    expect(results).toMatchObject([{ structured_output: good }]);
    const names = model.requests.map(({ tools }) => tools?.map(({ name }) => name) ?? []);
    expect(names.map((list) => list.includes('SyntheticOutput'))).toEqual([true, false, true]);
  });

  it('ends by the answer that stands in its journal where the page was closed right behind it', async () => {
    const medium = createMemoryMedium();
    const { stopped, whenStopped } = stoppingAt(medium, 'terminal_reason');
    const first = await openKeptHost(stopped);
    const killed = await openSession({
      ...{ host: first, model: listModel('list', [answers(good)]), outputFormat },
    });
    await killed.send('Go.');
    await whenStopped;
    const host = await openKeptHost(medium);
    onTestFinished(() => host[Symbol.asyncDispose]());
    const model = listModel('list', []);
    const again = await openSession({ host, model, outputFormat, resume: killed.id });
    const told = await readUntil(again, isResult);
    expect(told.findLast(isResult)).toMatchObject({ structured_output: good });
    expect(model.requests).toHaveLength(0);
    await again.close();
  });

  it('says at once that a rule denies the tool', async () => {
    const { results, model } = await play([says('It is good.')], {
      disallowedTools: ['SyntheticOutput'],
    });
    expect(results).toMatchObject([{ subtype: 'error_during_execution', error_code: 'bad-usage' }]);
    expect(model.requests).toHaveLength(1);
  });

  it('holds answers to all of the schema, and fills nothing in', async () => {
    const loose = {
      type: 'object',
      properties: { list: { type: 'array', minItems: 1 }, name: { type: 'string', default: 'q' } },
      required: ['list', 'elsewhere'],
    } as const;
    const whole = { list: [1], elsewhere: true };
    const { results } = await play(
      [answers({ list: [1] }), answers({ list: [], elsewhere: 1 }), answers(whole)],
      { outputFormat: { type: 'json_schema', schema: loose } },
    );
    expect(results).toMatchObject([{ num_turns: 3 }]);
    expect(results[0] && 'structured_output' in results[0] && results[0].structured_output).toEqual(
      whole,
    );
  });

  it.each([
    ['no format', 'json', "outputFormat is { type: 'json_schema'"],
    ['another type', { type: 'regex', schema }, "outputFormat is { type: 'json_schema'"],
    ['no schema', { type: 'json_schema' }, "outputFormat is { type: 'json_schema'"],
  ])('refuses %s at the door', async (_name, given, sentence) => {
    const host = await createInlineHost();
    onTestFinished(() => host[Symbol.asyncDispose]());
    const model = listModel('list', []);
    const options = { host, model, outputFormat: given as typeof outputFormat };
    expect(() => query({ prompt: 'Go.', options })).toThrow(sentence);
  });

  it.each([
    ['a list', { type: 'array', items: {} }, 'must be the JSON Schema of one object'],
    ['a condition', { type: 'object', if: {} }, 'Conditional schemas'],
    ['a bound without a type', { type: 'object', properties: { a: { minimum: 5 } } }, 'minimum'],
    ['an object to be equal to', { type: 'object', properties: { a: { const: {} } } }, 'const'],
    ['a foreign reference', { type: 'object', $ref: 'https://example.com/x.json' }, 'External'],
  ])('refuses the schema of %s before it asks the model', async (_name, given, sentence) => {
    const host = await createInlineHost();
    onTestFinished(() => host[Symbol.asyncDispose]());
    const model = listModel('list', []);
    const format = { type: 'json_schema', schema: given } as const;
    await expect(openSession({ host, model, outputFormat: format })).rejects.toMatchObject({
      code: 'bad-usage',
      message: expect.stringContaining(sentence) as string,
    });
    expect(model.requests).toHaveLength(0);
  });
});

/** What stands in it from there on, with whoever waits for it: as where the page is closed in that moment. */
function stoppingAt(medium: LogMedium, words: string) {
  let isStopped = false;
  const { promise: whenStopped, resolve: stop } = createDeferred();
  const never = new Promise<never>(() => {});
  const toStopping = (file: AppendFile): AppendFile => ({
    length: () => file.length(),
    append(bytes, level) {
      isStopped ||= new TextDecoder().decode(bytes).includes(words);
      if (!isStopped) return file.append(bytes, level);
      stop();
      return never;
    },
    truncate: (length) => file.truncate(length),
    read: (offset, length) => file.read(offset, length),
    close: () => file.close(),
  });
  const stopped: LogMedium = {
    ...medium,
    create: async (name) => toStopping(await medium.create(name)),
  };
  return { stopped, whenStopped };
}
