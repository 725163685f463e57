import * as z from 'zod';
import { describe, expect, it } from 'vitest';
import { buildTool } from '../../../../src/core/tool/build-tool.ts';
import type { ToolDef } from '../../../../src/core/tool/build-tool.ts';
import { toInputJsonSchema } from '../../../../src/core/schema/json-schema.ts';
import { lazySchema } from '../../../../src/core/schema/lazy-schema.ts';
import { findToolByName } from '../../../../src/core/tool/tool.ts';
import type { InputSchema, Tool } from '../../../../src/core/tool/tool.ts';

const schema = z.strictObject({ path: z.string() });

const definition = {
  name: 'Count',
  inputSchema: schema,
  runsIn: 'worker',
  description: () => Promise.resolve('Counts.'),
  prompt: () => Promise.resolve(''),
  mapToolResultToToolResultBlockParam: (_output: unknown, toolUseID: string) =>
    ({ type: 'tool_result', tool_use_id: toolUseID }) as const,
} as const satisfies ToolDef<typeof schema>;

describe('buildTool', () => {
  it('fails closed where the definition says nothing', async () => {
    const tool = buildTool(definition);
    expect({
      isEnabled: tool.isEnabled(),
      isReadOnly: tool.isReadOnly(),
      isConcurrencySafe: tool.isConcurrencySafe(),
      isDestructive: tool.isDestructive(),
      checkPermissions: await tool.checkPermissions(),
      toAutoClassifierInput: tool.toAutoClassifierInput(),
      userFacingName: tool.userFacingName(),
    }).toEqual({
      isEnabled: true,
      isReadOnly: false,
      isConcurrencySafe: false,
      isDestructive: false,
      checkPermissions: { behavior: 'passthrough' },
      toAutoClassifierInput: '',
      userFacingName: 'Count',
    });
  });

  it('takes the definition over the default, and undefined for left out', () => {
    // As a caller without types may write it.
    const given = { ...definition, isReadOnly: () => true, isConcurrencySafe: undefined };
    const tool = buildTool(given as unknown as ToolDef<typeof schema>) as Tool;
    expect([tool.isReadOnly({}), tool.isConcurrencySafe({})]).toEqual([true, false]);
  });

  it('builds no schema before it is asked for', () => {
    let built = 0;
    const lazy = lazySchema(() => {
      built += 1;
      return schema;
    });
    const tool = buildTool({
      ...definition,
      get inputSchema() {
        return lazy();
      },
    } satisfies ToolDef<typeof schema>);
    expect(built).toBe(0);
    expect([tool.inputSchema, tool.inputSchema, built]).toEqual([schema, schema, 1]);
  });

  it('keeps the methods of an instance, on the instance', async () => {
    class Base {
      readonly inputSchema = schema;
      #calls = 0;
      calls = 0;
      get searchHint() {
        return `called ${this.#calls} times`;
      }
      description() {
        return Promise.resolve('Counts.');
      }
      prompt() {
        return Promise.resolve('');
      }
      mapToolResultToToolResultBlockParam(output: unknown, toolUseID: string) {
        const content = `${String(output)} ${this.#calls}`;
        return { type: 'tool_result', tool_use_id: toolUseID, content } as const;
      }
      call() {
        this.#calls += 1;
        this.calls += 1;
        return Promise.resolve({ data: this.#calls });
      }
    }
    class Count extends Base {
      readonly name = 'Count';
      isReadOnly = undefined;
      override prompt() {
        return Promise.resolve('Mine.');
      }
    }
    const instance = new Count();
    const tool = buildTool(instance as never) as unknown as Omit<Count, 'isReadOnly'> & Tool;
    expect(await tool.call()).toEqual({ data: 1 });
    expect([tool.searchHint, tool.calls, instance.calls]).toEqual(['called 1 times', 1, 1]);
    expect(await Promise.all([tool.description(), tool.prompt({} as never)])).toEqual([
      'Counts.',
      'Mine.',
    ]);
    expect(tool.mapToolResultToToolResultBlockParam(5, 'x').content).toBe('5 1');
    expect(tool.isReadOnly({})).toBe(false);
    expect(tool.isEnabled()).toBe(true);
    expect(Object.keys(tool)).not.toContain('constructor');
    expect(Object.keys(instance).toSorted()).toEqual([
      'calls',
      'inputSchema',
      'isReadOnly',
      'name',
    ]);
  });
});

describe('buildTool, given a schema that no request can take', () => {
  const build = (inputSchema: unknown) => () => {
    buildTool({ ...definition, inputSchema: inputSchema as typeof schema });
  };

  it.each([
    [
      z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('add'), text: z.string() }),
        z.strictObject({ kind: z.literal('drop'), id: z.int() }),
      ]),
      'The input schema of Count must describe one object, as z.strictObject({…}) does: the API takes nothing else. ' +
        'Put the union into a field: z.strictObject({ action: z.union([…]) }).',
    ],
    [
      z.array(z.string()),
      'The input schema of Count must describe one object, as z.strictObject({…}) does: the API takes nothing else.',
    ],
    [
      z.strictObject({ when: z.date() }),
      expect.stringMatching(/^The input schema of Count can't be written as JSON Schema \(/u),
    ],
  ])('refuses it at once, and says what it takes', (inputSchema, message) => {
    expect(build(inputSchema)).toThrow(expect.objectContaining({ code: 'invalid-input', message }));
  });

  it('takes one whose parts stand further down in the module, or that has JSON Schema beside it', () => {
    const tool = z.strictObject({ part: z.lazy(() => part) });
    expect(build(tool)).not.toThrow();
    const part = z.string();
    const union = z.union([schema, z.strictObject({ id: z.int() })]) as unknown as typeof schema;
    const inputJSONSchema = { type: 'object' } as const;
    expect(() => buildTool({ ...definition, inputSchema: union, inputJSONSchema })).not.toThrow();
  });
});

describe('findToolByName', () => {
  it('prefers a name to another tool’s alias', () => {
    const a = { name: 'A', aliases: ['B', 'Old'] } as unknown as Tool;
    const b = { name: 'B' } as unknown as Tool;
    const tools = [a, b];
    const found = ['A', 'B', 'Old', 'C'].map((name) => findToolByName(tools, name));
    expect(found).toEqual([a, b, a, undefined]);
  });
});

describe('toInputJsonSchema', () => {
  it('writes descriptions, and lets what has a default be left out', () => {
    const described = z.strictObject({
      path: z.string().describe('Where.'),
      limit: z.int().positive().max(10).default(5),
      mode: z.enum(['a', 'b']).optional(),
    });
    expect(toInputJsonSchema('X', described as InputSchema)).toEqual({
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Where.' },
        limit: { type: 'integer', exclusiveMinimum: 0, maximum: 10, default: 5 },
        mode: { type: 'string', enum: ['a', 'b'] },
      },
      required: ['path'],
      additionalProperties: false,
    });
  });

  it.each([
    [z.union([z.strictObject({ a: z.string() }), z.strictObject({ b: z.string() })])],
    [z.strictObject({ when: z.date() })],
  ])('refuses a schema that the API can’t take, with the tool’s name', (bad) => {
    expect(() => toInputJsonSchema('Clock', bad as InputSchema)).toThrow(
      /^The input schema of Clock /u,
    );
  });
});
