import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildMcpToolName, parseMcpToolName } from '../../../../src/core/mcp/mcp-tool-name.ts';

describe('buildMcpToolName', () => {
  it.each([
    ['git', 'status', 'mcp__git__status'],
    ['my server', 'issues/list', 'mcp__my_server__issues_list'],
    ['git-hub', 'create_issue', 'mcp__git-hub__create_issue'],
  ])('names %j and %j %s', (serverName, toolName, name) => {
    expect(buildMcpToolName({ serverName, toolName })).toBe(name);
  });

  it('is the inverse of parseMcpToolName for names that need no change', () => {
    const word = fc.stringMatching(/^[A-Za-z0-9-](?:_?[A-Za-z0-9-]){0,10}$/u);
    fc.assert(
      fc.property(word, word, (serverName, toolName) => {
        const names = { serverName, toolName };
        expect(parseMcpToolName(buildMcpToolName(names))).toEqual(names);
      }),
    );
  });
});

describe('parseMcpToolName', () => {
  it.each(['Read', 'mcp__', 'mcp__git', 'mcp__git__', 'mcp____status', 'xmcp__git__status'])(
    'knows that %j is no remote tool',
    (name) => {
      expect(parseMcpToolName(name)).toBeUndefined();
    },
  );
});
