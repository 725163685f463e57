// Sessions that are opened, closed, killed and gone on with.
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSession } from '../../../src/agent/open-session.ts';
import { query } from '../../../src/agent/query.ts';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import type { AgentSession } from '../../../src/agent/agent-session.ts';
import { SdkError } from '../../../src/core/errors.ts';
import type { SDKMessage, SDKUserMessage } from '../../../src/core/messages/sdk-message.ts';
import { createMemoryMedium } from '../../../src/workspace/drivers/memory.ts';
import {
  openHost,
  quickHost,
  isResult,
  kept,
  readUntil,
  silentModel,
  texts,
} from '../../support/sessions/open-sessions.ts';
import { asks, listModel, says } from '../../support/turns/play-turns.ts';

const model = (...words: readonly string[]) =>
  listModel(
    'claude-test',
    words.map((word) => says(word)),
  );

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

async function converse(prompt: string, options: QueryOptions): Promise<SDKMessage[]> {
  const messages: SDKMessage[] = [];
  for await (const one of query({ prompt, options })) messages.push(one);
  return messages;
}

const idOf = (messages: readonly SDKMessage[]) => messages[0]?.session_id ?? '';

describe('openSession', () => {
  it('answers what is sent, in order, and tells each reader of all of it', async () => {
    const host = await quickHost();
    const session = await open({ host, model: model('One.', 'Two.') });
    const first = await session.send('First?');
    const second = await session.send(message('Second?', 'p2'));
    expect(second).toEqual({ uuid: 'p2', n: expect.any(Number) as number });
    let results = 0;
    const told = await readUntil(session, (one) => isResult(one) && (results += 1) === 2);
    expect(told[0]).toMatchObject({ type: 'system', subtype: 'init', session_id: session.id });
    expect(texts(told)).toEqual([
      ...['user: First?', 'assistant: One.'],
      ...['user: Second?', 'assistant: Two.'],
    ]);
    expect(told.find(({ type }) => type === 'user')?.uuid).toBe(first.uuid);
    const last = kept(told).at(-1)?.n;
    const again = await readUntil(session, ({ n }) => n === last);
    expect(kept(again)).toEqual(kept(told));
    const half = kept(told)[2]?.n ?? 0;
    const rest = await readUntil(session, ({ n }) => n === last, half);
    expect(kept(rest)).toEqual(kept(told).filter(({ n = 0 }) => n > half));
  });

  it('takes a prompt of a known uuid once, also after it was opened again', async () => {
    const host = await quickHost();
    const first = await openSession({ host, model: model('One.'), sessionId: 's1' });
    const sent = await first.send(message('First?', 'p1'));
    expect(await first.send(message('First?', 'p1'))).toEqual({ ...sent, isRepeated: true });
    const told = await readUntil(first, isResult);
    await first.close();
    await expect(first.send('More?')).rejects.toMatchObject({ code: 'bad-usage' });
    const again = await open({ host, model: model('Two.'), resume: 's1' });
    expect(await again.send(message('First?', 'p1'))).toEqual({ ...sent, isRepeated: true });
    expect(kept(await readUntil(again, isResult))).toEqual(kept(told));
    expect(again.state()).toBe('idle');
  });

  it('goes on in mid-turn where its host was killed, with what was done by then', async () => {
    const medium = createMemoryMedium();
    const before = await openHost(medium);
    await before.workspace.fs.writeFile('/workspace/a.txt', 'old\n');
    const edit = { file_path: '/workspace/a.txt', old_string: 'old', new_string: 'old new' };
    const read = { type: 'tool_use', id: 'c1', name: 'Read', input: { file_path: edit.file_path } };
    const replies = listModel('claude-test', [
      asks(read as never),
      asks({ type: 'tool_use', id: 'c2', name: 'Edit', input: edit }),
    ]);
    const hanging = {
      ...replies,
      stream: (...args: Parameters<typeof replies.stream>) =>
        (replies.requests.length < 2 ? replies : silentModel).stream(...args),
    };
    const options = { permissionMode: 'bypassPermissions', sessionId: 's1' } as const;
    const killed = await openSession({ host: before, model: hanging, ...options });
    await killed.send(message('Change it.', 'p1'));
    const isEdited = (one: SDKMessage) =>
      one.type === 'user' && JSON.stringify(one.message).includes('"tool_use_id":"c2"');
    const told = await readUntil(killed, isEdited);

    const host = await openHost(medium);
    onTestFinished(() => host[Symbol.asyncDispose]());
    const last = model('Done.');
    const session = await open({ host, model: last, resume: 's1' });
    const after = await readUntil(session, isResult);
    expect(kept(after).slice(0, kept(told).length)).toEqual(kept(told));
    expect(texts(after).at(-1)).toBe('assistant: Done.');
    expect(after.at(-1)).toMatchObject({ subtype: 'success', num_turns: 3 });
    expect(await host.workspace.fs.readFile('/workspace/a.txt', 'utf8')).toBe('old new\n');
    expect(last.requests).toHaveLength(1);
    await session.send('Thanks.');
  });

  it('lets a query without a prompt of its own end the turn that was cut', async () => {
    const medium = createMemoryMedium();
    const killed = await openSession({
      host: await openHost(medium),
      model: silentModel,
      sessionId: 's1',
    });
    await killed.send('First?');
    await readUntil(killed, ({ type }) => type === 'user');
    const host = await openHost(medium);
    onTestFinished(() => host[Symbol.asyncDispose]());
    const told: SDKMessage[] = [];
    async function* nothing(): AsyncGenerator<SDKUserMessage, void> {}
    const options = { host, model: model('One.'), resume: 's1' };
    for await (const one of query({ prompt: nothing(), options })) told.push(one);
    expect(texts(told)).toEqual(['assistant: One.']);
    expect(told.filter(isResult)).toHaveLength(1);
  });

  it('answers what was sent and not yet begun when it was closed', async () => {
    const host = await quickHost();
    const first = await openSession({ host, model: silentModel, sessionId: 's1' });
    await first.send('First?');
    await first.send('Second?');
    await first.close();
    const session = await open({ host, model: model('One.'), resume: 's1' });
    let results = 0;
    const told = await readUntil(session, (one) => isResult(one) && (results += 1) === 2);
    expect(texts(told)).toEqual(['user: First?', 'user: Second?', 'assistant: One.']);
  });

  it('lets whoever is first answer a question, and tells that one waits', async () => {
    const host = await quickHost();
    const write = (id: string) =>
      asks({
        type: 'tool_use',
        id,
        name: 'Write',
        input: { file_path: `/workspace/${id}`, content: 'x' },
      });
    const replies = listModel('claude-test', [write('a'), write('b'), says('Done.')]);
    const asked: string[] = [];
    const session = await open({
      host,
      model: replies,
      permissionMode: 'default',
      canUseTool: (_name, { file_path }) => {
        asked.push(String(file_path));
        // Of the first one nobody but the session's own answer will come.
        return Promise.resolve(asked.length === 1 ? null : { behavior: 'allow' });
      },
    });
    await session.send('Write.');
    const told: SDKMessage[] = [];
    for await (const one of session.messages()) {
      told.push(one);
      const [question] = session.questions();
      if (question && asked.length === 1 && session.state() === 'requires_action') {
        await session.answer(question.requestId, { behavior: 'allow' });
        await expect(
          session.answer(question.requestId, { behavior: 'allow' }),
        ).rejects.toMatchObject({ code: 'bad-usage' });
      }
      if (isResult(one)) break;
    }
    expect(asked).toEqual(['/workspace/a', '/workspace/b']);
    expect((await host.workspace.fs.readdir('/workspace')).sort()).toEqual(['a', 'b']);
    expect(told.flatMap((one) => ('state' in one ? [one.state] : []))).toContain('requires_action');
  });

  it('stops the turn, and goes on with the next prompt', async () => {
    const host = await quickHost();
    const session = await open({ host, model: silentModel });
    await session.send('First?');
    await readUntil(session, () => session.state() === 'running');
    await session.interrupt();
    expect((await readUntil(session, isResult)).at(-1)).toMatchObject({
      terminal_reason: 'aborted_streaming',
    });
    await session.setModel(model('Two.'));
    const { n } = await session.send('Second?');
    expect(texts(await readUntil(session, isResult, n))).toContain('assistant: Two.');
  });

  it('ends with a result that says why where the medium is full in mid-turn', async () => {
    const medium = createMemoryMedium();
    let isFull = false;
    const full = {
      ...medium,
      create: async (name: string) => {
        const file = await medium.create(name);
        const append: typeof file.append = (...args) =>
          isFull ? Promise.reject(new SdkError('ENOSPC', 'Full.')) : file.append(...args);
        return { ...file, append };
      },
    };
    const host = await openHost(full);
    const session = await openSession({
      host,
      sessionId: 's1',
      model: {
        ...model(),
        async *stream(...args) {
          isFull = true;
          yield* model('One.').stream(...args);
        },
      },
    });
    const reading = readUntil(session, isResult);
    await session.send('First?');
    const told = await reading;
    expect(told.at(-1)).toMatchObject({ type: 'result', is_error: true, error_code: 'ENOSPC' });
    await session.close();
    // What was recorded by then is there.
    const again = await openHost(medium);
    onTestFinished(() => again[Symbol.asyncDispose]());
    const resumed = await open({ host: again, model: model('One.'), resume: 's1' });
    expect(texts(await readUntil(resumed, isResult))).toEqual(['user: First?', 'assistant: One.']);
  });

  it('is taken over by a second writer: the first one records nothing more', async () => {
    const medium = createMemoryMedium();
    const host = await openHost(medium);
    const first = await openSession({ host, model: model('One.'), sessionId: 's1' });
    // As another tab would: past this realm's own register.
    const { length } = (await host.workspace.streams.list())[0] ?? { length: 0 };
    const value = { type: 'opened', owner: 'other', why: 'takeover', n: length + 1, time: 1 };
    await host.workspace.streams.append('session/s1', [{ value }], { at: length });
    await expect(first.send('First?')).rejects.toMatchObject({ code: 'EFENCED' });
    await first.close();
    await using session = await openSession({ host, model: model('One.'), resume: 's1' });
    await session.send('First?');
    expect(texts(await readUntil(session, isResult))).toEqual(['user: First?', 'assistant: One.']);
  });
});

