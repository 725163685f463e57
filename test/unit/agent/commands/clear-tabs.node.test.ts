// `/clear` in a session that several tabs have open.
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AgentSession } from '../../../../src/agent/agent-session.ts';
import { readEntries } from '../../../../src/agent/journal/stored-journal.ts';
import { openSession } from '../../../../src/agent/open-session.ts';
import type { QueryOptions } from '../../../../src/agent/query-options.ts';
import { query } from '../../../../src/agent/query.ts';
import type { SessionTabs } from '../../../../src/agent/tabs/session-tabs.ts';
import { createDeferred } from '../../../../src/core/async/deferred.ts';
import { getOrMake } from '../../../../src/core/values/get-or-make.ts';
import type { SDKMessage, SDKUserMessage } from '../../../../src/core/messages/sdk-message.ts';
import { createAgentsModel } from '../../../support/models/agents-model.ts';
import {
  isResult,
  readUntil,
  silentModel,
  texts,
} from '../../../support/sessions/open-sessions.ts';
import { listModel, says } from '../../../support/turns/play-turns.ts';
import { callTool, say } from '../../../support/turns/run-hooked.ts';
import { openTabs } from '../../../support/sessions/session-tabs.ts';

async function open(options: QueryOptions): Promise<AgentSession> {
  const session = await openSession(options);
  onTestFinished(() => session.close());
  return session;
}

async function* prompts(...contents: readonly string[]): AsyncGenerator<SDKUserMessage, void> {
  for (const content of contents) {
    yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
  }
}

const fail = (error: unknown): never => {
  throw error;
};

/** Reads until so many results have come. */
const untilResult = (count: number) => {
  let results = 0;
  return (message: SDKMessage) => isResult(message) && (results += 1) === count;
};

