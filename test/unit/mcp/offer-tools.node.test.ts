// Tools of a session that are offered to the agent of the browser (WebMCP): what it may do with them.
import { describe, expect, it } from 'vitest';
import type { OfferingContext } from '../../../src/agent/turn/offer-tools.ts';
import { query } from '../../../src/agent/query.ts';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import type { CanUseTool } from '../../../src/core/permissions/permission.ts';
import type { SDKMessage, SDKUserMessage } from '../../../src/core/messages/sdk-message.ts';
import { createDirectedModel } from '../../support/models/directed-model.ts';
import { openHost } from '../../support/turns/run-hooked.ts';

interface Registered {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: string };
  readonly annotations: Readonly<Record<string, boolean>>;
  execute(input: unknown): Promise<unknown>;
}

/** `document.modelContext` of a page, as the browser's agent sees it. */
function createContext() {
  const tools = new Map<string, Registered>();
  const modelContext: OfferingContext = {
    async registerTool(tool, { signal }) {
      const registered = tool as Registered;
      tools.set(registered.name, registered);
      signal.addEventListener('abort', () => tools.delete(registered.name));
    },
  };
  return { tools, modelContext };
}

/** A query that rests until `end`. */
function openQuery(options: Omit<QueryOptions, 'model'>) {
  const model = createDirectedModel();
  let say: (text: string | undefined) => void = () => {};
  let next = new Promise<string | undefined>((resolve) => (say = resolve));
  const prompt = (async function* () {
    for (;;) {
      const text = await next;
      if (text === undefined) return;
      next = new Promise((resolve) => (say = resolve));
      yield { type: 'user', message: { role: 'user', content: text } } as const;
    }
  })();
  const asked = query({ prompt: prompt as never, options: { ...options, model } });
  const messages: SDKMessage[] = [];
  const ended = (async () => {
    for await (const message of asked) messages.push(message);
  })();
  return { asked, model, messages, ended, say: (text?: string) => say(text) };
}

const toText = (text: string, isError = false) => ({
  content: [{ type: 'text', text }],
  ...(isError && { isError }),
});

async function failure(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'no failure',
    (error: { code: string }) => error.code,
  );
}

