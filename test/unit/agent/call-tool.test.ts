// What a tool's own `call` is handed to work with: the workspace's files, and the other tools.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Host } from '../../../src/agent/host.ts';
import { buildTool } from '../../../src/core/tool/build-tool.ts';
import type { ToolDef } from '../../../src/core/tool/build-tool.ts';
import type { CallContext } from '../../../src/core/tool/context.ts';
import type { CanUseToolOptions } from '../../../src/core/permissions/permission.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import { callTool, openHost, runHooked, toResults } from '../../support/turns/run-hooked.ts';
import type { HookedOptions } from '../../support/turns/run-hooked.ts';

let host: Host;
beforeEach(async () => void (host = await openHost()));
afterEach(() => host[Symbol.asyncDispose]());

type Work = (context: CallContext) => Promise<unknown>;

/** Does that, on the page; its result is what came of it, as JSON, or the error's code. */
function pageTool(work: Work, changes: Partial<Tool> = {}): Tool {
  return buildTool({
    name: 'Page',
    inputSchema: z.strictObject({}),
    description: () => Promise.resolve('Works on the page.'),
    prompt: () => Promise.resolve(''),
    checkPermissions: () => Promise.resolve({ behavior: 'allow' }),
    mapToolResultToToolResultBlockParam: (output, toolUseID) => ({
      type: 'tool_result',
      tool_use_id: toolUseID,
      content: JSON.stringify(output) ?? 'nothing',
    }),
    call: async (_input, context) => ({
      data: await work(context).catch((error: { code?: string; message: string }) => ({
        code: error.code,
        message: error.message,
      })),
    }),
    ...changes,
  } as ToolDef) as Tool;
}

async function run(
  tool: Tool,
  turns: Parameters<typeof runHooked>[1] = [callTool('Page', {})],
  options: HookedOptions = {},
) {
  const tools = [...(await host.loadTools()), tool];
  const ran = await runHooked(host, turns, { ...options, tools });
  return { ...ran, results: toResults(ran.messages) };
}

/** What the tool came to. */
async function runPage(work: Work, options: HookedOptions = {}) {
  const { results } = await run(pageTool(work), undefined, options);
  return JSON.parse(results.at(-1) ?? '') as unknown;
}

const read = (name: string) => host.workspace.fs.readFile(`${host.cwd}/${name}`, 'utf8');
const allowed: HookedOptions = { permissionMode: 'acceptEdits' };

