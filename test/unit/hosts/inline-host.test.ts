// The whole way on one thread: scripted model, real tools, real workspace.
import { loadQuickjsWasm } from '#quickjs-wasm';
import * as z from 'zod';
import { describe, expect, it } from 'vitest';
import { query } from '../../../src/agent/query.ts';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import { createDeferred } from '../../../src/core/async/deferred.ts';
import { buildTool } from '../../../src/core/tool/build-tool.ts';
import type { ToolDef } from '../../../src/core/tool/build-tool.ts';
import type { WorkContext } from '../../../src/core/tool/handler.ts';
import { dirname } from '../../../src/core/path.ts';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { createVirtualClock } from '../../../src/hosts/inline/virtual-clock.ts';
import type { InlineHostOptions } from '../../../src/hosts/inline/create-inline-host.ts';
import type { ScriptBlock } from '../../../src/model/script.ts';
import { createScriptedModel } from '../../../src/model/scripted.ts';
import type { LocalFileSystem } from '../../../src/workspace/files/file-system.ts';

const callOf = (name: string, input: Record<string, unknown>): ScriptBlock => ({
  type: 'tool_use',
  name,
  input,
});

/** Plays one message of calls each, over these files, and gives the results' texts. */
async function play(
  messages: readonly (readonly ScriptBlock[])[],
  files: Readonly<Record<string, string>> = {},
  options: Partial<QueryOptions> = {},
  hostOptions: InlineHostOptions = { loadWasm: loadQuickjsWasm },
) {
  const host = await createInlineHost(hostOptions);
  for (const [path, text] of Object.entries(files)) {
    const file = `/workspace/${path}`;
    await host.workspace.fs.mkdir(dirname(file), { recursive: true });
    await host.workspace.fs.writeFile(file, text);
  }
  const turns = [
    ...messages.map((blocks) => ({ blocks })),
    { blocks: [{ type: 'text', text: 'Done.' } as const] },
  ];
  const yielded: SDKMessage[] = [];
  const model = createScriptedModel({ script: { turns } });
  for await (const message of query({ prompt: 'Go.', options: { model, ...options, host } })) {
    yielded.push(message);
  }
  return { host, messages: yielded, results: yielded.flatMap(toResult) };
}

function toResult(message: SDKMessage) {
  if (message.type !== 'user' || typeof message.message.content === 'string') return [];
  return message.message.content.flatMap((block) =>
    block.type === 'tool_result'
      ? [{ text: String(block['content']), failed: !!block['is_error'] }]
      : [],
  );
}

