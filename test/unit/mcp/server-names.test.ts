// Servers whose names, or those of their tools, could be taken for one another's.
import { describe, expect, it } from 'vitest';
import { openMcpServers } from '../../../src/agent/session/mcp-servers.ts';
import type { McpServerConfig } from '../../../src/core/tool/mcp-server.ts';
import { createSdkMcpServer } from '../../../src/mcp/create-sdk-mcp-server.ts';
import { tool } from '../../../src/mcp/tool.ts';

const offer = (toolName: string): McpServerConfig => {
  const answer = tool(toolName, 'Says nothing.', {}, async () => ({ content: [] }));
  return createSdkMcpServer({ name: 'sky', tools: [answer] });
};

describe('a server', () => {
  it.each([
    [['my.sky', 'my_sky'], 'both come to mcp__my_sky'],
    [['sky', 'sky__evil'], 'mcp__sky__evil reads as a tool of the server sky'],
    [['sky__evil', 'sky'], 'mcp__sky__evil reads as a tool of the server sky'],
  ])('is refused beside one that it could be taken for: %j', (names, why) => {
    const servers = Object.fromEntries(names.map((name) => [name, offer('look')]));
    expect(() => openMcpServers(servers)).toThrow(
      `The MCP servers ${names.join(' and ')} can't be used together: ${why}. Give`,
    );
  });

  it('is refused where its tool has the name of another server’s', () => {
    expect(() => openMcpServers({ sky_: offer('look'), sky: offer('_look') })).toThrow(
      'The MCP servers sky_ and sky each have a tool that comes to mcp__sky___look.',
    );
  });

  it('stands beside one whose name only begins like its own', () => {
    const { tools } = openMcpServers({ git: offer('look'), github: offer('look') });
    expect(tools.map(({ name }) => name)).toEqual(['mcp__git__look', 'mcp__github__look']);
  });
});
