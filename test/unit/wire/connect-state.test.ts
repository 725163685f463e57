// A client of the wire over a socket of its own, whose server says one message at a time.
import { expect, it } from 'vitest';
import { connectSession } from '../../../src/wire/connect-session.ts';
import { createDeferred } from '../../../src/core/async/deferred.ts';
import type { WireSocket } from '../../../src/wire/open-socket.ts';

it('a client is connected once it knows the state and the questions, not with the welcome alone', async () => {
  let hear: (event: { readonly data: unknown }) => void = () => undefined;
  const { promise: greeted, resolve: greet } = createDeferred();
  const socket = {
    binaryType: 'arraybuffer',
    readyState: 1,
    send: () => greet(),
    close: () => undefined,
    addEventListener(type: string, listener: typeof hear) {
      if (type === 'message') hear = listener;
    },
  } as unknown as WireSocket;
  const say = (message: unknown) => hear({ data: JSON.stringify(message) });
  let isConnected = false;
  const url = 'https://example.org/wire';
  const connecting = connectSession(url, { ticket: 'one', createSocket: () => socket });
  void connecting.then(() => (isConnected = true));
  await greeted;
  const init = { type: 'system', subtype: 'init', session_id: 's', warnings: [] };
  say({ type: 'welcome', session: 's', role: 'owner', init });
  await new Promise((resolve) => setTimeout(resolve));
  expect(isConnected).toBe(false);
  const question = { requestId: 'q', toolName: 'Write', input: {} };
  say({ type: 'running', state: 'requires_action', questions: [question] });
  const session = await connecting;
  expect([session.state(), session.questions()]).toEqual(['requires_action', [question]]);
  await session.close();
});
