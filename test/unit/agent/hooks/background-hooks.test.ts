// Hooks about what runs in the background: they hold after the turn that began it, and what they stop
// is the task.
import { loadQuickjsWasm } from '#quickjs-wasm';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Host } from '../../../../src/agent/host.ts';
import type { HookCallback } from '../../../../src/agent/hooks/hooks.ts';
import type { HookInput } from '../../../../src/agent/hooks/hook-inputs.ts';
import type { HookSpecificOutput } from '../../../../src/agent/hooks/read-answer.ts';
import type {
  SDKInformationalMessage,
  SDKMessage,
  SDKResultMessage,
  SDKTaskNotificationMessage,
} from '../../../../src/core/messages/sdk-message.ts';
import { createInlineHost } from '../../../../src/hosts/inline/create-inline-host.ts';
import { converse, createHoldTool, forever } from '../../../support/turns/background.ts';
import type { Conversation } from '../../../support/turns/background.ts';
import { createQuickPerson } from '../../../support/turns/run-cells.ts';

let host: Host;
beforeEach(async () => void (host = await createInlineHost({ loadWasm: loadQuickjsWasm })));
afterEach(() => host[Symbol.asyncDispose]());

const inBackground = { run_in_background: true };
const say = (hookSpecificOutput: HookSpecificOutput): HookCallback => {
  return () => Promise.resolve({ hookSpecificOutput });
};
const remember =
  (seen: HookInput[]): HookCallback =>
  (input) => {
    seen.push(input);
    return Promise.resolve({});
  };

const isResult = (message: SDKMessage): message is SDKResultMessage => message.type === 'result';
const isTaskEnd = (message: SDKMessage): message is SDKTaskNotificationMessage =>
  message.type === 'system' && message.subtype === 'task_notification';
const isForPerson = (message: SDKMessage): message is SDKInformationalMessage =>
  message.type === 'system' && message.subtype === 'informational';

/** Runs `code` in the background, held by `Hold` until the turn that began it is over. */
async function outlive(talk: Conversation, code: string): Promise<void> {
  talk.say('Go.');
  const next = await talk.cell(await talk.asked(), `await tools.Hold({}); ${code}`, inBackground);
  next.say('It runs.');
  await talk.seen(isResult);
}

it('asks a PermissionRequest hook about a task of an earlier turn, and tells of its refusal', async () => {
  const { tool, release } = createHoldTool();
  const denied: HookInput[] = [];
  const hookEventName = 'PermissionRequest';
  const talk = converse(host, {
    permissionMode: 'default',
    tools: [...(await host.loadTools()), tool],
    hooks: {
      PermissionRequest: [
        { hooks: [say({ hookEventName, decision: { behavior: 'deny', message: 'Not now.' } })] },
      ],
      PermissionDenied: [{ hooks: [remember(denied)] }],
    },
    canUseTool: createQuickPerson({ behavior: 'allow' }).canUseTool,
  });
  await outlive(talk, `fs.writeFileSync('b.txt', 'b')`);
  // A turn of its own, so that the hooks have another one in mind.
  talk.say('And?');
  (await talk.asked()).say('Still running.');
  release();
  const news = await talk.asked();
  expect(JSON.stringify(news.messages.at(-1))).toContain('Not now.');
  expect(denied).toEqual([
    expect.objectContaining({
      tool_name: 'Repl',
      tool_use_id: 'cell-1',
      reason: expect.stringContaining('Not now.'),
    }),
  ]);
  news.say('Pity.');
  await talk.end();
  expect(await host.workspace.fs.readdir('/workspace')).toEqual([]);
});

it('stops the task and not the turn, where a hook about its nested call wants no more', async () => {
  const { tool, release } = createHoldTool();
  const talk = converse(host, {
    tools: [...(await host.loadTools()), tool],
    hooks: {
      PreToolUse: [
        {
          matcher: 'Glob',
          hooks: [() => Promise.resolve({ continue: false, stopReason: 'Enough.' })],
        },
      ],
    },
  });
  await outlive(talk, `fs.writeFileSync('b.txt', 'b'); await tools.Glob({ pattern: '*' })`);
  talk.say('And?');
  const asked = await talk.asked();
  release();
  const task = await talk.seen(isTaskEnd);
  expect(task.status).toBe('stopped');
  // The turn beside it goes on: it hears of the end with its next request.
  const later = await talk.cell(asked, '1 + 1');
  later.say('Done.');
  await talk.end();
  const results = talk.messages.filter(isResult);
  expect(results.map(({ subtype, terminal_reason }) => [subtype, terminal_reason])).toEqual(
    results.map(() => ['success', 'completed']),
  );
  expect(await host.workspace.fs.readdir('/workspace')).toEqual([]);
});

it('tells the person between two turns, and the model with the next prompt', async () => {
  const { tool, release } = createHoldTool();
  const hookEventName = 'PostToolUse';
  const talk = converse(host, {
    tools: [...(await host.loadTools()), tool],
    hooks: {
      PostToolUse: [
        {
          matcher: 'Glob',
          hooks: [
            () =>
              Promise.resolve({
                systemMessage: 'It has looked.',
                hookSpecificOutput: { hookEventName, additionalContext: 'Globs are costly.' },
              }),
          ],
        },
      ],
    },
  });
  await outlive(talk, `await tools.Glob({ pattern: '*' })`);
  release();
  const told = await talk.seen(isForPerson);
  expect(told.content).toBe('It has looked.');
  (await talk.asked()).say('I see.');
  talk.say('And?');
  const last = await talk.asked();
  expect(JSON.stringify(last.messages.slice(-2))).toContain('Globs are costly.');
  last.say('Done.');
  await talk.end();
});

it('tells the model what they have said of a call that goes on by another tool’s, and of that', async () => {
  const note: HookCallback<'PreToolUse'> = ({ tool_name }) => {
    const additionalContext = `A note for ${tool_name}.`;
    return Promise.resolve({
      hookSpecificOutput: { hookEventName: 'PreToolUse', additionalContext },
    });
  };
  const talk = converse(host, {
    permissionMode: 'bypassPermissions',
    toolSearch: false,
    hooks: { PreToolUse: [{ hooks: [note] }] },
  });
  talk.say('Go.');
  const input = { description: 'The build', command: forever };
  (await talk.asked()).call({ id: 'monitor', name: 'Monitor', input });
  const next = await talk.asked();
  const reminders = ['Monitor', 'Repl'].map((name) => ({
    role: 'user',
    content: [{ type: 'text', text: `<system-reminder>\nA note for ${name}.\n</system-reminder>` }],
  }));
  expect(next.messages.slice(-2)).toEqual(reminders);
  next.say('It runs.');
  await talk.end();
});
