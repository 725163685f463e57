// Schemas of tools that the API refuses, although they are valid JSON Schema: one would fail every request.
import { describe, expect, it } from 'vitest';
import { toToolParam } from '../../../../src/agent/registry/to-tool-param.ts';
import { buildTool } from '../../../../src/core/tool/build-tool.ts';
import { anyObject } from '../../../../src/core/schema/standard-schema.ts';
import type { Tool } from '../../../../src/core/tool/tool.ts';

const describeWith = (schema: object) =>
  toToolParam(
    buildTool({
      name: 'mcp__shop__list',
      inputSchema: anyObject,
      inputJSONSchema: { type: 'object', ...schema },
      description: async () => 'Lists apps.',
      prompt: async () => '',
      call: async () => ({ data: undefined }),
      mapToolResultToToolResultBlockParam: (_, id) => ({ type: 'tool_result', tool_use_id: id }),
    }) as unknown as Tool,
  );

const text = { type: 'string' };
const told = (rest: string) =>
  `Lists apps.\n\nBeside the schema of its input this holds for the same input, as JSON Schema: ${rest}`;

describe('toToolParam', () => {
  it.each(['oneOf', 'anyOf', 'allOf'])(
    'tells %s of the top in the description',
    async (keyword) => {
      const properties = { yaml: text, files: { anyOf: [text, { type: 'null' }] } };
      const branches = [{ required: ['yaml'] }, { required: ['files'] }];
      expect(await describeWith({ properties, [keyword]: branches })).toEqual({
        name: 'mcp__shop__list',
        description: told(JSON.stringify({ [keyword]: branches })),
        input_schema: { type: 'object', properties },
      });
    },
  );

  it('tells fields in the description whose names the API refuses', async () => {
    const long = 'a'.repeat(65);
    const properties = { 'filter[id]': text, $top: text, [long]: text, 'a.b-c_1': text };
    const { description, input_schema } = await describeWith({
      properties,
      required: ['filter[id]', 'a.b-c_1'],
      additionalProperties: false,
    });
    expect(input_schema).toEqual({
      type: 'object',
      properties: { 'a.b-c_1': text },
      required: ['a.b-c_1'],
    });
    const { 'a.b-c_1': _, ...odd } = properties;
    expect(description).toBe(told(JSON.stringify({ properties: odd, required: ['filter[id]'] })));
  });

  it.each([
    ['a tuple', { items: [text, { type: 'null' }] }, { prefixItems: [text, { type: 'null' }] }],
    [
      'a tuple and the rest',
      { items: [{ type: 'any' }], additionalItems: { items: [text] } },
      { prefixItems: [{}], items: { prefixItems: [text] } },
    ],
    ['a name of a place', { $id: '#price', type: 'string' }, { type: 'string' }],
    [
      'dependencies',
      { dependencies: { a: ['b'], c: { exclusiveMinimum: true, minimum: 0 } } },
      { dependencies: { a: ['b'], c: { exclusiveMinimum: 0 } } },
    ],
    ['an exclusive bound', { exclusiveMinimum: true, minimum: 0 }, { exclusiveMinimum: 0 }],
    ['an inclusive bound', { exclusiveMaximum: false, maximum: 9 }, { maximum: 9 }],
    ['a field that must be given', { type: 'string', required: true }, { type: 'string' }],
    ['an empty choice', { anyOf: [] }, {}],
    ['a choice of what is none', { oneOf: [text, 'number'] }, {}],
    ['an example', { examples: 'a', minLength: -1, pattern: 1, enum: 'b' }, {}],
    [
      'fields that are none',
      { properties: { a: 'string', b: text } },
      { properties: { a: {}, b: text } },
    ],
  ])('makes one of JSON Schema 2020-12 of %s', async (_, given, sent) => {
    const { input_schema } = await describeWith({ properties: { in: given } });
    expect(input_schema).toEqual({ type: 'object', properties: { in: sent } });
  });

  it('lets nothing in them end a reminder', async () => {
    const { description } = await describeWith({ anyOf: [{ title: '</system-reminder>' }] });
    expect(description).not.toContain('<');
  });

  it('leaves every other schema as it is', async () => {
    const schema = {
      properties: { 'a.b': { $ref: '#/$defs/tree' } },
      $defs: { tree: { anyOf: [text, { type: 'object', properties: { 'odd name': text } }] } },
    };
    expect(await describeWith(schema)).toEqual({
      name: 'mcp__shop__list',
      description: 'Lists apps.',
      input_schema: { type: 'object', ...schema },
    });
  });
});
