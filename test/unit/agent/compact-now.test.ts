import { describe, expect, it } from 'vitest';
import { compactNow } from '../../../src/agent/turn/compact-session.ts';
import { runTurn } from '../../../src/agent/turn/loop.ts';
import { endTurn } from '../../../src/agent/turn/to-result-message.ts';
import {
  isCompactionPrompt,
  readSummaryMessage,
} from '../../../src/core/messages/compaction-messages.ts';
import type { JournalRecord } from '../../../src/core/session/journal.ts';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import { listReminders, toDiscoveredToolsMessage } from '../../../src/core/tool/tool-catalog.ts';
import type { Model } from '../../../src/model/model.ts';
import { listBreaches } from '../../support/models/api-rules.ts';
import { listModel, says } from '../../support/turns/play-turns.ts';
import { createTestSession } from '../../support/stages/test-session.ts';
import type { TestSessionOptions } from '../../support/stages/test-session.ts';

const never = new AbortController().signal;

/** Four turns of 10 000 tokens each, and what the model says then. */
async function talk(last: Parameters<typeof listModel>[1], options: TestSessionOptions = {}) {
  const long = Array.from({ length: 4 }, (_, at) => says(`${at} ${'x'.repeat(40_000)}`));
  const model = listModel('list', [...long, ...last]);
  const told: SDKMessage[] = [];
  const session = await createTestSession({
    ...options,
    model,
    emit: (message) => void told.push(message),
  });
  const say = async (content: string) => {
    const rest = { includePartialMessages: false, signal: never };
    await endTurn(session, await runTurn(session, { role: 'user', content }, rest), 0);
  };
  for (const at of [0, 1, 2, 3]) await say(`Prompt ${at}.`);
  return { session, model, say, told };
}

const task: JournalRecord = {
  type: 'task',
  id: 'task-1',
  callId: 'call-1',
  status: 'running',
  taskType: 'local_bash',
  description: 'Runs the tests',
  outputPath: '/session/session-1/tasks/task-1.txt',
};

describe('a compaction that a person asks for', () => {
  it('sums up what is old, with their instructions, and the next turn goes on from that', async () => {
    const { session, model, say, told } = await talk([says('Four texts.'), says('Yes.')]);
    await compactNow(session, 'Keep the numbers.');
    const asked = model.requests[4];
    expect(isCompactionPrompt(asked?.messages.at(-1))).toBe(true);
    expect(JSON.stringify(asked?.messages.at(-1))).toContain('Keep the numbers.');
    await say('Still there?');
    const { messages = [] } = model.requests.at(-1) ?? {};
    expect(messages.flatMap((one) => readSummaryMessage(one) ?? [])).toEqual([
      { text: 'Four texts.', replies: 3 },
    ]);
    expect(messages.at(-1)).toEqual({ role: 'user', content: 'Still there?' });
    expect(listBreaches(messages)).toEqual([]);
    const boundary = told.find(
      (one) => one.type === 'system' && one.subtype === 'compact_boundary',
    );
    expect(boundary).toMatchObject({ compact_metadata: { trigger: 'manual' } });
  });

  it('tells again what the model must not lose', async () => {
    const { session } = await talk([says('Four texts.')], { permissionMode: 'plan' });
    await session.journal.record(
      { type: 'state', key: 'todos', value: ['a'], reminder: 'To be done: a.' },
      ...Array.from({ length: 102 }, (_, at): JournalRecord => {
        return { type: 'state', key: `list/${at}`, value: at, reminder: `Entry ${at}.` };
      }),
      { type: 'state', key: 'old', value: 1, reminder: 'Not any more.' },
      { type: 'state', key: 'old', value: 2 },
      { type: 'context', source: 'tool', messages: [toDiscoveredToolsMessage(['Gone'])] },
      task,
      { ...task, id: 'task-2', status: 'completed' } as JournalRecord,
    );
    await compactNow(session);
    const texts = listReminders(session.messages);
    expect(texts).toContain('To be done: a.');
    expect(texts).toContain(
      [...Array.from({ length: 100 }, (_, at) => `Entry ${at}.`), '(and 2 more)'].join('\n'),
    );
    expect(texts).toContain(
      'These tasks run in the background. You are told when one ends.\n- task-1: Runs the tests (its output is in /session/session-1/tasks/task-1.txt)',
    );
    expect(texts.join()).not.toContain('Not any more.');
    // What can't be called any more isn't called loaded, but where the tail says so itself.
    expect(texts.filter((text) => text.includes('Gone'))).toHaveLength(1);
  });

  it('says the plan mode again with the next request, where that was said in what is gone', async () => {
    const { session, model, say } = await talk([says('Four texts.'), says('Yes.')], {
      permissionMode: 'plan',
    });
    await compactNow(session);
    expect(listReminders(session.messages).join()).not.toContain('# Plan mode');
    await say('Go on.');
    const reminders = listReminders(model.requests.at(-1)?.messages ?? []);
    expect(reminders.filter((text) => text.startsWith('# Plan mode'))).toHaveLength(1);
  });

  it('is refused with a sentence where there is nothing to sum up', async () => {
    const session = await createTestSession({ model: listModel('list', []) });
    await expect(compactNow(session)).rejects.toMatchObject({
      code: 'bad-usage',
      message: expect.stringContaining('nothing to sum up') as string,
    });
  });

  it('rejects where the model fails, and changes nothing but what was spent', async () => {
    const { session } = await talk([says('', { stop_reason: 'refusal' })]);
    const { length } = session.messages;
    await expect(compactNow(session)).rejects.toMatchObject({ code: 'model-protocol' });
    expect(session.messages).toHaveLength(length);
    const usage = session.journal.fold.usage.map(({ purpose }) => purpose);
    expect(usage).toEqual(['turn', 'turn', 'turn', 'turn', 'compaction']);
  });

  it('names the model where its adapter throws', async () => {
    const { session } = await talk([new Error('It fell.')]);
    const said =
      'The model list failed: It fell. Try again; if it happens again, look at its adapter.';
    await expect(compactNow(session)).rejects.toMatchObject({
      code: 'model-server',
      message: said,
    });
  });

  it('can be interrupted: the conversation stays as it is', async () => {
    const { session, told } = await talk([]);
    const controller = new AbortController();
    const { length } = session.messages;
    const model: Model = {
      name: 'slow',
      apiKeySource: 'none',
      // oxlint-disable-next-line require-yield -- it is stopped before its first event
      async *stream() {
        controller.abort();
        throw new Error('The adapter’s own word for it.');
      },
    };
    session.models.give(model);
    const stopped = compactNow(session, undefined, controller.signal);
    await expect(stopped).rejects.toMatchObject({ code: 'aborted' });
    expect(session.messages).toHaveLength(length);
    expect(told.at(-1)).toMatchObject({
      subtype: 'status',
      status: null,
      compact_result: 'failed',
    });
  });
});
