// `npm run headless` as a caller sees it: its exit status, its lines, its folder. The inline host
// stands for both where what is claimed is the command's own; what Chromium makes of a whole tree
// is in own-tree.node.test.ts.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readArguments, UsageError } from '../../../scripts/headless-arguments.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ScriptBlock } from 'rockpool';
import { headless, messagesOf, readTree, resultOf, spawnHeadless } from './headless-command.ts';

/** A directory that is there, and holds files. */
const root = import.meta.dirname;
let folder: string;
let count = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'headless-test-'));
});

afterAll(() => rmSync(folder, { recursive: true, maxRetries: 5 }));

/** A file with a script of these calls, one a turn. */
function scriptOf(...calls: readonly (readonly [name: string, input: object])[]): string {
  const turns = calls.map(([name, input], at) => ({
    blocks: [{ type: 'tool_use', id: `call-${at}`, name, input } as ScriptBlock],
  }));
  return writeScript([...turns, { blocks: [{ type: 'text', text: 'Done.' }] }]);
}

function writeScript(turns: readonly unknown[]): string {
  const path = join(folder, `script-${(count += 1)}.json`);
  writeFileSync(path, JSON.stringify({ turns }));
  return `scripted:${path}`;
}

function makeWorkspace(files: Readonly<Record<string, string>>): string {
  const workspace = join(folder, `workspace-${(count += 1)}`);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), text);
  }
  return workspace;
}

