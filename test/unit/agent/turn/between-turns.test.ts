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

const question: Prompt = { message: { role: 'user', content: 'And?' } };

it('tells everyone who waits for a prompt, though one function waits twice', async () => {
  const coming = createDeferred<IteratorResult<Prompt, void>>();
  const left = [coming.promise];
  const rest = createBetweenTurns({ next: () => left.shift() ?? never.next() });
  let told = 0;
  const listen = () => void (told += 1);
  const leave = rest.whenPrompted(listen);
  rest.whenPrompted(listen);
  leave();
  rest.readAhead(() => Promise.resolve());
  coming.resolve({ done: false, value: question });
  await expect.poll(() => told).toBe(1);
});

it('keeps a prompt for the next turn if it can’t be sent into this one', async () => {
  const value = { ...question, priority: 'next' } as const;
  const left = [Promise.resolve({ done: false, value } as const)];
  const rest = createBetweenTurns({ next: () => left.shift() ?? never.next() });
  const sent = createDeferred();
  const stop = rest.readAhead(() => {
    sent.resolve();
    return Promise.reject(new Error('full'));
  });
  await sent.promise;
  stop();
  expect(await rest.wait(() => undefined).next()).toEqual({ done: true, value });
});

it('reads 100 prompts ahead, and no more', async () => {
  let asked = 0;
  const next = async () => {
    asked += 1;
    return { done: false, value: question } as const;
  };
  const rest = createBetweenTurns({ next });
  rest.readAhead(() => Promise.resolve());
  await expect.poll(() => asked).toBe(100);
  // Whoever waits takes one of them.
  await rest.wait(() => undefined).next();
  expect(asked).toBe(100);
});
