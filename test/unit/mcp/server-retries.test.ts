// How often a server that can't be reached is tried again, by the ports of the client and the clock.
import { expect, it } from 'vitest';
import { createMcpExchange } from '../../../src/agent/session/mcp/mcp-exchange.ts';
import { createMcpServers } from '../../../src/agent/session/mcp/mcp-servers.ts';
import { SdkError } from '../../../src/core/errors.ts';

/** A clock that is only moved by the test, and what it was asked to wait. */
function openClock() {
  const delays: number[] = [];
  let due: (() => void) | undefined;
  const clock = {
    now: () => 0,
    after(delayMs: number, callback: () => void) {
      delays.push(delayMs);
      due = callback;
      return { [Symbol.dispose]: () => undefined };
    },
  };
  /** Fires what waits, and lets the next try fail. */
  const pass = async () => {
    const fire = due;
    due = undefined;
    fire?.();
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  };
  return { clock, delays, pass };
}

it.each([
  ['can’t be reached', {}, 'failed', [1_000, 2_000, 4_000, 8_000, 16_000]],
  ['wants a login', { needsAuth: true }, 'needs-auth', []],
])('a server that %s is tried again as the docs say', async (_, data, status, waits) => {
  const { clock, delays, pass } = openClock();
  let tries = 0;
  const client = {
    connect: () => {
      tries += 1;
      return Promise.reject(new SdkError('mcp-failed', 'Not there.', { data }));
    },
  };
  const { signal } = new AbortController();
  const there = { type: 'http', url: 'https://there.example' } as const;
  const servers = await createMcpServers(
    { there },
    {
      client,
      clock,
      signal,
      exchange: createMcpExchange(
        () => undefined,
        { cwd: '/workspace', samplingModel: undefined },
        signal,
      ),
    },
  );
  for (let time = 0; time < 8; time += 1) await pass();
  expect(delays).toEqual(waits);
  expect(tries).toBe(1 + waits.length);
  expect(servers.status()).toEqual([{ name: 'there', status, error: 'Not there.' }]);
});
