// One session in several tabs: one runs it, the others follow it, and take it over.
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AgentSession } from '../../../src/agent/agent-session.ts';
import { readEntries } from '../../../src/agent/journal/stored-journal.ts';
import { openSession } from '../../../src/agent/open-session.ts';
import { query } from '../../../src/agent/query.ts';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import { getSessionInfo, renameSession } from '../../../src/index.ts';
import type { CanUseTool } from '../../../src/core/permissions/permission.ts';
import type { SDKMessage, SDKUserMessage } from '../../../src/core/messages/sdk-message.ts';
import {
  isResult,
  kept,
  readUntil,
  silentModel,
  texts,
} from '../../support/sessions/open-sessions.ts';
import { asks, listModel, says } from '../../support/turns/play-turns.ts';
import { openTabs, type Tab } from '../../support/sessions/session-tabs.ts';

const model = (...words: readonly string[]) =>
  listModel(
    'claude-test',
    words.map((word) => says(word)),
  );

/** Closed by its test's end. One whose tab is killed can't be: it is opened by `openSession`. */
async function open(options: QueryOptions): Promise<AgentSession> {
  const session = await openSession({ permissionMode: 'bypassPermissions', ...options });
  onTestFinished(() => session.close());
  return session;
}

const message = (content: string, uuid: string): SDKUserMessage => ({
  type: 'user',
  message: { role: 'user', content },
  parent_tool_use_id: null,
  uuid,
});

/** True for the nth message that is what is looked for. */
function nth(n: number, is: (message: SDKMessage) => boolean): (message: SDKMessage) => boolean {
  let count = 0;
  return (each) => is(each) && (count += 1) === n;
}

/** Collects what a reader is told, for as long as the session is open. */
function collect(session: AgentSession): SDKMessage[] {
  const told: SDKMessage[] = [];
  const read = async () => {
    for await (const one of session.messages()) told.push(one);
  };
  void read();
  return told;
}

const entriesOf = ({ host }: Tab) => readEntries(host.workspace, 's1');

const whys = async (tab: Tab) =>
  (await entriesOf(tab)).flatMap((entry) => (entry.type === 'opened' ? entry.why : []));

