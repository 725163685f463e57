// A call that turns out to take long, and leaves what is left of it to a background task.
import { expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { buildTool } from '../../../src/core/tool/build-tool.ts';
import { createDeferred } from '../../../src/core/async/deferred.ts';
import type { ToolDef } from '../../../src/core/tool/build-tool.ts';
import type { RestOfCall } from '../../../src/core/tool/background.ts';
import type { SDKTaskNotificationMessage } from '../../../src/core/messages/sdk-message.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import { converse, openTaskHost } from '../../support/turns/background.ts';

/** `after`: what the call does when its rest is handed over. */
function slowTool(rest: RestOfCall, after: () => void = () => undefined): Tool {
  return buildTool({
    name: 'Slow',
    inputSchema: z.strictObject({}),
    description: () => Promise.resolve('Takes long.'),
    prompt: () => Promise.resolve(''),
    background: {
      taskType: 'slow',
      isAskedFor: () => false,
      toStartedOutput: ({ taskId, outputPath }) => `${taskId} writes ${outputPath}`,
      toOutputText: (progress) => `${String(progress)}\n`,
      describeOutcome: () => '',
    },
    async call(_input, context) {
      const started = await context.goOnInBackground?.(rest);
      after();
      return { data: String(started ?? 'Nobody may wait.') };
    },
    mapToolResultToToolResultBlockParam: (content, toolUseID) => ({
      type: 'tool_result',
      tool_use_id: toolUseID,
      content,
    }),
  } satisfies ToolDef<z.ZodObject, string>) as unknown as Tool;
}

async function openTalk(tool: Tool) {
  const host = await openTaskHost();
  onTestFinished(() => host[Symbol.asyncDispose]?.());
  const talk = converse(host, { tools: [tool], permissionMode: 'bypassPermissions' });
  talk.say('Go.');
  (await talk.asked()).call({ id: 'one', name: 'Slow', input: {} });
  const told = await talk.asked();
  const [, id = '', path = ''] = /(\S+) writes (\S+)/u.exec(told.news) ?? [];
  return { host, talk, told, id, path };
}

it('gives at once that it has begun; its file has what the rest tells, and gives', async () => {
  const { promise: ended, resolve: end } = createDeferred();
  const { host, talk, told, id, path } = await openTalk(
    slowTool(async (_signal, onProgress) => {
      onProgress('half');
      await ended;
      return { data: 'whole' };
    }),
  );
  expect(id).toMatch(/^b/u);
  end();
  expect(await talk.taskEnd(id)).toMatchObject({ status: 'completed' });
  expect(new TextDecoder().decode(await host.workspace.fs.readFile(path))).toContain('whole');
  told.say('Done.');
  await talk.end();
});

it('takes its task along where it fails afterwards', async () => {
  const rest: RestOfCall = (signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('It was stopped.')));
    });
  const { talk, told } = await openTalk(
    slowTool(rest, () => {
      throw new Error('It broke.');
    }),
  );
  expect(told.news).toContain('It broke.');
  const end = await talk.seen(
    (message): message is SDKTaskNotificationMessage =>
      message.type === 'system' && message.subtype === 'task_notification',
  );
  expect(end.status).toBe('stopped');
  told.say('Done.');
  await talk.end();
});
