// What goes wrong around an agent in a tab, each by its real trigger in a real Chromium. That is
// bad calls, a full disk, servers that refuse, networks that end. The workspace stays as it was
// every time.
import type { BrowserContext } from 'playwright';
import { afterAll, describe, expect } from 'vitest';
import { serveBuiltPage, type BuiltPage } from '../../../scripts/serve-built-page.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import {
  refusal,
  startMessagesServer,
  type MessagesServer,
} from '../../support/models/messages-server.ts';
import { assistantMessage, textEvents, toSse } from '../../support/models/model-streams.ts';
import { agentPageFile, openAgentTab, type AgentTab } from './agent-tab.ts';
import { badCalls, expectedReport, toConversation } from './bad-calls.ts';
import { it } from '../chromium.ts';

let context: BrowserContext;
let served: BuiltPage;
let server: MessagesServer;
let tab: AgentTab;

it.beforeAll(async ({ browser }) => {
  served = await serveBuiltPage({ page: agentPageFile });
  server = await startMessagesServer();
  context = await browser.newContext();
  tab = await openAgentTab(context, served.url);
  expect(await tab.open('bad-input')).toBeNull();
});

afterAll(async () => {
  await context.close();
  await served.close();
  await server[Symbol.asyncDispose]();
});

describe('a bad call', () => {
  it.each(badCalls.map((badCall, at) => ({ ...badCall, sessionId: `call-${at}` })))(
    'is refused: $name',
    async ({ sessionId, ...badCall }) => {
      const { blockedMs: _, ...report } = await tab.run(toConversation(badCall, sessionId));
      expect(report).toEqual(expectedReport(badCall, sessionId, report.hashBefore));
    },
  );
});

describe('a full disk', () => {
  const write = (chars: number) => ({
    calls: [{ name: 'Write', input: { file_path: 'notes.txt', content: 'x'.repeat(chars) } }],
  });
  const list = { calls: [{ name: 'Glob', input: { pattern: '*.txt' } }] };
  const refused =
    'Nothing that Write changed was kept. The disk is full. Ask the user to free space, then try ' +
    'again.';

  it('refuses a Write before it is acknowledged, and takes it again once there is space', async () => {
    const full = await openAgentTab(context, served.url);
    expect(await full.open('full-disk')).toBeNull();
    const before = await full.treeHash();

    const cdp = await context.newCDPSession(full.page);
    const { origin } = new URL(served.url);
    await cdp.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 1000 });
    for (const chars of [100, 2_000_000]) {
      const { answers, end, ...hashes } = await full.run({ turns: [write(chars)] });
      expect(answers).toEqual([{ text: expect.stringContaining(refused), isError: true }]);
      expect(end).toEqual({ subtype: 'success', text: 'Done.' });
      expect([hashes.hashBefore, hashes.hashAfter]).toEqual([before, before]);
      const listed = await full.run({ turns: [list] });
      expect(listed.answers).toEqual([{ text: 'No files found.', isError: false }]);
    }

    await cdp.send('Storage.overrideQuotaForOrigin', { origin });
    const { answers, hashAfter } = await full.run({ turns: [write(2_000_000), list] });
    expect(answers).toEqual([{ text: '/workspace/notes.txt', isError: false }]);
    expect(hashAfter).not.toBe(before);

    // What was refused has left nothing in the log that a later opening could stumble over.
    await full.close();
    expect(await full.open('full-disk')).toBeNull();
    expect(await full.treeHash()).toBe(hashAfter);
    await full.page.close();
  });
});

