// WaitForMcpServers over servers that come, fail, or don't come in time, by the ports of the client and the clock.
import { describe, expect, it } from 'vitest';
import { createMcpExchange } from '../../src/agent/session/mcp/mcp-exchange.ts';
import { createMcpServers } from '../../src/agent/session/mcp/mcp-servers.ts';
import { SdkError } from '../../src/core/errors.ts';
import { systemClock } from '../../src/core/async/system-clock.ts';
import type { McpClientPort, RemoteMcpServer } from '../../src/core/mcp/mcp-server.ts';
import { waitForMcpServersInputSchema } from '../../src/tools/wait-for-mcp-servers/schema.ts';
import { waitForMcpServersTool } from '../../src/tools/wait-for-mcp-servers/tool.ts';

const there = { type: 'http', url: 'https://there.example' } as const;

/** Two servers, whose connections the test ends. */
async function openServers() {
  const pending = new Map<string, { come(): void; fail(why: string): void }>();
  const client: McpClientPort = {
    connect: (name) =>
      new Promise((resolve, reject) => {
        const server = { name, version: '1', instructions: '', problems: [], toTools: () => [] };
        pending.set(name, {
          come: () => resolve({ ...server, close: async () => {} } as unknown as RemoteMcpServer),
          fail: (why) => reject(new SdkError('mcp-failed', why, { data: { needsAuth: true } })),
        });
      }),
  };
  const { signal } = new AbortController();
  const exchange = createMcpExchange(
    () => undefined,
    { cwd: '/workspace', samplingModel: undefined },
    signal,
  );
  const options = { client, clock: systemClock, signal, exchange };
  const servers = await createMcpServers({ one: there, two: there }, options);
  const wait = async (input: { servers?: string[]; timeout_seconds?: number }, cut = signal) => {
    const statuses = await servers.wait(input.servers, (input.timeout_seconds ?? 30) * 1_000, cut);
    const output = {
      servers: statuses.map(({ name, status, error }) => ({
        name,
        status,
        ...(error !== undefined && { error }),
      })),
    };
    return waitForMcpServersTool.mapToolResultToToolResultBlockParam(output, 'id').content;
  };
  return { pending, wait };
}

describe('WaitForMcpServers', () => {
  it('waits until each that is being connected is there, or has failed', async () => {
    const { pending, wait } = await openServers();
    const waited = wait({});
    pending.get('one')?.come();
    pending.get('two')?.fail('It wants a login.');
    expect(await waited).toBe('one is connected: 0 tools.\ntwo wants a login. Tell the user.');
    expect(await wait({})).toBe(
      'No server is being connected: what servers offer is known already.',
    );
  });

  it('waits for those that are named, as long as it may, and is cut', async () => {
    const { pending, wait } = await openServers();
    pending.get('one')?.come();
    expect(await wait({ servers: ['one'] })).toBe('one is connected: 0 tools.');
    expect(await wait({ servers: ['two'], timeout_seconds: 0.01 })).toBe(
      'two is still being connected. Go on without it, or wait once more.',
    );
    const controller = new AbortController();
    const cut = wait({ servers: ['two'] }, controller.signal);
    controller.abort(new Error('Stopped.'));
    await expect(cut).rejects.toThrow('Stopped.');
    await expect(wait({ servers: ['three'] })).rejects.toThrow('There are: one, two.');
  });

  it('takes names and a time in seconds, and nothing else', () => {
    const parse = (input: unknown) => waitForMcpServersInputSchema().safeParse(input).success;
    const given = [{}, { servers: ['a'], timeout_seconds: 5 }, { timeout_seconds: 600 }, { x: 1 }];
    expect(given.map(parse)).toEqual([true, true, false, false]);
  });
});
