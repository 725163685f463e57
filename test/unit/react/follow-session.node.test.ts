// docs/examples/kept-conversation.ts over sessions that are left in mid-turn, and what breaks them.
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { getSessionMessages, openSession } from '../../../src/index.ts';
import { listSessions } from '../../../src/agent/stored-sessions/session-info.ts';
import type { SDKUserMessage } from '../../../src/core/messages/sdk-message.ts';
import { followSession } from '../../../src/react/follow-session.ts';
import { openConversation } from '../../../docs/examples/kept-conversation.ts';
import { createMemoryMedium } from '../../../src/workspace/drivers/memory.ts';
import { openTabs } from '../../support/sessions/session-tabs.ts';
import { openHost, quickHost } from '../../support/sessions/open-sessions.ts';
import { asks, listModel, says } from '../../support/turns/play-turns.ts';

// A page has frames. What a test leaves may still ask for one.
beforeAll(() => {
  vi.stubGlobal('requestAnimationFrame', (callback: () => void) => void queueMicrotask(callback));
  vi.stubGlobal('cancelAnimationFrame', () => undefined);
});

afterAll(() => {
  vi.unstubAllGlobals();
});

type Conversation = Awaited<ReturnType<typeof openConversation>>;

const model = (...words: readonly string[]) =>
  listModel(
    'claude-test',
    words.map((word) => says(word)),
  );

/** Resolves when the conversation is as it should be. */
function until(
  conversation: Pick<Conversation, 'store' | 'permissions'>,
  isSo: () => boolean,
): Promise<void> {
  return new Promise((resolve) => {
    const check = () => isSo() && resolve();
    conversation.store.subscribe(check);
    conversation.permissions.subscribe(check);
    check();
  });
}

const isOver = ({ store }: Pick<Conversation, 'store'>) => {
  const { turns, isRunning } = store.getSnapshot();
  return turns.length > 0 && !isRunning;
};

/** What is in the transcript, turn by turn. */
const shown = ({ store }: Pick<Conversation, 'store'>) =>
  store
    .getSnapshot()
    .turns.map(({ prompt, entries }) => [
      prompt,
      ...entries.map((entry) => (entry.kind === 'call' ? entry.state : entry.text)),
    ]);

