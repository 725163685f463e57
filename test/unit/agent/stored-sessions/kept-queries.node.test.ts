// Queries over sessions that were exported, mirrored, renamed and deleted.
import { describe, expect, it } from 'vitest';
import { query } from '../../../../src/agent/query.ts';
import type { Host } from '../../../../src/agent/host.ts';
import type { QueryOptions } from '../../../../src/agent/query-options.ts';
import {
  deleteSession,
  forkSession,
  renameSession,
} from '../../../../src/agent/stored-sessions/manage-sessions.ts';
import {
  exportSession,
  importSession,
} from '../../../../src/agent/stored-sessions/session-file.ts';
import {
  getSessionInfo,
  listSessions,
} from '../../../../src/agent/stored-sessions/session-info.ts';
import { getSessionMessages } from '../../../../src/agent/stored-sessions/session-messages.ts';
import type {
  SessionStore,
  SessionStoreEntry,
} from '../../../../src/agent/stored-sessions/session-store.ts';
import type { MessageParam } from '../../../../src/core/messages/messages.ts';
import type { SDKMessage } from '../../../../src/core/messages/sdk-message.ts';
import type { ScriptTurn } from '../../../../src/model/script.ts';
import { createScriptedModel } from '../../../../src/model/scripted.ts';
import { callTool, openHost, say, withoutEnvironment } from '../../../support/turns/run-hooked.ts';

const turns = [
  callTool('Write', { file_path: 'b.txt', content: 'x' }, 'call-0'),
  say('Done.'),
  callTool('Write', { file_path: 'c.txt', content: 'x' }, 'call-1'),
  say('Done again.'),
];

const writeInstructions = callTool('Write', { file_path: 'CLAUDE.md', content: 'x' }, 'call-2');

/** Plays a prompt to its end. */
async function play(
  host: Host,
  prompt: string,
  options: Partial<QueryOptions>,
  script: readonly ScriptTurn[] = turns,
) {
  const requests: (readonly MessageParam[])[] = [];
  const scripted = createScriptedModel({ script: { turns: script } });
  const model: QueryOptions['model'] = {
    ...scripted,
    stream: (request, given) => {
      requests.push(withoutEnvironment(structuredClone(request.messages)));
      return scripted.stream(request, given);
    },
  };
  const messages: SDKMessage[] = [];
  for await (const message of query({ prompt, options: { host, model, ...options } })) {
    messages.push(message);
  }
  return { messages, requests, result: messages.find(({ type }) => type === 'result') };
}

describe('a session from a file', () => {
  it('goes on elsewhere: the model is sent the conversation, and what was allowed is asked again', async () => {
    await using from = await openHost();
    await using to = await openHost();
    await play(from, 'Write b.', {
      sessionId: 'a',
      canUseTool: async () => ({
        behavior: 'allow',
        updatedPermissions: [
          {
            type: 'addRules',
            rules: [{ toolName: 'Write' }],
            behavior: 'allow',
            destination: 'session',
          },
        ],
      }),
    });
    const file = await exportSession('a', { host: from });
    // Where it is from, the rule holds.
    const here = await play(from, 'Write c.', { resume: 'a' });
    expect(here.result).toMatchObject({ permission_denials: [] });

    const { sessionId } = await importSession(file, { host: to });
    const asked: string[] = [];
    const there = await play(to, 'Write c.', {
      resume: sessionId,
      canUseTool: async (tool) => {
        asked.push(tool);
        return { behavior: 'deny', message: 'No.' };
      },
    });
    expect(asked).toEqual(['Write']);
    const [first = []] = there.requests;
    expect(JSON.stringify(first)).toContain('Write b.');
    expect(JSON.stringify(first)).toContain('Done.');
    expect(there.messages[0]).toMatchObject({ subtype: 'init', session_id: sessionId });
    expect(there.result).toMatchObject({ permission_denials: [{ tool_name: 'Write' }] });
  });

  it('counts as one that has read text from outside', async () => {
    await using host = await openHost();
    const mode = { permissionMode: 'acceptEdits' } as const;
    await play(host, 'Write b.', { ...mode, sessionId: 'a' });
    const { sessionId } = await importSession(await exportSession('a', { host }), { host });
    const scripted = [...turns.slice(0, 2), writeInstructions, say('Done again.')];
    const imported = await play(host, 'Write them.', { ...mode, resume: sessionId }, scripted);
    expect(imported.result).toMatchObject({ permission_denials: [{ tool_name: 'Write' }] });
    const own = await play(host, 'Write them.', { ...mode, resume: 'a' }, scripted);
    expect(own.result).toMatchObject({ permission_denials: [] });
  });
});

describe('a session that is open', () => {
  it('is named by its own journal, goes on, and is not deleted', async () => {
    await using host = await openHost();
    let isAsked = false;
    const { result } = await play(host, 'Write b.', {
      sessionId: 'a',
      canUseTool: async () => {
        isAsked = true;
        await renameSession('a', 'My title', { host });
        await expect(deleteSession('a', { host })).rejects.toThrow('is open here already');
        return { behavior: 'allow' };
      },
    });
    expect(isAsked).toBe(true);
    expect(result).toMatchObject({ subtype: 'success' });
    expect(await getSessionInfo('a', { host })).toMatchObject({ customTitle: 'My title' });
    await deleteSession('a', { host });
    expect(await getSessionInfo('a', { host })).toBeUndefined();
  });

  it('was told what is read of it later', async () => {
    await using host = await openHost();
    const { messages } = await play(host, 'Write b.', { sessionId: 'a' });
    const kept = messages.filter((message) => 'n' in message && message.n !== undefined);
    const read = await getSessionMessages('a', { host });
    // The prompt is its reader's own word.
    expect(read.slice(1)).toEqual(kept);
    expect(kept.length).toBeGreaterThan(3);
  });
});

