// The tools on resources of MCP servers by themselves; what they do is shown in test/unit/mcp/resources.
import { describe, expect, it } from 'vitest';
import { createResourceMatcher } from '../../src/core/mcp/mcp-resources.ts';
import { listMcpResourcesTool } from '../../src/tools/list-mcp-resources/tool.ts';

describe("ListMcpResourcesTool's definition", () => {
  it('wants to know whose template is to be filled in', async () => {
    const complete = { uri: 'note://{id}', argument: 'id' };
    expect(await listMcpResourcesTool.validateInput({ complete })).toEqual({
      result: false,
      errorCode: 1,
      message: 'Say whose template it is: give its server.',
    });
    expect(await listMcpResourcesTool.validateInput({ complete, server: 'one' })).toEqual({
      result: true,
    });
  });

  it('asks nobody to list, and somebody before a value goes out', async () => {
    const { checkPermissions } = listMcpResourcesTool;
    const ask = async (value: string) => {
      const complete = { uri: 'note://{id}', argument: 'id', value };
      return (await checkPermissions({ server: 'one', complete })).behavior;
    };
    expect([await ask(''), await ask('secret')]).toEqual(['allow', 'passthrough']);
  });
});

it.each([
  ['notes', true],
  ['notes:note://*', true],
  ['notes:note://2', false],
  ['other', false],
  ['*', true],
])('a rule on %s says of a resource whether it is meant: %s', (pattern, isMeant) => {
  expect(createResourceMatcher({ server: 'notes', uri: 'note://1' })(pattern)).toBe(isMeant);
});
