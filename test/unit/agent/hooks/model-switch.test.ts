// PreModelSwitch and PostModelSwitch: what hooks hear of another model, and how one keeps the model.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Host } from '../../../../src/agent/host.ts';
import type { HooksOption } from '../../../../src/agent/hooks/hooks.ts';
import type { HookJSONOutput } from '../../../../src/agent/hooks/read-answer.ts';
import { openSession } from '../../../../src/agent/open-session.ts';
import type { QueryOptions } from '../../../../src/agent/query-options.ts';
import { createVirtualClock } from '../../../../src/hosts/inline/virtual-clock.ts';
import type { VirtualClock } from '../../../../src/hosts/inline/virtual-clock.ts';
import type { Model } from '../../../../src/model/model.ts';
import { isResult, readUntil } from '../../../support/sessions/open-sessions.ts';
import { asks, listModel, says } from '../../../support/turns/play-turns.ts';
import type { Reply } from '../../../support/turns/play-turns.ts';
import { openHost } from '../../../support/turns/run-hooked.ts';

let host: Host;
let clock: VirtualClock;
beforeEach(async () => {
  clock = createVirtualClock(1_000_000);
  host = await openHost({ clock });
});
afterEach(() => host[Symbol.asyncDispose]());

type Heard = Record<string, unknown>;

function listen(answer: HookJSONOutput = {}) {
  const heard: Heard[] = [];
  const hook = async (input: object) => {
    const { hook_event_name, from_model, to_model, requested_model, source } = input as Heard;
    heard.push({ hook_event_name, from_model, to_model, requested_model, source });
    return hook_event_name === 'PreModelSwitch' ? answer : {};
  };
  const hooks: HooksOption = {
    PreModelSwitch: [{ hooks: [hook] }],
    PostModelSwitch: [{ hooks: [hook] }],
  };
  return { heard, hooks };
}

const small = listModel('small', [says('Small.')]);

async function open(replies: readonly Reply[], options: Partial<QueryOptions>) {
  const model = listModel('large', replies);
  const session = await openSession({ host, model, models: { fast: small }, ...options });
  return { model, session };
}

const heardOf = (to: string, requested: string | null, source: string, from = 'large') =>
  ['PreModelSwitch', 'PostModelSwitch'].map((hook_event_name) => ({
    ...{ hook_event_name, from_model: from, to_model: to, requested_model: requested, source },
  }));

