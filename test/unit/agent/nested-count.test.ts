import { loadQuickjsWasm } from '#quickjs-wasm';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { toSerializedError } from '../../../src/core/errors.ts';
import type { NestedReply } from '../../../src/core/tool/nested-call.ts';
import type { Executor, WorkReply } from '../../../src/core/tool/ports.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { runCells } from '../../support/turns/run-cells.ts';
import { pageTool } from '../../support/stages/test-tools.ts';

it('counts nested calls in the agent, whatever a worker lets its cell do', async () => {
  const host = await createInlineHost({ loadWasm: loadQuickjsWasm });
  const replies: NestedReply[] = [];
  const start: Executor['start'] = (_request, _onProgress, { onNestedCall } = {}) => {
    const makeCalls = async (): Promise<WorkReply> => {
      const call = () => onNestedCall?.({ toolName: 'Ring', input: {} });
      for (let at = 0; at < 102; at += 1) replies.push((await call()) as NestedReply);
      return { type: 'failed', error: toSerializedError(new Error('enough')) };
    };
    const nothing = () => undefined;
    return {
      reply: makeCalls(),
      isBehind: () => false,
      interrupt: nothing,
      kill: nothing,
      discard: nothing,
    };
  };
  let rings = 0;
  const ring = pageTool('Ring', z.strictObject({}), () => void (rings += 1));
  await runCells({ ...host, executor: { start } }, ['fs.writeFileSync("x", "")'], {
    tools: ['Repl', ring],
    allowedTools: ['Ring'],
  });
  expect(rings).toBe(100);
  expect(replies.slice(100)).toMatchObject([
    { type: 'failed', error: { code: 'limit-exceeded' } },
    { type: 'failed', error: { code: 'limit-exceeded' } },
  ]);
  await host[Symbol.asyncDispose]();
});
