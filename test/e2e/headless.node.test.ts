// `npm run headless` as a caller sees it: its exit status, its lines, its folder. A process of its
// own each time, in headless Chromium unless it says inline.
import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isToolResultBlock } from '../../src/core/blocks.ts';
import { readArguments, UsageError } from '../../scripts/headless-arguments.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SDKMessage, SDKResultMessage, ScriptBlock } from 'rockpool';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
let folder: string;
let count = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'headless-test-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

interface Run {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `onLine` is called with each line of stdout and a way to send SIGINT. */
function headless(
  args: readonly string[],
  onLine: (line: string, interrupt: () => void) => void = () => {},
): Promise<Run> {
  const { ANTHROPIC_API_KEY: _dropped, ...env } = process.env;
  const script = join(root, 'scripts/headless.ts');
  const child = spawn(process.execPath, ['--conditions=rockpool-source', script, ...args], {
    cwd: root,
    env,
  });
  let stdout = '';
  let stderr = '';
  let seen = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    const lines = stdout.split('\n').slice(0, -1);
    for (const line of lines.slice(seen)) onLine(line, () => child.kill('SIGINT'));
    seen = lines.length;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, stdout, stderr }));
  });
}

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

const messagesOf = ({ stdout }: Run): SDKMessage[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as SDKMessage);

const resultOf = (run: Run): SDKResultMessage => {
  const last = messagesOf(run).at(-1);
  if (last?.type !== 'result') throw new Error(`No result: ${run.stdout}${run.stderr}`);
  return last;
};

/** The text of each call's result, by the call's id. */
function answersOf(run: Run): Record<string, string> {
  const results = messagesOf(run).flatMap((message) =>
    message.type === 'user' && typeof message.message.content !== 'string'
      ? message.message.content
      : [],
  );
  return Object.fromEntries(
    results.filter(isToolResultBlock).map((block) => [block.tool_use_id, String(block.content)]),
  );
}

/** Every path below a folder with what is there. */
function readTree(top: string): Record<string, string> {
  const entries = readdirSync(top, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const name = path.slice(top.length + 1);
      if (entry.isSymbolicLink()) return [name, `-> ${readlinkSync(path)}`];
      return [name, entry.isDirectory() ? '/' : readFileSync(path, 'latin1')];
    }),
  );
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
    ['a script and a key', [...given, '--model', 'scripted:x.json'], 'no server, key or name'],
    [
      'a script that is not there',
      ['--prompt', 'x', '--workspace', root, '--model', 'scripted:/nowhere.json'],
      '/nowhere.json',
    ],
    ['a mode that is none', [...given, '--permission-mode', 'yolo'], '--permission-mode is one of'],
    ['a rule that is none', [...given, '--allow', 'Edit('], '"Edit(" is not a permission rule'],
    ['a rule that can not hold', [...given, '--allow', 'Bash(ls)'], 'there is no shell here'],
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
    expect(readArguments(args, env)?.model).toMatchObject({ apiKey: 'of-environment' });
    const both = readArguments([...args, '--api-key', 'of-option'], env);
    expect(both?.model).toMatchObject({ apiKey: 'of-option' });
  });

  it('ends with status 2, a sentence and the usage on stderr, and nothing on stdout', async () => {
    const run = await headless(['--fast']);
    expect(run).toMatchObject({ status: 2, stdout: '' });
    expect(run.stderr).toMatch(/^Unknown option '--fast'.*\n\nusage: npm run headless --/s);
  });
});

