import { loadQuickjsWasm } from '#quickjs-wasm';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Host } from '../../../src/agent/host.ts';
import { createDeferred } from '../../../src/core/async/deferred.ts';
import { buildTool } from '../../../src/core/tool/build-tool.ts';
import type { ToolDef } from '../../../src/core/tool/build-tool.ts';
import type { WorkContext } from '../../../src/core/tool/handler.ts';
import type { InputSchema, Tool } from '../../../src/core/tool/tool.ts';
import { createEdgeHost } from '../../../src/hosts/edge/create-edge-host.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { createVirtualClock } from '../../../src/hosts/inline/virtual-clock.ts';
import type { LocalFileSystem } from '../../../src/workspace/files/file-system.ts';
import { offeredNames } from '../../support/stages/catalogue.ts';
import { createPerson, runCells } from '../../support/turns/run-cells.ts';

const files = { 'a.ts': 'one\ntwo\nthree\n', 'b.ts': 'b\n' };

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host[Symbol.asyncDispose]();
});

async function fill(host: Host): Promise<Host> {
  hosts.push(host);
  for (const [name, text] of Object.entries(files)) {
    await host.workspace.fs.writeFile(`${host.cwd}/${name}`, text);
  }
  return host;
}

const openInline = async (options = {}) =>
  fill(await createInlineHost({ loadWasm: loadQuickjsWasm, ...options }));

/** A tool of which only the body matters. */
function nestedTool<Input extends InputSchema>(
  name: string,
  inputSchema: Input,
  body: Pick<ToolDef<Input>, 'call'> | Pick<ToolDef<Input>, 'runsIn'>,
): Tool {
  return buildTool({
    name,
    inputSchema,
    description: () => Promise.resolve(''),
    prompt: () => Promise.resolve(''),
    mapToolResultToToolResultBlockParam: (_output, tool_use_id) => ({
      type: 'tool_result',
      tool_use_id,
      content: '',
    }),
    ...body,
  } as ToolDef<Input>) as unknown as Tool;
}

function createGate(): { readonly isOpen: Promise<void>; open(): void } {
  const { promise: isOpen, resolve: open } = createDeferred();
  return { isOpen, open };
}

const readFile = (host: Host, name: string) =>
  host.workspace.fs.readFile(`${host.cwd}/${name}`, 'utf8');

const editTwo = `await tools.Edit({ file_path: 'a.ts', old_string: 'two', new_string: 'TWO' })`;
const readA = `fs.readFileSync('a.ts', 'utf8')`;
const yes = { behavior: 'allow' } as const;

describe.each([
  ['inline', () => openInline()],
  ['edge', async () => fill(await createEdgeHost({ wasm: await loadQuickjsWasm() }))],
])('tools in a cell (%s)', (_name, open) => {
  it('are all of the pool but Repl, and give their output as data', async () => {
    const host = await open();
    const { outputs, results } = await runCells(host, [
      `const names = Object.keys(tools); const read = await tools.Read({ file_path: 'a.ts' });
       console.log(JSON.stringify([names, read.type, read.file.content, typeof tools.Repl]))`,
    ]);
    expect(outputs[0]?.error, results[0]).toBeUndefined();
    const others = offeredNames.filter((name) => name !== 'Repl');
    const expected = [others, 'text', 'one\ntwo\nthree', 'undefined'];
    expect(outputs[0]?.stdout.trim()).toBe(JSON.stringify(expected));
  });

  it('see what the cell has written, and it sees what they write', async () => {
    const host = await open();
    const { outputs } = await runCells(
      host,
      [
        `fs.writeFileSync('a.ts', 'zero two');
         const { filePath } = ${editTwo};
         const found = await tools.Grep({ pattern: 'TWO', output_mode: 'files_with_matches' });
         [filePath, ${readA}, found.filenames]`,
      ],
      { permissionMode: 'acceptEdits' },
    );
    expect(outputs[0]).toMatchObject({ rolledBack: false });
    expect(outputs[0]?.display).toContain(`'zero TWO'`);
    expect(outputs[0]?.display).toContain(`a.ts' ]`);
    expect(outputs[0]?.changes.map(({ path }) => path)).toEqual([`${host.cwd}/a.ts`]);
    expect(await readFile(host, 'a.ts')).toBe('zero TWO');
  });
});