describe('/clear in a session that two tabs have open', () => {
  it.each([0, 1])('moves both, whichever sends it (%i); the same tab runs', async (sender) => {
    const openTab = await openTabs();
    const [one, two] = [await openTab(), await openTab()];
    const model = listModel('claude-test', [says('One.'), says('Two.')]);
    const first = await open({ host: one.host, model, sessionId: 's1' });
    await first.send('First?');
    await readUntil(first, isResult);
    const second = await open({ host: two.host, model: silentModel, resume: 's1' });
    const reading = Promise.all([
      readUntil(first, untilResult(3)),
      readUntil(second, untilResult(3)),
    ]);
    await [first, second][sender]?.send('/clear');
    await second.send('Second?');
    const [mine, theirs] = await reading;
    expect(texts(theirs)).toEqual([
      ...['user: First?', 'assistant: One.', 'user: /clear', 'user: Second?', 'assistant: Two.'],
    ]);
    expect(texts(mine)).toEqual(texts(theirs));
    expect(first.id).not.toBe('s1');
    expect(second.id).toBe(first.id);
    expect([first.role(), second.role()]).toEqual(['runner', 'viewer']);
    expect(JSON.stringify(model.requests[1]?.messages)).not.toContain('First?');
  });

  it('keeps a query’s session in its tab: the new one is held before the old one is free', async () => {
    const openTab = await openTabs();
    const [one, two] = [await openTab(), await openTab()];
    const { tabs } = one.host;
    const events: string[] = [];
    const names = new Map<string, string>();
    const tryHold = async (id: string) => {
      const lease = await tabs?.tryHold(id);
      const name = getOrMake(names, id, () => (names.size === 0 ? 'old' : 'new'));
      events.push(`hold ${name}`);
      return {
        [Symbol.dispose]: () => void (events.push(`free ${name}`), lease?.[Symbol.dispose]()),
      };
    };
    const host = { ...one.host, tabs: { ...tabs, tryHold } as SessionTabs };
    const model = listModel('claude-test', [says('Two.')]);
    const asking = query({ prompt: prompts('/clear', 'Second?'), options: { host, model } });
    const { value } = await asking.next();
    const second = await open({
      host: two.host,
      model: silentModel,
      resume: value?.session_id ?? '',
    });
    const reading = readUntil(second, untilResult(2));
    const told: SDKMessage[] = [];
    for await (const each of asking) told.push(each);
    expect(texts(told)).toEqual(['assistant: Two.']);
    expect(texts(await reading)).toEqual(['user: /clear', 'user: Second?', 'assistant: Two.']);
    expect([...new Set(events)]).toEqual(['hold old', 'hold new', 'free old', 'free new']);
  });

  it('lets a tab close that waits for the one which opens the new session', async () => {
    const openTab = await openTabs();
    const [one, two] = [await openTab(), await openTab()];
    const { tabs } = one.host;
    const tryHold: SessionTabs['tryHold'] = (id) =>
      id === 's1' && tabs ? tabs.tryHold(id) : new Promise(() => undefined);
    const host = { ...one.host, tabs: { ...tabs, tryHold } as SessionTabs };
    const first = await openSession({ host, model: silentModel, sessionId: 's1' });
    onTestFinished(one.kill);
    const second = await open({ host: two.host, model: silentModel, resume: 's1' });
    const reading = readUntil(second, () => false);
    await first.send('/clear');
    await readUntil(second, isResult);
    const sending = second.send('Second?');
    sending.catch(() => undefined);
    await second.close();
    expect((await reading).at(-1)).toMatchObject({ type: 'result' });
    await expect(sending).rejects.toMatchObject({ code: 'bad-usage' });
  });

  it('begins nothing in the old session, whatever an agent reports while the new one is opened', async () => {
    const openTab = await openTabs();
    const { host: own } = await openTab();
    const { tabs, workspace } = own;
    const entries = () => readEntries(workspace, 's1');
    const hasReported = async () =>
      (await entries()).some((entry) => entry.type === 'task' && entry.status === 'completed');
    const { promise: mayEnd, resolve: goOn } = createDeferred();
    const { promise: reported, resolve: report } = createDeferred();
    using _ = workspace.streams.onAppend(
      () => void hasReported().then((is) => is && report()),
      fail,
    );
    const tryHold: SessionTabs['tryHold'] = async (id) => {
      if (id !== 's1') {
        goOn();
        await reported;
      }
      return tabs?.tryHold(id);
    };
    const task = { description: 'Think', prompt: 'Think.' };
    const model = createAgentsModel(
      {
        main: [callTool('Agent', task, 'call-a'), say('It runs.'), say('It thought so.')],
        'Think.': [say('I thought.')],
      },
      (who) => (who === 'main' ? undefined : mayEnd),
    );
    const host = { ...own, tabs: { ...tabs, tryHold } as SessionTabs };
    const session = await open({ host, model, sessionId: 's1', toolSearch: false });
    await session.send('Go.');
    await readUntil(session, isResult);
    await session.send('/clear');
    await readUntil(session, untilResult(2));
    await session.supportedCommands();
    expect(session.id).not.toBe('s1');
    const turns = (await entries()).filter((entry) => entry.type === 'turn' && !entry.agent);
    expect(turns).toHaveLength(2);
  });

  it('leaves a tab where it is that follows the old session once that is open again', async () => {
    const openTab = await openTabs();
    const [one, two] = [await openTab(), await openTab()];
    const model = listModel('claude-test', [says('One.')]);
    const cleared = await open({ host: one.host, model, sessionId: 's1' });
    await cleared.send('/clear');
    await readUntil(cleared, isResult);
    await cleared.close();
    const first = await open({ host: one.host, model, resume: 's1' });
    const second = await open({ host: two.host, model: silentModel, resume: 's1' });
    await second.supportedCommands();
    expect([first.id, second.id]).toEqual(['s1', 's1']);
    await second.send('First?');
    expect(texts(await readUntil(second, untilResult(2)))).toEqual([
      ...['user: /clear', 'user: First?', 'assistant: One.'],
    ]);
  });
});
