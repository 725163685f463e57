// A tool system that was written for Sema Core. It has three of the tools that its pages describe,
// in words of our own. They go through its calls on tools, its permission keys and its events.
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { NewerSemaTool, SemaTool } from '../../../src/adapters/sema/adapt-tool.ts';
import { connectEventBus } from '../../../src/adapters/sema/event-bus.ts';
import { toPermissionRules } from '../../../src/adapters/sema/permission-keys.ts';
import { createToolSystem } from '../../../src/adapters/sema/tool-system.ts';
import { createSdkMcpServer } from '../../../src/mcp/create-sdk-mcp-server.ts';
import { tool } from '../../../src/mcp/tool.ts';
import { EventEmitter } from '../../support/sessions/event-emitter.ts';
import { callTool, openHost, runHooked, toResults } from '../../support/turns/run-hooked.ts';

const viewParams = z.strictObject({ path: z.string(), limit: z.number().optional() });
const writeParams = z.strictObject({ path: z.string(), text: z.string() });
const todoParams = z.strictObject({ subject: z.string().min(1) });

/** Shows a file with its line numbers. */
const viewFile: NewerSemaTool<z.output<typeof viewParams>, readonly string[]> = {
  name: 'view_file',
  description: 'Shows a file.',
  toolParams: viewParams,
  isSafe: () => true,
  genResultForAssistant: (lines) => lines.map((line, at) => `${at + 1} ${line}`).join('\n'),
  genToolResultMessage: (lines, input) => ({
    title: input?.path ?? '',
    summary: `${lines.length} lines`,
    content: lines.join('\n'),
  }),
  getDisplayTitle: (input) => input?.path ?? 'a file',
  async *call({ path, limit }, { fs }) {
    const text = await fs.readFile(path, 'utf8');
    yield { type: 'result', data: text.split('\n').slice(0, limit) };
  },
};

/** Writes a whole file, after a question in its own words. */
const writeFile: NewerSemaTool<z.output<typeof writeParams>, { path: string; size: number }> = {
  name: 'write_file',
  description: () => 'Writes a file.',
  toolParams: writeParams,
  isSafe: () => false,
  isDestructive: () => true,
  validateInput: async ({ path }) =>
    path.endsWith('/')
      ? { result: false, message: `${path} is a directory.`, errorCode: 2 }
      : { result: true },
  genToolPermission: ({ path, text }) => ({ title: path, content: { type: 'text', text } }),
  genResultForAssistant: ({ path, size }) => `${path} has ${size} characters now.`,
  genToolResultMessage: ({ path }) => ({ title: path, summary: 'written', content: path }),
  async *call({ path, text }, context) {
    await context.callTool('Write', { file_path: path, content: text });
    yield { type: 'result', data: { path, size: text.length } };
  },
};

/** Keeps what is to be done. Its calls are independent of each other. */
function createTodo(): SemaTool<z.output<typeof todoParams>, { id: number; subject: string }> {
  const subjects: string[] = [];
  return {
    name: 'create_todo',
    description: 'Notes a task.',
    inputSchema: todoParams,
    isReadOnly: () => false,
    canRunConcurrently: () => true,
    genResultForAssistant: ({ id, subject }) => `#${id} ${subject}`,
    async *call({ subject }, { agentId }) {
      yield { type: 'progress', data: `noting for ${agentId}` };
      yield { type: 'result', data: { id: subjects.push(subject), subject } };
    },
  };
}

const git = (name: string, tools: readonly string[]) =>
  createSdkMcpServer({
    name,
    tools: tools.map((each) => tool(each, `Does ${each}.`, {}, async () => ({ content: [] }))),
  });

const open = async (changes: Partial<Parameters<typeof createToolSystem>[0]> = {}) => {
  const host = await openHost();
  const tools = [viewFile, writeFile, createTodo()];
  return { host, system: await createToolSystem({ host, tools, ...changes }) };
};