describe('a fork', () => {
  it('goes on from the message that it was made at, and its session as it was', async () => {
    await using host = await openHost();
    const allow = { permissionMode: 'acceptEdits' } as const;
    await play(host, 'Write b.', { ...allow, sessionId: 'a' });
    const before = await getSessionMessages('a', { host });
    await play(host, 'Write c.', { ...allow, resume: 'a' });
    const whole = await forkSession('a', { host });
    const upToMessageId = before.findLast(({ type }) => type === 'assistant')?.uuid ?? '';
    const early = await forkSession('a', { host, upToMessageId, title: 'Early' });
    expect(await listSessions({ host })).toMatchObject([
      { sessionId: early.sessionId, customTitle: 'Early' },
      { sessionId: whole.sessionId, customTitle: 'Write b. (fork)' },
      { sessionId: 'a' },
    ]);
    const { requests, messages } = await play(host, 'Say it.', {
      ...allow,
      resume: early.sessionId,
    });
    expect(messages[0]).toMatchObject({ subtype: 'init', session_id: early.sessionId });
    expect(JSON.stringify(requests[0])).toContain('Write b.');
    expect(JSON.stringify(requests[0])).not.toContain('Write c.');
    const again = await play(host, 'Say it.', { ...allow, resume: whole.sessionId });
    expect(JSON.stringify(again.requests[0])).toContain('Done again.');
    const taken = await getSessionMessages(whole.sessionId, { host, limit: before.length });
    expect(taken.map(({ uuid }) => uuid)).toEqual(before.map(({ uuid }) => uuid));
    await expect(forkSession('a', { host, upToMessageId: 'no' })).rejects.toThrow(
      'The session has no message no. upToMessageId takes the uuid of a message that bears n.',
    );
  });

  it('of a session with a title bears that', async () => {
    await using host = await openHost();
    await play(host, 'Write b.', { sessionId: 'a' });
    await renameSession('a', 'x'.repeat(1_000), { host });
    const { sessionId } = await forkSession('a', { host });
    const info = await getSessionInfo(sessionId, { host });
    expect(info?.customTitle).toBe(`${'x'.repeat(993)} (fork)`);
  });
});

describe('a session with a store', () => {
  function createStore(): SessionStore & { readonly keys: Set<string>; isDown: boolean } {
    const kept: SessionStoreEntry[] = [];
    return {
      keys: new Set(),
      isDown: false,
      async append(key, entries) {
        if (this.isDown) throw new Error('The store is down.');
        this.keys.add(`${key.projectKey} ${key.sessionId}`);
        kept.push(...(JSON.parse(JSON.stringify(entries)) as SessionStoreEntry[]));
      },
      load: async ({ sessionId }) => (sessionId === 'a' && kept.length > 0 ? kept : null),
    };
  }

  it('goes on where the workspace has nothing of it', async () => {
    const sessionStore = createStore();
    await using from = await openHost();
    const allow = { permissionMode: 'acceptEdits', sessionStore } as const;
    await play(from, 'Write b.', { ...allow, sessionId: 'a' });
    await using to = await openHost();
    const { requests, result } = await play(to, 'Write c.', { ...allow, resume: 'a' });
    expect(result).toMatchObject({ result: 'Done again.' });
    expect(JSON.stringify(requests[0])).toContain('Write b.');
    expect([...sessionStore.keys]).toEqual(['/workspace a']);
    await using third = await openHost();
    const last = await play(third, 'Say it.', { ...allow, resume: 'a' });
    expect(JSON.stringify(last.requests[0])).toContain('Done again.');
    await expect(play(third, 'x', { ...allow, resume: 'b' })).rejects.toThrow('no session b');
  });

  it('isn’t mixed there with what another workspace has made of it', async () => {
    const sessionStore = createStore();
    await using one = await openHost();
    const allow = { permissionMode: 'acceptEdits', sessionStore } as const;
    await play(one, 'Write b.', { ...allow, sessionId: 'a' });
    await using two = await openHost();
    await play(two, 'Write c.', { ...allow, resume: 'a' });
    const whole = JSON.stringify(await sessionStore.load({ projectKey: '', sessionId: 'a' }));
    // It has the session, and doesn't ask the store for it.
    const { messages, result } = await play(one, 'Write d.', { ...allow, resume: 'a' });
    expect(result).toMatchObject({ subtype: 'success' });
    expect(
      messages.flatMap((message) => ('error' in message ? [String(message.error)] : [])),
    ).toEqual([expect.stringContaining('it was continued elsewhere. Nothing more is sent')]);
    expect(JSON.stringify(await sessionStore.load({ projectKey: '', sessionId: 'a' }))).toBe(whole);
  });

  it('runs as well while that is down, and says so', async () => {
    await using host = await openHost();
    const sessionStore = Object.assign(createStore(), { isDown: true });
    const options = { sessionStore, sessionId: 'a', permissionMode: 'acceptEdits' } as const;
    const { messages, result } = await play(host, 'Write b.', options);
    expect(result).toMatchObject({ subtype: 'success' });
    const errors = messages.filter(
      (message) => 'subtype' in message && message.subtype === 'mirror_error',
    );
    expect(errors).toMatchObject([
      { error: 'Error: The store is down.', key: { projectKey: '/workspace', sessionId: 'a' } },
    ]);
  });

  it('has to be kept', async () => {
    await using host = await openHost();
    const options = { sessionStore: createStore(), persistSession: false };
    await expect(play(host, 'x', options)).rejects.toThrow('mirrors what is kept');
  });
});
