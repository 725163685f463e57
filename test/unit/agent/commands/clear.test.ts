import { describe, expect, it, onTestFinished } from 'vitest';
import { openSession } from '../../../../src/agent/open-session.ts';
import { query } from '../../../../src/agent/query.ts';
import type { HooksOption } from '../../../../src/agent/hooks/hooks.ts';
import { listSessions } from '../../../../src/agent/stored-sessions/session-info.ts';
import { loadJournal } from '../../../../src/agent/journal/stored-journal.ts';
import { toPlanPath } from '../../../../src/core/session/session-path.ts';
import type { Model } from '../../../../src/model/model.ts';
import type { SDKMessage, SDKUserMessage } from '../../../../src/core/messages/sdk-message.ts';
import { createMemoryMedium } from '../../../../src/workspace/drivers/memory.ts';
import {
  isResult,
  openHost,
  quickHost,
  readUntil,
  texts,
} from '../../../support/sessions/open-sessions.ts';
import { createDisk, playSession } from '../../../support/sessions/kept-session.ts';
import { asks, listModel, says } from '../../../support/turns/play-turns.ts';

const isCleared = (message: SDKMessage) =>
  message.type === 'result' && 'local_command' in message && message.local_command === 'clear';

/** Reads until so many results have come. */
const untilResult = (count: number) => {
  let results = 0;
  return (message: SDKMessage) => isResult(message) && (results += 1) === count;
};

const kinds = (messages: readonly SDKMessage[]) =>
  messages.map((one) => (one.type === 'system' ? one.subtype : one.type));

function hearing(heard: string[]): HooksOption {
  const hear = (input: { readonly hook_event_name: string }) => {
    const { source = '', reason = '' } = input as { readonly source?: string; reason?: string };
    heard.push(`${input.hook_event_name} ${source}${reason}`);
    return Promise.resolve({});
  };
  return { SessionStart: [{ hooks: [hear] }], SessionEnd: [{ hooks: [hear] }] };
}

