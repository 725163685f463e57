// maxBudgetUsd and prices: what a query may cost, and when it ends.
import { describe, expect, it } from 'vitest';
import { createModelClassifier } from '../../../src/agent/permissions/model-classifier.ts';
import { query } from '../../../src/agent/query.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { asks, listModel, playTurns, says } from '../../support/turns/play-turns.ts';

/** A million tokens of input and none of output, a dollar each. */
const usage = { input_tokens: 1_000_000, output_tokens: 0 };
const prices = { first: { input: 1, output: 1 }, second: { input: 1, output: 1 } };
const read = (id: string) =>
  ({ type: 'tool_use', id, name: 'Read', input: { file_path: 'a.txt' } }) as const;
const asksFor = (id: string) => ({ ...asks(read(id)), usage });

describe('maxBudgetUsd', () => {
  it('ends the turn before the request that comes after it is spent, and each later turn at once', async () => {
    const model = listModel('first', [asksFor('1'), asksFor('2'), asksFor('3')]);
    const { results } = await playTurns({ model, prices, maxBudgetUsd: 2 }, ['Go.', 'On.']);
    expect(model.requests).toHaveLength(2);
    const end = {
      subtype: 'error_max_budget_usd',
      is_error: true,
      terminal_reason: 'budget_exhausted',
      total_cost_usd: 2,
      errors: [expect.stringMatching(/^The budget of \$2 \(maxBudgetUsd\) is spent/u)],
    };
    expect(results).toEqual([
      expect.objectContaining({ ...end, num_turns: 2 }),
      expect.objectContaining({ ...end, num_turns: 0 }),
    ]);
    expect(results[0]?.modelUsage['first']).toMatchObject({ costUSD: 2, costBasis: 'given' });
  });

  it('tells an agent’s caller what the query has cost, and not the agent alone', async () => {
    const input = { description: 'Read', prompt: 'Read a.txt.', run_in_background: false };
    const call = { type: 'tool_use', id: 'agent', name: 'Agent', input } as const;
    const model = listModel('first', [{ ...asks(call), usage }, asksFor('1')]);
    const { messages } = await playTurns({ model, prices, maxBudgetUsd: 2 });
    expect(model.requests).toHaveLength(2);
    const failure = messages.findLast((message) => message.type === 'user');
    expect(failure?.message.content).toMatchObject([
      { tool_use_id: 'agent', content: expect.stringContaining('the query has cost $2.0000') },
    ]);
  });

  it('counts the classifier’s requests, once each', async () => {
    const write = { type: 'tool_use', id: 'w', name: 'Write' } as const;
    const call = { ...write, input: { file_path: 'new.txt', content: 'new' } };
    const model = listModel('first', [{ ...asks(call), usage }, says('Done.')]);
    const guard = listModel('second', [{ ...says('allow: it was asked for'), usage }]);
    const { results } = await playTurns({
      model,
      prices,
      permissionMode: 'auto',
      autoClassifier: createModelClassifier({ model: guard }),
    });
    expect(guard.requests).toHaveLength(1);
    expect(results[0]?.modelUsage['second']).toMatchObject({ inputTokens: 1_000_000, costUSD: 1 });
  });

  it.each([
    ['the model', { model: listModel('own', []) }],
    ['a fallback model', { model: listModel('first', []), fallbackModel: listModel('own', []) }],
    [
      'the classifier’s model',
      {
        model: listModel('first', []),
        autoClassifier: createModelClassifier({ model: listModel('own', []) }),
      },
    ],
  ])('is refused where the price of %s isn’t known', async (_, options) => {
    await expect(playTurns({ ...options, prices, maxBudgetUsd: 1 })).rejects.toMatchObject({
      code: 'bad-usage',
      message: expect.stringContaining("The price of own isn't known") as string,
    });
  });

  it('refuses setModel to a model without a known price', async () => {
    await using host = await createInlineHost();
    const model = listModel('first', [says('Done.')]);
    const talk = query({ prompt: 'Go.', options: { host, model, prices, maxBudgetUsd: 1 } });
    await expect(talk.setModel(listModel('own', []))).rejects.toMatchObject({ code: 'bad-usage' });
    const messages = [];
    for await (const message of talk) messages.push(message);
    expect(messages.at(-1)).toMatchObject({ subtype: 'success', result: 'Done.' });
  });

  it.each([
    [{ maxBudgetUsd: 0 }, 'maxBudgetUsd must be a number of US dollars above 0, not 0.'],
    [{ maxBudgetUsd: '5' }, 'maxBudgetUsd must be a number of US dollars above 0, not 5.'],
    [{ prices: 5 }, 'prices is an object'],
    [{ prices: { own: 3 } }, 'prices has no price for own'],
    [{ prices: { own: { input: 3 } } }, 'prices has no price for own'],
    [{ prices: { own: { input: 3, output: -1 } } }, 'prices has no price for own'],
    [{ prices: { own: { input: 3, output: 1, image: 5 } } }, 'prices has no price for own'],
  ])('refuses %j', async (given, message) => {
    await using host = await createInlineHost();
    const options = { host, model: listModel('own', []), ...given } as never;
    expect(() => query({ prompt: 'Go.', options })).toThrow(message);
  });
});
