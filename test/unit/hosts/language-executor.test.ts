// Calls of LSP go to a pool of their own, which lives as long as it is used.
import { expect, it } from 'vitest';
import type { RunningWork, WorkReply, WorkRequest } from '../../../src/core/tool/ports.ts';
import { createLanguageExecutor } from '../../../src/hosts/browser/pool/language-executor.ts';
import type { WorkerExecutor } from '../../../src/hosts/browser/pool/worker-executor.ts';
import { createVirtualClock } from '../../../src/hosts/inline/virtual-clock.ts';

/** Notes what is started; a call replies when it is told to. */
function playExecutor(name: string, log: string[]) {
  const replies: ((reply: WorkReply) => void)[] = [];
  const nothing = () => undefined;
  const executor: WorkerExecutor = {
    warm: nothing,
    start({ toolName }): RunningWork {
      log.push(`${name} starts ${toolName}`);
      const reply = new Promise<WorkReply>((resolve) => void replies.push(resolve));
      return { reply, interrupt: nothing, isBehind: () => false, kill: nothing, discard: nothing };
    },
    [Symbol.dispose]: () => void log.push(`${name} ends`),
  };
  return {
    executor,
    reply: () => replies.shift()?.({ type: 'done', output: 1, changeSet: null, reads: [] }),
  };
}

const request = (toolName: string, outerCallId?: string) =>
  ({ toolName, ...(outerCallId !== undefined && { outerCallId }) }) as WorkRequest;

it('opens a pool with the first call, ends it when idle, and opens another with the next', async () => {
  const log: string[] = [];
  const clock = createVirtualClock(0);
  const tools = playExecutor('tools', log);
  const languages = playExecutor('languages', log);
  const executor = createLanguageExecutor({
    executor: tools.executor,
    openPool: () => {
      log.push('opens');
      return { executor: languages.executor, [Symbol.dispose]: () => void log.push('closes') };
    },
    clock,
  });
  const run = async () => {
    const { reply } = executor.start(request('LSP'), () => undefined);
    languages.reply();
    await reply;
  };
  executor.start(request('Grep'), () => undefined);
  await run();
  clock.advance(200_000);
  await run();
  clock.advance(299_999);
  expect(log).toEqual([
    ...['tools starts Grep', 'opens', 'languages starts LSP', 'languages starts LSP'],
  ]);
  clock.advance(1);
  await run();
  executor[Symbol.dispose]();
  expect(log.slice(4)).toEqual([
    ...['closes', 'opens', 'languages starts LSP', 'closes', 'tools ends'],
  ]);
});

it('refuses the call of a cell, whose files the worker doesn’t have', async () => {
  const log: string[] = [];
  const { executor: tools } = playExecutor('tools', log);
  const executor = createLanguageExecutor({
    executor: tools,
    openPool: () => expect.unreachable(),
    clock: createVirtualClock(0),
  });
  expect(await executor.start(request('LSP', 'outer'), () => undefined).reply).toMatchObject({
    type: 'failed',
    error: { code: 'invalid-input', message: expect.stringContaining('cell') },
  });
  expect(log).toEqual([]);
});