/** A server that says the same to every request. */
async function serve(status: number, error: { type: string; message: string }) {
  const server = createServer((_request, response) => {
    // No CORS headers, and no answer to a preflight.
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ type: 'error', error }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => new Promise((resolve) => server.close(resolve));
  return { url: `http://127.0.0.1:${port}`, close };
}

const small = { 'src/add.ts': 'export const add = (a: number, b: number) => a - b;\n' };
const edit = [
  'Edit',
  { file_path: 'src/add.ts', old_string: 'a - b', new_string: 'a + b' },
] as const;
const read = ['Read', { file_path: 'src/add.ts' }] as const;

describe('headless: usage', () => {
  const given = ['--prompt', 'x', '--workspace', root, '--api-key', 'k'];
  it.each([
    ['nothing at all', [], '--prompt is missing'],
    ['an unknown option', ['--fast'], "Unknown option '--fast'"],
    ['no workspace', ['--prompt', 'x'], '--workspace is missing'],
    ['a workspace that is not there', ['--prompt', 'x', '--workspace', '/no/such'], 'no directory'],
    ['no model', ['--prompt', 'x', '--workspace', root], 'No model'],
    [
      'a script and a key',
      [...given, '--model', 'scripted:x.json'],
      'no server, key, name or effort',
    ],
    [
      'a script that is not there',
      ['--prompt', 'x', '--workspace', root, '--model', 'scripted:/nowhere.json'],
      '/nowhere.json',
    ],
    ['a mode that is none', [...given, '--permission-mode', 'yolo'], '--permission-mode is one of'],
    ['an effort that is none', [...given, '--effort', 'much'], '--effort is one of low, medium'],
    ['a rule that is none', [...given, '--allow', 'Edit('], '"Edit(" is not a permission rule'],
    ['a rule that can not hold', [...given, '--allow', 'Bash(ls)'], 'there is no shell here'],
    [
      'a source of settings that is none',
      [...given, '--setting-sources', 'user'],
      'project, local',
    ],
    ['an --out that holds files', [...given, '--out', root], "isn't an empty directory"],
    ['another host', [...given, '--host', 'edge'], '--host is one of browser, inline'],
  ])('refuses %s', (_name, args, sentence) => {
    const refused = expect(() => readArguments(args, {}));
    refused.toThrow(UsageError);
    refused.toThrow(sentence);
  });

  it('takes the key from the environment, and the option before it', () => {
    const args = ['--prompt', 'x', '--workspace', root];
    const env = { ANTHROPIC_API_KEY: 'of-environment' };
    expect(readArguments(args, env)).toMatchObject({ model: { apiKey: 'of-environment' } });
    const both = readArguments([...args, '--api-key', 'of-option'], env);
    expect(both).toMatchObject({ model: { apiKey: 'of-option' } });
  });

  it('ends with status 2, a sentence and the usage on stderr, and nothing on stdout', async () => {
    const run = await spawnHeadless(['--fast']);
    expect(run).toMatchObject({ status: 2, stdout: '' });
    expect(run.stderr).toMatch(/^Unknown option '--fast'.*\n\nusage: npm run headless --/s);
  });
});

describe('headless: one turn', () => {
  it('denies what would be asked about, says so, and goes on', async () => {
    const workspace = makeWorkspace(small);
    const out = join(folder, 'denied');
    const run = await spawnHeadless([
      ...['--prompt', 'Mend it.', '--workspace', workspace, '--host', 'inline', '--out', out],
      ...['--model', scriptOf(read, edit)],
    ]);
    expect(run.status).toBe(0);
    expect(resultOf(run).permission_denials).toMatchObject([{ tool_name: 'Edit' }]);
    expect(readTree(out)).toEqual(readTree(workspace));
  });

  it('tells of a sub-agent as of a task, and denies it at once what it would have to ask about', async () => {
    const path = join(folder, 'agents.json');
    const script = {
      turns: [
        {
          blocks: [
            {
              type: 'tool_use',
              id: 'agent',
              name: 'Agent',
              input: { description: 'Mend', prompt: 'Mend add.', run_in_background: false },
            },
          ],
        },
        { blocks: [{ type: 'text', text: 'Done.' }] },
      ],
      tasks: [
        {
          prompt: 'Mend add.',
          turns: [
            { blocks: [{ type: 'tool_use', id: 'read', name: read[0], input: read[1] }] },
            { blocks: [{ type: 'tool_use', id: 'edit', name: edit[0], input: edit[1] }] },
            { blocks: [{ type: 'text', text: 'I was not allowed to.' }] },
          ],
        },
      ],
    };
    writeFileSync(path, JSON.stringify(script));
    const args = ['--prompt', 'x', '--workspace', makeWorkspace(small), '--host', 'inline'];
    const run = await headless([...args, '--model', `scripted:${path}`]);
    const messages = messagesOf(run);
    const started = messages.find(
      (message) => message.type === 'system' && message.subtype === 'task_started',
    );
    const agent_id = started && 'task_id' in started ? started.task_id : 'none';
    expect(resultOf(run)).toMatchObject({
      subtype: 'success',
      permission_denials: [{ agent_id, tool_name: 'Edit', tool_use_id: 'edit' }],
    });
    const inner = messages.filter(
      (message) => 'parent_tool_use_id' in message && message.parent_tool_use_id === 'agent',
    );
    expect(inner.map(({ type }) => type)).toEqual(['assistant', 'user', 'assistant', 'user']);
    expect(messages).toContainEqual(
      expect.objectContaining({ subtype: 'task_notification', status: 'completed' }),
    );
  });

  it.each([
    ['leaves the branch of an agent where nobody could be asked, and names it', [], false],
    ['merges it where a rule allows what it changes', ['--allow', 'Edit(new.txt)'], true],
  ] as const)('%s', async (_, allowed, isMerged) => {
    const prompt = 'Write it.';
    const input = { description: 'Write', prompt, isolation: 'worktree', run_in_background: false };
    const write = { file_path: 'new.txt', content: 'new\n' };
    const call = (id: string, name: string, given: object) => ({
      blocks: [{ type: 'tool_use', id, name, input: given }],
    });
    const say = (text: string) => ({ blocks: [{ type: 'text', text }] });
    const path = join(folder, `merge-${isMerged}.json`);
    const script = {
      turns: [call('agent', 'Agent', input), say('Done.')],
      tasks: [{ prompt, turns: [call('write', 'Write', write), say('Written.')] }],
    };
    writeFileSync(path, JSON.stringify(script));
    const out = join(folder, `merged-${isMerged}`);
    const args = ['--prompt', 'x', '--workspace', makeWorkspace(small), '--host', 'inline'];
    const run = await headless([
      ...[...args, '--out', out, '--model', `scripted:${path}`, ...allowed],
    ]);
    const [output] = messagesOf(run).flatMap((message) =>
      message.type === 'user' && message.parent_tool_use_id === null
        ? [message.tool_use_result as { worktreeBranch?: string; mergeNote: string }]
        : [],
    );
    expect(readTree(out)['new.txt']).toBe(isMerged ? '644 new\n' : undefined);
    expect(output?.worktreeBranch).toEqual(isMerged ? undefined : expect.stringMatching(/^agent-/));
    expect(output?.mergeNote).toContain(isMerged ? 'were merged' : 'stays on the branch');
  });

  it('does what a rule allows', async () => {
    const workspace = makeWorkspace(small);
    const out = join(folder, 'allowed');
    const run = await headless([
      ...['--prompt', 'Mend it.', '--workspace', workspace, '--host', 'inline', '--out', out],
      ...['--model', scriptOf(read, edit), '--allow', 'Edit(src/**)'],
    ]);
    expect(resultOf(run)).toMatchObject({ subtype: 'success', permission_denials: [] });
    const before = readTree(workspace);
    const mended = before['src/add.ts']?.replace('a - b', 'a + b');
    expect(readTree(out)).toEqual({ ...before, 'src/add.ts': mended });
  });

  it.each([
    ['reads nothing of the folder by itself', [], true],
    ['forbids by the folder’s settings', ['--setting-sources', 'project,local'], true],
    ['allows by them when told to', ['--setting-sources', 'project', '--trust-workspace'], false],
  ])('%s', async (_, args, isDenied) => {
    const settings = JSON.stringify({ permissions: { allow: ['Edit(src/**)'], deny: ['Grep'] } });
    const workspace = makeWorkspace({ ...small, '.claude/settings.json': settings });
    const run = await headless([
      ...['--prompt', 'Mend it.', '--workspace', workspace, '--host', 'inline'],
      ...['--model', scriptOf(read, edit), ...args],
    ]);
    const { permission_denials: denials } = resultOf(run) as {
      readonly permission_denials: readonly unknown[];
    };
    expect(denials.length).toBe(isDenied ? 1 : 0);
    const [init] = messagesOf(run) as { readonly tools?: readonly string[] }[];
    expect(init?.tools?.includes('Grep')).toBe(args.length === 0);
  });

  it('decides for itself what it would ask, and has the plan for its result', async () => {
    const option = (label: string) => ({ label, description: '' });
    const options = [option('A'), option('B')];
    const question = { question: 'Which?', header: 'Which', options };
    const plan = '# Plan\n\nMend it.';
    const run = await headless([
      ...['--prompt', 'Plan it.', '--workspace', makeWorkspace(small), '--host', 'inline'],
      ...['--permission-mode', 'plan', '--profile', join(folder, 'planning')],
      ...['--session-id', 's1', '--model'],
      scriptOf(
        ['AskUserQuestion', { questions: [question] }],
        ['Write', { file_path: '/session/s1/plan.md', content: plan }],
        ['ExitPlanMode', {}],
      ),
    ]);
    expect(run.status).toBe(0);
    const denied = ['AskUserQuestion', 'ExitPlanMode'].map((tool_name) => ({ tool_name }));
    expect(resultOf(run)).toMatchObject({ result: plan, permission_denials: denied });
  });

  it('ends with an error result and status 1 when the model fails', async () => {
    const error = { code: 'model-bad-request', message: 'The request was refused.' };
    const run = await spawnHeadless([
      ...['--prompt', 'x', '--workspace', makeWorkspace(small), '--host', 'inline'],
      ...['--model', writeScript([{ blocks: [], error }])],
    ]);
    expect(run.status).toBe(1);
    expect(resultOf(run)).toMatchObject({ subtype: 'error_during_execution', is_error: true });
  });

  it('takes a server that knows no pages, and prints no key, not even where it repeats it', async () => {
    const key = 'sk-test-0123456789';
    const error = { type: 'authentication_error', message: `invalid x-api-key ${key}` };
    const server = await serve(401, error);
    const run = await headless([
      ...['--prompt', 'x', '--workspace', makeWorkspace(small)],
      ...['--base-url', server.url, '--api-key', key],
    ]);
    await server.close();
    expect(run.status).toBe(1);
    expect(run.stdout).toContain('invalid x-api-key [');
    expect(resultOf(run)).toMatchObject({ is_error: true });
    expect(run.stdout + run.stderr).not.toContain(key);
  });

  it('hides no stand-in for a key, which is a part of words', async () => {
    const error = { type: 'invalid_request_error', message: 'a word in the workspace' };
    const server = await serve(400, error);
    const run = await headless([
      ...['--prompt', 'x', '--workspace', makeWorkspace(small), '--host', 'inline'],
      ...['--base-url', server.url, '--api-key', 'work'],
    ]);
    await server.close();
    expect(messagesOf(run)[0]).toMatchObject({ subtype: 'init', cwd: '/workspace' });
    expect(run.stdout).toContain('a word in the workspace');
  });

  it('ends the turn on SIGINT: a result, the folder as it is, status 1', async () => {
    const workspace = makeWorkspace(small);
    const out = join(folder, 'interrupted');
    const model = scriptOf([
      'Repl',
      { code: "console.log('spinning'); for (;;);", timeout: 60_000 },
    ]);
    const run = await spawnHeadless(
      ['--prompt', 'x', '--workspace', workspace, '--model', model, '--out', out],
      (line, interrupt) => {
        if (line.includes('"tool_use"') && line.includes('"assistant"')) interrupt();
      },
    );
    expect(run.status).toBe(1);
    expect(resultOf(run)).toMatchObject({ is_error: true });
    expect(readTree(out)).toEqual(readTree(workspace));
  });
});
