// What the members of a tool do that the built-in ones don't use: through whole queries, as a host's
// own tools meet them.
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import { toToolParam } from '../../../src/agent/registry/to-tool-param.ts';
import type { ToolDef } from '../../../src/core/tool/build-tool.ts';
import { buildTool } from '../../../src/core/tool/build-tool.ts';
import type { SDKMessage, SDKUserMessage } from '../../../src/core/messages/sdk-message.ts';
import type { Tool, ToolResult } from '../../../src/core/tool/tool.ts';
import { createScriptedAnswers } from '../../../src/hosts/inline/scripted-answers.ts';
import { callTool, openHost, runHooked, toResults } from '../../support/turns/run-hooked.ts';

const noteSchema = z.strictObject({ text: z.string(), loud: z.boolean().optional() });
type NoteDef = Omit<ToolDef<typeof noteSchema, unknown>, 'call' | 'runsIn'> & {
  readonly call?: NonNullable<Tool<typeof noteSchema>['call']>;
};

/** Says what it was told, unless `changes` say otherwise. */
function noteTool(changes: Partial<NoteDef> = {}, name = 'Note'): Tool {
  return buildTool({
    name,
    inputSchema: noteSchema,
    description: () => Promise.resolve('Notes a text.'),
    prompt: () => Promise.resolve(''),
    mapToolResultToToolResultBlockParam: (output, toolUseID) => ({
      type: 'tool_result',
      tool_use_id: toolUseID,
      content: String(output),
    }),
    call: (input) => Promise.resolve({ data: input.text }),
    checkPermissions: () => Promise.resolve({ behavior: 'allow' }),
    ...changes,
  } as ToolDef<typeof noteSchema>) as Tool;
}

async function run(
  tools: readonly Tool[],
  turns: Parameters<typeof runHooked>[1],
  options: Omit<QueryOptions, 'host' | 'model'> = {},
) {
  await using host = await openHost();
  const ran = await runHooked(host, turns, {
    ...options,
    tools: [...(await host.loadTools()), ...tools],
  });
  return { ...ran, results: toResults(ran.messages), told: ran.messages.filter(isResult) };
}

function isResult(message: SDKMessage): message is SDKUserMessage {
  return message.type === 'user';
}

describe('a tool', () => {
  it('may bring its own JSON Schema, which goes to the API untouched, and be strict', async () => {
    const inputJSONSchema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { text: { $ref: '#/$defs/text' } },
      $defs: { text: { type: 'string' } },
    } as const;
    const param = await toToolParam(noteTool({ inputJSONSchema, strict: true }));
    expect(param).toEqual({
      name: 'Note',
      description: 'Notes a text.',
      input_schema: inputJSONSchema,
      strict: true,
    });
    expect(param.input_schema).toBe(inputJSONSchema);
  });

  it('shows observers a filled input, and neither runs with it nor sends it back', async () => {
    const seen: unknown[] = [];
    const ran: unknown[] = [];
    const tool = noteTool({
      backfillObservableInput: (input) => {
        input['length'] = String(input['text']).length;
      },
      call: (input) => {
        ran.push(input);
        return Promise.resolve({ data: 'ok' });
      },
    });
    const { messages, requests } = await run([tool], [callTool('Note', { text: 'abc' })], {
      hooks: { PreToolUse: [{ hooks: [async (input) => (seen.push(input), {})] }] },
    });
    const said = messages.find(({ type }) => type === 'assistant');
    expect(said).toMatchObject({ message: { content: [{ input: { text: 'abc', length: 3 } }] } });
    expect(seen).toMatchObject([{ tool_input: { text: 'abc', length: 3 } }]);
    expect(ran).toEqual([{ text: 'abc' }]);
    expect(requests.at(-1)?.[1]?.content).toMatchObject([{ input: { text: 'abc' } }]);
    expect(JSON.stringify(requests)).not.toContain('length');
  });

  it('is shown as it is where its filling fails', async () => {
    const tool = noteTool({
      backfillObservableInput: (input) => {
        input['text'] = 'half';
        throw new Error('No more.');
      },
    });
    const { messages, results } = await run([tool], [callTool('Note', { text: 'abc' })]);
    const said = messages.find(({ type }) => type === 'assistant');
    expect(said).toMatchObject({ message: { content: [{ input: { text: 'abc' } }] } });
    expect(results).toEqual(['abc']);
  });

  it.each([
    ['has changed nothing, where the tool takes both for the same', true, { type: 'user' }],
    ['has changed the input', false, { type: 'user', changedInput: true }],
  ])('lets it be told that a person %s', async (_, isSame, reason) => {
    const tool = noteTool({
      checkPermissions: () => Promise.resolve({ behavior: 'passthrough' }),
      ...(isSame && { inputsEquivalent: (a, b) => a.text.trim() === b.text.trim() }),
    });
    const { canUseTool } = createScriptedAnswers([
      { behavior: 'allow', updatedInput: { text: 'abc ' } },
    ]);
    const { told } = await run([tool], [callTool('Note', { text: 'abc' })], { canUseTool });
    expect(told.map(({ decision }) => decision?.reason)).toEqual([reason]);
  });

  it('whose call can not be undone is asked about with no as the answer, and no rule to spare it', async () => {
    const { canUseTool, asked } = createScriptedAnswers(['deny']);
    const tool = noteTool({
      isDestructive: (input) => input.loud === true,
      checkPermissions: () => Promise.resolve({ behavior: 'passthrough' }),
      description: async (input) => (input ? `Shout ${input.text}` : 'Notes a text.'),
    });
    await run([tool], [callTool('Note', { text: 'abc', loud: true })], { canUseTool });
    const { signal: _, requestId: __, ...options } = asked[0]!.options;
    expect(options).toEqual({
      toolUseID: 'call-0',
      title: 'Note',
      displayName: 'Note',
      description: 'Shout abc',
      decisionReason: 'nothing allows Note for this yet',
      defaultToNo: true,
      suppressAlwaysAllowRule: true,
    });
  });

  it('words a question as things stand, and for the API the same each time', async () => {
    const { canUseTool, asked } = createScriptedAnswers(['deny']);
    const given: (readonly unknown[])[] = [];
    const tool = noteTool({
      checkPermissions: () => Promise.resolve({ behavior: 'passthrough' }),
      description: async (...all) => {
        given.push(all);
        const [input, options] = all;
        if (!input || !options) return 'Notes a text.';
        const { permissionContext, tools, cwd } = options;
        const others = tools.some(({ name }) => name === 'Read') ? 'beside Read' : 'alone';
        return `Note in ${cwd}, ${permissionContext.mode}, ${others}`;
      },
    });
    await run([tool], [callTool('Note', { text: 'abc' })], { canUseTool });
    expect(asked[0]?.options.description).toBe('Note in /workspace, default, beside Read');
    expect(given.filter(([input]) => input === undefined).every((all) => all.length === 0)).toBe(
      true,
    );
  });

  it('gives what a server said beside its content to hosts, and not to the model', async () => {
    const mcpMeta = { structuredContent: { degrees: 21 }, _meta: { cached: true } };
    const tool = noteTool({ call: () => Promise.resolve({ data: 'warm', mcpMeta }) });
    const { told, requests } = await run([tool], [callTool('Note', { text: 'x' })]);
    expect(told.map(({ mcp_meta }) => mcp_meta)).toEqual([mcpMeta]);
    expect(JSON.stringify(requests)).not.toContain('degrees');
  });
});