describe('followSession', () => {
  it('opens a new one with its first prompt, and shows at once what was said when it is opened again', async () => {
    const host = await quickHost();
    const first = await openConversation(host, model('One.'), 's1');
    expect(await listSessions({ host })).toEqual([]);
    first.send('First?');
    expect(shown(first)).toEqual([['First?']]);
    await until(first, () => isOver(first));
    await first.query.close();

    const again = await openConversation(host, model('Two.'), 's1');
    onTestFinished(() => again.query.close());
    expect(shown(again)).toEqual([['First?', 'One.']]);
    expect(again.store.getSnapshot().isRunning).toBe(false);
    again.send('Second?');
    await until(again, () => shown(again).length === 2 && isOver(again));
    expect(shown(again)).toEqual([
      ['First?', 'One.'],
      ['Second?', 'Two.'],
    ]);
  });

  it('goes on in mid-turn where its page was killed, and puts the open question again', async () => {
    const medium = createMemoryMedium();
    const write = { file_path: '/workspace/a.txt', content: 'low' };
    const asking = listModel('claude-test', [
      asks({ type: 'tool_use', id: 'c1', name: 'Write', input: write }),
    ]);
    const killed = await openConversation(await openHost(medium), asking, 's1');
    killed.send('Write.');
    await until(killed, () => killed.permissions.getSnapshot().length > 0);

    const host = await openHost(medium);
    onTestFinished(() => host[Symbol.asyncDispose]());
    const after = await openConversation(host, model('Written.'), 's1');
    onTestFinished(() => after.query.close());
    expect(after.store.getSnapshot()).toMatchObject({
      isRunning: true,
      turns: [{ prompt: 'Write.' }],
    });
    await until(after, () => after.permissions.getSnapshot().length > 0);
    const [question] = after.permissions.getSnapshot();
    expect(question).toMatchObject({ toolName: 'Write', input: write });
    after.permissions.answer(question?.id ?? '', { type: 'allow-once' });
    await until(after, () => isOver(after));
    expect(shown(after)).toEqual([['Write.', 'output-available', 'Written.']]);
    expect(await host.workspace.fs.readFile(write.file_path, 'utf8')).toBe('low');
  });

  it('may be opened twice at once, as by React’s strict mode, and again while it is being closed', async () => {
    const host = await quickHost();
    const first = await openConversation(host, model('One.'), 's1');
    first.send('First?');
    await until(first, () => isOver(first));
    // Not waited for: who shows another conversation can't either.
    first[Symbol.dispose]();
    const unmounted = openConversation(host, model('Two.'), 's1').then((one) => {
      one[Symbol.dispose]();
    });
    const shownOne = await openConversation(host, model('Two.'), 's1');
    await unmounted;
    shownOne.send('Second?');
    await until(shownOne, () => isOver(shownOne) && shown(shownOne).length === 2);
    expect(shown(shownOne)).toEqual([
      ['First?', 'One.'],
      ['Second?', 'Two.'],
    ]);
    await shownOne.query.close();
  });

  it('says where the session runs once it is open, also after /clear', async () => {
    const openTab = await openTabs();
    const [one, two] = [await openTab(), await openTab()];
    const schedule = (notify: () => void) => notify();
    const first = followSession(
      (wiring) => openSession({ host: one.host, model: model('One.'), sessionId: 's1', ...wiring }),
      { schedule },
    );
    first.send('First?');
    expect(first.store.getSnapshot().role).toBeNull();
    await until(first, () => isOver(first));
    expect(first.store.getSnapshot().role).toBe('runner');
    const second = followSession(
      (wiring) => openSession({ host: two.host, model: model(), resume: 's1', ...wiring }),
      { kept: await getSessionMessages('s1', two), schedule },
    );
    onTestFinished(() => second.query.close());
    onTestFinished(() => first.query.close());
    expect(second.store.getSnapshot().role).toBeNull();
    await until(second, () => second.store.getSnapshot().role === 'viewer');
    first.send('/clear');
    const isCleared = () => second.store.getSnapshot().turns[0]?.prompt !== 'First?';
    await until(second, isCleared);
    expect(second.store.getSnapshot().role).toBe('viewer');
  });

  it('says in the transcript what it could not be opened with', async () => {
    const broken = followSession(() => Promise.reject(new Error('Not here.')), { kept: [] });
    await new Promise<void>((resolve) => broken.store.subscribe(resolve));
    expect(shown(broken)).toEqual([['', 'Not here.']]);
    await broken.ended;
    expect(broken.isEnded()).toBe(true);
    await broken.query.close();
  });

  it('goes on where a prompt could not be sent, which waits then', async () => {
    const host = await quickHost();
    const opened = openSession({ host, model: model('One.', 'Two.'), sessionId: 's1' });
    let isFull = true;
    const session = await opened;
    onTestFinished(() => session.close());
    const followed = followSession(() =>
      Promise.resolve({
        ...session,
        send: (prompt: SDKUserMessage) =>
          isFull ? Promise.reject(new Error('It is too large.')) : session.send(prompt),
      }),
    );
    onTestFinished(() => followed[Symbol.dispose]());
    followed.send('First?');
    await until(followed, () => isOver(followed));
    expect(shown(followed)).toEqual([['', 'It is too large.']]);
    expect(followed.isEnded()).toBe(false);
    isFull = false;
    const [first] = followed.waiting.getSnapshot();
    followed.sendWaiting(first?.id ?? '');
    await until(followed, () => shown(followed).length === 2 && isOver(followed));
    expect(shown(followed)).toEqual([
      ['', 'It is too large.'],
      ['First?', 'One.'],
    ]);
    expect(followed.waiting.getSnapshot()).toEqual([]);
  });
});