describe('/clear', () => {
  it('goes on in a new session, with which the object goes on, and keeps the old one', async () => {
    const host = await quickHost();
    const model = listModel('claude-test', [says('One.'), says('Two.')]);
    const heard: string[] = [];
    const options = { host, model, sessionId: 's1', hooks: hearing(heard) };
    const session = await openSession(options);
    await session.setPermissionMode('acceptEdits');
    await session.send('First?');
    await session.send('/clear');
    const second = session.send('Second?');
    const told = await readUntil(session, untilResult(3));
    await second;
    expect(texts(told)).toEqual([
      ...['user: First?', 'assistant: One.', 'user: /clear', 'user: Second?', 'assistant: Two.'],
    ]);
    const order = kinds(told);
    const reset = order.indexOf('conversation_reset');
    expect(order.slice(reset)).toEqual([
      'conversation_reset',
      'local_command_output',
      'result',
      ...order.slice(reset + 3),
    ]);
    expect(order.slice(reset + 3)).toContain('init');
    expect(session.id).not.toBe('s1');
    expect(told[reset]).toMatchObject({ new_conversation_id: session.id, trigger: 'clear' });
    expect(told.at(-1)).toMatchObject({ session_id: session.id, is_error: false });
    expect(told.findLast((one) => one.type === 'system' && one.subtype === 'init')).toMatchObject({
      permissionMode: 'acceptEdits',
    });
    expect(JSON.stringify(model.requests[1]?.messages)).not.toContain('First?');
    const listed = (await listSessions({ host })).map(({ sessionId, firstPrompt }) => [
      sessionId,
      firstPrompt,
    ]);
    expect(new Map(listed as [string, string][])).toEqual(
      new Map([
        ['s1', 'First?'],
        [session.id, 'Second?'],
      ]),
    );
    await session.close();
    expect(heard).toEqual([
      ...['SessionStart startup', 'SessionEnd clear', 'SessionStart clear', 'SessionEnd other'],
    ]);
  });

  it('takes prompts along that were sent after it and wait', async () => {
    const host = await quickHost();
    const model = listModel('claude-test', [says('One.'), says('Two.')]);
    await using session = await openSession({ host, model, sessionId: 's1' });
    await Promise.all(['First?', '/clear', 'Second?'].map((prompt) => session.send(prompt)));
    const told = await readUntil(session, untilResult(3));
    expect(texts(told).slice(-2)).toEqual(['user: Second?', 'assistant: Two.']);
    expect(told.at(-1)).toMatchObject({ session_id: session.id });
    expect(session.id).not.toBe('s1');
  });

  it('leaves a session that goes on where it was when it is opened again', async () => {
    const host = await quickHost();
    const model = listModel('claude-test', [says('One.'), says('Two.')]);
    await using session = await openSession({ host, model, sessionId: 's1' });
    await session.send('First?');
    await session.send('/clear');
    await readUntil(session, isCleared);
    await session.supportedCommands();
    await using old = await openSession({ host, model, resume: 's1' });
    await old.send('Second?');
    expect(texts(await readUntil(old, untilResult(3)))).toEqual([
      ...['user: First?', 'assistant: One.', 'user: /clear', 'user: Second?', 'assistant: Two.'],
    ]);
    expect(JSON.stringify(model.requests[1]?.messages)).toContain('First?');
    expect(old.id).toBe('s1');
  });

  it('begins a new session in a query of several prompts', async () => {
    const host = await quickHost();
    const model = listModel('claude-test', [says('One.'), says('Two.')]);
    const heard: string[] = [];
    async function* prompts(): AsyncGenerator<SDKUserMessage, void> {
      for (const content of ['First?', '/clear', 'Second?']) {
        yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
      }
    }
    const told: SDKMessage[] = [];
    const options = { host, model, hooks: hearing(heard) };
    for await (const one of query({ prompt: prompts(), options })) told.push(one);
    const ids = [...new Set(told.map(({ session_id }) => session_id))];
    expect(ids).toHaveLength(2);
    expect(told.filter((one) => one.type === 'system' && one.subtype === 'init')).toHaveLength(2);
    expect(texts(told)).toEqual(['assistant: One.', 'assistant: Two.']);
    expect(JSON.stringify(model.requests[1]?.messages)).not.toContain('First?');
    expect(heard).toEqual([
      ...['SessionStart startup', 'SessionEnd clear', 'SessionStart clear', 'SessionEnd other'],
    ]);
  });

  it('plans on in the new session, and gives back there what was before plan mode', async () => {
    const host = await quickHost();
    const script = (id: string) => [
      asks({
        type: 'tool_use',
        id: 'c1',
        name: 'Write',
        input: { file_path: toPlanPath(id), content: 'First this.' },
      }),
      asks({ type: 'tool_use', id: 'c2', name: 'ExitPlanMode', input: {} }),
      says('Done.'),
    ];
    let replies: Model = listModel('claude-test', []);
    const model: Model = {
      name: 'claude-test',
      apiKeySource: 'none',
      stream: (...given) => replies.stream(...given),
    };
    await using session = await openSession({
      host,
      model,
      sessionId: 's1',
      toolSearch: false,
      permissionMode: 'bypassPermissions',
      canUseTool: () => Promise.resolve({ behavior: 'allow' }),
    });
    await session.setPermissionMode('default');
    for (const prompt of ['/plan', '/clear']) await session.send(prompt);
    await readUntil(session, isCleared);
    await session.supportedCommands();
    replies = listModel('claude-test', script(session.id));
    await session.send('Go.');
    await readUntil(session, isResult);
    const { permissions } = await loadJournal(host.workspace, session.id);
    expect(permissions.flatMap(({ mode }) => mode ?? [])).toEqual(['default', 'plan', 'default']);
  });

  it('leaves a query in the mode in which it was, whatever was set before', async () => {
    const host = await quickHost();
    const model = listModel('claude-test', [says('One.')]);
    const prompt = (async function* () {
      for (const content of ['First?', '/plan', '/clear', '/cost']) {
        yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
      }
    })() as AsyncGenerator<SDKUserMessage, void>;
    const asking = query({ prompt, options: { host, model } });
    await asking.setPermissionMode('acceptEdits');
    const modes: string[] = [];
    for await (const one of asking) {
      if (one.type === 'system' && one.subtype === 'init') modes.push(one.permissionMode);
    }
    expect(modes).toEqual(['acceptEdits', 'plan']);
  });

  it('says so where the session isn’t kept', async () => {
    const model = listModel('claude-test', []);
    const host = await quickHost();
    const options = { host, model, persistSession: false };
    await using session = await openSession(options);
    await session.send('/clear');
    const told = await readUntil(session, isResult);
    expect(told.at(-1)).toMatchObject({
      is_error: true,
      result:
        'This session isn’t kept (persistSession is false), so no other can take its place. End it, and begin a new one.',
    });
  });

  it('is done once, after whichever entry the session was frozen', async () => {
    const prompts = ['First?', '/clear'];
    const model = () => listModel('claude-test', [says('One.')]);
    const whole = await playSession(createDisk(), { prompts, model: model() });
    const moves = (entries: typeof whole.entries) =>
      entries.flatMap((entry) => (entry.type === 'moved' ? entry.to : []));
    expect(moves(whole.entries)).toHaveLength(1);
    for (const freezeAfter of whole.boundaries) {
      const disk = createDisk();
      await playSession(disk, { prompts, model: model(), freezeAfter });
      const after = await playSession(disk, { prompts, model: model() });
      expect(moves(after.entries).length).toBeLessThanOrEqual(1);
      expect(after.fold.turn).toBeUndefined();
    }
  });

  it('is completed where the page was closed before the new session was there', async () => {
    const medium = createMemoryMedium();
    const host = await openHost(medium);
    const model = listModel('claude-test', []);
    const session = await openSession({ host, model, sessionId: 's1' });
    const { streams } = host.workspace;
    // As far as the new session's journal: it is never made.
    const append = streams.append.bind(streams);
    streams.append = (id, ...rest) =>
      id === 'session/s1' || id.endsWith('s1') ? append(id, ...rest) : new Promise(() => {});
    await session.send('/clear');
    await session.send('Waiting.');
    const [reset] = (await readUntil(session, ({ type }) => type === 'conversation_reset')).slice(
      -1,
    );
    const to = reset?.type === 'conversation_reset' ? reset.new_conversation_id : '';

    const next = await openHost(medium);
    onTestFinished(() => next[Symbol.asyncDispose]());
    const answers = listModel('claude-test', [says('Hi.')]);
    await using old = await openSession({ host: next, model: answers, resume: 's1' });
    expect(old.id).toBe('s1');
    await using fresh = await openSession({ host: next, model: answers, resume: to });
    expect(fresh.id).toBe(to);
  });
});
