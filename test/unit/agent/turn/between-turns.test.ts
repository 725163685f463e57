import { expect, it } from 'vitest';
import { createBetweenTurns } from '../../../../src/agent/turn/between-turns.ts';
import type { Prompt } from '../../../../src/agent/turn/between-turns.ts';
import { createDeferred } from '../../../../src/core/async/deferred.ts';
import type { SDKMessage } from '../../../../src/core/messages/sdk-message.ts';

/** A message that only its name tells from others. */
const message = (uuid: string) => ({ type: 'system', uuid }) as unknown as SDKMessage;

/** A host whose next message doesn't come. */
const never: AsyncIterator<Prompt, void> = { next: () => new Promise(() => undefined) };

it('gives what comes while the reader holds the message before', async () => {
  const rest = createBetweenTurns(never);
  const reader = rest.wait(() => undefined);
  rest.push(message('first'));
  expect((await reader.next()).value).toEqual(message('first'));
  // Nobody waits now, so nobody is woken.
  rest.push(message('second'));
  expect((await reader.next()).value).toEqual(message('second'));
});

it('tells everyone who waits for a prompt, though one function waits twice', async () => {
  const value: Prompt = { message: { role: 'user', content: 'And?' } };
  const { promise: coming, resolve: come } = createDeferred<IteratorResult<Prompt, void>>();
  const rest = createBetweenTurns({ next: () => coming });
  let told = 0;
  const listen = () => void (told += 1);
  const leave = rest.whenPrompted(listen);
  rest.whenPrompted(listen);
  leave();
  come({ done: false, value });
  await expect.poll(() => told).toBe(1);
});
