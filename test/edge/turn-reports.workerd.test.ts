// What an object tells its owner's directory of its turns, over kills and a directory that is out of reach.
import { env } from 'cloudflare:workers';
import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import { SdkError } from '../../src/core/errors.ts';
import type { TurnReport } from '../../src/edge.ts';
import { createTurnReports } from '../../src/hosts/edge/directory/turn-reports.ts';

const usage = { input_tokens: 10, output_tokens: 2, cache_read_input_tokens: 5 };
const sum = {
  input_tokens: 20,
  output_tokens: 4,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 10,
};

describe('createTurnReports', () => {
  it('tells the sum of a turn once it can, in order, also by the next instance', async () => {
    const object = env.STORE.getByName('turn-reports test 1');
    const told: TurnReport[] = [];
    let isReached = false;
    const directory = {
      async endTurn(report: TurnReport) {
        if (!isReached) throw new Error('out of reach');
        told.push(report);
      },
    };
    await runInDurableObject(object, async (_instance, { storage }) => {
      const reports = createTurnReports(storage, directory);
      reports.used(usage, 0.25);
      await reports.tell();
      reports.used(usage, 0.25);
      reports.ended('a', 4, 1_000);
      await expect(reports.tell()).rejects.toThrow('out of reach');
      reports.used(usage, null);
    });
    await evictDurableObject(object);
    isReached = true;
    await runInDurableObject(object, async (_instance, { storage }) => {
      const reports = createTurnReports(storage, directory);
      reports.used(usage, 1);
      reports.ended('a', 9, 2_000);
      await Promise.all([reports.tell(), reports.tell()]);
      await reports.tell();
      // After /clear: another journal.
      reports.ended('a', 3, 2_000);
      await reports.tell();
    });
    expect(told.splice(2)).toMatchObject([{ session: 'a', n: 10 }]);
    expect(told).toEqual([
      { session: 'a', n: 4, bytes: 1_000, usage: sum, usd: 0.5 },
      { session: 'a', n: 9, bytes: 2_000, usage: sum, usd: null },
    ]);
  });

  it('adds what a refused report has counted to the next one, and no figure that is none', async () => {
    const object = env.STORE.getByName('turn-reports test 2');
    const told: TurnReport[] = [];
    const directory = {
      async endTurn(report: TurnReport) {
        if (report.n < 9 || (report.usage.output_tokens as number | null) === null) {
          throw new SdkError('bad-usage', 'This is no report.');
        }
        told.push(report);
      },
    };
    await runInDurableObject(object, async (_instance, { storage }) => {
      const reports = createTurnReports(storage, directory);
      for (const n of [4, 6, 9, 12]) {
        reports.used(n === 6 ? { ...usage, output_tokens: NaN } : usage, 0.25);
        reports.ended('a', n, n);
      }
      await reports.tell();
      await reports.tell();
    });
    expect(told).toMatchObject([
      { n: 9, bytes: 9, usd: 0.75, usage: { input_tokens: 30, output_tokens: 4 } },
      { n: 12, bytes: 12, usd: 0.25, usage: { input_tokens: 10, output_tokens: 2 } },
    ]);
  });
});