describe('a server or a network that fails', () => {
  const overloaded = refusal(529, 'overloaded_error', 'Overloaded');
  const answer = { type: 'stream', text: toSse(textEvents('Hello.')) } as const;
  const ask = ({ url } = server) =>
    tab.run({ turns: [{}], server: { url, apiKey: 'sk-wrong', maxRetries: 1 } });
  const host = () => new URL(server.url).host;
  const callWrite = (input: Record<string, unknown>) => [
    ...toEvents(assistantMessage([{ type: 'tool_use', id: 'w', name: 'Write', input }]), 8),
  ];

  it('says that a wrong key was refused, and does not try it again', async () => {
    server.answer(refusal(401, 'authentication_error', 'invalid x-api-key'));
    const { end, retries, hashBefore, hashAfter } = await ask();
    expect(end).toEqual({
      subtype: 'error_during_execution',
      text:
        `The key was refused by ${host()} (401). Check that it is whole, that it is this server's, ` +
        'and that it is neither revoked nor lacking a permission. The server says: invalid x-api-key',
    });
    expect(retries).toEqual([]);
    expect(hashAfter).toBe(hashBefore);
  });

  it('tries an overloaded server again, and goes on when it answers', async () => {
    server.answer(overloaded, answer);
    const { end, retries } = await ask();
    expect([end, retries]).toEqual([{ subtype: 'success', text: 'Hello.' }, [529]]);
  });

  it('gives an overloaded server up after the retries that it has', async () => {
    server.answer(overloaded, overloaded);
    const { end, retries, hashBefore, hashAfter } = await ask();
    expect(end).toEqual({
      subtype: 'error_during_execution',
      text: `${host()} is overloaded (529). Try again in a while. The server says: Overloaded`,
    });
    expect(retries).toEqual([529]);
    expect(hashAfter).toBe(hashBefore);
  });

  it('runs nothing of a call that the network cut, and says so', async () => {
    const cut = await startMessagesServer();
    const events = callWrite({ file_path: 'half.txt', content: 'All of it, of which half comes.' });
    const half = events.slice(
      0,
      events.findIndex(({ type }) => type === 'content_block_stop'),
    );
    cut.answer({ type: 'stream', text: toSse(half), ending: 'stall' });
    const asked = ask(cut);
    // Cut once all that was sent is here, so that nothing is tried again.
    const arrived = tab.page.waitForFunction(
      (count) => window.agentPage?.pieces === count,
      half.length,
    );
    await Promise.race([arrived, asked]);
    await cut[Symbol.asyncDispose]();
    const { answers, end, retries, hashBefore, hashAfter } = await asked;
    expect([answers, retries]).toEqual([[], []]);
    expect(end).toEqual({
      subtype: 'error_during_execution',
      text:
        `The reply of ${new URL(cut.url).host} broke off before it was complete (network error). ` +
        'Nothing unfinished was run: check the network and send the message again.',
    });
    expect(hashAfter).toBe(hashBefore);
  });

  it('keeps what a whole call did when the network is gone before the next request', async () => {
    const lost = await startMessagesServer();
    const events = callWrite({ file_path: 'whole.txt', content: 'kept' });
    // Chromium itself tries again on each connection that was open already.
    const breaks = Array.from({ length: 10 }, () => ({ type: 'break' }) as const);
    lost.answer({ type: 'stream', text: toSse(events) }, ...breaks);
    const { answers, end, retries, hashBefore, hashAfter } = await ask(lost);
    await lost[Symbol.asyncDispose]();
    expect(answers).toEqual([{ text: 'Made the new file /workspace/whole.txt.', isError: false }]);
    expect(end).toEqual({
      subtype: 'error_during_execution',
      text: expect.stringContaining(`${new URL(lost.url).host} can't be reached (`),
    });
    expect(retries).toEqual([null]);
    expect(hashAfter).not.toBe(hashBefore);
  });

  it('says that the device is offline, tries again, and works when it is back', async () => {
    // The client's code is fetched with the first message.
    server.answer(answer);
    await ask();
    await context.setOffline(true);
    const { end, retries, hashBefore, hashAfter } = await ask().finally(() =>
      context.setOffline(false),
    );
    expect(end).toEqual({
      subtype: 'error_during_execution',
      text:
        `This device is offline: ${host()} can't be reached. Go online and send the message ` +
        'again.',
    });
    expect(retries).toEqual([null]);
    expect(hashAfter).toBe(hashBefore);
    server.answer(answer);
    expect((await ask()).end).toEqual({ subtype: 'success', text: 'Hello.' });
  });

  it('says that the tools could not be loaded, and loads them when the network is back', async ({
    browser,
  }) => {
    // The other tabs' files are in the cache of theirs.
    const own = await browser.newContext();
    const fresh = await openAgentTab(own, served.url);
    expect(await fresh.open('fresh')).toBeNull();
    const list = { turns: [{ calls: [{ name: 'Glob', input: { pattern: '*' } }] }] };
    await own.setOffline(true);
    await expect(fresh.run(list).finally(() => own.setOffline(false))).rejects.toThrow(
      "The tools' code couldn't be loaded. Check the network, and that the page's own files are " +
        'all there, then try again.',
    );
    expect((await fresh.run(list)).answers).toEqual([{ text: 'No files found.', isError: false }]);
    await own.close();
  });
});
