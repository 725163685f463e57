// A stop that a person gives holds, also where the page is closed before anything has come of it.
import { expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import type { Host } from '../../../src/agent/host.ts';
import { openSession } from '../../../src/agent/open-session.ts';
import { createDeferred } from '../../../src/core/async/deferred.ts';
import { buildTool } from '../../../src/core/tool/build-tool.ts';
import type { ToolUseContext } from '../../../src/core/tool/context.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import { createMemoryMedium } from '../../../src/workspace/drivers/memory.ts';
import {
  isResult,
  openHost,
  readUntil,
  silentModel,
  texts,
} from '../../support/sessions/open-sessions.ts';
import { asks, listModel, says } from '../../support/turns/play-turns.ts';

/** Its tab is killed once a stop has landed: what is recorded behind that never lands. */
function dieAtStop(host: Host): { readonly host: Host; readonly stopped: Promise<void> } {
  const { workspace } = host;
  const { promise: stopped, resolve } = createDeferred();
  let isGone = false;
  const append: typeof workspace.streams.append = async (id, entries, options) => {
    if (isGone) return new Promise(() => {});
    isGone = entries.some(({ value }) => (value as { type?: string }).type === 'stopped');
    const landed = await workspace.streams.append(id, entries, options);
    if (isGone) resolve();
    return landed;
  };
  const streams = { value: { ...workspace.streams, append } };
  const own = { workspace: { value: Object.create(workspace, { streams }) } };
  return { host: Object.create(host, own) as Host, stopped };
}

/** Waits until it is stopped, and says when it has begun. */
function toWaiting(begun: () => void): Tool {
  return buildTool({
    name: 'Wait',
    inputSchema: z.strictObject({}),
    description: () => Promise.resolve('Waits.'),
    prompt: () => Promise.resolve(''),
    isReadOnly: () => true,
    mapToolResultToToolResultBlockParam: (_output: unknown, toolUseID: string) =>
      ({ type: 'tool_result', tool_use_id: toolUseID, content: '' }) as const,
    call: (_input: unknown, { abortController: { signal } }: ToolUseContext) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('stopped')));
        begun();
      }),
  } as never) as unknown as Tool;
}

it.each(['aborted_streaming', 'aborted_tools'])(
  'a turn that was stopped right before its host was killed has ended: %s',
  async (terminal_reason) => {
    const medium = createMemoryMedium();
    const before = await openHost(medium);
    const { host: dying, stopped } = dieAtStop(before);
    const { promise: begun, resolve: tellBegun } = createDeferred();
    const call = { type: 'tool_use', id: 'c1', name: 'Wait', input: {} } as const;
    const isSpeaking = terminal_reason === 'aborted_streaming';
    const killed = await openSession({
      host: dying,
      model: isSpeaking ? silentModel : listModel('claude-test', [asks(call)]),
      tools: [toWaiting(tellBegun)],
      permissionMode: 'bypassPermissions',
      sessionId: 's1',
    });
    await killed.send('First?');
    await (isSpeaking ? readUntil(killed, ({ type }) => type === 'user') : begun);
    void killed.interrupt();
    await stopped;

    const host = await openHost(medium);
    onTestFinished(() => host[Symbol.asyncDispose]());
    const model = listModel('claude-test', [says('Two.')]);
    await using session = await openSession({ host, model, resume: 's1' });
    const told = await readUntil(session, isResult);
    expect(told.at(-1)).toMatchObject({ terminal_reason });
    expect(model.requests).toEqual([]);
    const { n } = await session.send('Second?');
    expect(texts(await readUntil(session, isResult, n))).toContain('assistant: Two.');
  },
);
