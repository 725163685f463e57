import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAbortError } from '../../../src/core/async/abort.ts';
import { SdkError } from '../../../src/core/errors.ts';
import type { ErrorCode } from '../../../src/core/errors.ts';
import type { ModelEvent } from '../../../src/core/messages/messages.ts';
import type { ModelRetry } from '../../../src/model/model.ts';
import { retryDelay, retryUntilBegun } from '../../../src/model/retry.ts';
import { fromArray, textEvents } from '../../support/models/model-streams.ts';
import { createSkippingClock } from '../../support/skipping-clock.ts';
import { readAll } from '../../support/read-all.ts';

const policy = { maxRetries: 9, random: () => 0 };
const failure = (code: ErrorCode, data: Record<string, unknown> = {}) =>
  new SdkError(code, 'It failed.', { data });

describe('retryDelay', () => {
  it('doubles from half a second to eight', () => {
    const delays = [1, 2, 3, 4, 5, 6].map((attempt) =>
      retryDelay(failure('model-overloaded'), attempt, policy),
    );
    expect(delays).toEqual([500, 1000, 2000, 4000, 8000, 8000]);
  });

  it('takes at most a quarter off at random', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: 1, max: 9 }),
        (chance, attempt) => {
          const options = { maxRetries: 9, random: () => chance };
          const full = Math.min(500 * 2 ** (attempt - 1), 8000);
          const delay = retryDelay(failure('model-server'), attempt, options);
          expect(delay).toBeGreaterThanOrEqual(full * 0.75);
          expect(delay).toBeLessThanOrEqual(full);
        },
      ),
    );
  });

  it('waits as long as the server asks, but gives up rather than wait over a minute', () => {
    const after = (retryAfterMs: number) =>
      retryDelay(failure('model-rate-limited', { retryAfterMs }), 1, policy);
    expect([after(0), after(1234), after(60_000), after(60_001)]).toEqual([0, 1234, 60_000, null]);
  });

  it.each<[ErrorCode, number | null]>([
    ['model-network', 500],
    ['model-overloaded', 500],
    ['model-rate-limited', 500],
    ['model-server', 500],
    ['model-stream-cut', 500],
    ['model-authentication', null],
    ['model-bad-request', null],
    ['model-protocol', null],
    ['bad-usage', null],
  ])('for %s is %s', (code, delay) => {
    expect(retryDelay(failure(code), 1, policy)).toBe(delay);
  });

  it('gives up after the last retry, when the server forbids it, and for foreign errors', () => {
    expect(retryDelay(failure('model-server'), 10, policy)).toBeNull();
    expect(retryDelay(failure('model-server', { retryable: false }), 1, policy)).toBeNull();
    expect(retryDelay(new TypeError('a bug of ours'), 1, policy)).toBeNull();
  });
});

describe('retryUntilBegun', () => {
  type Try = readonly (ModelEvent | Error)[];

  /** Plays one list a try; an error in it is thrown there. */
  async function run(tries: readonly Try[], signal = new AbortController().signal) {
    const retries: ModelRetry[] = [];
    const events: ModelEvent[] = [];
    const clock = createSkippingClock();
    let count = 0;
    async function* start(): AsyncGenerator<ModelEvent, void> {
      for await (const item of fromArray(tries[count++] ?? [])) {
        if (item instanceof Error) throw item;
        yield item;
      }
    }
    const onRetry = (retry: ModelRetry) => retries.push(retry);
    let error: unknown;
    try {
      const options = { maxRetries: 2, random: () => 0, signal, clock, onRetry };
      for await (const event of retryUntilBegun(start, options)) events.push(event);
    } catch (thrown) {
      error = thrown;
    }
    return { events, retries, waits: clock.waits, tries: count, error };
  }

  const overloaded = failure('model-overloaded', { status: 529 });
  const whole = textEvents('Here I am.');

  it('tries again until a message begins, and tells of each wait before it', async () => {
    const outcome = await run([[overloaded], [failure('model-network')], whole]);
    expect(outcome.events).toEqual(whole);
    expect(outcome.waits).toEqual([500, 1000]);
    expect(outcome.retries.map(({ error, ...retry }) => ({ ...retry, code: error.code }))).toEqual([
      { attempt: 1, maxRetries: 2, delayMs: 500, status: 529, code: 'model-overloaded' },
      { attempt: 2, maxRetries: 2, delayMs: 1000, status: null, code: 'model-network' },
    ]);
  });

  it('throws the last error when the retries are used up', async () => {
    const last = failure('model-server');
    const outcome = await run([[overloaded], [overloaded], [last], whole]);
    expect(outcome).toMatchObject({ events: [], tries: 3, error: last });
  });

  it('never repeats a reply whose content has begun', async () => {
    const begun = whole.slice(0, 2);
    const outcome = await run([[...begun, overloaded], whole]);
    expect(outcome).toMatchObject({ events: begun, tries: 1, error: overloaded, retries: [] });
  });

  it('tries again where a message ends before its content, and gives its start once', async () => {
    const outcome = await run([[...whole.slice(0, 1), overloaded], whole]);
    expect(outcome).toMatchObject({ events: whole, tries: 2, error: undefined });
  });

  it('gives a message without content as it is', async () => {
    const [start] = whole;
    const outcome = await run([[start as ModelEvent]]);
    expect(outcome).toMatchObject({ events: [start], tries: 1, error: undefined });
  });

  it('does not take a ping for a beginning', async () => {
    const ping: ModelEvent = { type: 'ping' };
    const outcome = await run([[ping, overloaded], whole]);
    expect(outcome).toMatchObject({ events: [ping, ...whole], tries: 2, error: undefined });
  });

  it('ends a wait at once when it is aborted', async () => {
    const controller = new AbortController();
    const never = { now: () => 0, after: () => ({ [Symbol.dispose]: () => undefined }) };
    const events = retryUntilBegun(throwing, {
      maxRetries: 1,
      random: () => 0,
      signal: controller.signal,
      clock: never,
      onRetry: () => queueMicrotask(() => controller.abort('enough')),
    });
    await expect(readAll(events)).rejects.toMatchObject({ code: 'aborted', cause: 'enough' });
  });

  it('does not retry an abort', async () => {
    const abort = createAbortError('stop');
    const outcome = await run([[abort], whole]);
    expect(outcome).toMatchObject({ events: [], tries: 1, error: abort, retries: [] });
  });

  async function* throwing(): AsyncGenerator<ModelEvent, void> {
    yield* [];
    throw overloaded;
  }
});
