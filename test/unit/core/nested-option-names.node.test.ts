// The same for options within options, and limits that would hold nothing.
import { describe, expect, it } from 'vitest';
import { checkMcpServers } from '../../../src/agent/session/mcp/check-mcp-servers.ts';
import { createObjectWire } from '../../../src/hosts/edge/wire/create-object-wire.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { createSessionServer } from '../../../src/hosts/server/create-session-server.ts';
import { checkMcpOptions } from '../../../src/mcp/client/check-mcp-options.ts';
import { createSdkMcpServer } from '../../../src/mcp/create-sdk-mcp-server.ts';
import { createMemoryMedium } from '../../../src/workspace/drivers/memory.ts';
import { openWorkspace } from '../../../src/workspace/open-workspace.ts';

const any = (one: unknown) => one as (...given: readonly unknown[]) => unknown;

describe.each([
  [
    'createObjectWire',
    (limits: object) => any(createObjectWire)({}, { authorize: () => null, limits }),
    'client',
  ],
  ['createSessionServer', (limits: object) => any(createSessionServer)({ limits }), 'client'],
  ['createInlineHost', (limits: object) => any(createInlineHost)({ limits }), 'maxFileByte'],
  [
    'openWorkspace',
    (limits: object) => any(openWorkspace)(createMemoryMedium(), { name: 'x', limits }),
    'imageByte',
  ],
])('limits of %s', (name, make, wrong) => {
  const right = `${wrong}s`;

  it('are refused where one is misspelt', async () => {
    await expect(async () => make({ [wrong]: 1 })).rejects.toMatchObject({
      code: 'bad-usage',
      message: `limits of ${name} has no option named ${wrong}. Did you mean ${right}?`,
      data: { option: wrong },
    });
  });

  it.each([NaN, 0, -1, '5'])('are refused where one is %s', async (limit) => {
    await expect(async () => make({ [right]: limit })).rejects.toMatchObject({
      code: 'bad-usage',
      message: `${right} of limits of ${name} must be a number above 0, not ${limit}.`,
    });
  });
});

describe('an MCP server', () => {
  const url = 'https://example.com/mcp';
  const client = { hasPage: true } as never;
  const check = (config: unknown) => () => any(checkMcpServers)({ notes: config }, client);

  it.each([
    [{ type: 'http', url, header: {} }, 'header', 'headers'],
    [{ type: 'sse', url, timeoutMs: 5 }, 'timeoutMs', 'timeout'],
    [{ type: 'ws', url: 'wss://example.com', alwaysLoaded: true }, 'alwaysLoaded', 'alwaysLoad'],
    [{ type: 'webmcp', fromOrigin: ['https://a.example'] }, 'fromOrigin', 'fromOrigins'],
    [{ ...createSdkMcpServer({ name: 'x' }), instances: 1 }, 'instances', 'instance'],
  ])('is refused where a field of its description is misspelt: %j', (config, wrong, right) => {
    expect(check(config)).toThrow(
      `The MCP server notes has no option named ${wrong}. Did you mean ${right}?`,
    );
  });

  it('is refused where a tool’s policy is misspelt, which would leave the tool without one', () => {
    const tools = [{ name: 'wipe', permission_polcy: 'always_deny' }];
    expect(check({ type: 'http', url, tools })).toThrow(
      "The MCP server notes can't be used: its tools must be a list of { name, permission_policy }",
    );
  });
});

describe('the option mcp of a host', () => {
  const redirectUrl = 'https://example.com/back';

  it.each([
    [{ logins: {} }, 'mcp has no option named logins. Did you mean login?'],
    [{ login: { redirectUri: redirectUrl } }, 'mcp.login has no option named redirectUri.'],
    [{ proxy: { uri: 'https://example.com' } }, 'mcp.proxy has no option named uri.'],
    [{ bounds: { tool: 5 } }, 'mcp.bounds has no option named tool. Did you mean tools?'],
    [{ bounds: { tools: NaN } }, 'tools of mcp.bounds must be a number above 0, not NaN.'],
    [
      { login: { redirectUrl, clients: [{ issuer: 'x', clientID: 'y' }] } },
      'A client of mcp.login has no option named clientID. Did you mean clientId?',
    ],
  ])('is refused with a misspelt name in it: %j', (options, message) => {
    expect(() => any(checkMcpOptions)(options)).toThrow(message);
  });
});