describe('createInlineHost', () => {
  it('finds, reads, mends and runs, as a tab would', async () => {
    const files = {
      'sum.ts': 'export const sum = (a: number, b: number) => a - b;\n',
      'sum.test.ts':
        "import { sum } from './sum.ts';\nit('adds', () => expect(sum(1, 2)).toBe(3));\n",
    };
    const { host, messages, results } = await play(
      [
        [callOf('Glob', { pattern: '*.ts' }), callOf('Grep', { pattern: 'a - b' })],
        [callOf('Read', { file_path: 'sum.ts' })],
        [callOf('Edit', { file_path: 'sum.ts', old_string: 'a - b', new_string: 'a + b' })],
        [callOf('Repl', { code: "const { sum } = await import('./sum.ts');\nsum(1, 2)" })],
      ],
      files,
      { permissionMode: 'acceptEdits' },
    );
    expect(results.map(({ failed }) => failed)).toEqual([false, false, false, false, false]);
    expect(results[4]?.text).toContain('3');
    expect(await host.workspace.fs.readFile('/workspace/sum.ts', 'utf8')).toBe(
      'export const sum = (a: number, b: number) => a + b;\n',
    );
    expect(messages.at(-1)).toMatchObject({ subtype: 'success', result: 'Done.' });
    await host[Symbol.asyncDispose]();
  });

  it('sees in each call what the one before it committed', async () => {
    const { results } = await play(
      [
        [
          callOf('Write', { file_path: 'a.txt', content: 'one' }),
          callOf('Read', { file_path: 'a.txt' }),
          callOf('Edit', { file_path: 'a.txt', old_string: 'one', new_string: 'two' }),
          callOf('Read', { file_path: 'a.txt' }),
        ],
      ],
      {},
      { permissionMode: 'acceptEdits' },
    );
    expect(results.map(({ failed }) => failed)).toEqual([false, false, false, false]);
    expect(results[3]?.text).toContain('two');
  });

  it('hides what a rule denies from every tool', async () => {
    const { results } = await play(
      [
        [
          callOf('Read', { file_path: './secrets/../secrets/key' }),
          callOf('Glob', { pattern: '**/*' }),
          callOf('Grep', { pattern: 'hunter' }),
        ],
        // In a message of its own: a cell that fails stops what runs beside it.
        [callOf('Repl', { code: "require('fs').readFileSync('secrets/key', 'utf8')" })],
      ],
      { 'secrets/key': 'hunter2', 'a.txt': 'a' },
      { disallowedTools: ['Read(secrets/**)'], permissionMode: 'bypassPermissions' },
    );
    expect(results.map(({ failed }) => failed)).toEqual([true, false, false, true]);
    expect(results.some(({ text }) => text.includes('hunter2'))).toBe(false);
    expect(results[1]?.text).not.toContain('key');
  });

  it('keeps a long result in a file of the session, outside the user’s tree', async () => {
    const long = `${'line\n'.repeat(20_000)}the end`;
    const code = `console.log(${JSON.stringify(long)})`;
    const { host, results } = await play([[callOf('Repl', { code })]]);
    const path = /(\/session\/[\w-]+\/tool-results\/[\w-]+\.txt)/u.exec(results[0]!.text)?.[1];
    expect(await host.workspace.fs.readFile(path!, 'utf8')).toContain('the end');
    expect(results[0]!.text.length).toBeLessThan(7_000);
  });

  it('takes back a cell’s variables with its files when its changes are refused', async () => {
    const { host, results } = await play(
      [
        [callOf('Repl', { code: 'let step = 1; step' })],
        [callOf('Repl', { code: "step = 2; require('fs').writeFileSync('a.txt', 'x'); step" })],
        [callOf('Repl', { code: 'step' })],
      ],
      {},
      { canUseTool: async () => ({ behavior: 'deny', message: 'Not these files.' }) },
    );
    expect(results.map(({ failed }) => failed)).toEqual([false, true, false]);
    expect(results[2]?.text).toBe('=> 1');
    await expect(host.workspace.fs.stat('/workspace/a.txt')).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });

  it('leaves the workspace as it was when calls are bad', async () => {
    const host = await createInlineHost();
    await host.workspace.fs.writeFile('/workspace/a.txt', 'twice twice');
    const before = await host.workspace.treeHash();
    const { results } = await play(
      [
        [
          callOf('Nothing', {}),
          callOf('Read', { file_path: 7 }),
          callOf('Read', { file_path: '/etc/passwd' }),
          callOf('Write', { file_path: '../../outside.txt', content: 'x' }),
          callOf('Read', { file_path: 'missing.txt' }),
          callOf('Write', { file_path: 'a.txt', content: 'unread' }),
          callOf('Repl', {
            code: "require('fs').writeFileSync('b.txt', 'x'); throw new Error('no')",
          }),
        ],
        [callOf('Read', { file_path: 'a.txt' })],
        [callOf('Edit', { file_path: 'a.txt', old_string: 'twice', new_string: 'once' })],
      ],
      {},
      { permissionMode: 'bypassPermissions' },
      { workspace: host.workspace as never, loadWasm: loadQuickjsWasm },
    );
    expect(results.map(({ failed }) => failed)).toEqual([
      ...Array<boolean>(7).fill(true),
      false,
      true,
    ]);
    expect(await host.workspace.treeHash()).toBe(before);
  });

  it('does not count what the Repl’s engine takes to load as the cell’s time', async () => {
    const clock = createVirtualClock();
    const loadWasm = async () => {
      clock.advance(59_000);
      return loadQuickjsWasm();
    };
    const cells = [[callOf('Repl', { code: '6 * 7', timeout: 5_000 })]];
    const { results } = await play(cells, {}, {}, { clock, loadWasm });
    expect(results).toEqual([{ text: '=> 42', failed: false }]);
  });

  it('says what is missing where the Repl has no engine', async () => {
    const { results } = await play([[callOf('Repl', { code: '1' })]], {}, {}, {});
    expect(results[0]).toMatchObject({
      failed: true,
      text: expect.stringContaining('pass loadWasm to createInlineHost'),
    });
  });

  it.each(['/', 'relative', '/..', '/session/one'])(
    'refuses %j as its working directory',
    async (cwd) => {
      await expect(createInlineHost({ cwd })).rejects.toThrow(
        'The working directory must be an absolute path below /',
      );
    },
  );
});

