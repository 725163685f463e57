// SendUserMessage by itself, and in whole turns.
import { describe, expect, it } from 'vitest';
import type { ToolUseContext } from '../../src/core/tool/context.ts';
import { sendUserMessageTool } from '../../src/tools/send-user-message/tool.ts';
import { toolUse } from '../support/turns/plan-turns.ts';
import { asks, listModel, playTurns, says } from '../support/turns/play-turns.ts';

const main = {} as ToolUseContext;
const agent = { agentId: 'a1' } as ToolUseContext;

describe("SendUserMessage's definition", () => {
  it('goes by the name that it had, and changes nothing', () => {
    expect(sendUserMessageTool.aliases).toEqual(['Brief']);
    expect(sendUserMessageTool.isReadOnly()).toBe(true);
  });

  it.each([
    ['', main, 'message is empty: say what the user is to read.'],
    [' \n', main, 'message is empty: say what the user is to read.'],
    [
      'x'.repeat(20_001),
      main,
      'message has 20001 characters, and may have 20000. Write the rest to a file, and name that.',
    ],
    [
      'Done.',
      agent,
      'Only the agent that speaks with the user writes to them. Say it in your report.',
    ],
  ])('refuses what nobody can read: %j', async (message, context, sentence) => {
    expect(await sendUserMessageTool.validateInput({ message }, context)).toEqual({
      result: false,
      errorCode: 1,
      message: sentence,
    });
  });

  it('takes what fits', async () => {
    const message = 'x'.repeat(20_000);
    expect(await sendUserMessageTool.validateInput({ message }, main)).toEqual({ result: true });
  });
});

describe('SendUserMessage in a turn', () => {
  const offered = async (options: Partial<Parameters<typeof playTurns>[0]>) => {
    const model = listModel('list', [says('Done.')]);
    await playTurns({ model, ...options });
    return model.requests[0]?.tools?.map(({ name }) => name);
  };

  it('is there with brief, as a deferred tool, and with proactive from the start', async () => {
    expect(await offered({ toolSearch: false })).not.toContain('SendUserMessage');
    expect(await offered({ toolSearch: false, brief: true })).toContain('SendUserMessage');
    expect(await offered({ brief: true })).not.toContain('SendUserMessage');
    expect(await offered({ proactive: true })).toContain('SendUserMessage');
  });

  it('gives viewers the message as the call’s output, unasked, and the turn goes on', async () => {
    const model = listModel('list', [
      asks(toolUse('u1', 'Brief', { message: 'All **done**.' })),
      says('End.'),
    ]);
    const { messages, results } = await playTurns({
      model,
      brief: true,
      toolSearch: false,
      permissionMode: 'dontAsk',
    });
    const told = messages.find((message) => message.type === 'user' && message.tool_use_result);
    expect(told).toMatchObject({
      tool_use_result: { message: 'All **done**.', sentAt: expect.any(Number) },
      message: { content: [{ tool_use_id: 'u1', content: 'The user is shown it.' }] },
    });
    expect(results[0]).toMatchObject({ subtype: 'success', result: 'End.' });
  });
});
