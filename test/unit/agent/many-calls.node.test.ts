// A model gone wild: ten thousand calls in one message. The ordinary run makes a third of them: `DRAWS=all`.
import { expect, it } from 'vitest';
import { query } from '../../../src/agent/query.ts';
import { isToolResultBlock } from '../../../src/core/messages/blocks.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { createDirectedModel } from '../../support/models/directed-model.ts';
import { lookTool } from '../../support/stages/test-tools.ts';
import { runsHere } from '../../support/runs-here.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';

const count = runsHere(10_000);

it(`${count} calls run ten at once, and each has its result, in order`, async () => {
  const { runsIn: _, ...rest } = lookTool() as Tool & { runsIn: 'worker' };
  let running = 0;
  let most = 0;
  const tool: Tool = {
    ...rest,
    call: async ({ path }) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return { data: path };
    },
  };
  const host = await createInlineHost();
  const model = createDirectedModel();
  const conversation = query({ prompt: 'Go.', options: { host, model, tools: [tool] } });
  const ended = (async () => {
    for await (const _message of conversation);
  })();
  const ids = Array.from({ length: count }, (_call, index) => `call-${index}`);
  (await model.next()).call(...ids.map((id) => ({ id, name: 'Look', input: { path: id } })));
  const { messages, say } = await model.next();
  say('Done.');
  await ended;
  await host[Symbol.asyncDispose]();
  const { content = [] } = messages.at(-1) ?? {};
  const results = typeof content === 'string' ? [] : content.filter(isToolResultBlock);
  expect(results.map((result) => result.content)).toEqual(ids);
  expect(most).toBe(10);
}, 600_000);
