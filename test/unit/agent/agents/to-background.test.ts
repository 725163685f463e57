// `backgroundTasks`: an agent that a call waits for goes on beside the conversation.
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSession } from '../../../../src/agent/open-session.ts';
import { query } from '../../../../src/agent/query.ts';
import { createDeferred } from '../../../../src/core/async/deferred.ts';
import type { SDKMessage } from '../../../../src/core/messages/sdk-message.ts';
import { createMemoryMedium } from '../../../../src/workspace/drivers/memory.ts';
import { createAgentsModel } from '../../../support/models/agents-model.ts';
import { listResults, task, untilAborted, waited } from '../../../support/turns/agents-at-once.ts';
import {
  isResult,
  openHost as openKeptHost,
  readUntil,
} from '../../../support/sessions/open-sessions.ts';
import { openHost, say } from '../../../support/turns/run-hooked.ts';

const scripts = {
  main: [task('Think.', waited), say('It runs.'), say('Done.')],
  'Think.': [say('Thought.')],
};

/** The agent's own requests wait until the model has spoken behind the call. */
function createScene() {
  const { promise: atWork, resolve: tellAtWork } = createDeferred();
  const { promise: spoken, resolve: tellSpoken } = createDeferred();
  let ofMain = 0;
  const model = createAgentsModel(scripts, (who, signal) => {
    if (who === 'main') {
      ofMain += 1;
      if (ofMain === 2) tellSpoken();
      return;
    }
    tellAtWork();
    return untilAborted(spoken, signal);
  });
  return { model, atWork };
}

const launched = /^Agent \w+ runs beside you\./u;
const isTaskEnd = (message: SDKMessage) =>
  message.type === 'system' && message.subtype === 'task_notification';

describe('an agent that a call waits for', () => {
  it('goes on in the background when the host says so, and its end is told once', async () => {
    await using host = await openHost();
    const { model, atWork } = createScene();
    const running = query({ prompt: 'Go.', options: { host, model, toolSearch: false } });
    const sent = atWork.then(() => running.backgroundTasks());
    const messages: SDKMessage[] = [];
    for await (const message of running) messages.push(message);
    expect(await sent).toBe(true);
    const [result = ''] = listResults(messages);
    expect(result).toMatch(launched);
    expect(messages.at(-1)).toMatchObject({ type: 'result', result: 'Done.' });
    const begun = messages.filter((one) => one.type === 'system' && one.subtype === 'task_started');
    expect(begun).toMatchObject([{ is_backgrounded: false, can_be_backgrounded: true }]);
    const updates = messages.flatMap((one) =>
      one.type === 'system' && one.subtype === 'task_updated' ? [one.patch] : [],
    );
    expect(updates).toMatchObject([{ is_backgrounded: true }, { status: 'completed' }]);
    const [, , last] = model.requests.filter(({ who }) => who === 'main');
    expect(JSON.stringify(last?.request.messages).match(/Thought\./gu)).toHaveLength(1);
  });

  it('is found by the id of its call, and by no other', async () => {
    await using host = await openHost();
    const { model, atWork } = createScene();
    const running = query({ prompt: 'Go.', options: { host, model, toolSearch: false } });
    expect([await running.backgroundTasks(), await running.backgroundTasks('x')]).toEqual([
      true,
      false,
    ]);
    const sent = atWork.then(async () => [
      await running.backgroundTasks('another'),
      await running.backgroundTasks('call-Think.'),
      await running.backgroundTasks('call-Think.'),
    ]);
    const messages: SDKMessage[] = [];
    for await (const message of running) messages.push(message);
    expect([await sent, listResults(messages)[0]]).toEqual([
      [false, true, false],
      expect.stringMatching(launched),
    ]);
  });

  it('is taken up as such by a page after this one', async () => {
    const medium = createMemoryMedium();
    const first = await openKeptHost(medium);
    const { promise: atWork, resolve: tellAtWork } = createDeferred();
    const dying = createAgentsModel(scripts, (who) => {
      if (who === 'main') return;
      tellAtWork();
      return new Promise<void>(() => {});
    });
    const killed = await openSession({ host: first, model: dying, toolSearch: false });
    await killed.send('Go.');
    await atWork;
    expect(await killed.backgroundTasks()).toBe(true);
    const before = await readUntil(killed, isResult);
    expect(listResults(before)[0]).toMatch(launched);

    const host = await openKeptHost(medium);
    onTestFinished(() => host[Symbol.asyncDispose]());
    const model = createAgentsModel(scripts);
    const session = await openSession({ host, model, toolSearch: false, resume: killed.id });
    onTestFinished(() => session.close());
    const after = await readUntil(session, isResult, before.at(-1)?.n);
    expect(after.at(-1)).toMatchObject({ result: 'Done.' });
    expect(after.filter(isTaskEnd)).toMatchObject([{ status: 'completed' }]);
  });
});
