// A session that one tab deletes while others have it open.
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSession } from '../../../src/agent/open-session.ts';
import { query } from '../../../src/agent/query.ts';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import { deleteSession, listSessions } from '../../../src/index.ts';
import { readUntil, silentModel, isResult } from '../../support/sessions/open-sessions.ts';
import { listModel, says } from '../../support/turns/play-turns.ts';
import { openTabs } from '../../support/sessions/session-tabs.ts';

/** Collects what a reader is told until it ends. */
async function collect(messages: AsyncIterable<SDKMessage>): Promise<SDKMessage[]> {
  const told: SDKMessage[] = [];
  for await (const message of messages) told.push(message);
  return told;
}

const notices = (told: readonly SDKMessage[]) =>
  told.flatMap((message) =>
    message.type === 'system' && message.subtype === 'informational' ? message.content : [],
  );

const deleted = ['The session was deleted in another tab.'];

async function open(options: QueryOptions) {
  const session = await openSession(options);
  onTestFinished(() => session.close());
  return session;
}

describe('a session that another tab deletes', () => {
  it('is closed where it runs and where it is followed, and nobody takes it over', async () => {
    const openTab = await openTabs();
    const [one, two, three] = [await openTab(), await openTab(), await openTab()];
    const model = listModel('claude-test', [says('One.')]);
    const first = await open({ host: one.host, model, sessionId: 's1' });
    await first.send('First?');
    await readUntil(first, isResult);
    const second = await open({ host: two.host, model: silentModel, resume: 's1' });
    const told = [collect(first.messages()), collect(second.messages())];
    await deleteSession('s1', { host: three.host });
    for (const each of await Promise.all(told)) expect(notices(each)).toEqual(deleted);
    expect(await listSessions({ host: one.host })).toEqual([]);
    await expect(second.send('More?')).rejects.toMatchObject({ code: 'bad-usage' });
  });

  it.each([
    ['runs it', 0],
    ['follows it', 1],
  ])('is closed in the tab that deletes it, too, where that %s', async (_how, by) => {
    const openTab = await openTabs();
    const tabs = [await openTab(), await openTab()];
    const [one, two] = tabs;
    if (!one || !two) throw new Error('There are two tabs.');
    const first = await open({ host: one.host, model: silentModel, sessionId: 's1' });
    await first.send('First?');
    const second = await open({ host: two.host, model: silentModel, resume: 's1' });
    const told = [collect(first.messages()), collect(second.messages())];
    await deleteSession('s1', { host: tabs[by]?.host ?? one.host });
    const own = ['The session was deleted.'];
    expect(await Promise.all(told.map(async (each) => notices(await each)))).toEqual(
      by === 0 ? [own, deleted] : [deleted, own],
    );
    expect(await listSessions({ host: one.host })).toEqual([]);
    await expect(first.send('More?')).rejects.toMatchObject({ code: 'bad-usage' });
    // The id is free.
    const again = await open({ host: one.host, model: silentModel, sessionId: 's1' });
    expect(again.id).toBe('s1');
  });

  it('stops the turn that runs', async () => {
    const openTab = await openTabs();
    const [one, two] = [await openTab(), await openTab()];
    const session = await open({ host: one.host, model: silentModel, sessionId: 's1' });
    await session.send('First?');
    const told = collect(session.messages());
    await deleteSession('s1', { host: two.host });
    expect(notices(await told)).toEqual(deleted);
    expect(await listSessions({ host: two.host })).toEqual([]);
  });

  it('ends the query that runs it', async () => {
    const openTab = await openTabs();
    const [one, two] = [await openTab(), await openTab()];
    const options = { host: one.host, model: silentModel, sessionId: 's1' };
    const asking = query({ prompt: 'First?', options });
    await asking.next();
    const told = collect(asking);
    await deleteSession('s1', { host: two.host });
    expect(notices(await told)).toEqual(deleted);
    expect(await listSessions({ host: two.host })).toEqual([]);
  });

  it('stays, and this is said, where a tab keeps it', async () => {
    const openTab = await openTabs();
    const [one, two] = [await openTab(), await openTab()];
    const session = await open({ host: one.host, model: silentModel, sessionId: 's1' });
    await session.close();
    using _ = await one.host.tabs?.tryHold('s1');
    const clock = { ...two.host.clock, after: (_ms: number, call: () => void) => now(call) };
    await expect(deleteSession('s1', { host: { ...two.host, clock } })).rejects.toMatchObject({
      code: 'bad-usage',
      message: 'Another tab runs the session s1. Close it there, then delete it.',
    });
    expect(await listSessions({ host: two.host })).toMatchObject([{ sessionId: 's1' }]);
  });
});

/** A timer whose time is over. */
function now(call: () => void): Disposable {
  queueMicrotask(call);
  return { [Symbol.dispose]: () => undefined };
}
