// PushNotification in whole turns: what the host is handed, and what the model and the viewers are told.
import { describe, expect, it } from 'vitest';
import type { QueryOptions } from '../../src/agent/query-options.ts';
import { query } from '../../src/agent/query.ts';
import type { ToolUseContext } from '../../src/core/tool/context.ts';
import type {
  OnPushNotification,
  UserNotification,
} from '../../src/core/host-ports/user-notification.ts';
import { createInlineHost } from '../../src/hosts/inline/create-inline-host.ts';
import { createVirtualClock } from '../../src/hosts/inline/virtual-clock.ts';
import { pushNotificationTool } from '../../src/tools/push-notification/tool.ts';
import { toolUse } from '../support/turns/plan-turns.ts';
import { asks, listModel, says } from '../support/turns/play-turns.ts';

const message = 'All tests pass.';

/** One turn that notifies. */
async function notify(
  input: Record<string, unknown>,
  options: Partial<QueryOptions> = {},
  ofHost?: OnPushNotification,
) {
  await using made = await createInlineHost({ clock: createVirtualClock(1_700_000_000_000) });
  const host = { ...made, ...(ofHost && { onPushNotification: ofHost }) };
  const model = listModel('list', [asks(toolUse('u1', 'PushNotification', input)), says('End.')]);
  const all = { host, model, permissionMode: 'dontAsk', toolSearch: false, ...options } as const;
  const notices: string[] = [];
  let told: { output: unknown; text: unknown; isError: unknown } | undefined;
  for await (const one of query({ prompt: 'Go.', options: all })) {
    if (one.type === 'system' && one.subtype === 'informational') notices.push(one.content);
    if (one.type !== 'user' || typeof one.message.content === 'string') continue;
    const [block] = one.message.content;
    if (block?.type !== 'tool_result') continue;
    told = { output: one.tool_use_result, text: block.content, isError: block.is_error };
  }
  return { ...told, notices };
}

describe('PushNotification', () => {
  it("goes by the query's channel before the host's, also where nobody is asked", async () => {
    const sent: UserNotification[] = [];
    const { output, text, notices } = await notify(
      { message, status: 'proactive' },
      {
        onPushNotification: async (notification) => {
          sent.push(notification);
          return { pushSent: true };
        },
      },
      () => ({ localSent: true }),
    );
    expect(sent).toEqual([{ message, status: 'proactive', sessionId: expect.any(String) }]);
    expect(output).toEqual({ message, pushSent: true, sentAt: '2023-11-14T22:13:20.000Z' });
    expect(text).toBe('The notification is on its way to the user.');
    expect(notices).toEqual([message]);
  });

  it.each([
    [{ localSent: true }, /^The notification is shown on the user’s screen\.$/u],
    [{ disabledReason: 'user_present' }, /^The user is looking at the page/u],
    [{ disabledReason: 'config_off' }, /^The user has not allowed notifications\./u],
    [{}, /^No notification was sent/u],
  ] as const)("says what became of it by the host's: %j", async (sent, sentence) => {
    const { output, text, isError } = await notify({ message }, {}, () => sent);
    const sentAt = 'localSent' in sent && { sentAt: '2023-11-14T22:13:20.000Z' };
    expect(output).toEqual({ message, ...sent, ...sentAt });
    expect(text).toMatch(sentence);
    expect(isError).toBeUndefined();
  });

  it('has no way to the person where the host gives none; viewers have it all the same', async () => {
    const { output, notices } = await notify({ message });
    expect(output).toEqual({ message, disabledReason: 'no_transport' });
    expect(notices).toEqual([message]);
  });

  it('fails with what the channel says', async () => {
    const { text, isError } = await notify({ message }, {}, () =>
      Promise.reject(new Error('The device is gone.')),
    );
    expect([isError, text]).toEqual([
      true,
      "The user couldn't be notified: Error: The device is gone.",
    ]);
  });

  it('is denied by a rule as any tool', async () => {
    let calls = 0;
    const { isError } = await notify(
      { message },
      { disallowedTools: ['PushNotification'] },
      () => ({ localSent: (calls += 1) > 0 }),
    );
    expect([isError, calls]).toEqual([true, 0]);
  });

  it.each<[object, Partial<ToolUseContext>, string]>([
    [{ message: ' ' }, {}, 'message is empty'],
    [{ message }, { agentId: 'a1' }, 'Say it in your report.'],
  ])('refuses %j of %j', async (input, context, sentence) => {
    const refused = await pushNotificationTool.validateInput(
      input as { message: string },
      context as ToolUseContext,
    );
    expect(refused).toMatchObject({ result: false, message: expect.stringContaining(sentence) });
  });

  it('takes a sentence, not a page', () => {
    const parse = (length: number) =>
      pushNotificationTool.inputSchema.safeParse({ message: 'x'.repeat(length) }).success;
    expect([500, 501].map(parse)).toEqual([true, false]);
  });

  it('is not sent once more after its page was closed in the midst of it', async () => {
    await expect(pushNotificationTool.resumeCall?.()).rejects.toThrow('They may have been');
  });
});