describe('a session in two tabs', () => {
  it('runs in the first; the second is told all that is kept, and sends', async () => {
    const openTab = await openTabs();
    const [one, two] = [await openTab(), await openTab()];
    const first = await open({ host: one.host, model: model('One.', 'Two.'), sessionId: 's1' });
    await first.send('First?');
    await readUntil(first, isResult);
    const second = await open({ host: two.host, model: silentModel, resume: 's1' });
    expect([first.role(), second.role()]).toEqual(['runner', 'viewer']);
    const before = await readUntil(second, isResult);
    expect(before.slice(0, 2)).toMatchObject([
      { subtype: 'init', model: 'claude-test', session_id: 's1' },
      { subtype: 'session_role_changed', role: 'viewer' },
    ]);
    const after = before.at(-1)?.n ?? 0;
    const reading = readUntil(second, isResult, after);
    const sent = await second.send(message('Second?', 'p2'));
    expect(await first.send(message('Second?', 'p2'))).toEqual({ ...sent, isRepeated: true });
    const theirs = await reading;
    const mine = await readUntil(first, isResult, after);
    expect(texts(theirs)).toEqual(['user: Second?', 'assistant: Two.']);
    expect(kept(theirs)).toEqual(kept(mine));
    expect(await whys(one)).toEqual(['start']);
  });

  it('asks in both tabs: the first answer counts, and the question goes in the other', async () => {
    const openTab = await openTabs();
    const [one, two] = [await openTab(), await openTab()];
    const asked: string[] = [];
    const withdrawn: string[] = [];
    const askIn = (where: string): CanUseTool => {
      return (_name, _input, { requestId, signal }) => {
        asked.push(`${where} ${requestId}`);
        signal.addEventListener('abort', () => withdrawn.push(`${where} ${requestId}`));
        return new Promise(() => undefined);
      };
    };
    const write = asks({
      type: 'tool_use',
      id: 'c1',
      name: 'Write',
      input: { file_path: '/workspace/a', content: 'x' },
    });
    const replies = listModel('claude-test', [write, says('Done.')]);
    const options = {
      sessionId: 's1',
      permissionMode: 'default',
      canUseTool: askIn('one'),
    } as const;
    const first = await open({ host: one.host, model: replies, ...options });
    const second = await open({
      host: two.host,
      model: silentModel,
      resume: 's1',
      canUseTool: askIn('two'),
    });
    const told = collect(second);
    await second.send('Write.');
    await readUntil(second, () => second.state() === 'requires_action');
    const [question] = second.questions();
    expect(question).toMatchObject({ toolName: 'Write', toolUseID: 'c1' });
    expect(first.questions()).toEqual([question]);
    const { requestId = '' } = question ?? {};
    await second.answer(requestId, { behavior: 'allow' });
    await expect(first.answer(requestId, { behavior: 'allow' })).rejects.toMatchObject({
      code: 'bad-usage',
    });
    await readUntil(second, (each) => 'state' in each && each.state === 'idle');
    expect(texts(told).at(-1)).toBe('assistant: Done.');
    expect(asked.sort()).toEqual([`one ${requestId}`, `two ${requestId}`]);
    expect(withdrawn.sort()).toEqual(asked);
    expect(await one.host.workspace.fs.readFile('/workspace/a', 'utf8')).toBe('x');
    const states = told.flatMap((each) => ('state' in each ? [each.state] : []));
    expect(states).toEqual(['running', 'requires_action', 'running', 'idle']);
  });

  it('takes the answer of a tab whose own canUseTool has failed', async () => {
    const openTab = await openTabs();
    const [one, two] = [await openTab(), await openTab()];
    const input = { file_path: '/workspace/a', content: 'x' };
    const write = asks({ type: 'tool_use', id: 'c1', name: 'Write', input });
    const replies = listModel('claude-test', [write, says('Done.')]);
    const options = { sessionId: 's1', permissionMode: 'default' } as const;
    const waits: CanUseTool = () => new Promise(() => undefined);
    await open({ host: one.host, model: replies, canUseTool: waits, ...options });
    const fails: CanUseTool = () => Promise.reject(new Error('No window.'));
    const second = await open({
      ...{ host: two.host, model: silentModel, resume: 's1', canUseTool: fails },
    });
    const told = collect(second);
    await second.send('Write.');
    await readUntil(second, (each) => JSON.stringify(each).includes('No window.'));
    const { requestId = '' } = second.questions()[0] ?? {};
    await second.answer(requestId, { behavior: 'allow' });
    await readUntil(second, isResult);
    expect(texts(told).at(-1)).toBe('assistant: Done.');
  });

  it('goes on in the second in mid-turn when the first is killed: nothing twice, nothing missing', async () => {
    const openTab = await openTabs();
    const [one, two] = [await openTab(), await openTab()];
    const first = await openSession({ host: one.host, model: silentModel, sessionId: 's1' });
    const second = await open({ host: two.host, model: model('One.', 'Two.'), resume: 's1' });
    const told = collect(second);
    await first.send(message('First?', 'p1'));
    await readUntil(second, ({ type }) => type === 'user');
    const waiting = second.send(message('Second?', 'p2'));
    one.kill();
    await waiting;
    await readUntil(second, nth(2, isResult));
    expect(second.role()).toBe('runner');
    const ns = kept(told).map(({ n }) => n);
    expect(new Set(ns).size).toBe(ns.length);
    expect(texts(told)).toEqual([
      ...['user: First?', 'assistant: One.'],
      ...['user: Second?', 'assistant: Two.'],
    ]);
    expect(told.flatMap((each) => ('role' in each ? [each.role] : []))).toEqual([
      'viewer',
      'runner',
    ]);
    const all = await readUntil(second, ({ n }) => n === ns.at(-1));
    expect(kept(all)).toEqual(kept(told));
    expect(await whys(two)).toEqual(['start', 'takeover']);
  });

  it('takes an answer that is given while nobody runs the session', async () => {
    const openTab = await openTabs();
    const [one, two, three] = [await openTab(), await openTab(), await openTab()];
    const write = (id: string) =>
      asks({
        type: 'tool_use',
        id,
        name: 'Write',
        input: { file_path: `/workspace/${id}`, content: 'x' },
      });
    const rest = () => listModel('claude-test', [says('Done.')]);
    const first = await openSession({
      host: one.host,
      model: listModel('claude-test', [write('c1')]),
      sessionId: 's1',
    });
    // Each asks what its options say, and the first two say nothing.
    const second = await openSession({ host: two.host, model: rest(), resume: 's1' });
    const third = await open({ host: three.host, model: rest(), resume: 's1' });
    await first.send('Write.');
    await readUntil(third, () => third.questions().length === 1);
    const [{ requestId = '' } = {}] = third.questions();
    one.kill();
    // The second tab takes it over, and the answer finds it there.
    await third.answer(requestId, { behavior: 'allow' });
    await readUntil(third, isResult);
    expect(await whys(three)).toEqual(['start', 'takeover']);
    expect([second.role(), third.role()]).toEqual(['runner', 'viewer']);
    const answers = (await entriesOf(three)).filter(({ type }) => type === 'answer');
    expect(answers).toMatchObject([{ requestId, result: { behavior: 'allow' } }]);
    await second.close();
    await readUntil(third, () => third.role() === 'runner');
    expect(await whys(three)).toEqual(['start', 'takeover', 'takeover']);
  });

  it('says so where nobody knows whether a request was carried out', async () => {
    const openTab = await openTabs();
    const [one, two] = [await openTab(), await openTab()];
    const first = await openSession({ host: one.host, model: silentModel, sessionId: 's1' });
    const second = await open({ host: two.host, model: model('One.'), resume: 's1' });
    await first.send('First?');
    await readUntil(second, () => second.state() === 'running');
    // It waits until the turn is over.
    const undone = second.undo();
    const stopped = second.interrupt();
    one.kill();
    await expect(undone).rejects.toMatchObject({
      code: 'worker-lost',
      message: expect.stringContaining('undo may have been done or not') as string,
    });
    await stopped;
    expect((await readUntil(second, isResult)).at(-1)).toMatchObject({ type: 'result' });
  });

  it('begins anew where what the other tab had on its way lands before it', async () => {
    const openTab = await openTabs();
    const [one, two] = [await openTab(), await openTab()];
    const first = await openSession({ host: one.host, model: silentModel, sessionId: 's1' });
    await first.send(message('First?', 'p1'));
    const { streams } = two.host.workspace;
    const { append } = streams;
    let isLate = true;
    Object.assign(streams, {
      append: async (...given: Parameters<typeof append>) => {
        const [stream, , { at }] = given;
        const value = { type: 'meta', title: 'Late', n: at + 1, time: 1 };
        if (isLate) await append(stream, [{ value }], { at });
        isLate = false;
        return append(...given);
      },
    });
    const second = await open({ host: two.host, model: model('One.'), resume: 's1' });
    const told = collect(second);
    one.kill();
    await readUntil(second, isResult);
    expect(texts(told)).toEqual(['user: First?', 'assistant: One.']);
    expect(await getSessionInfo('s1', { host: two.host })).toMatchObject({ customTitle: 'Late' });
  });

  it('ends for a viewer that leaves, and for nobody else', async () => {
    const openTab = await openTabs();
    const [one, two] = [await openTab(), await openTab()];
    const first = await open({ host: one.host, model: model('One.'), sessionId: 's1' });
    const second = await open({ host: two.host, model: silentModel, resume: 's1' });
    await second.close();
    await expect(second.send('More?')).rejects.toMatchObject({ code: 'bad-usage' });
    await first.send('First?');
    await readUntil(first, isResult);
    expect(first.role()).toBe('runner');
  });
});

