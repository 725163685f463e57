// SubscribePr by itself; that it tells what comes is shown in test/unit/agent/pull-requests.
import { describe, expect, it } from 'vitest';
import { subscribePrInputSchema } from '../../src/tools/subscribe-pr/schema.ts';
import { subscribePrTool } from '../../src/tools/subscribe-pr/tool.ts';

const name = { repository: 'ann/tides', number: 7 };

describe("SubscribePr's definition", () => {
  it('takes a repository and a number from 1 on', () => {
    const parse = (input: unknown) => subscribePrInputSchema().safeParse(input).success;
    const inputs = [name, { ...name, unsubscribe: true }, { ...name, number: 0 }, { number: 1 }];
    expect(inputs.map(parse)).toEqual([true, true, false, false]);
  });

  it('reads what is outside, and asks nobody to end it', async () => {
    expect([
      subscribePrTool.isReadOnly(),
      subscribePrTool.isOpenWorld(name),
      subscribePrTool.isOpenWorld({ ...name, unsubscribe: true }),
    ]).toEqual([true, true, false]);
    const behaviors = [name, { ...name, unsubscribe: true }].map(
      async (input) => (await subscribePrTool.checkPermissions(input)).behavior,
    );
    expect(await Promise.all(behaviors)).toEqual(['passthrough', 'allow']);
  });

  it('says what it came to', () => {
    const tell = (output: object) =>
      subscribePrTool.mapToolResultToToolResultBlockParam({ ...name, ...output } as never, 'id')
        .content;
    const now = { title: 'T', state: 'merged', comments: 1, reviews: 2, checks: 3 };
    expect([
      tell({ status: 'not-open', ...now }),
      tell({ status: 'unsubscribed' }),
      tell({ status: 'not-subscribed' }),
    ]).toEqual([
      'ann/tides#7 is merged: nothing more is told of it. "T" is merged, with 1 comments, 2 reviews and 3 checks done.',
      'Nothing more is told of ann/tides#7.',
      'There was no subscription to ann/tides#7.',
    ]);
  });
});