describe('hooks of a switch', () => {
  it('hear of one by setModel, by applyFlagSettings and by Config, and of none to the same', async () => {
    const { heard, hooks } = listen();
    const config = { type: 'tool_use', id: 'set', name: 'Config' } as const;
    const { session, model } = await open(
      [asks({ ...config, input: { setting: 'model', value: 'fast' } })],
      { hooks, toolSearch: false, permissionMode: 'bypassPermissions' },
    );
    await session.setModel(model);
    await session.setModel(small);
    await session.setModel(model);
    await session.applyFlagSettings({ model: 'fast' });
    await session.applyFlagSettings({ model: null });
    await session.send('Be quick.');
    await readUntil(session, isResult);
    await session.close();
    expect(heard).toEqual([
      ...heardOf('small', 'small', 'sdk'),
      ...heardOf('large', null, 'sdk', 'small'),
      ...heardOf('small', 'fast', 'sdk'),
      ...heardOf('large', null, 'sdk', 'small'),
      ...heardOf('small', 'fast', 'command'),
    ]);
  });

  it.each<[string, HookJSONOutput]>([
    ['blocks', { decision: 'block', reason: 'It is retired.' }],
    [
      'denies',
      {
        hookSpecificOutput: {
          hookEventName: 'PreModelSwitch',
          permissionDecision: 'deny',
          permissionDecisionReason: 'It is retired.',
        },
      },
    ],
    [
      'asks, where nobody is asked,',
      {
        hookSpecificOutput: {
          hookEventName: 'PreModelSwitch',
          permissionDecision: 'ask',
          permissionDecisionReason: 'It is retired.',
        },
      },
    ],
  ])('keep the model where one %s it', async (_, answer) => {
    const { heard, hooks } = listen(answer);
    const { session, model } = await open([says('Large.')], { hooks });
    const refusal = {
      code: 'permission-denied',
      message: "A hook keeps the model large: small isn't taken. It is retired.",
    };
    await expect(session.setModel(small)).rejects.toMatchObject(refusal);
    await expect(session.applyFlagSettings({ model: 'fast' })).rejects.toMatchObject(refusal);
    expect(heard.map(({ hook_event_name }) => hook_event_name)).toEqual([
      'PreModelSwitch',
      'PreModelSwitch',
    ]);
    await session.send('Go.');
    await readUntil(session, isResult);
    await session.close();
    expect(model.requests).toHaveLength(1);
  });

  it('are chosen by the model’s name, and tell the model something with the next prompt', async () => {
    const additionalContext = 'Be brief from now on.';
    const hooks: HooksOption = {
      PreModelSwitch: [{ matcher: 'large', hooks: [async () => ({ decision: 'block' })] }],
      PostModelSwitch: [
        {
          matcher: '^sm',
          hooks: [
            async () => ({
              hookSpecificOutput: { hookEventName: 'PostModelSwitch', additionalContext },
            }),
          ],
        },
      ],
    };
    const next = listModel('smaller', [says('Brief.')]);
    const { session } = await open([], { hooks });
    await session.setModel(next);
    await session.send('Go.');
    await readUntil(session, isResult);
    await session.close();
    expect(JSON.stringify(next.requests[0]?.messages)).toContain(additionalContext);
  });

  it('are told what it costs to send the conversation again', async () => {
    const costs: Heard[] = [];
    const hook = async (input: object) => {
      const { context_tokens, prompt_cache_warm, ...more } = input as Heard;
      const { cache_ttl, estimated_cache_write_usd, pricing } = more;
      costs.push({
        ...{ context_tokens, prompt_cache_warm, cache_ttl, estimated_cache_write_usd, pricing },
      });
      return {};
    };
    const usage = { input_tokens: 999_000, output_tokens: 1_000 };
    const counting: Model = countWith(listModel('large', [says('Large.')]), usage);
    const session = await openSession({
      ...{ host, model: counting, models: { fast: small }, cacheTtl: '1h' },
      prices: { large: { input: 3, output: 15 }, small: { input: 1, output: 5 } },
      hooks: { PreModelSwitch: [{ hooks: [hook] }] },
    });
    await session.applyFlagSettings({ model: 'fast' });
    await session.applyFlagSettings({ model: null });
    await session.send('Go.');
    await readUntil(session, isResult);
    await session.applyFlagSettings({ model: 'fast' });
    clock.advance(3_600_000);
    await session.setModel(listModel('unknown', []));
    await session.close();
    const before = { context_tokens: 0, prompt_cache_warm: false, cache_ttl: '1h' };
    const after = { context_tokens: 1_000_000, prompt_cache_warm: true, cache_ttl: '1h' };
    expect(costs).toEqual([
      { ...before, estimated_cache_write_usd: 0, pricing: 'configured' },
      { ...before, estimated_cache_write_usd: 0, pricing: 'configured' },
      { ...after, estimated_cache_write_usd: 2, pricing: 'configured' },
      { ...after, prompt_cache_warm: false, estimated_cache_write_usd: 0, pricing: 'default' },
    ]);
  });
});

/** The model, whose server counts so much for each reply. */
function countWith(model: Model, usage: { input_tokens: number; output_tokens: number }): Model {
  return {
    ...model,
    async *stream(...given) {
      for await (const event of model.stream(...given)) {
        if (event.type === 'message_start') {
          yield { ...event, message: { ...event.message, usage } };
        } else if (event.type === 'message_delta') yield { ...event, usage };
        else yield event;
      }
    },
  };
}
