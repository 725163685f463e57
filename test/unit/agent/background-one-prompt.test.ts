// A query with one prompt is over with its answer, also where a background task is still asked about.
import { loadQuickjsWasm } from '#quickjs-wasm';
import { afterEach, expect, it } from 'vitest';
import type { Host } from '../../../src/agent/host.ts';
import type { SDKAssistantMessage, SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { converse } from '../../support/turns/background.ts';
import { createPerson } from '../../support/turns/run-cells.ts';
import { callTool, runHooked, say, startHooked } from '../../support/turns/run-hooked.ts';

const isLast = (message: SDKMessage): message is SDKAssistantMessage =>
  message.type === 'assistant' && JSON.stringify(message).includes('Done.');

let host: Host;
afterEach(() => host[Symbol.asyncDispose]());

/** Until the model has said its last word, and a person is asked about what the task has written. */
async function askAtTheEnd() {
  host = await createInlineHost({ loadWasm: loadQuickjsWasm });
  const person = createPerson();
  const talk = converse(host, {
    prompt: 'Go.',
    permissionMode: 'default',
    canUseTool: person.canUseTool,
  });
  const asked = await talk.cell(await talk.asked(), `fs.writeFileSync('b.txt', 'b')`, {
    run_in_background: true,
  });
  const question = await person.next();
  asked.say('Done.');
  const results = () => talk.messages.filter(({ type }) => type === 'result');
  return { talk, question, results };
}

it('keeps what a person allows then, and has one result', async () => {
  const { talk, question, results } = await askAtTheEnd();
  question.answer({ behavior: 'allow' });
  await talk.end();
  expect(await host.workspace.fs.readFile('/workspace/b.txt', 'utf8')).toBe('b');
  expect(results()).toHaveLength(1);
});

it('can be interrupted then, and drops what was asked about', async () => {
  const { talk, question, results } = await askAtTheEnd();
  // Its last word has been read: what is left is the question.
  await talk.seen(isLast);
  await talk.query.interrupt();
  expect(question.options.signal.aborted).toBe(true);
  await talk.end();
  expect(await host.workspace.fs.readdir('/workspace')).toEqual([]);
  expect(results()).toHaveLength(1);
});

it('answers its prompt, also where a task of an earlier opening has news', async () => {
  host = await createInlineHost({ loadWasm: loadQuickjsWasm });
  let told = () => {};
  const hasEnded = new Promise<object>((resolve) => (told = () => resolve({})));
  const cell = { code: '1 + 1', run_in_background: true };
  const first = startHooked(host, [callTool('Repl', cell)], {
    sessionId: 'news',
    maxTurns: 1,
    permissionMode: 'acceptEdits',
    hooks: { PostToolBatch: [{ hooks: [() => hasEnded] }] },
  });
  for await (const message of first.running)
    if (message.type === 'system' && message.subtype === 'task_notification') told();
  const { requests, messages } = await runHooked(host, [callTool('Repl', cell), say('Done.')], {
    resume: 'news',
    prompt: 'And now?',
  });
  expect(JSON.stringify(requests)).toContain('And now?');
  expect(JSON.stringify(requests)).toContain('task-notification');
  expect(messages.filter(({ type }) => type === 'result')).toHaveLength(1);
});