describe('createInlineHost, with a tool of the host’s own', () => {
  const inputSchema = z.strictObject({ path: z.string() });
  const tool = buildTool({
    name: 'Stamp',
    inputSchema,
    runsIn: 'worker',
    getPath: (input) => input.path,
    getTimeoutMs: () => 20,
    description: () => Promise.resolve('Writes a stamp.'),
    prompt: () => Promise.resolve(''),
    mapToolResultToToolResultBlockParam: (output, toolUseID) => ({
      type: 'tool_result',
      tool_use_id: toolUseID,
      content: String(output),
    }),
  } satisfies ToolDef<typeof inputSchema, unknown>) as Tool;
  type Context = WorkContext<LocalFileSystem>;

  function serving(handler: (input: { path: string }, context: Context) => Promise<unknown>) {
    return {
      handlers: [{ name: 'Stamp', load: () => Promise.resolve({ inputSchema, handler }) }],
    };
  }
  const options = { tools: [tool], permissionMode: 'acceptEdits' } as const;
  const stamp = [[callOf('Stamp', { path: 'a.txt' })]];

  it('runs its handler over a draft that is committed', async () => {
    const { host, results } = await play(stamp, {}, options, {
      ...serving(async ({ path }, { fs }) => {
        await fs.writeFile(path, 'stamped');
        return 'ok';
      }),
    });
    expect(results).toEqual([{ text: 'ok', failed: false }]);
    expect(await host.workspace.fs.readFile('/workspace/a.txt', 'utf8')).toBe('stamped');
  });

  it('abandons a handler that never ends, and keeps nothing of it', async () => {
    const clock = createVirtualClock();
    const { host, results } = await play(stamp, {}, options, {
      clock,
      ...serving(async ({ path }, { fs }) => {
        await fs.writeFile(path, 'too late');
        // The deadline, and the grace after it.
        clock.advance(1_000);
        return new Promise(() => undefined);
      }),
    });
    expect(results).toEqual([
      {
        failed: true,
        text: 'Stamp was stopped after 20 ms; nothing that it did was kept. Do less in one call, or allow more time where the input can say so.',
      },
    ]);
    await expect(host.workspace.fs.stat('/workspace/a.txt')).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });

  it('gives the calls after an abandoned one a realm of their own', async () => {
    const clock = createVirtualClock();
    const made: number[] = [];
    const { results } = await play([...stamp, ...stamp], {}, options, {
      clock,
      ...serving(async (_input, { realm }) => {
        const own = realm.keep('thing', () => ({
          number: made.push(made.length),
          [Symbol.dispose]: () => undefined,
        }));
        if (own.number > 1) return `realm ${own.number}`;
        clock.advance(1_000);
        return new Promise(() => undefined);
      }),
    });
    expect(results.map(({ failed }) => failed)).toEqual([true, false]);
    expect(results[1]?.text).toBe('realm 2');
  });

  it.each<[string, (context: Context, advance: (milliseconds: number) => void) => string]>([
    [
      'fails',
      ({ saveState }) => {
        saveState(Uint8Array.of(7));
        throw new Error('After all.');
      },
    ],
    [
      'ends when it was told to stop',
      ({ saveState }, advance) => {
        saveState(Uint8Array.of(7));
        advance(300);
        return 'late';
      },
    ],
    [
      'was abandoned',
      ({ saveState }, advance) => {
        advance(1_000);
        saveState(Uint8Array.of(7));
        return 'too late';
      },
    ],
  ])('keeps no state of a call that %s', async (_how, run) => {
    const clock = createVirtualClock();
    const seen: (Uint8Array | undefined)[] = [];
    const { results } = await play([...stamp, ...stamp], {}, options, {
      clock,
      ...serving(async (_input, context) => {
        if (seen.push(context.savedState) > 1) return 'ok';
        return run(context, (milliseconds) => clock.advance(milliseconds));
      }),
    });
    expect(results.map(({ failed }) => failed)).toEqual([true, false]);
    expect(seen).toEqual([undefined, undefined]);
  });

  /** Notes what becomes of the thing that its handler keeps, and what it has saved before. */
  function keeping(events: string[]) {
    return serving(async (_input, { realm, savedState, saveState }) => {
      events.push(`saved ${savedState?.[0] ?? 'nothing'}`);
      realm.keep('thing', () => {
        events.push('made');
        return { [Symbol.dispose]: () => void events.push('disposed') };
      });
      saveState(Uint8Array.of(7));
      return 'ok';
    });
  }

  it('gives handlers what they saved, in a later query of the id, too, and disposes what they keep', async () => {
    const events: string[] = [];
    const { host } = await play(stamp, {}, { ...options, sessionId: 'named' }, keeping(events));
    const named = { ...options, resume: 'named' };
    // A script's turns are counted by the replies of the conversation, which goes on.
    const turns = [{ blocks: stamp[0]! }, { blocks: [{ type: 'text', text: 'Done.' }] }] as const;
    const model = createScriptedModel({
      script: { turns: [...turns, ...turns] },
    });
    for await (const _message of query({ prompt: 'Go.', options: { ...named, model, host } }));
    // What is kept is made anew, of what the journal says was saved.
    const later = ['saved 7', 'made', 'disposed'];
    expect(events).toEqual(['saved nothing', 'made', 'disposed', ...later]);
  });

  it('disposes what handlers kept when the session is closed, and gives another of its id nothing', async () => {
    const events: string[] = [];
    const named = { ...options, sessionId: 'named', persistSession: false };
    const { host } = await play([...stamp, ...stamp], {}, named, keeping(events));
    const first = ['saved nothing', 'made', 'saved 7', 'disposed'];
    expect(events).toEqual(first);
    const model = createScriptedModel({ script: { turns: [{ blocks: stamp[0]! }] } });
    for await (const _message of query({ prompt: 'Go.', options: { ...named, model, host } }));
    expect(events).toEqual([...first, 'saved nothing', 'made', 'disposed']);
  });

  it('interleaves safe calls on its one thread, and gives their results in order', async () => {
    const safe = Object.create(tool, {
      isConcurrencySafe: { value: () => true },
      isReadOnly: { value: () => true },
    }) as Tool;
    const events: string[] = [];
    const { promise: bothBegan, resolve: letBothGo } = createDeferred();
    const { promise: laterEnded, resolve: letFirstEnd } = createDeferred();
    const { results } = await play(
      [[callOf('Stamp', { path: 'first' }), callOf('Stamp', { path: 'later' })]],
      {},
      { ...options, tools: [safe] },
      {
        // Its time stands still: calls that took turns would never end.
        clock: createVirtualClock(),
        ...serving(async ({ path }) => {
          events.push(`${path} begins`);
          if (path === 'later') letBothGo();
          await bothBegan;
          if (path === 'first') await laterEnded;
          events.push(`${path} ends`);
          letFirstEnd();
          return path;
        }),
      },
    );
    expect(events).toEqual(['first begins', 'later begins', 'later ends', 'first ends']);
    expect(results.map(({ text }) => text)).toEqual(['first', 'later']);
  });
});