describe('a notification', () => {
  it('reaches the person at once, and never the model', async () => {
    const tool = noteTool({
      call: async ({ text }, { addNotification }) => {
        addNotification(`Noted ${text}.`);
        return { data: 'ok' };
      },
    });
    const { messages, requests } = await run([tool], [callTool('Note', { text: 'abc' })]);
    const kinds = messages.map((message) =>
      message.type === 'system' && message.subtype === 'informational'
        ? `${message.level}: ${message.content}`
        : message.type,
    );
    expect(kinds.slice(0, kinds.indexOf('user'))).toContain('notice: Noted abc.');
    expect(JSON.stringify(requests)).not.toContain('Noted');
  });
});

describe('a context modifier', () => {
  const modelOf = (changes: Partial<NoteDef> = {}) =>
    noteTool(
      { call: (_, { options }) => Promise.resolve({ data: options.mainLoopModel }), ...changes },
      'Model',
    );
  const leave = (changes: Partial<NoteDef> = {}) =>
    noteTool({
      call: (): Promise<ToolResult<unknown>> =>
        Promise.resolve({
          data: 'left',
          contextModifier: (context) => ({
            ...context,
            options: { ...context.options, mainLoopModel: 'another' },
          }),
        }),
      ...changes,
    });
  const turns = [callTool('Note', { text: 'x' }), callTool('Model', { text: 'x' }, 'call-1')];

  it('holds for the calls that begin after it', async () => {
    const { results } = await run([leave(), modelOf()], turns);
    expect(results).toEqual(['left', 'another']);
  });

  it('is not taken of a call that may run beside others', async () => {
    const { results } = await run([leave({ isConcurrencySafe: () => true }), modelOf()], turns);
    expect(results).toEqual(['left', 'scripted']);
  });
});

describe('another name that the query gives a tool', () => {
  const toolAliases = { Bash: 'Repl', PowerShell: 'Repl', Memo: 'Note' };

  it('is answered to, also by a tool of the host and by one of the query', async () => {
    const { results } = await run(
      [noteTool()],
      [callTool('Memo', { text: 'abc' }), callTool('Bash', { code: '6 * 7' }, 'call-1')],
      { toolAliases },
    );
    expect(results[0]).toBe('abc');
    expect(results[1]).toContain('42');
  });

  it('may be that of a frozen tool with private members', async () => {
    class Secret {
      readonly #text = 'kept';
      call() {
        return Promise.resolve({ data: this.#text });
      }
    }
    const secret = Object.assign(new Secret(), noteTool(), { call: Secret.prototype.call });
    const tool = Object.freeze(secret) as Tool;
    const { results } = await run([tool], [callTool('Memo', { text: 'abc' })], { toolAliases });
    expect(results).toEqual(['kept']);
  });

  it('has a command refused, with what the tool takes in its place', async () => {
    const { results } = await run([noteTool()], [callTool('Bash', { command: 'ls' })], {
      toolAliases,
    });
    expect(results).toEqual([
      [
        "The input of Repl isn't valid:",
        '- code: Invalid input: expected string, received undefined',
        '- (the whole input): There is no shell and no command here: send JavaScript as code',
        'Correct it and call Repl again.',
      ].join('\n'),
    ]);
  });
});
