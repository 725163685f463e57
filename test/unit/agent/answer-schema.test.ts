// What a host answers for the person may fill fields that the model's schema leaves out; a model can't.
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { buildTool } from '../../../src/core/tool/build-tool.ts';
import type { ToolDef } from '../../../src/core/tool/build-tool.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import type { HookedOptions } from '../../support/turns/run-hooked.ts';
import { callTool, openHost, runHooked, toResults } from '../../support/turns/run-hooked.ts';

const answerSchema = z.strictObject({
  question: z.string(),
  path: z.string().optional(),
  answers: z.record(z.string(), z.string()).optional(),
});
const inputSchema = answerSchema.omit({ answers: true });

type Input = z.output<typeof answerSchema>;

function askTool(check?: (input: Input) => Input | undefined) {
  const ran: Input[] = [];
  const tool = buildTool({
    name: 'Ask',
    inputSchema: inputSchema as z.ZodType<Input>,
    answerSchema,
    alwaysLoad: true,
    requiresUserInteraction: () => true,
    getPath: ({ path }) => path,
    checkPermissions: async (input) => {
      const updatedInput = check?.(input);
      return updatedInput ? { behavior: 'allow', updatedInput } : { behavior: 'passthrough' };
    },
    description: async () => 'Asks the person.',
    prompt: async () => '',
    call: async (input) => {
      ran.push(input);
      return { data: 'asked' };
    },
    mapToolResultToToolResultBlockParam: (content, tool_use_id) => ({
      type: 'tool_result',
      tool_use_id,
      content: String(content),
    }),
  } satisfies ToolDef<z.ZodType<Input>>) as unknown as Tool;
  return { tool, ran };
}

const answers = { 'Which?': 'This.' };
const question = 'Which?';
const code = (input: object) => `await tools.Ask(${JSON.stringify(input)})`;

async function play(
  input: object,
  options: HookedOptions,
  { inCell = false, asking = askTool() } = {},
) {
  await using host = await openHost();
  const turn = inCell
    ? callTool('Repl', { code: code(input) })
    : callTool('Ask', input as Record<string, unknown>);
  const { messages } = await runHooked(host, [turn], {
    tools: [...(await host.loadTools()), asking.tool],
    ...options,
  });
  return { ran: asking.ran, result: toResults(messages).at(-1) ?? '' };
}

const filling: HookedOptions = {
  canUseTool: async (_, input) => ({ behavior: 'allow', updatedInput: { ...input, answers } }),
};
const hookOf = (hookEventName: 'PreToolUse' | 'PermissionRequest', fields: object) =>
  ({
    hooks: {
      [hookEventName]: [
        { hooks: [async () => ({ hookSpecificOutput: { hookEventName, ...fields } })] },
      ],
    },
  }) as HookedOptions;
const answeringHook = hookOf('PermissionRequest', {
  decision: { behavior: 'allow', updatedInput: { question, answers } },
});

describe('a field that only a host may fill', () => {
  it.each([
    ['canUseTool', filling, false],
    ['canUseTool, for a cell', filling, true],
    ['a PermissionRequest hook', answeringHook, false],
  ])('is filled by %s', async (_, options, inCell) => {
    const { ran } = await play({ question }, options, { inCell });
    expect(ran).toEqual([{ question, answers }]);
  });

  it.each([
    ['the model', {}, { question, answers }, false],
    ['the model, where the person says yes', filling, { question, answers }, false],
    ['a cell', filling, { question, answers }, true],
    [
      'a PreToolUse hook',
      { ...filling, ...hookOf('PreToolUse', { updatedInput: { question, answers } }) },
      { question },
      false,
    ],
  ] as const)('is refused of %s', async (_, options, input, inCell) => {
    const { ran, result } = await play(input, options, { inCell });
    expect([ran, result]).toEqual([[], expect.stringMatching(/answers/u)]);
  });

  it('is refused of a host where no schema has it', async () => {
    const canUseTool: HookedOptions['canUseTool'] = async (_, input) => ({
      behavior: 'allow',
      updatedInput: { ...input, answers: 1, approved: true },
    });
    const { ran, result } = await play({ question }, { canUseTool });
    expect([ran, result]).toEqual([[], expect.stringMatching(/answers.*approved/su)]);
  });

  it('stays where the answer leads to another question', async () => {
    const seen: unknown[] = [];
    const { ran } = await play(
      { question },
      {
        settings: { permissions: { ask: ['Ask(secret/**)'] } },
        canUseTool: async (_, input) => {
          seen.push(input);
          return { behavior: 'allow', updatedInput: { ...input, path: 'secret/a', answers } };
        },
      },
    );
    const answered = { question, path: 'secret/a', answers };
    expect([ran, seen]).toEqual([[answered], [{ question }, answered]]);
  });

  it('may be kept by the tool when it changes an answered input', async () => {
    const asking = askTool((input) => (input.answers ? { ...input, path: 'own' } : undefined));
    const { ran } = await play({ question }, filling, { asking });
    expect(ran).toEqual([{ question, path: 'own', answers }]);
  });
});