describe('headless: one turn', () => {
  it('searches, reads, edits and runs code in a copy of this repository, in Chromium and inline alike', async () => {
    const workspace = join(folder, 'repository');
    cpSync(root, workspace, {
      recursive: true,
      filter: (path) => !['node_modules', '.git', 'dist', '.setup-stamp'].includes(basename(path)),
    });
    symlinkSync('README.md', join(workspace, 'link-to-readme'));
    const core = readdirSync(join(workspace, 'src/core')).filter((name) => name.endsWith('.ts'));
    const pathLines = readFileSync(join(workspace, 'src/core/path.ts'), 'utf8').split('\n');
    const model = scriptOf(
      ['Glob', { pattern: 'src/core/*.ts' }],
      ['Grep', { pattern: '^export function normalizePath', output_mode: 'content' }],
      ['Read', { file_path: 'src/core/path.ts', limit: 2 }],
      [
        'Edit',
        {
          file_path: 'src/core/path.ts',
          old_string: 'export function basename(',
          new_string: 'export function baseName(',
        },
      ],
      [
        'Repl',
        {
          code: `import fs from 'node:fs';
fs.rmSync('LICENSE');
const text: string = fs.readFileSync('src/core/path.ts', 'utf8');
[text.split('\\n').length, text.includes('baseName('), fs.existsSync('node_modules')].join()`,
        },
      ],
    );
    const args = ['--prompt', 'Work.', '--workspace', workspace, '--model', model];
    const mode = ['--permission-mode', 'bypassPermissions'];
    const out = { browser: join(folder, 'out-browser'), inline: join(folder, 'out-inline') };
    const browser = await headless([...args, ...mode, '--out', out.browser]);
    const inline = await headless([...args, ...mode, '--out', out.inline, '--host', 'inline']);

    expect([browser.stderr, browser.status]).toEqual(['', 0]);
    const messages = messagesOf(browser);
    expect(messages[0]).toMatchObject({ type: 'system', subtype: 'init', cwd: '/workspace' });
    expect(resultOf(browser)).toMatchObject({ subtype: 'success', result: 'Done.', num_turns: 6 });

    const answers = answersOf(browser);
    expect(
      answers['call-0']
        ?.split('\n')
        .filter((line) => line.endsWith('.ts'))
        .sort(),
    ).toEqual(core.map((name) => `/workspace/src/core/${name}`).sort());
    const line = pathLines.findIndex((text) => text.startsWith('export function normalizePath'));
    expect(answers['call-1']).toContain(`src/core/path.ts:${line + 1}:${pathLines[line]}`);
    expect(answers['call-2']).toContain(`1\t${pathLines[0]}`);
    expect(answers['call-4']).toContain(`${pathLines.length},true,false`);

    // Every path and byte, but for what the agent did.
    const expected = readTree(workspace);
    delete expected['LICENSE'];
    const before = expected['src/core/path.ts'] ?? '';
    expected['src/core/path.ts'] = before.replace('function basename(', 'function baseName(');
    expect(readTree(out.browser)).toEqual(expected);
    expect(readTree(out.inline)).toEqual(expected);
    expect(existsSync(join(workspace, 'LICENSE'))).toBe(true);
    // The inline host is the reference that the others agree with.
    expect(answers).toEqual(answersOf(inline));
  });

  it('denies what would be asked about, says so, and goes on', async () => {
    const workspace = makeWorkspace(small);
    const out = join(folder, 'denied');
    const run = await headless([
      ...['--prompt', 'Mend it.', '--workspace', workspace, '--host', 'inline', '--out', out],
      ...['--model', scriptOf(read, edit)],
    ]);
    expect(run.status).toBe(0);
    expect(resultOf(run).permission_denials).toMatchObject([{ tool_name: 'Edit' }]);
    expect(readTree(out)).toEqual(readTree(workspace));
  });

  it('does what a rule allows, and keeps file modes', async () => {
    const workspace = makeWorkspace({ ...small, 'run.sh': 'echo hi\n' });
    const out = join(folder, 'allowed');
    const run = await headless([
      ...['--prompt', 'Mend it.', '--workspace', workspace, '--out', out],
      ...['--model', scriptOf(read, edit), '--allow', 'Edit(src/**)'],
    ]);
    expect(resultOf(run)).toMatchObject({ subtype: 'success', permission_denials: [] });
    expect(readTree(out)['src/add.ts']).toContain('a + b');
    const mode = (top: string) => statSync(join(top, 'run.sh')).mode & 0o777;
    expect(mode(out)).toBe(mode(workspace));
  });

  it('ends with an error result and status 1 when the model fails', async () => {
    const error = { code: 'model-bad-request', message: 'The request was refused.' };
    const run = await headless([
      ...['--prompt', 'x', '--workspace', makeWorkspace(small), '--host', 'inline'],
      ...['--model', writeScript([{ blocks: [], error }])],
    ]);
    expect(run.status).toBe(1);
    expect(resultOf(run)).toMatchObject({ subtype: 'error_during_execution', is_error: true });
  });

  it('never prints the key, not even where the server repeats it', async () => {
    const key = 'sk-test-0123456789';
    const server = createServer(({ method }, response) => {
      response.writeHead(method === 'OPTIONS' ? 204 : 401, {
        'content-type': 'application/json',
        'access-control-allow-origin': '*',
        'access-control-allow-headers': '*',
      });
      if (method === 'OPTIONS') return void response.end();
      const error = { type: 'authentication_error', message: `invalid x-api-key ${key}` };
      return void response.end(JSON.stringify({ type: 'error', error }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const run = await headless([
      ...['--prompt', 'x', '--workspace', makeWorkspace(small)],
      ...['--base-url', `http://127.0.0.1:${port}`, '--api-key', key],
    ]);
    await new Promise((resolve) => server.close(resolve));
    expect(run.status).toBe(1);
    expect(run.stdout).toContain('invalid x-api-key [');
    expect(resultOf(run)).toMatchObject({ is_error: true });
    expect(run.stdout + run.stderr).not.toContain(key);
  });

  it('takes a server that knows no pages, and a stand-in for a key that is part of words', async () => {
    const server = createServer((_request, response) => {
      // No CORS headers, and no answer to a preflight.
      response.writeHead(400, { 'content-type': 'application/json' });
      const error = { type: 'invalid_request_error', message: 'a word in the workspace' };
      response.end(JSON.stringify({ type: 'error', error }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const run = await headless([
      ...['--prompt', 'x', '--workspace', makeWorkspace(small)],
      ...['--base-url', `http://127.0.0.1:${port}`, '--api-key', 'work'],
    ]);
    await new Promise((resolve) => server.close(resolve));
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
    const run = await headless(
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
