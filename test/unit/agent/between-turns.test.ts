import { expect, it } from 'vitest';
import { createBetweenTurns } from '../../../src/agent/between-turns.ts';
import type { Prompt } from '../../../src/agent/between-turns.ts';
import type { SDKMessage } from '../../../src/core/sdk-message.ts';

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
