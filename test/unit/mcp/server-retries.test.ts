// How often a server that can't be reached is tried again, by the ports of the client and the clock.
import { expect, it } from 'vitest';
import { createMcpExchange } from '../../../src/agent/session/mcp/mcp-exchange.ts';
import { createMcpServers } from '../../../src/agent/session/mcp/mcp-servers.ts';
import { SdkError } from '../../../src/core/errors.ts';
import type { McpClientPort } from '../../../src/core/mcp/mcp-server.ts';
import type { Clock } from '../../../src/core/tool/ports.ts';

/** A clock that is only moved by the test, and what it was asked to wait. */
function openClock() {
  const delays: number[] = [];
  const time = { now: 0 };
  let due: (() => void) | undefined;
  const clock = {
    now: () => time.now,
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
  return { clock, delays, pass, time };
}

function open(client: McpClientPort, clock: Clock) {
  const { signal } = new AbortController();
  const there = { type: 'http', url: 'https://there.example' } as const;
  const place = { cwd: '/workspace', samplingModel: undefined };
  const exchange = createMcpExchange(() => undefined, place, signal);
  return createMcpServers({ there }, { client, clock, signal, exchange });
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
  const servers = await open(client, clock);
  for (let time = 0; time < 8; time += 1) await pass();
  expect(delays).toEqual(waits);
  expect(tries).toBe(1 + waits.length);
  expect(servers.status()).toEqual([{ name: 'there', status, error: 'Not there.' }]);
});

it('a server that drops each connection is given up, one that held for a minute is not', async () => {
  const { clock, delays, pass, time } = openClock();
  let drop = () => {};
  const client = {
    connect: (...[, , { onLost }]: Parameters<McpClientPort['connect']>) => {
      drop = () => onLost(new SdkError('mcp-failed', 'Gone.'));
      return Promise.resolve({ toTools: () => [], problems: [] });
    },
  } as unknown as McpClientPort;
  await open(client, clock);
  for (let lost = 0; lost < 3; lost += 1) {
    await pass();
    drop();
  }
  expect(delays).toEqual([1_000, 2_000, 4_000]);
  await pass();
  time.now += 60_000;
  drop();
  expect(delays).toEqual([1_000, 2_000, 4_000, 1_000]);
  for (let lost = 0; lost < 8; lost += 1) {
    await pass();
    drop();
  }
  expect(delays.slice(3)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
});
