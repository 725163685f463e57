// A host that is closed while a session of it is open. A page does so that opens another project,
// or whose module is replaced in development. The session may be opened again by the page's next
// host.
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import { openSession } from '../../../src/agent/open-session.ts';
import { query } from '../../../src/agent/query.ts';
import { getSessionMessages } from '../../../src/agent/stored-sessions/session-messages.ts';
import { createDeferred } from '../../../src/core/async/deferred.ts';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import {
  createBrowserHost,
  type BrowserHost,
} from '../../../src/hosts/browser/page/create-browser-host.ts';
import type { Model } from '../../../src/model/model.ts';
import { createScriptedModel } from '../../../src/model/scripted.ts';

const workspace = `closed-${crypto.randomUUID()}`;
let newest: BrowserHost | undefined;

async function openHost(): Promise<BrowserHost> {
  newest = await createBrowserHost({ workspace, assets: { wasm: wasmUrl } });
  return newest;
}

afterEach(() => newest?.[Symbol.asyncDispose]());

afterAll(async () => (await openHost()).destroy());

const greeting = createScriptedModel({
  script: { turns: ['One.', 'Two.'].map((text) => ({ blocks: [{ type: 'text', text }] })) },
});

/** Reads up to the result. */
async function resultOf(messages: AsyncIterable<SDKMessage>): Promise<SDKMessage | undefined> {
  for await (const message of messages) if (message.type === 'result') return message;
  return undefined;
}

describe('a host that is closed', () => {
  it('lets go of a session that nobody has closed: the next host runs it', async () => {
    const first = await openHost();
    const left = await openSession({ host: first, model: greeting });
    await left.send('Hello.');
    await resultOf(left.messages());
    await first[Symbol.asyncDispose]();

    const second = await openHost();
    await using session = await openSession({ host: second, model: greeting, resume: left.id });
    expect(session.role()).toBe('runner');
    const { n } = await session.send('Go on.');
    expect(await resultOf(session.messages({ after: n }))).toMatchObject({ result: 'Two.' });
  });

  it('lets go of what a query holds that nobody has ended', async () => {
    const sessionId = crypto.randomUUID();
    const first = await openHost();
    const never = new Promise<never>(() => {});
    async function* prompts() {
      yield {
        type: 'user' as const,
        message: { role: 'user' as const, content: 'Hello.' },
        parent_tool_use_id: null,
      };
      await never;
    }
    const left = query({ prompt: prompts(), options: { host: first, model: greeting, sessionId } });
    const reading = left[Symbol.asyncIterator]();
    while ((await reading.next()).value?.type !== 'result');
    await first[Symbol.asyncDispose]();

    const host = await openHost();
    const next = query({ prompt: 'Go on.', options: { host, model: greeting, resume: sessionId } });
    expect(await resultOf(next)).toMatchObject({ result: 'Two.' });
  });

  it('refuses a session, in words', async () => {
    const host = await openHost();
    await host[Symbol.asyncDispose]();
    await expect(openSession({ host, model: greeting })).rejects.toMatchObject({
      code: 'bad-usage',
      message: 'The host is closed. Create a new one.',
    });
  });

  it('refuses a search and a git command as what will never succeed', async () => {
    const host = await openHost();
    await host[Symbol.asyncDispose]();
    const closed = { code: 'bad-usage', message: 'The host is closed. Create a new one.' };
    const search = host.searchFiles(
      { pattern: 'a', directory: '/' },
      { signal: new AbortController().signal, onFile: () => undefined },
    );
    await expect(search).rejects.toMatchObject(closed);
    await expect(host.git.status()).rejects.toMatchObject(closed);
  });

  it('ends what was asked of the model, of a session that is kept and of one that is not', async () => {
    const sessions = [true, false].map(async (persistSession) => {
      const host = await createBrowserHost({
        workspace: `${workspace}-${persistSession}`,
        driver: 'memory',
        assets: { wasm: wasmUrl },
      });
      const { promise: asked, resolve: noteAsked } = createDeferred<AbortSignal>();
      const model: Model = {
        name: 'silent',
        apiKeySource: 'none',
        contextWindow: 200_000,
        // It answers nothing until it is aborted.
        async *stream(_request, { signal }) {
          noteAsked(signal);
          yield* [];
          await new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason));
          });
        },
      };
      const options = { host, model, persistSession };
      const told = resultOf(query({ prompt: 'Hello.', options }));
      const signal = await asked;
      await host[Symbol.asyncDispose]();
      expect(signal.aborted).toBe(true);
      expect(await told).toMatchObject({ is_error: true, error_code: 'bad-usage' });
    });
    await Promise.all(sessions);
  });

  it('records nothing of the calls that end with it: they run again', async () => {
    const { promise: begun, resolve: begin } = createDeferred();
    const first = await openHost();
    const cell = {
      type: 'tool_use',
      id: 'cell',
      name: 'Repl',
      input: { code: 'for (;;);' },
    } as const;
    const model = createScriptedModel({ script: { turns: [{ blocks: [cell] }] } });
    const options = {
      model,
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
    } as const;
    const host: BrowserHost = {
      ...first,
      executor: {
        ...first.executor,
        start: (request, onProgress, listeners = {}) =>
          first.executor.start(request, onProgress, {
            ...listeners,
            onClockStart() {
              listeners.onClockStart?.();
              begin();
            },
          }),
      },
    };
    const session = await openSession({ host, ...options });
    const told = resultOf(session.messages());
    await session.send('Compute.');
    await begun;
    await first[Symbol.asyncDispose]();
    expect(await told).toMatchObject({ is_error: true, error_code: 'bad-usage' });

    const second = await openHost();
    const kept = await getSessionMessages(session.id, { host: second });
    expect(kept.map(({ type }) => type)).toEqual(['user', 'assistant']);
  });

  it('may be closed by several at once', async () => {
    const host = await openHost();
    await Promise.all([
      host[Symbol.asyncDispose](),
      host.workspace[Symbol.asyncDispose](),
      host.destroy(),
    ]);
    await host[Symbol.asyncDispose]();
  });
});