describe('callTool of a tool’s context', () => {
  it('runs another tool, wherever that works, and gives its output as data', async () => {
    const work: Work = async ({ callTool: call }) => {
      const { file } = (await call('Read', { file_path: 'a.txt' })) as {
        file: { content: string };
      };
      await call('Write', { file_path: 'b.txt', content: `${file.content}, two` });
      return file.content;
    };
    const { results, messages, requests } = await run(pageTool(work), undefined, allowed);
    expect(results.at(-1)).toBe('"one"');
    expect(await read('b.txt')).toBe('one, two');
    const told = messages.flatMap((message) =>
      message.type === 'user' ? [message.parent_tool_use_id] : [],
    );
    expect(told).toEqual(['call-0', 'call-0', null]);
    // The model sees the one result of its one call.
    expect(requests.at(-1)).toHaveLength(3);
  });

  it('has each judged in the tool’s name: rules refuse it, and a person is told who asks', async () => {
    const seen: unknown[] = [];
    const canUseTool = (_name: string, _input: unknown, options: CanUseToolOptions) => {
      seen.push(options.principal);
      return Promise.resolve({ behavior: 'deny', message: 'No.' } as const);
    };
    const work: Work = ({ callTool: call }) => call('Write', { file_path: 'b.txt', content: '' });
    expect(await runPage(work, { canUseTool })).toEqual({
      code: 'permission-denied',
      message: 'No.',
    });
    expect(seen).toEqual([{ kind: 'tool', toolName: 'Page' }]);
    const disallowedTools = ['Edit(b.txt)'];
    expect(await runPage(work, { ...allowed, disallowedTools })).toMatchObject({
      code: 'permission-denied',
    });
  });

  it.each([
    ['Missing', {}, /no tool named Missing/iu],
    ['Read', { file: 'a.txt' }, /file_path/u],
  ])('rejects for what can’t be called: %s %o', async (name, input, message) => {
    const came = await runPage(({ callTool: call }) => call(name, input));
    expect(came).toEqual({ code: 'invalid-input', message: expect.stringMatching(message) });
  });

  it('changes a file that it has read itself, and the model has to read that again', async () => {
    const edit = { file_path: 'a.txt', old_string: 'one', new_string: 'two' };
    const blind: Work = ({ callTool: call }) => call('Edit', edit);
    expect(await runPage(blind, allowed)).toMatchObject({
      message: expect.stringContaining('Read it'),
    });
    const seeing: Work = async ({ callTool: call }) => {
      await call('Read', { file_path: 'a.txt' });
      await call('Edit', edit);
    };
    const back = { file_path: 'a.txt', old_string: 'two', new_string: 'one' };
    const { results } = await run(
      pageTool(seeing),
      [
        callTool('Read', { file_path: 'a.txt' }),
        callTool('Page', {}, 'call-1'),
        callTool('Edit', back, 'call-2'),
      ],
      allowed,
    );
    expect(results.at(-1)).toContain('Read it again');
    expect(await read('a.txt')).toBe('two\n');
  });

  it('runs code, which may call tools in turn', async () => {
    const code = `(await tools.Read({ file_path: 'a.txt' })).file.content`;
    const came = await runPage(({ callTool: call }) => call('Repl', { code }), allowed);
    expect(came).toMatchObject({ value: expect.stringContaining('one') });
  });

  it('lets no server’s tool do by code what it may not do itself', async () => {
    const seen: unknown[] = [];
    const canUseTool = (name: string, _input: unknown, options: CanUseToolOptions) => {
      seen.push([name, options.principal]);
      return Promise.resolve({ behavior: 'deny', message: 'No.' } as const);
    };
    const code = `await tools.Write({ file_path: 'b.txt', content: '' })`;
    const mcpInfo = { serverName: 'far', toolName: 'page' };
    const tool = pageTool(({ callTool: call }) => call('Repl', { code }), { isMcp: true, mcpInfo });
    await run(tool, undefined, { permissionMode: 'bypassPermissions', canUseTool });
    expect(seen).toEqual([['Write', { kind: 'remote', serverName: 'far' }]]);
    await expect(read('b.txt')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it.each<[string, Tool['call']]>([
    [
      'has called',
      async (_input, { callTool: call }) => {
        const input = { file_path: 'b.txt', content: '' };
        return { data: await call('Write', input).catch(() => 'refused') };
      },
    ],
    [
      'asks about',
      async (_input, { toolUseID, abortController: { signal } }, canUseTool) => {
        const input = { file_path: 'b.txt', content: '' };
        await canUseTool('Write', input, { signal, toolUseID, requestId: 'own' });
        return { data: 'asked' };
      },
    ],
  ])(
    'lets no server’s tool do by one of ours what it may not do itself: what that %s',
    async (_how, call) => {
      const seen: unknown[] = [];
      const canUseTool = (name: string, _input: unknown, options: CanUseToolOptions) => {
        seen.push([name, options.principal]);
        return Promise.resolve({ behavior: 'deny', message: 'No.' } as const);
      };
      const far = pageTool(({ callTool: ask }) => ask('Ours', {}), {
        isMcp: true,
        mcpInfo: { serverName: 'far', toolName: 'page' },
      });
      const ours = pageTool(() => Promise.resolve(), { name: 'Ours', ...(call && { call }) });
      const tools = [...(await host.loadTools()), far, ours];
      await runHooked(host, [callTool('Page', {})], { ...allowed, canUseTool, tools });
      expect(seen).toEqual([['Write', { kind: 'remote', serverName: 'far' }]]);
      await expect(read('b.txt')).rejects.toMatchObject({ code: 'ENOENT' });
    },
  );

  it('can’t be put off by a hook, as somebody waits for it', async () => {
    const answer = { hookEventName: 'PreToolUse', permissionDecision: 'defer' } as const;
    const hook = async () => ({ hookSpecificOutput: answer });
    const hooks = { PreToolUse: [{ matcher: 'Read', hooks: [hook] }] };
    const came = await runPage(({ callTool: call }) => call('Read', { file_path: 'a.txt' }), {
      hooks,
    });
    expect(came).toEqual({
      code: 'permission-denied',
      message: "A hook put Read off, and Page can't wait.",
    });
  });

  it('also runs what only code may call, and may ask about it', async () => {
    const work: Work = async ({ callTool: call }) => {
      await call('Write', { file_path: 'b.txt', content: 'x' });
    };
    await run(pageTool(work), undefined, { ...allowed, replMode: true });
    expect(await read('b.txt')).toBe('x');
    const signal = new AbortController().signal;
    const tool: Tool = {
      ...pageTool(() => Promise.resolve()),
      call: async (_input, _context, canUseTool) => ({
        data: (
          await canUseTool(
            'Write',
            { file_path: 'c.txt', content: 'x' },
            { signal, toolUseID: 'own', requestId: 'own' },
          )
        )?.behavior,
      }),
    };
    const { results } = await run(tool, undefined, { ...allowed, replMode: true });
    expect(results.at(-1)).toBe('"allow"');
  });

  it('starts nothing in the background, as somebody waits for it', async () => {
    const came = await runPage(
      ({ callTool: call }) => call('Repl', { code: '1', run_in_background: true }),
      allowed,
    );
    expect(came).toMatchObject({ message: expect.stringContaining('background') });
  });

  it('ends for tools that call each other without end', async () => {
    const came = await runPage(({ callTool: call }) => call('Page', {}));
    expect(JSON.stringify(came)).toContain('limit-exceeded');
  });

  it('has hooks hear of each call', async () => {
    const seen: string[] = [];
    const hook = async ({ tool_name }: { tool_name: string }) => (seen.push(tool_name), {});
    const hooks = { PreToolUse: [{ hooks: [hook] }] };
    await runPage(({ callTool: call }) => call('Read', { file_path: 'a.txt' }), { hooks });
    expect(seen).toEqual(['Page', 'Read']);
  });

  it('does nothing any more once the call is over', async () => {
    let kept: CallContext | undefined;
    const tool = pageTool((context) => Promise.resolve(void (kept = context)));
    const late: unknown[] = [];
    const second = callTool('Read', { file_path: 'a.txt' }, 'call-1');
    const hook = async () => {
      await kept?.callTool('Write', { file_path: 'b.txt', content: '' }).catch((error: unknown) => {
        late.push((error as { code: string }).code);
      });
      return {};
    };
    await run(tool, [callTool('Page', {}), second], {
      ...allowed,
      hooks: { PreToolUse: [{ matcher: 'Read', hooks: [hook] }] },
    });
    expect(late).toEqual(['aborted']);
    await expect(read('b.txt')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('callTool of a tool that a cell has called', () => {
  const cell = (code: string) => [callTool('Repl', { code })];

  it('reads what the cell has written, and changes nothing', async () => {
    const work: Work = async ({ callTool: call }) => {
      const output = await call('Read', { file_path: 'new.txt' });
      const write = call('Write', { file_path: 'b.txt', content: '' });
      const error = await write.catch((thrown: Error) => thrown.message);
      return [output, error];
    };
    const code = `fs.writeFileSync('new.txt', 'draft'); JSON.stringify(await tools.Page({}))`;
    const { results } = await run(pageTool(work), cell(code), allowed);
    expect(results.at(-1)).toContain('draft');
    expect(results.at(-1)).toContain('Let the cell call Write itself');
    expect(await read('new.txt')).toBe('draft');
    await expect(read('b.txt')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('fs of a tool’s context', () => {
  beforeEach(async () => {
    const { fs } = host.workspace;
    await fs.mkdir(`${host.cwd}/secret`);
    await fs.writeFile(`${host.cwd}/secret/key`, 'key');
    await fs.writeFile('/outside', 'outside');
    await fs.symlink(`${host.cwd}/secret/key`, `${host.cwd}/to-key`);
    await fs.symlink('/outside', `${host.cwd}/to-outside`);
  });
  // Whether there is anything where they lead, nobody may learn.
  const linkElsewhere = async () => {
    const { fs } = host.workspace;
    await fs.symlink('secret/none', `${host.cwd}/to-none`);
    await fs.symlink('/none', `${host.cwd}/to-nowhere`);
    await fs.symlink('to-secret/..', `${host.cwd}/around`);
    await fs.symlink('secret', `${host.cwd}/to-secret`);
    await fs.symlink('ring', `${host.cwd}/ring`);
  };
  const disallowedTools = ['Read(secret)'];
  const looked = (work: Work) => runPage(work, { disallowedTools });

  it('reads files, their names and attributes', async () => {
    const came = await looked(async ({ fs }) => {
      const { size } = await fs.stat('a.txt');
      const bytes = [...(await fs.readFile('a.txt'))];
      const walked = (await fs.walk('.')).map(({ path }) => path);
      return [size, bytes, await fs.readFile(`${host.cwd}/a.txt`, 'utf8'), walked];
    });
    const paths = ['a.txt', 'to-key', 'to-outside'].map((name) => `${host.cwd}/${name}`);
    expect(came).toEqual([4, [111, 110, 101, 10], 'one\n', paths]);
  });

  it('lists no name that a rule denies', async () => {
    expect(await looked(({ fs }) => fs.readdir('.'))).toEqual(['a.txt', 'to-key', 'to-outside']);
  });

  it.each([
    ['secret/key', 'ENOENT'],
    ['secret/none', 'ENOENT'],
    ['secret', 'ENOENT'],
    ['to-key', 'ENOENT'],
    ['none', 'ENOENT'],
    ['/outside', 'EACCES'],
    ['/outside/none', 'EACCES'],
    ['../outside', 'EACCES'],
    ['to-outside', 'EACCES'],
    ['to-key/x', 'ENOENT'],
    ['to-none', 'ENOENT'],
    ['to-none/x', 'ENOENT'],
    ['to-secret/key/x', 'ENOENT'],
    ['around/none', 'ENOENT'],
    ['to-secret/../a.txt', 'ENOENT'],
    ['to-nowhere', 'EACCES'],
    ['to-nowhere/x', 'EACCES'],
    ['to-outside/x', 'EACCES'],
  ])('reads %s as little as a worker’s view would: %s', async (path, code) => {
    await linkElsewhere();
    const came = await looked(({ fs }) => fs.readFile(path));
    const what =
      code === 'ENOENT' ? 'no such file or directory' : 'the path is outside the workspace';
    expect(came).toEqual({ code, message: `${code}: ${what}, open '${path}'` });
  });

  it('goes by links and around as long as what it passes may be known', async () => {
    await host.workspace.fs.mkdir(`${host.cwd}/open`);
    await host.workspace.fs.symlink('open', `${host.cwd}/to-open`);
    await host.workspace.fs.symlink('to-open/../a.txt', `${host.cwd}/to-a`);
    const paths = ['to-a', './to-open/../a.txt', `${host.cwd}//a.txt`, '../workspace/a.txt'];
    const came = await looked(({ fs }) =>
      Promise.all(paths.map((path) => fs.readFile(path, 'utf8'))),
    );
    expect(came).toEqual(paths.map(() => 'one\n'));
  });

  it('says what is wrong with a path that may be known', async () => {
    await linkElsewhere();
    const came = await looked(async ({ fs }) => {
      const failed = [fs.readFile('a.txt/x'), fs.readFile('ring')];
      const results = await Promise.allSettled(failed);
      return results.map((result) => result.status === 'rejected' && result.reason.code);
    });
    expect(came).toEqual(['ENOTDIR', 'ELOOP']);
  });
});
