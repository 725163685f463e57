// Inputs with which a tool would fail every call, or every request: whoever writes one is told where it is made.
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { buildTool } from '../../../src/core/tool/build-tool.ts';
import { createSdkMcpServer } from '../../../src/mcp/create-sdk-mcp-server.ts';
import { tool } from '../../../src/mcp/tool.ts';

const zod3 = await import('zod/v3');

const make = (inputSchema: unknown) =>
  tool('days', 'Counts.', inputSchema as never, async () => ({ content: [] }));
const instead =
  'give a shape such as { city: z.string() }, or make the tool by buildTool, which takes inputJSONSchema.';

describe('tool', () => {
  it.each([
    [
      'JSON Schema',
      { type: 'object', properties: { since: { type: 'string' } } },
      `The input schema of days is JSON Schema: ${instead}`,
    ],
    [
      'a type of zod 3',
      { since: zod3.string() },
      `The input schema of days has "since", which is no type of zod 4: ${instead}`,
    ],
    [
      'a schema of zod 3',
      zod3.object({ since: zod3.string() }),
      'The input schema of days can be checked by zod, but not written as JSON Schema',
    ],
  ])('refuses %s', (_, schema, message) => {
    expect(() => make(schema)).toThrow(
      expect.objectContaining({
        code: 'invalid-input',
        message: expect.stringContaining(message),
      }),
    );
  });

  it.each([
    ['no field', {}],
    ['a shape', { since: z.string().transform((text) => text.length) }],
    ['a zod object', z.object({ since: z.iso.date() })],
  ])('takes %s', (_, schema) => {
    const server = createSdkMcpServer({ name: 'calendar', tools: [make(schema)] });
    expect(server.name).toBe('calendar');
  });
});

it.each([
  ['a type that JSON has not', { since: z.date() }, "can't be written as JSON Schema"],
  ['what is no object', z.string(), 'must describe one object'],
])('createSdkMcpServer refuses a tool that takes %s', (_, schema, message) => {
  expect(() => createSdkMcpServer({ name: 'calendar', tools: [make(schema)] })).toThrow(
    expect.objectContaining({
      code: 'invalid-input',
      message: expect.stringContaining(`The input schema of mcp__calendar__days ${message}`),
    }),
  );
});

describe('buildTool', () => {
  const build = (schemas: object) => buildTool({ name: 'Days', ...schemas } as never);

  it.each([
    ['zod 3', zod3.object({})],
    ['JSON Schema', { type: 'object' }],
  ])('refuses %s in the place of a schema of zod', (_, inputSchema) => {
    expect(() => build({ inputSchema })).toThrow(
      'The input schema of Days is no schema of zod 4: write z.strictObject({ path: z.string() }), say. standardInput takes those of other libraries.',
    );
  });

  it('takes whatever checks an input where JSON Schema stands beside it', () => {
    const inputSchema = zod3.object({});
    const built = build({ inputSchema, inputJSONSchema: { type: 'object' } });
    expect(built).toMatchObject({ name: 'Days' });
  });
});
