// Where a session works: the tree of the workspace that its calls change, and its working directory.
import { afterEach, describe, expect, it } from 'vitest';
import { createSession } from '../../../src/agent/create-session.ts';
import type { Host } from '../../../src/agent/host.ts';
import { runTurn } from '../../../src/agent/turn/loop.ts';
import { createPermissionState } from '../../../src/agent/permissions/permission-state.ts';
import { query } from '../../../src/agent/query.ts';
import { toPermissionContext } from '../../../src/agent/query-options.ts';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import type { ContentBlock } from '../../../src/core/messages/blocks.ts';
import type { ModelEvent } from '../../../src/core/messages/messages.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { createTrace } from '../../../src/trace/record-calls.ts';
import { assistantMessage } from '../../support/models/model-streams.ts';
import { createEventModel } from '../../support/stages/test-session.ts';
import { quiet } from '../../support/stages/run-calls.ts';
import { plainTool } from '../../support/stages/test-tools.ts';
import { toEvents } from '../../../src/model/to-events.ts';

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host[Symbol.asyncDispose]();
});

async function open(): Promise<Host> {
  const host = await createInlineHost();
  hosts.push(host);
  await host.workspace.fs.writeFile('/workspace/a.txt', 'old');
  return host;
}

async function* stream(
  content: readonly ContentBlock[],
  stop_reason: 'tool_use' | 'end_turn',
): AsyncGenerator<ModelEvent, void> {
  yield* toEvents(assistantMessage(content, { stop_reason }));
}

function calling(name: string, input: Readonly<Record<string, unknown>>) {
  const call = { type: 'tool_use', id: 'call-1', name, input } as const;
  return createEventModel([
    () => stream([call], 'tool_use'),
    () => stream([{ type: 'text', text: 'Done.' }], 'end_turn'),
  ]);
}

describe('a session on a branch', () => {
  async function run(host: Host, options: Omit<QueryOptions, 'host'>) {
    const author = { kind: 'user' } as const;
    const { id: root } = await host.workspace.roots.branch('try', { author });
    const whole: QueryOptions = { permissionMode: 'bypassPermissions', ...options, host };
    const session = await createSession(whole, {
      id: 'session-1',
      model: whole.model,
      cwd: host.cwd,
      root,
      permissions: createPermissionState(toPermissionContext(whole), host.cwd),
      emit: () => {},
      trace: createTrace(host.clock),
      whenPrompted: () => () => {},
      signal: new AbortController().signal,
      hasOnePrompt: true,
    });
    await runTurn(session, { role: 'user', content: 'Go.' }, quiet);
    return { root, told: JSON.stringify(session.messages) };
  }

  it('writes to the branch, and not to main', async () => {
    const host = await open();
    const model = calling('Write', { file_path: '/workspace/new.txt', content: 'new' });
    const { root } = await run(host, { model });
    const changes = await host.workspace.roots.diff(root);
    expect(changes.map(({ path, type }) => [path, type])).toEqual([
      ['/workspace/new.txt', 'create'],
    ]);
    await expect(host.workspace.fs.readFile('/workspace/new.txt')).rejects.toThrow('ENOENT');
  });

  it('is read by the files of a tool on the page', async () => {
    const host = await open();
    const { runsIn: _, ...rest } = plainTool({ name: 'Look' }) as Tool & { runsIn: 'worker' };
    const tool: Tool = {
      ...rest,
      call: async (_input, { fs }) => {
        const { workspace } = host;
        await workspace.fs.writeFile('/workspace/a.txt', 'of main');
        const [branch] = await workspace.roots.list();
        await workspace.at(branch?.id ?? '').fs.writeFile('/workspace/b.txt', 'of the branch');
        return { data: await Promise.all(['a', 'b'].map((n) => fs.readFile(`${n}.txt`, 'utf8'))) };
      },
    };
    const { told } = await run(host, { model: calling('Look', {}), tools: [tool] });
    expect(told).toContain('old');
    expect(told).toContain('of the branch');
    expect(told).not.toContain('of main');
  });
});

describe('the working directory of a query', () => {
  async function run(host: Host, options: Partial<QueryOptions>, path: string) {
    const seen: string[] = [];
    const model = calling('Write', { file_path: path, content: 'new' });
    for await (const message of query({
      prompt: 'Go.',
      options: { host, model, permissionMode: 'acceptEdits', ...options },
    })) {
      if (message.type === 'system' && message.subtype === 'init') seen.push(message.cwd);
    }
    return seen;
  }
  const exists = (host: Host, path: string) =>
    host.workspace.fs.stat(path).then(
      () => true,
      () => false,
    );

  it('is where relative paths begin', async () => {
    const host = await open();
    await host.workspace.fs.mkdir('/workspace/app');
    expect(await run(host, { cwd: '/workspace/app' }, 'b.txt')).toEqual(['/workspace/app']);
    expect(await exists(host, '/workspace/app/b.txt')).toBe(true);
  });

  it('bounds what its calls may reach', async () => {
    const host = await open();
    await host.workspace.fs.mkdir('/workspace/app');
    await run(host, { cwd: '/workspace/app' }, '/workspace/b.txt');
    expect(await exists(host, '/workspace/b.txt')).toBe(false);
  });

  it('is where the rules of paths begin, and what hooks are told', async () => {
    const host = await open();
    await host.workspace.fs.mkdir('/workspace/app');
    const told: string[] = [];
    const options: Partial<QueryOptions> = {
      cwd: '/workspace/app',
      disallowedTools: ['Edit(src/**)'],
      hooks: {
        PreToolUse: [
          {
            hooks: [
              ({ cwd }) => {
                told.push(cwd);
                return Promise.resolve({});
              },
            ],
          },
        ],
      },
    };
    await run(host, options, '/workspace/app/src/b.txt');
    expect(told).toEqual(['/workspace/app']);
    expect(await exists(host, '/workspace/app/src/b.txt')).toBe(false);
  });

  it.each([
    ['app', 'cwd must be an absolute path'],
    ['/workspace/../etc', 'cwd must be an absolute path'],
    ['/workspace/', 'cwd must be an absolute path'],
    [7, 'cwd must be an absolute path'],
    ['/workspace/none', 'is no directory of the workspace'],
    ['/session/one', 'is no directory of the workspace'],
    ['/workspace/a.txt', 'is no directory of the workspace'],
    ['/workspace/link', 'is a link, or behind one'],
  ])('is refused where it is %j', async (cwd, why) => {
    const host = await open();
    await host.workspace.fs.symlink('/workspace', '/workspace/link');
    await host.workspace.roots.session('one', { author: { kind: 'user' } });
    await expect(run(host, { cwd: cwd as string }, 'b.txt')).rejects.toThrow(why);
  });
});
