// Pages that a session keeps: who may not reach a host isn't given what another call has read there.
import { expect, it } from 'vitest';
import { createCallWeb, type WebSession } from '../../../../src/agent/session/session-web.ts';
import { createPageCache } from '../../../../src/agent/session/page-cache.ts';
import type { HostAccess } from '../../../../src/core/access/host-access.ts';
import type { WebPort } from '../../../../src/core/host-ports/web.ts';
import { createVirtualClock } from '../../../../src/hosts/inline/virtual-clock.ts';

it.each([
  ['http://localhost:3000/x', 2],
  ['https://app.example.com/x', 2],
  ['https://tides.example.com/', 1],
])('asks anew for a page of %s where only a wildcard covers its host: %i', async (url, count) => {
  const asked: (HostAccess | undefined)[] = [];
  const port: WebPort = {
    ownHosts: ['app.example.com'],
    get: async (_url, access) => {
      asked.push(access);
      return { code: 200, codeText: 'OK', bytes: 1, contentType: 'text/plain', text: 'x' };
    },
  };
  const pages = createPageCache(createVirtualClock());
  const read = (access: HostAccess) =>
    createCallWeb({ pages } as unknown as WebSession, port, access).read(
      url,
      new AbortController().signal,
    );
  const { host } = new URL(url);
  await read({ hosts: [], granted: [host] });
  await read({ hosts: [], granted: [host] });
  expect(asked).toHaveLength(1);
  await read({ hosts: ['*'] });
  expect(asked).toHaveLength(count);
});
