// Other libraries' schemas as a tool's input, by the libraries themselves. The tests show what they
// check, what the API is told, and what a handler is given, types included.
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { toToolParam } from '../../../src/agent/registry/to-tool-param.ts';
import { buildTool } from '../../../src/core/tool/build-tool.ts';
import { standardInput } from '../../../src/core/schema/standard-schema.ts';
import { createSdkMcpServer } from '../../../src/mcp/create-sdk-mcp-server.ts';
import { tool } from '../../../src/mcp/tool.ts';
import { callTool, openHost, runHooked, toResults } from '../../support/turns/run-hooked.ts';

const byValibot = toStandardJsonSchema(
  v.strictObject({
    city: v.pipe(v.string(), v.minLength(2), v.description('Where to.')),
    days: v.optional(v.number(), 1),
  }),
);
const byArkType = type({ '+': 'reject', city: 'string>=2', days: 'number = 1' });

const city = { type: 'string', minLength: 2 };
const rest = { required: ['city'], additionalProperties: false };

const described = { ...city, description: 'Where to.' };

describe.each([
  ['Valibot', byValibot, { city: described, days: { type: 'number', default: 1 } }],
  ['ArkType', byArkType, { city, days: { type: 'number', default: 1 } }],
] as const)('a schema of %s', (_, schema, properties) => {
  const input = standardInput('Trip', schema);

  it('is told to the API as its library writes it', async () => {
    const trip = buildTool({
      name: 'Trip',
      ...input,
      description: async () => 'Plans a trip.',
      prompt: async () => '',
      call: async ({ city: where, days }) => ({ data: `${where} for ${days}` }),
      mapToolResultToToolResultBlockParam: (content, tool_use_id) => ({
        type: 'tool_result',
        tool_use_id,
        content: String(content),
      }),
    });
    const { input_schema } = await toToolParam(trip as never);
    expect(input_schema).toMatchObject({ type: 'object', ...rest });
    expect(Object.keys(input_schema['properties'] ?? {})).toEqual(Object.keys(properties));
    expect(input_schema['properties']).toMatchObject({ city: properties.city });
  });

  it('checks the input, fills what is left out, and names what is wrong by its path', () => {
    const parse = (given: unknown) => input.inputSchema.safeParse(given, { jitless: true });
    expect(parse({ city: 'Bern' }).data).toEqual({ city: 'Bern', days: 1 });
    const issues = parse({ city: 'B', x: 1 }).error?.issues ?? [];
    expect(issues.map(({ path }) => path)).toEqual([['city'], ['x']]);
  });

  it('is taken by tool(), whose handler gets what it parses', async () => {
    const trip = tool(
      'trip',
      'Plans a trip.',
      schema,
      async (given) => {
        expectTypeOf(given).toEqualTypeOf<{ city: string; days: number }>();
        return { content: [{ type: 'text', text: `${given.city} for ${given.days}` }] };
      },
      { alwaysLoad: true },
    );
    await using host = await openHost();
    const mcpServers = { travel: createSdkMcpServer({ name: 'travel', tools: [trip] }) };
    const turns = [
      callTool('mcp__travel__trip', { city: 'Bern' }),
      callTool('mcp__travel__trip', { city: 'B' }, 'call-1'),
    ];
    const { messages } = await runHooked(host, turns, {
      mcpServers,
      allowedTools: ['mcp__travel'],
    });
    const [planned, refused] = toResults(messages);
    expect(planned).toBe('Bern for 1');
    expect(refused).toContain("The input of mcp__travel__trip isn't valid:\n- city: ");
  });
});
