import * as z from 'zod';
import { describe, expect, it } from 'vitest';
import { validate } from '../../../src/agent/calls/validate.ts';
import { createTestSession, testContext } from '../../support/stages/test-session.ts';
import { changeTool, lookTool } from '../../support/stages/test-tools.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';

async function tell(name: string, input: unknown, tools: readonly Tool[] = [lookTool()]) {
  const session = await createTestSession({ tools });
  const toolUse = { id: 'call-1', name, input, index: 0 };
  const result = await validate(toolUse, testContext(session));
  return result.stage === 'valid' ? result : result.result;
}

const error = (content: string) => ({
  type: 'tool_result',
  tool_use_id: 'call-1',
  content,
  is_error: true,
});

describe('validate', () => {
  it('finds the tool and gives the input as the schema parsed it, with its class', async () => {
    expect(await tell('Look', { path: 'a' })).toMatchObject({
      stage: 'valid',
      input: { path: 'a' },
      traits: {
        isReadOnly: true,
        isConcurrencySafe: true,
        isDestructive: false,
        isOpenWorld: false,
        needsPerson: false,
      },
    });
  });

  it('finds a tool by an older name', async () => {
    const tools = [lookTool({ aliases: ['Cat'] })];
    expect(await tell('Cat', { path: 'a' }, tools)).toMatchObject({ stage: 'valid' });
  });

  it.each([
    ['look', 'There is no tool named look. Did you mean Look?'],
    ['Lok', 'There is no tool named Lok. Did you mean Look?'],
    ['LookFile', 'There is no tool named LookFile. Did you mean Look?'],
    ['Bash', 'There is no tool named Bash. The tools are: Look, Change.'],
    [
      'x'.repeat(100_000),
      `There is no tool named ${'x'.repeat(100)}. The tools are: Look, Change.`,
    ],
  ])('answers an unknown tool with those that are near: %.20s', async (name, message) => {
    expect(await tell(name, {}, [lookTool(), changeTool()])).toEqual(error(message));
  });

  it('names each path and reason of a wrong input', async () => {
    expect(await tell('Look', { path: 3, extra: true })).toEqual(
      error(
        [
          "The input of Look isn't valid:",
          '- path: Invalid input: expected string, received number',
          '- (the whole input): Unrecognized key: "extra"',
          'Correct it and call Look again.',
        ].join('\n'),
      ),
    );
  });

  it('waits for a schema that asks elsewhere', async () => {
    const isThere = (path: string) => Promise.resolve(path === 'a');
    const inputSchema = z.strictObject({ path: z.string().refine(isThere, 'Not there.') });
    const tools = [lookTool({ inputSchema })];
    expect(await tell('Look', { path: 'a' }, tools)).toMatchObject({ stage: 'valid' });
    expect(await tell('Look', { path: 'b' }, tools)).toEqual(
      error("The input of Look isn't valid:\n- path: Not there.\nCorrect it and call Look again."),
    );
  });

  it('answers input that was no JSON without running it', async () => {
    const session = await createTestSession({ tools: [lookTool()] });
    const inputError = "The input isn't valid JSON.";
    const toolUse = { id: 'call-1', name: 'Look', input: {}, index: 0, inputError };
    const result = await validate(toolUse, testContext(session));
    expect(result.stage === 'settled' && result.result).toEqual(
      error("The input isn't valid JSON.\nCall Look again."),
    );
  });

  it('asks the tool’s own check after the schema', async () => {
    const tool = lookTool({
      validateInput: ({ path }) =>
        Promise.resolve(
          path === 'good'
            ? { result: true }
            : { result: false, message: `${path} is bad.`, errorCode: 7 },
        ),
    });
    expect(await tell('Look', { path: 'good' }, [tool])).toMatchObject({ stage: 'valid' });
    expect(await tell('Look', { path: 'it' }, [tool])).toEqual(error('it is bad. (error 7)'));
  });

  it('settles the call when the tool’s check fails', async () => {
    const tool = lookTool({ validateInput: () => Promise.reject(new TypeError('x is undefined')) });
    expect(await tell('Look', { path: 'a' }, [tool])).toEqual(
      error(
        'Look could not check its input: TypeError: x is undefined. This is a fault of the tool; try another way.',
      ),
    );
  });

  it('takes a classification that fails, or says neither yes nor no, for the worst case', async () => {
    const fail = () => {
      throw new Error('x');
    };
    const tool = lookTool({
      isReadOnly: fail,
      isConcurrencySafe: () => 'yes' as unknown as boolean,
      isDestructive: fail,
      isOpenWorld: fail,
    });
    expect(await tell('Look', { path: 'a' }, [tool])).toMatchObject({
      traits: {
        isReadOnly: false,
        isConcurrencySafe: false,
        isDestructive: true,
        isOpenWorld: true,
      },
    });
  });
});