describe('a session that another tab runs', () => {
  it('is no query’s, and no new one’s', async () => {
    const openTab = await openTabs();
    const [one, two] = [await openTab(), await openTab()];
    await open({ host: one.host, model: model(), sessionId: 's1' });
    const { host } = two;
    const refused = {
      code: 'bad-usage',
      message:
        "Another tab runs the session s1. Close it there, or follow it from here by openSession with resume: 's1'.",
    };
    const asking = query({ prompt: 'Hi.', options: { host, model: model(), resume: 's1' } });
    await expect(asking.next()).rejects.toMatchObject(refused);
    const message = (await readEntries(host.workspace, 's1')).length;
    expect(message).toBe(2);
    const at = { resume: 's1', resumeSessionAt: 'm1' };
    await expect(openSession({ host, model: model(), ...at })).rejects.toMatchObject(refused);
  });

  it('is waited for no longer than the caller wants, where its tab says nothing', async () => {
    const openTab = await openTabs();
    const [one, two] = [await openTab(), await openTab()];
    const first = await open({ host: one.host, model: model(), sessionId: 's1' });
    await first.close();
    using _ = await one.host.tabs?.tryHold('s1');
    const abortController = new AbortController();
    const options = { host: two.host, model: model('One.'), resume: 's1' };
    const opening = openSession({ ...options, abortController });
    setTimeout(() => abortController.abort());
    await expect(opening).rejects.toMatchObject({ code: 'aborted' });
  });

  it('is named by whoever wants to, and the runner records it', async () => {
    const openTab = await openTabs();
    const [one, two, three] = [await openTab(), await openTab(), await openTab()];
    const first = await open({ host: one.host, model: model('One.'), sessionId: 's1' });
    await open({ host: two.host, model: silentModel, resume: 's1' });
    const title = async () => (await getSessionInfo('s1', { host: three.host }))?.customTitle;
    for (const { host } of [one, two, three]) {
      const name = crypto.randomUUID();
      await renameSession('s1', name, { host });
      expect(await title()).toBe(name);
    }
    await expect(renameSession('s1', ' ', { host: three.host })).rejects.toMatchObject({
      code: 'bad-usage',
    });
    await first.send('First?');
    await readUntil(first, isResult);
    expect((await entriesOf(one)).filter(({ type }) => type === 'meta')).toHaveLength(3);
  });

  it('is followed where a query runs it, and gone on with when that has ended', async () => {
    const openTab = await openTabs();
    const [one, two] = [await openTab(), await openTab()];
    const asking = query({
      prompt: 'First?',
      options: { host: one.host, model: silentModel, sessionId: 's1' },
    });
    await asking.next();
    const running = asking.next();
    const second = await open({ host: two.host, model: model('One.', 'Two.'), resume: 's1' });
    await readUntil(second, ({ type }) => type === 'user');
    await expect(second.send('Second?')).rejects.toMatchObject({
      code: 'bad-usage',
      message: expect.stringContaining('runs the session s1 by query()') as string,
    });
    const names = (all: readonly { readonly name: string }[]) => all.map(({ name }) => name);
    expect(names(await second.supportedCommands())).toEqual(
      names(await asking.supportedCommands()),
    );
    expect(names(await second.supportedAgents())).toContain('Explore');
    expect(await second.getContextUsage()).toMatchObject({ model: 'silent' });
    expect(await second.skills()).toEqual({ skills: [], problems: [] });
    await renameSession('s1', 'Looked at', { host: two.host });
    await second.interrupt();
    expect((await running).value).toMatchObject({ type: 'result' });
    await asking.return();
    await readUntil(second, () => second.role() === 'runner');
    await second.send('Second?');
    expect(texts(await readUntil(second, nth(2, isResult)))).toEqual([
      ...['user: First?', 'user: Second?', 'assistant: One.'],
    ]);
  });

  it('hears nothing but its own messages', async () => {
    const openTab = await openTabs();
    const [one, two] = [await openTab(), await openTab()];
    const first = await open({ host: one.host, model: model('One.'), sessionId: 's1' });
    const second = await open({ host: two.host, model: silentModel, resume: 's1' });
    using channel = one.host.tabs?.openChannel('s1');
    const protocol = 'rockpool-session-1';
    const withoutType = { uuid: 'u', message: { role: 'user', content: [{ text: 'Hello' }] } };
    for (const value of [
      null,
      'hello',
      { type: 'request', id: '1', method: 'send', parameters: [] },
      { protocol, type: 'request', id: '1', method: 'close', parameters: [] },
      { protocol, type: 'request', id: '1', method: 'constructor', parameters: [] },
      { protocol, type: 'request', id: '1', method: 'send', parameters: [{ uuid: 'u' }] },
      { protocol, type: 'request', id: '1', method: 'send', parameters: [withoutType] },
      { protocol, type: 'request', id: 1, method: 'interrupt', parameters: [] },
      { protocol, type: 'request', id: '1', method: 'note', parameters: [{ type: 'prompt' }] },
      { protocol, type: 'running', runner: 'x', n: 0, state: 'gone', questions: [] },
      { protocol, type: 'running', runner: 'x', n: 0, state: 'idle', questions: [], init: {} },
      { protocol, type: 'reply', id: '1', error: 'none' },
    ]) {
      channel?.post(value);
    }
    await second.send('First?');
    expect(texts(await readUntil(second, isResult))).toEqual(['user: First?', 'assistant: One.']);
    expect(first.role()).toBe('runner');
  });
});