describe('a nested call', () => {
  it('is one that the model never hears of, and a viewer knows by its parent', async () => {
    const host = await openInline();
    const { messages } = await runCells(host, [`${readA}; ${editTwo}`], {
      permissionMode: 'acceptEdits',
    });
    const nested = messages.filter(
      (message) => 'parent_tool_use_id' in message && message.parent_tool_use_id !== null,
    );
    const id = expect.any(String);
    const input = { file_path: 'a.ts', old_string: 'two', new_string: 'TWO' };
    const content = [{ type: 'tool_use', id, name: 'Edit', input }];
    expect(nested).toEqual([
      expect.objectContaining({
        type: 'assistant',
        parent_tool_use_id: 'cell-0',
        message: expect.objectContaining({ model: '<synthetic>', content }),
      }),
      expect.objectContaining({
        type: 'user',
        parent_tool_use_id: 'cell-0',
        tool_use_result: expect.objectContaining({ filePath: `${host.cwd}/a.ts` }),
      }),
    ]);
  });

  it('is told with its input also where it was refused', async () => {
    const host = await openInline();
    const code = `${readA}; try { ${editTwo} } catch {}`;
    const disallowed = { permissionMode: 'acceptEdits', disallowedTools: ['Edit(a.ts)'] } as const;
    const { messages } = await runCells(host, [code], disallowed);
    const calls = messages.filter(({ type }) => type === 'assistant').slice(1, -1);
    const input = { file_path: 'a.ts', old_string: 'two', new_string: 'TWO' };
    expect(calls).toMatchObject([{ message: { content: [{ name: 'Edit', input }] } }]);
  });

  it.each([
    ['tools.Edit({})', 'ToolError', 'invalid-input', /^The input of Edit isn't valid:/u],
    [
      `tools.Edit({ file_path: 'a.ts', old_string: 'two', new_string: 'x' })`,
      'ToolError',
      'invalid-input',
      /a\.ts is there already, and you haven't read it/u,
    ],
    [`tools.Read({ file_path: 'none' })`, 'ToolError', 'ENOENT', /none/u],
    [`(() => tools.Nope({}))()`, 'TypeError', undefined, /not a function/u],
  ])('%s rejects in the cell, which may go on', async (call, name, code, message) => {
    const host = await openInline();
    const { outputs } = await runCells(
      host,
      [
        `let seen; try { await ${call} } catch (error) { seen = error; }
         const told = JSON.stringify([seen.name, seen.code ?? null, seen.message]); console.log(told);`,
      ],
      { permissionMode: 'acceptEdits' },
    );
    const told = JSON.parse(outputs[0]?.stdout ?? '') as [string, string | null, string];
    expect(told).toEqual([name, code ?? null, expect.stringMatching(message)]);
  });

  it('may edit what the cell has read or written, in whichever way', async () => {
    const host = await openInline();
    const ways: Readonly<Record<string, string>> = {
      'read by fs': `fs.readFileSync('a.ts');`,
      'read by a descriptor': `fs.readSync(fs.openSync('a.ts'), new Uint8Array(4));`,
      'read by a link': `fs.symlinkSync('a.ts', 'link.ts'); fs.readFileSync('link.ts');`,
      written: `fs.writeFileSync('a.ts', 'two');`,
      'moved to it': `fs.writeFileSync('new.ts', 'two'); fs.renameSync('new.ts', 'a.ts');`,
      'read by a tool': `await tools.Read({ file_path: 'a.ts' });`,
      'written by a tool': `await tools.Write({ file_path: 'new.ts', content: 'two' }); fs.renameSync('new.ts', 'a.ts');`,
    };
    const cells = Object.values(ways).map(
      (prepare) => `fs.rmSync('link.ts', { force: true }); ${prepare} ${editTwo};
        console.log(${readA}.includes('TWO')); throw new Error('back to how it was')`,
    );
    const { outputs } = await runCells(host, cells, { permissionMode: 'acceptEdits' });
    expect(Object.keys(ways).map((way, at) => [way, outputs[at]?.stdout])).toEqual(
      Object.keys(ways).map((way) => [way, 'true\n']),
    );
  });

  it('counts as read only for its cell: the model has seen nothing', async () => {
    const host = await openInline();
    const cells = [`await tools.Read({ file_path: 'a.ts' })`, editTwo];
    const { outputs } = await runCells(host, cells, { permissionMode: 'acceptEdits' });
    expect(outputs[1]?.error?.message).toContain("you haven't read it");
  });

  it('rejects where its cell changed the same path meanwhile, and the cell’s stays', async () => {
    const [written, released] = [createGate(), createGate()];
    const slow = {
      inputSchema: z.strictObject({}),
      async handler(_input: object, { fs }: WorkContext<LocalFileSystem>) {
        await fs.writeFile('a.ts', 'theirs');
        written.open();
        await released.isOpen;
      },
    };
    const host = await openInline({ handlers: [{ name: 'Slow', load: async () => slow }] });
    const { outputs } = await runCells(
      host,
      [
        `const writing = tools.Slow({}); await tools.Step({ name: 'written' });
         fs.writeFileSync('a.ts', 'mine'); await tools.Step({ name: 'release' });
         const failure = await writing.catch((error) => error); [failure.code, ${readA}]`,
      ],
      {
        permissionMode: 'bypassPermissions',
        tools: [
          'Repl',
          nestedTool('Slow', z.strictObject({}), { runsIn: 'worker' }),
          nestedTool('Step', z.strictObject({ name: z.string() }), {
            call: async ({ name }) => {
              if (name === 'release') released.open();
              return { data: await written.isOpen };
            },
          }),
        ],
      },
    );
    expect(outputs[0]?.display).toBe(`[ 'ECONFLICT', 'mine' ]`);
  });

  it('goes with a cell that fails', async () => {
    const host = await openInline();
    const before = host.workspace.seq();
    const { outputs } = await runCells(host, [`${readA}; ${editTwo}; throw new Error('no')`], {
      permissionMode: 'acceptEdits',
    });
    expect(outputs[0]).toMatchObject({ rolledBack: true, changes: [] });
    // One record: the checkpoint from before the turn.
    const wanted = [files['a.ts'], before + 1];
    expect([await readFile(host, 'a.ts'), host.workspace.seq()]).toEqual(wanted);
  });

  it('that nobody awaits is withdrawn when its cell ends', async () => {
    const host = await openInline();
    const person = createPerson();
    const running = runCells(
      host,
      [
        // The first question of all has its code loaded; the next one is put at once.
        `try { ${editTwo} } catch {}`,
        `${readA}; void ${editTwo.slice(6)}; await new Promise((done) => setTimeout(done))`,
      ],
      {
        canUseTool: person.canUseTool,
      },
    );
    (await person.next()).answer({ behavior: 'deny', message: 'Not yet.' });
    const { options } = await person.next();
    await running;
    expect(options.signal.aborted).toBe(true);
    expect(await readFile(host, 'a.ts')).toBe(files['a.ts']);
  });

  it('is withdrawn with its turn, and leaves nothing', async () => {
    const clock = createVirtualClock();
    const host = await openInline({ clock });
    const person = createPerson();
    const abortController = new AbortController();
    const running = runCells(host, ['1', `${readA}; ${editTwo}`], {
      canUseTool: person.canUseTool,
      abortController,
    });
    const { options } = await person.next();
    abortController.abort();
    await running;
    expect([options.signal.aborted, clock.pending()]).toEqual([true, 0]);
    expect(await readFile(host, 'a.ts')).toBe(files['a.ts']);
  });

  it('is ended by its own deadline, not by its cell’s', async () => {
    const clock = createVirtualClock();
    const host = await openInline({ clock });
    const started = createGate();
    const slow = nestedTool('Slow', z.strictObject({}), {
      call: (_input, { abortController }) => {
        started.open();
        return new Promise<never>((_resolve, reject) => {
          abortController.signal.addEventListener('abort', () => reject(new Error('cut')));
        });
      },
    });
    const running = runCells(
      host,
      [
        {
          timeout: 1_000,
          code: `let seen; try { await tools.Slow({}) } catch (error) { seen = error } [seen.code, seen.message]`,
        },
      ],
      { tools: ['Repl', slow], allowedTools: ['Slow'] },
    );
    await started.isOpen;
    clock.advance(60_250);
    const { outputs } = await running;
    expect(outputs[0]?.display).toContain("'tool-failed'");
    expect(outputs[0]?.display).toContain('Slow was stopped after 60000 ms');
  });

  it('that hangs on when its cell has ended is not heard of any more', async () => {
    const clock = createVirtualClock();
    const host = await openInline({ clock });
    const person = createPerson();
    const slow = nestedTool('Slow', z.strictObject({}), { call: () => new Promise(() => {}) });
    const running = runCells(
      host,
      [
        `void tools.Slow({}); await new Promise((done) => setTimeout(done))`,
        `await tools.Read({ file_path: 'a.ts' })`,
      ],
      {
        tools: ['Repl', 'Read', slow],
        allowedTools: ['Slow'],
        settings: { permissions: { ask: ['Read'] } },
        canUseTool: person.canUseTool,
      },
    );
    const question = await person.next();
    clock.advance(250);
    question.answer({ behavior: 'allow' });
    const { messages } = await running;
    const parents = messages.map((message) =>
      message.type === 'user' ? message.parent_tool_use_id : undefined,
    );
    expect(parents.filter((parent) => parent !== undefined)).toEqual([null, 'cell-1', null]);
  });

  it('keeps a long result whole, and writes it nowhere', async () => {
    const host = await openInline();
    await host.workspace.fs.writeFile(`${host.cwd}/long.txt`, 'line\n'.repeat(10_000));
    const before = host.workspace.seq();
    const read = `await tools.Grep({ pattern: 'line', path: 'long.txt', output_mode: 'content', head_limit: 0 })`;
    const { outputs } = await runCells(host, [`(${read}).content.length > 60_000`]);
    // One record: the checkpoint from before the turn.
    expect([outputs[0]?.display, host.workspace.seq()]).toEqual(['true', before + 1]);
  });

  it('has a limit of its own', async () => {
    const host = await openInline();
    const { outputs } = await runCells(host, [
      `let count = 0; let seen;
       try { for (;;) { await tools.Glob({ pattern: 'x' }); count += 1; } } catch (error) { seen = error; }
       console.log(count, seen.name, seen.message)`,
    ]);
    expect(outputs[0]?.stdout).toBe(
      '100 LimitError A cell may call tools 100 times, and this one has. Do the rest in another cell.\n',
    );
  });
});

describe('a cell that waits for a person', () => {
  it('has all the time, and loses to what the user wrote meanwhile on the same line alone', async () => {
    const clock = createVirtualClock();
    const host = await openInline({ clock });
    const person = createPerson();
    const timeout = 10_000;
    const running = runCells(
      host,
      [
        'var kept = 1;',
        {
          timeout,
          code: `kept = 2; fs.writeFileSync('a.ts', 'one\\n2\\nthree\\n'); ${editTwo.replace('two', '2')}`,
        },
        {
          timeout,
          code: `kept = 3; fs.writeFileSync('a.ts', 'one\\n2\\nthree\\n'); ${editTwo.replace('two', '2').replace('TWO', 'second')}`,
        },
        'kept',
      ],
      { canUseTool: person.canUseTool, allowedTools: ['Repl'] },
    );
    const first = await person.next();
    clock.advance(3 * timeout);
    await host.workspace.fs.writeFile(`${host.cwd}/b.ts`, 'by the user');
    first.answer(yes);

    const second = await person.next();
    expect(await readFile(host, 'a.ts')).toBe('one\nTWO\nthree\n');
    clock.advance(3 * timeout);
    await host.workspace.fs.writeFile(`${host.cwd}/b.ts`, 'by the user again');
    await host.workspace.fs.writeFile(`${host.cwd}/a.ts`, 'one\nby the user\nthree\n');
    second.answer(yes);

    const { results, outputs } = await running;
    expect(outputs[1]).toMatchObject({ rolledBack: false });
    expect(results[2]).toContain(
      `Nothing that Repl changed was kept. ${host.cwd}/a.ts was changed by someone else meanwhile`,
    );
    expect(outputs[3]?.display).toBe('2');
    expect(await readFile(host, 'a.ts')).toBe('one\nby the user\nthree\n');
    expect(await readFile(host, 'b.ts')).toBe('by the user again');
    expect(clock.pending()).toBe(0);
  });
});
