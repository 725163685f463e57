// Servers whose names, or those of their tools, could be taken for one another's.
import { describe, expect, it } from 'vitest';
import { createMcpExchange } from '../../../src/agent/session/mcp/mcp-exchange.ts';
import { createMcpServers } from '../../../src/agent/session/mcp/mcp-servers.ts';
import { systemClock } from '../../../src/core/async/system-clock.ts';
import type { McpServerConfig } from '../../../src/core/mcp/mcp-server.ts';
import { createSdkMcpServer } from '../../../src/mcp/create-sdk-mcp-server.ts';
import { tool } from '../../../src/mcp/tool.ts';

const offer = (toolName: string): McpServerConfig => {
  const answer = tool(toolName, 'Says nothing.', {}, async () => ({ content: [] }));
  return createSdkMcpServer({ name: 'sky', tools: [answer] });
};

const open = (servers: Readonly<Record<string, McpServerConfig>>) => {
  const { signal } = new AbortController();
  const exchange = createMcpExchange(
    () => undefined,
    { cwd: '/workspace', samplingModel: undefined },
    signal,
  );
  return createMcpServers(servers, { client: undefined, clock: systemClock, signal, exchange });
};

describe('a server', () => {
  it.each([
    [['my.sky', 'my_sky'], 'both come to mcp__my_sky'],
    [['sky', 'sky__evil'], 'mcp__sky__evil reads as a tool of the server sky'],
    [['sky__evil', 'sky'], 'mcp__sky__evil reads as a tool of the server sky'],
  ])('is refused beside one that it could be taken for: %j', async (names, why) => {
    const servers = Object.fromEntries(names.map((name) => [name, offer('look')]));
    await expect(open(servers)).rejects.toThrow(
      `The MCP servers ${names.join(' and ')} can't be used together: ${why}. Give`,
    );
  });

  it('is refused where its tool has the name of another server’s', async () => {
    await expect(open({ sky_: offer('look'), sky: offer('_look') })).rejects.toThrow(
      'The MCP servers sky_ and sky each have a tool that comes to mcp__sky___look.',
    );
  });

  it('stands beside one whose name only begins like its own', async () => {
    const servers = await open({ git: offer('look'), github: offer('look') });
    expect(servers.tools().map(({ name }) => name)).toEqual([
      'mcp__git__look',
      'mcp__github__look',
    ]);
  });
});
