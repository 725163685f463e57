import { describe, expect, it } from 'vitest';
import { toModeReminder } from '../../../../src/agent/context/mode-reminder.ts';
import type { PlanRules } from '../../../../src/agent/context/mode-reminder.ts';
import { runTurn } from '../../../../src/agent/turn/loop.ts';
import type { MessageParam } from '../../../../src/core/messages/messages.ts';
import type { PermissionMode } from '../../../../src/core/permissions/permission.ts';
import type { Model, ModelRequest } from '../../../../src/model/model.ts';
import { toEvents } from '../../../../src/model/to-events.ts';
import { assistantMessage } from '../../../support/models/model-streams.ts';
import { createTestSession } from '../../../support/stages/test-session.ts';

const rules: PlanRules = { path: '/session/s1/plan.md', instructions: undefined };
const prompt: MessageParam = { role: 'user', content: 'Go.' };

describe('toModeReminder', () => {
  it('tells of plan mode when it begins and when it ends, each change once', () => {
    const messages: MessageParam[] = [prompt];
    const tell = (mode: PermissionMode) => {
      const news = toModeReminder(mode, messages, rules);
      if (news) messages.push(news);
      return JSON.stringify(news ?? null);
    };
    expect(tell('default')).toBe('null');
    expect(tell('acceptEdits')).toBe('null');
    expect(tell('plan')).toMatch(/# Plan mode\\n.*changes are not kept/u);
    expect(tell('plan')).toBe('null');
    expect(tell('auto')).toMatch(/# Plan mode is over\\n/u);
    expect(tell('default')).toBe('null');
    expect(tell('plan')).toContain('# Plan mode\\n');
    expect(messages).toHaveLength(4);
  });

  it('tells it again where the conversation has lost it', () => {
    expect(toModeReminder('plan', [prompt], rules)).toEqual(toModeReminder('plan', [], rules));
  });

  it('names the file of the plan and ExitPlanMode, where that is there, and ends with the host’s words', () => {
    const tell = (given: PlanRules) => JSON.stringify(toModeReminder('plan', [], given));
    expect(tell(rules)).toMatch(/except in \/session\/s1\/plan\.md: .*call ExitPlanMode/u);
    expect(tell({ path: undefined, instructions: 'Name the risks.' })).toMatch(
      /not kept\. End with the plan\..*\\n\\nName the risks\./u,
    );
  });

  it('names a fork’s own file, where the conversation names its parent’s', () => {
    const told = toModeReminder('plan', [], rules);
    const path = '/session/s2/plan.md';
    const fork = toModeReminder('plan', told ? [told] : [], { ...rules, path });
    expect(JSON.stringify(fork)).toContain(path);
  });
});

describe('a change of mode', () => {
  it('leaves all that was sent before as it was', async () => {
    const requests: ModelRequest[] = [];
    const model: Model = {
      name: 'test',
      apiKeySource: 'none',
      async *stream(request) {
        requests.push({ ...request, messages: [...request.messages] });
        yield* toEvents(assistantMessage([{ type: 'text', text: 'Done.' }]));
      },
    };
    const session = await createTestSession({ model });
    const turn = {
      includePartialMessages: false,
      emit: () => {},
      signal: new AbortController().signal,
    };
    for (const mode of ['default', 'plan', 'plan', 'default'] as const) {
      session.permissions.setMode(mode);
      await runTurn(session, prompt, turn);
    }
    for (const [at, { system, tools, messages }] of requests.slice(0, -1).entries()) {
      const next = requests[at + 1];
      expect(JSON.stringify([next?.system, next?.tools])).toBe(JSON.stringify([system, tools]));
      expect(JSON.stringify(next?.messages.slice(0, messages.length))).toBe(
        JSON.stringify(messages),
      );
    }
    const reminders = requests.map(
      ({ messages }) =>
        messages.filter((message) => JSON.stringify(message).includes('# Plan mode')).length,
    );
    expect(reminders).toEqual([0, 1, 1, 2]);
  });
});
