// Inputs that a hostile model may send: each call gets its one result, and the session goes on.
import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { callOf, healthy, here, runCalls } from '../../support/stages/run-calls.ts';
import { plainTool } from '../../support/stages/test-tools.ts';

describe('a hostile input', () => {
  let seen: unknown;
  beforeEach(() => {
    seen = undefined;
  });
  const loose = here(
    plainTool({ inputSchema: z.object({ value: z.unknown() }).loose() as never, name: 'Loose' }),
    {
      call: (input) => {
        seen = input;
        return Promise.resolve({ data: 'done' });
      },
    },
  );

  it.each([
    ['__proto__', '{"value": 1, "__proto__": {"polluted": true}}'],
    ['constructor', '{"value": 1, "constructor": {"prototype": {"polluted": true}}}'],
  ])('with %s leaves every prototype alone', async (_, json) => {
    const { results } = await runCalls([loose, healthy], [callOf('Loose', JSON.parse(json))]);
    expect(results).toHaveLength(1);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect((seen as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('of 10 MB is answered like any other', async () => {
    const { results } = await runCalls(
      [loose],
      [callOf('Loose', { value: 'x'.repeat(10_000_000) })],
    );
    expect(results[0]?.content).toBe('done');
  });

  it.each([400, 5_000, 100_000])(
    'that is nested %i deep is answered, and the session goes on',
    async (levels) => {
      const text = `${'{"value":'.repeat(levels)}1${'}'.repeat(levels)}`;
      const calls = [callOf('Loose', JSON.parse(text)), callOf('Healthy', {})];
      const { end, results, requests } = await runCalls([loose, healthy], calls);
      expect(end).toBe('completed');
      expect(results[0]?.content).toMatch(levels < 500 ? /^done$/ : /nested more than 500 levels/);
      expect(results[1]?.content).toBe('done');
      // What could not be sent would end every request to come.
      expect(() => JSON.stringify(requests[1]?.messages)).not.toThrow();
    },
  );

  it('for a name of 10 MB is refused in a short sentence', async () => {
    const { results } = await runCalls([healthy], [callOf('x'.repeat(10_000_000), {}, 'long')]);
    expect(results[0]?.is_error).toBe(true);
    expect(String(results[0]?.content).length).toBeLessThan(500);
  });
});