describe('a tool system of Sema Core', () => {
  it('runs: it sees, asks, writes and notes, and tells its events', async () => {
    const { host, system } = await open();
    await using _ = host;
    const bus = new EventEmitter();
    const events: unknown[] = [];
    for (const name of ['tool:permission:request', 'tool:execution:complete']) {
      bus.on(name, (data) => {
        const { toolId, toolName, title } = data as Record<string, string>;
        events.push([name, toolName, title]);
        if (name !== 'tool:permission:request') return;
        bus.emit('tool:permission:response', { toolId, selected: 'agree' });
      });
    }
    const tools = system.getTools();
    const path = `${host.cwd}/b.txt`;
    const { messages } = await runHooked(
      host,
      [
        callTool('view_file', { path: `${host.cwd}/a.txt`, limit: 1 }, 'c1'),
        callTool('write_file', { path, text: 'two' }, 'c2'),
        callTool('write_file', { path: '/d/', text: '' }, 'c3'),
        callTool('create_todo', { subject: 'rest' }, 'c4'),
      ],
      {
        tools,
        ...connectEventBus(bus, tools),
        allowedTools: system.toRules(['create_todo'], 'allow'),
      },
    );
    expect(toResults(messages)).toEqual([
      '1 one',
      expect.stringContaining('Made the new file'),
      `${path} has 3 characters now.`,
      '/d/ is a directory. (error 2)',
      '#1 rest',
    ]);
    expect(await host.workspace.fs.readFile(path, 'utf8')).toBe('two');
    expect(events).toEqual([
      ['tool:execution:complete', 'view_file', `${host.cwd}/a.txt`],
      ['tool:permission:request', 'write_file', path],
      ['tool:permission:request', 'Write', expect.stringContaining('b.txt')],
      ['tool:execution:complete', 'Write', expect.any(String)],
      ['tool:execution:complete', 'write_file', path],
      ['tool:execution:complete', 'create_todo', 'create_todo'],
    ]);
  });

  it('gives tools, infos and parameters in the shapes that Sema Core has', async () => {
    const { host, system } = await open({ useTools: ['view_file', 'Read'] });
    await using _ = host;
    const names = (tools: readonly { readonly name: string }[]) => tools.map(({ name }) => name);
    expect(names(system.getTools())).toEqual(['Read', 'view_file']);
    expect(names(system.getTools(['write_file', 'nobody']))).toEqual(['write_file']);
    const all = names(system.getTools(null));
    expect(all).toEqual(all.toSorted());
    expect(all).toEqual(
      expect.arrayContaining([...names(system.getBuiltinTools()), 'create_todo']),
    );
    const infos = system.getToolInfos();
    expect(names(infos)).toEqual(all);
    expect(infos.filter(({ status }) => status === 'enable').map(({ name }) => name)).toEqual([
      'Read',
      'view_file',
    ]);
    expect(infos.find(({ name }) => name === 'write_file')).toEqual({
      name: 'write_file',
      description: 'Writes a file.',
      status: 'disable',
    });
    expect(system.buildTools(system.getTools(['create_todo', 'view_file']))).toEqual([
      {
        name: 'create_todo',
        description: 'Notes a task.',
        input_schema: expect.objectContaining({ type: 'object', required: ['subject'] }),
      },
      {
        name: 'view_file',
        description: 'Shows a file.',
        input_schema: expect.objectContaining({ type: 'object', required: ['path'] }),
      },
    ]);
  });

  it('names a server’s tool as Sema Core does, in lookups and in keys', async () => {
    const mcpServers = { git: git('git', ['push', 'hub_push']), git_hub: git('h', ['push']) };
    const { host, system } = await open({ mcpServers });
    await using _ = host;
    const namesOf = (name: string) => system.getTools([name]).map((each) => each.name);
    expect(namesOf('git_push')).toEqual(['mcp__git__push']);
    expect(namesOf('mcp__git_push')).toEqual(['mcp__git__push']);
    expect(namesOf('mcp__git__push')).toEqual(['mcp__git__push']);
    expect(system.getPermissionKey('mcp__git__push')).toBe('git_push');
    expect(system.getPermissionKey('Skill', 'commit')).toBe('Skill(commit)');
    expect(system.toRules(['git_push', 'Skill(commit)', 'mcp__git', 'Edti'], 'allow')).toEqual([
      'mcp__git__push',
      'Skill(commit)',
      'mcp__git',
      'Edti',
    ]);
    const both = ['mcp__git__hub_push', 'mcp__git_hub__push'];
    expect(system.toRules(['git_hub_push'], 'deny')).toEqual(both);
    expect(() => system.toRules(['git_hub_push'], 'allow')).toThrow(
      `"git_hub_push" may mean ${both.join(' or ')}. Name the one that is to be allowed.`,
    );
    expect(() => toPermissionRules(['('], 'deny', [])).toThrow('"(" is not a permission rule.');
  });

  it('says of what can’t be why not', async () => {
    const { host, system } = await open();
    await using _ = host;
    await expect(open({ tools: [viewFile, viewFile] })).rejects.toThrow(
      'Two tools are named view_file. Rename one of them.',
    );
    await expect(open({ useTools: ['veiw_file'] })).rejects.toThrow(
      'There is no tool named veiw_file. Did you mean view_file?',
    );
    expect(() => system.getPermissionKey('Edti')).toThrow('There is no tool named Edti.');
    const other = await open();
    await using __ = other.host;
    const [stranger] = other.system.getTools(['view_file']);
    expect(() => system.buildTools(stranger ? [stranger] : [])).toThrow(
      'view_file is no tool of this system.',
    );
  });
});