describe('offerTools', () => {
  it('offers the chosen ones, until they are taken back', async () => {
    await using host = await openHost();
    const { tools, modelContext } = createContext();
    const { asked, ended, say } = openQuery({ host });
    const offered = await asked.offerTools({ names: ['Read', 'Write'], modelContext });
    expect([...tools.keys()]).toEqual(['Read', 'Write']);
    expect(tools.get('Read')).toMatchObject({
      description: expect.stringContaining('file'),
      inputSchema: { type: 'object' },
      annotations: { readOnlyHint: true, untrustedContentHint: true },
    });
    expect(tools.get('Write')?.annotations['readOnlyHint']).toBe(false);
    offered[Symbol.dispose]();
    expect(tools.size).toBe(0);
    await asked.offerTools({ names: ['Read'], modelContext });
    say();
    await ended;
    expect(tools.size).toBe(0);
  });

  it('offers them over /clear, in the session of its place', async () => {
    await using host = await openHost();
    const { tools, modelContext } = createContext();
    const model = createDirectedModel();
    const prompts = ['/clear', 'Go.'].map((content) => ({
      ...{ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null },
    }));
    async function* prompt() {
      yield* prompts as SDKUserMessage[];
    }
    const asked = query({ prompt: prompt(), options: { host, model } });
    await asked.offerTools({ names: ['Glob'], modelContext });
    const answering = model.next().then(async (request) => {
      const result = await tools.get('Glob')?.execute({ pattern: '*' });
      request.say('Done.');
      return result;
    });
    for await (const { type } of asked) if (type === 'assistant') expect(tools.size).toBe(1);
    expect(await answering).toEqual(toText(expect.any(String) as never));
    expect(tools.size).toBe(0);
  });

  it('has a person asked in the name of the browser’s agent, whatever the mode', async () => {
    await using host = await openHost();
    const { tools, modelContext } = createContext();
    const noted: unknown[] = [];
    const canUseTool: CanUseTool = async (toolName, input, details) => {
      const { principal, decisionReason, suppressAlwaysAllowRule } = details;
      noted.push([toolName, principal, decisionReason, suppressAlwaysAllowRule]);
      const isNo = input['file_path'] === 'no.txt';
      return isNo ? { behavior: 'deny', message: 'Private.' } : { behavior: 'allow' };
    };
    const permissionMode = 'bypassPermissions';
    const { asked, ended, say, messages } = openQuery({ host, canUseTool, permissionMode });
    await asked.offerTools({ names: ['Write', 'Read'], modelContext });
    const write = (file_path: string) =>
      tools.get('Write')?.execute({ file_path, content: 'Hello.' });
    expect(await write('new.txt')).toEqual(toText(expect.stringContaining('new.txt') as never));
    expect(noted).toEqual([
      ['Write', { kind: 'page' }, expect.stringContaining("(the browser's agent asks)"), true],
    ]);
    expect(await write('no.txt')).toEqual(toText('It was refused.', true));
    const read = await tools.get('Read')?.execute({ file_path: 'new.txt' });
    expect(JSON.stringify(read)).toContain('Hello.');
    expect(await tools.get('Read')?.execute('all')).toMatchObject({ isError: true });
    say();
    await ended;
    const text = new TextDecoder().decode(await host.workspace.fs.readFile(`${host.cwd}/new.txt`));
    expect(text).toBe('Hello.');
    // A person sees what was done.
    expect(JSON.stringify(messages)).toContain('"name":"Write"');
  });

  it('lets rules that deny hold, and nothing change while the agent works', async () => {
    await using host = await openHost();
    const { tools, modelContext } = createContext();
    const { asked, model, ended, say } = openQuery({
      host,
      disallowedTools: ['Read(secret/**)'],
      canUseTool: async () => ({ behavior: 'allow' }),
    });
    await host.workspace.fs.mkdir(`${host.cwd}/secret`, { recursive: true });
    await host.workspace.fs.writeFile(`${host.cwd}/secret/key.txt`, 's3cret');
    await asked.offerTools({ names: ['Read', 'Write'], modelContext });
    const read = await tools.get('Read')?.execute({ file_path: 'secret/key.txt' });
    expect(read).toEqual(toText('It was refused.', true));
    say('Go.');
    const request = await model.next();
    const busy = await tools.get('Write')?.execute({ file_path: 'b.txt', content: '' });
    expect(busy).toEqual(toText('The agent is at work. Call Write again when it rests.', true));
    request.say('Done.');
    say();
    await ended;
  });

  it('notices a turn that begins while a person is asked', async () => {
    await using host = await openHost();
    const { tools, modelContext } = createContext();
    const { asked, model, ended, say } = openQuery({
      host,
      async canUseTool() {
        say('Go.');
        request = await model.next();
        return { behavior: 'allow' };
      },
    });
    let request: Awaited<ReturnType<typeof model.next>> | undefined;
    await asked.offerTools({ names: ['Write'], modelContext });
    const busy = await tools.get('Write')?.execute({ file_path: 'b.txt', content: '' });
    expect(busy).toEqual(toText('The agent is at work. Call Write again when it rests.', true));
    request?.say('Done.');
    say();
    await ended;
    expect(JSON.stringify(await host.workspace.fs.readdir(host.cwd))).not.toContain('b.txt');
  });

  it('works on what a person has typed', async () => {
    await using inline = await openHost();
    const flush = () => inline.workspace.fs.writeFile(`${inline.cwd}/a.txt`, 'typed');
    const host = Object.assign(Object.create(inline) as typeof inline, { documents: { flush } });
    const { tools, modelContext } = createContext();
    const canUseTool: CanUseTool = async () => ({ behavior: 'allow' });
    const { asked, ended, say } = openQuery({ host, canUseTool });
    await asked.offerTools({ names: ['Read'], modelContext });
    const read = await tools.get('Read')?.execute({ file_path: 'a.txt' });
    expect(JSON.stringify(read)).toContain('typed');
    say();
    await ended;
  });

  it('refuses what the session has not, what runs code, and what acts for its agent', async () => {
    await using host = await openHost();
    const { modelContext } = createContext();
    const { asked, ended, say } = openQuery({ host });
    expect(await failure(asked.offerTools({ names: ['Rm'], modelContext }))).toBe('bad-usage');
    for (const name of ['Repl', 'Agent', 'TodoWrite', 'AskUserQuestion'])
      expect(await failure(asked.offerTools({ names: [name], modelContext }))).toBe('bad-usage');
    expect(await failure(asked.offerTools({ names: ['Read'] }))).toBe('unsupported-environment');
    say();
    await ended;
  });
});