describe('the session that options mean', () => {
  it('is a new one, whose id must be free', async () => {
    const host = await quickHost();
    const told = await converse('First?', { host, model: model('One.'), sessionId: 's1' });
    expect(idOf(told)).toBe('s1');
    await expect(
      converse('First?', { host, model: model('One.'), sessionId: 's1' }),
    ).rejects.toMatchObject({
      code: 'bad-usage',
      message: expect.stringContaining("resume: 's1'") as string,
    });
  });

  it('is one that is kept, which goes on', async () => {
    const host = await quickHost();
    const id = idOf(await converse('First?', { host, model: model('One.') }));
    const next = model('Two.');
    const told = await converse('Second?', { host, model: next, resume: id });
    expect(idOf(told)).toBe(id);
    expect(texts(told)).toEqual(['assistant: Two.']);
    const said = JSON.stringify(next.requests[0]?.messages);
    expect(said).toMatch(/First\?.*One\..*Second\?/u);
    await expect(converse('x', { host, model: next, resume: 'unknown' })).rejects.toMatchObject({
      code: 'bad-usage',
      data: { resume: 'unknown' },
    });
  });

  it('is the newest of the working directory with continue', async () => {
    const host = await quickHost();
    await host.workspace.fs.mkdir('/workspace/other');
    await expect(converse('x', { host, model: model(), continue: true })).rejects.toMatchObject({
      code: 'bad-usage',
    });
    const base = { host, model: model('One.', 'One.', 'One.') };
    await converse('First?', { ...base, sessionId: 'a' });
    await converse('First?', { ...base, sessionId: 'b' });
    await converse('First?', { ...base, sessionId: 'c', cwd: '/workspace/other' });
    expect(idOf(await converse('x', { host, model: model('Two.'), continue: true }))).toBe('b');
    const options = { host, model: model('Two.'), continue: true, cwd: '/workspace/other' };
    expect(idOf(await converse('x', options))).toBe('c');
  });

  it('is a fork with an id of its own, and the old one stays as it is', async () => {
    const host = await quickHost();
    const first = await converse('First?', { host, model: model('One.'), sessionId: 'old' });
    const base = { host, resume: 'old', forkSession: true } as const;
    const told = await converse('Second?', { ...base, model: model('Two.'), sessionId: 'new' });
    expect(new Set(told.map(({ session_id }) => session_id))).toEqual(new Set(['new']));
    const fork = await open({ host, model: model(), resume: 'new' });
    const all = kept(await readUntil(fork, ({ n }) => n === kept(told).at(-1)?.n));
    expect(texts(all)).toEqual([
      ...['user: First?', 'assistant: One.'],
      ...['user: Second?', 'assistant: Two.'],
    ]);
    expect(new Set(all.map(({ session_id }) => session_id))).toEqual(new Set(['new']));
    const old = await open({ host, model: model(), resume: 'old' });
    const before = await readUntil(old, isResult);
    expect(texts(before)).toEqual(['user: First?', 'assistant: One.']);
    expect(kept(before).slice(1)).toEqual(kept(first));
  });

  it('goes on behind the message that resumeSessionAt names', async () => {
    const host = await quickHost();
    const first = await converse('First?', { host, model: model('One.'), sessionId: 's1' });
    await converse('Second?', { host, model: model('Two.'), resume: 's1' });
    const reply = first.find(({ type }) => type === 'assistant')?.uuid ?? '';
    for (const forkSession of [true, false]) {
      const next = model('Three.');
      const options = { host, model: next, resume: 's1', resumeSessionAt: reply, forkSession };
      await converse('Third?', options);
      const said = JSON.stringify(next.requests[0]?.messages);
      expect(said).toMatch(/First\?.*One\..*Third\?/u);
      expect(said).not.toContain('Second?');
    }
    await expect(
      converse('x', { host, model: model(), resume: 's1', resumeSessionAt: 'no' }),
    ).rejects.toMatchObject({ code: 'bad-usage' });
  });

  it('is kept nowhere with persistSession: false', async () => {
    const host = await quickHost();
    await converse('First?', { host, model: model('One.'), persistSession: false });
    expect(await host.workspace.streams.list()).toEqual([]);
    await converse('First?', { host, model: model('One.'), sessionId: 's1' });
    const [before] = await host.workspace.streams.list();
    const next = model('Two.');
    await converse('Second?', { host, model: next, resume: 's1', persistSession: false });
    expect(JSON.stringify(next.requests[0]?.messages)).toMatch(/First\?.*Second\?/u);
    expect(await host.workspace.streams.list()).toEqual([before]);
  });

  it('may be open once at a time', async () => {
    const host = await quickHost();
    const first = await openSession({ host, model: model(), sessionId: 's1' });
    await expect(openSession({ host, model: model(), resume: 's1' })).rejects.toMatchObject({
      code: 'bad-usage',
      message: expect.stringContaining('open here already') as string,
    });
    await first.close();
    await (await openSession({ host, model: model(), resume: 's1' })).close();
  });

  it.each<[string, Partial<QueryOptions>]>([
    ['an id and an old session', { sessionId: 'a', resume: 'b' }],
    ['two old sessions', { resume: 'a', continue: true }],
    ['a fork of nothing', { forkSession: true }],
    ['a place in nothing', { resumeSessionAt: 'a' }],
    ['a bad id', { resume: '../a' }],
  ])('is refused for %s', async (_name, options) => {
    const host = await quickHost();
    expect(() => query({ prompt: 'x', options: { host, model: model(), ...options } })).toThrow(
      expect.objectContaining({ code: 'bad-usage' }) as Error,
    );
    await expect(openSession({ host, model: model(), ...options })).rejects.toMatchObject({
      code: 'bad-usage',
    });
  });
});
