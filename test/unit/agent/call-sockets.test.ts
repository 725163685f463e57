// Where a tool's own call may open a socket to.
import { expect, it } from 'vitest';
import { createCallSockets } from '../../../src/agent/calls/call-sockets.ts';
import type { AllowedCall } from '../../../src/agent/calls/authorize.ts';
import type { HostAccess } from '../../../src/core/access/host-access.ts';

async function reach(url: string, network: HostAccess | undefined): Promise<string> {
  const opened: string[] = [];
  const openSocket = createCallSockets(
    {
      ownHosts: ['app.example.com'],
      async open(request) {
        opened.push(request.url);
        return { [Symbol.dispose]: () => undefined };
      },
    },
    { tool: { name: 'Monitor' }, network } as Pick<AllowedCall, 'tool' | 'network'>,
  );
  const heard = { onText: () => undefined, onClose: () => undefined };
  const { signal } = new AbortController();
  return openSocket({ url, ...heard }, { signal }).then(
    () => `opens ${opened.join()}`,
    (error: Error & { code?: string }) => `${error.code}`,
  );
}

const all = { hosts: ['*'] };

it.each<[string, HostAccess | undefined, string]>([
  ['wss://feed.example.org/a', all, 'opens wss://feed.example.org/a'],
  ['ws://feed.example.org/a', all, 'opens ws://feed.example.org/a'],
  ['wss://feed.example.org/a', undefined, 'permission-denied'],
  ['wss://feed.example.org/', { hosts: ['*'], denied: ['feed.example.org'] }, 'permission-denied'],
  ['wss://feed.example.org/', { hosts: ['*'], asked: ['feed.example.org'] }, 'permission-denied'],
  ['wss://feed.example.org:8443/', all, 'permission-denied'],
  ['ws://127.0.0.1/', all, 'permission-denied'],
  ['ws://127.0.0.1/', { hosts: ['127.0.0.1'] }, 'opens ws://127.0.0.1/'],
  ['wss://app.example.com/', all, 'permission-denied'],
  // A browser would send its cookies along.
  ['wss://api.example.com/', all, 'permission-denied'],
  ['wss://api.example.com/', { hosts: ['*.example.com'] }, 'permission-denied'],
  ['wss://api.example.com/', { hosts: ['api.example.com'] }, 'opens wss://api.example.com/'],
  [
    'wss://api.example.com/',
    { hosts: [], grantedPublic: ['api.example.com'] },
    'permission-denied',
  ],
  ['wss://notexample.com/', all, 'opens wss://notexample.com/'],
])('to %s by %j: %s', async (url, network, end) => {
  expect(await reach(url, network)).toBe(end);
});
