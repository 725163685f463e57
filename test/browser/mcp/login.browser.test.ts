// A person logs in to an MCP server from a page. The MCP worker speaks with the servers, and a
// window of its own is where the person is. The page's store keeps what comes of it.
import { expect, it, onTestFinished, vi } from 'vitest';
import { query } from '../../../src/agent/query.ts';
import type { Query } from '../../../src/agent/query.ts';
import { logIn, openHost } from '../../../docs/examples/mcp-login.ts';
import { openMcpLogin } from '../../../src/hosts/browser/page/mcp-login-window.ts';
import { createScriptedModel } from '../../../src/model/scripted.ts';
import { say } from '../../support/turns/run-hooked.ts';

async function openQuery(): Promise<Query> {
  const url = await (await fetch('/login-server')).text();
  const host = await openHost();
  const model = createScriptedModel({ script: { turns: [say('Done.')] } });
  const there = { type: 'http', url, alwaysLoad: true } as const;
  const asked = query({ prompt: 'Go.', options: { host, model, mcpServers: { there } } });
  onTestFinished(async () => {
    asked.close();
    await host[Symbol.asyncDispose]();
  });
  return asked;
}

const statusOf = async (asked: Query) => (await asked.mcpServerStatus())[0]?.status;

it('logs in by a window; the next tab has the login already, and both need one renewal', async () => {
  onTestFinished(() => localStorage.clear());
  const asked = await openQuery();
  // A slow machine needs more than the 5 s that a session waits for it.
  await expect.poll(() => statusOf(asked)).toBe('needs-auth');
  await logIn(asked, 'there');
  expect(await statusOf(asked)).toBe('connected');
  const next = await openQuery();
  await expect.poll(() => statusOf(next)).toBe('connected');
  await fetch('/login-server/expire');
  // The refresh token holds once: a second use of it would end the login.
  await Promise.all([asked.reconnectMcpServer('there'), next.reconnectMcpServer('there')]);
  expect([await statusOf(asked), await statusOf(next)]).toEqual(['connected', 'connected']);
});

it('gives a login up with its signal, and closes the window', async () => {
  const giving = new AbortController();
  const waiting = openMcpLogin(
    async () => {
      giving.abort();
      return { url: new URL('/mcp-server?state=x', location.href).href };
    },
    { signal: giving.signal },
  );
  await expect(waiting).rejects.toMatchObject({ code: 'aborted' });
});

it('gives a login up whose server says nothing yet', async () => {
  const giving = new AbortController();
  const waiting = openMcpLogin(
    () => {
      giving.abort();
      return new Promise(() => undefined);
    },
    { signal: giving.signal },
  );
  await expect(waiting).rejects.toMatchObject({ code: 'aborted' });
});

it('tells that a person has closed the window', async () => {
  const open = window.open.bind(window);
  let opened: Window | null = null;
  window.open = (...given) => (opened = open(...given));
  onTestFinished(() => void (window.open = open));
  // A headless browser gives the focus back to nobody.
  vi.spyOn(document, 'hasFocus').mockReturnValue(true);
  onTestFinished(() => void vi.restoreAllMocks());
  const waiting = openMcpLogin(async () => {
    setTimeout(() => opened?.close());
    return { url: new URL('/mcp-server?state=x', location.href).href };
  });
  await expect(waiting).rejects.toThrow('closed');
});
