// A deny wins whatever the path: by whichever tool, name, spelling, link or cell a file is reached.
// It wins whatever a hook or an answer makes of the input, and whatever mode or rule allows it.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as z from 'zod';
import type { HooksOption } from '../../../../src/agent/hooks/hooks.ts';
import type { QueryOptions } from '../../../../src/agent/query-options.ts';
import type { Host } from '../../../../src/agent/host.ts';
import { buildTool } from '../../../../src/core/tool/build-tool.ts';
import type { ToolDef } from '../../../../src/core/tool/build-tool.ts';
import { permissionModes } from '../../../../src/core/permissions/permission.ts';
import type { CanUseTool, PermissionUpdate } from '../../../../src/core/permissions/permission.ts';
import type { Tool } from '../../../../src/core/tool/tool.ts';
import type { ScriptTurn } from '../../../../src/model/script.ts';
import { callTool, openHost, runHooked } from '../../../support/turns/run-hooked.ts';
import { runsHere } from '../../../support/runs-here.ts';

const secret = 'The word is xyzzy.';
const denied = ['Edit(secret/**)', 'Read(secret/**)'];

async function openSecrets(): Promise<Host> {
  const host = await openHost();
  const { fs } = host.workspace;
  await fs.mkdir(`${host.cwd}/secret`, { recursive: true });
  await fs.writeFile(`${host.cwd}/secret/a.txt`, secret);
  await fs.mkdir(`${host.cwd}/open`, { recursive: true });
  await fs.symlink(`${host.cwd}/secret`, `${host.cwd}/open/directory`);
  await fs.symlink('../secret/a.txt', `${host.cwd}/open/file.txt`);
  return host;
}

/** Spellings of the same file, and ways to it. */
const path = fc.constantFrom(
  'secret/a.txt',
  './secret/../secret/a.txt',
  '/workspace/secret/a.txt',
  '/workspace/open/../secret//a.txt',
  'open/file.txt',
  'open/directory/a.txt',
  './open/directory/../directory/a.txt',
);

const json = (value: unknown) => JSON.stringify(value);

/** What a cell does with it. Each line by itself, so that one that is refused keeps none from the others. */
const cellLines = (file: string): readonly string[] => [
  `fs.writeFileSync(${json(file)}, 'changed')`,
  `fs.appendFileSync(${json(file)}, 'changed')`,
  `console.log(fs.readFileSync(${json(file)}, 'utf8'))`,
  `fs.unlinkSync(${json(file)})`,
  `fs.renameSync(${json(file)}, 'stolen.txt'); console.log(fs.readFileSync('stolen.txt', 'utf8'))`,
  `fs.copyFileSync(${json(file)}, 'stolen.txt'); console.log(fs.readFileSync('stolen.txt', 'utf8'))`,
  `fs.renameSync('a.txt', ${json(file)})`,
  `fs.renameSync('secret', 'moved'); console.log(fs.readFileSync('moved/a.txt', 'utf8'))`,
  `fs.symlinkSync('/workspace/secret', 'mine'); console.log(fs.readFileSync('mine/a.txt', 'utf8'))`,
  `fs.symlinkSync('/workspace/secret', 'ours'); fs.writeFileSync('ours/a.txt', 'changed')`,
  `fs.linkSync(${json(file)}, 'hard.txt'); console.log(fs.readFileSync('hard.txt', 'utf8'))`,
  `fs.rmSync('secret', { recursive: true })`,
  `console.log((await tools.Read({ file_path: ${json(file)} })).file.content)`,
  `await tools.Write({ file_path: ${json(file)}, content: 'changed' })`,
  `await tools.Edit({ file_path: ${json(file)}, old_string: 'xyzzy', new_string: 'changed' })`,
  `console.log(JSON.stringify(await tools.Grep({ pattern: 'The word', output_mode: 'content' })))`,
];

const route = fc.record({
  way: fc.constantFrom('Read', 'Write', 'Edit', 'Grep', 'Own', 'Old', 'mcp__disk__put', 'cell'),
  path,
  line: fc.nat(cellLines('').length - 1),
});

type Route = typeof route extends fc.Arbitrary<infer T> ? T : never;

function toTurn({ way, path: file, line }: Route, id: string): ScriptTurn {
  if (way === 'cell') {
    const code = `try { ${cellLines(file)[line]} } catch (error) { console.log(error.name); }`;
    return callTool('Repl', { code }, id);
  }
  if (way === 'Read') return callTool('Read', { file_path: file }, id);
  if (way === 'Grep')
    return callTool('Grep', { pattern: 'word', path: file, output_mode: 'content' }, id);
  if (way === 'Edit') {
    return callTool('Edit', { file_path: file, old_string: 'xyzzy', new_string: 'changed' }, id);
  }
  if (way === 'Write') return callTool('Write', { file_path: file, content: 'changed' }, id);
  return callTool(way, { path: file }, id);
}

/** Writes what it names, once the full check allows it: a host's own tool, or a server's. */
function puttingTool(name: string, host: Host, more: object = {}): Tool {
  const schema = z.strictObject({ path: z.string() });
  return buildTool({
    name,
    inputSchema: schema,
    alwaysLoad: true,
    getPath: (input) => input.path,
    description: async () => 'Puts a file.',
    prompt: async () => '',
    mapToolResultToToolResultBlockParam: (content, tool_use_id) => ({
      type: 'tool_result',
      tool_use_id,
      content: String(content),
    }),
    async call({ path: file }, { abortController: { signal }, cwd }, canUseTool) {
      const input = { file_path: file, content: 'changed' };
      const answer = await canUseTool('Write', input, { signal, toolUseID: 'own', requestId: '1' });
      if (answer?.behavior !== 'allow') return { data: 'not allowed' };
      await host.workspace.fs.writeFile(file.startsWith('/') ? file : `${cwd}/${file}`, 'changed');
      return { data: 'put' };
    },
    ...more,
  } satisfies ToolDef<typeof schema>) as unknown as Tool;
}

const everything = [
  'Edit',
  'Write',
  'Read',
  'Grep',
  'Repl',
  'Own',
  'mcp__disk',
  'Edit(**)',
  'Edit(secret/a.txt)',
  'Read(**)',
  'Repl(fs.write:**)',
  'Repl(fs.read:**)',
];
const updates: PermissionUpdate[] = [
  {
    type: 'addRules',
    behavior: 'allow',
    destination: 'session',
    rules: [
      { toolName: 'Edit' },
      { toolName: 'Edit', ruleContent: 'secret/**' },
      { toolName: 'Repl' },
    ],
  },
  { type: 'addDirectories', directories: ['secret'], destination: 'session' },
];

const scenario = fc.record({
  routes: fc.array(route, { minLength: 1, maxLength: 4 }),
  mode: fc.constantFrom(...permissionModes),
  allowedBy: fc.constantFrom('nobody', 'managedSettings', 'settings', 'cliArg', 'session'),
  deniedBy: fc.constantFrom('managedSettings', 'settings', 'cliArg'),
  hook: fc.constantFrom('none', 'allow', 'rewrite'),
  answer: fc.constantFrom('none', 'allow', 'rewrite'),
});

type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

/** The same call, to the secret: as a hook or a person might have it. */
function rewrite(input: Record<string, unknown>): Record<string, unknown> {
  if ('file_path' in input) return { ...input, file_path: 'open/directory/a.txt' };
  return 'path' in input ? { ...input, path: 'secret/a.txt' } : input;
}

function toOptions({ mode, allowedBy, deniedBy, hook, answer }: Scenario) {
  const settings = (name: 'managedSettings' | 'settings') => ({
    permissions: {
      ...(allowedBy === name && { allow: everything }),
      ...(deniedBy === name && { deny: denied }),
    },
  });
  const hooks: HooksOption = {
    PreToolUse: [
      {
        hooks: [
          async ({ tool_input }) => ({
            hookSpecificOutput: {
              hookEventName: 'PreToolUse',
              permissionDecision: 'allow',
              ...(hook === 'rewrite' && {
                updatedInput: rewrite(tool_input as Record<string, unknown>),
              }),
            },
          }),
        ],
      },
    ],
  };
  const canUseTool: CanUseTool = async (_, input, { changes }) => ({
    behavior: 'allow',
    ...(answer === 'rewrite' && !changes && { updatedInput: rewrite(input) }),
    ...(allowedBy === 'session' && { updatedPermissions: updates }),
  });
  return {
    permissionMode: mode,
    managedSettings: settings('managedSettings'),
    settings: settings('settings'),
    allowedTools: allowedBy === 'cliArg' ? everything : [],
    disallowedTools: deniedBy === 'cliArg' ? denied : [],
    ...(hook !== 'none' && { hooks }),
    ...(answer !== 'none' && { canUseTool }),
  } satisfies Omit<QueryOptions, 'host' | 'model'>;
}

async function play(given: Scenario): Promise<{ readonly told: string; readonly file: string }> {
  await using host = await openSecrets();
  const mcp = { isMcp: true, mcpInfo: { serverName: 'disk', toolName: 'put' } };
  const own = [
    puttingTool('Own', host, { aliases: ['Old'] }),
    puttingTool('mcp__disk__put', host, mcp),
  ];
  const tools = [...(await host.loadTools()), ...own];
  const turns = given.routes.map((one, at) => toTurn(one, `call-${at}`));
  const { requests } = await runHooked(host, turns, { ...toOptions(given), tools });
  const file = await host.workspace.fs.readFile(`${host.cwd}/secret/a.txt`, 'utf8');
  // What the model gave itself doesn't tell it anything.
  const told = JSON.stringify((requests.at(-1) ?? []).filter(({ role }) => role === 'user'));
  return { told, file };
}

it('keeps a denied file unread and unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (given) => {
      const { told, file } = await play(given);
      expect(file).toBe(secret);
      expect(told).not.toContain('The word is');
    }),
    { numRuns: runsHere(60) },
  );
}, 600_000);

// The same ways reach the file where nothing denies it: otherwise the property says nothing.
it.each<Route>([
  { way: 'Read', path: 'open/file.txt', line: 0 },
  { way: 'Write', path: './secret/../secret/a.txt', line: 0 },
  { way: 'Own', path: 'secret/a.txt', line: 0 },
  { way: 'Old', path: 'secret/a.txt', line: 0 },
  { way: 'mcp__disk__put', path: 'secret/a.txt', line: 0 },
  ...cellLines('').flatMap((_, line): Route[] =>
    line === 10 ? [] : [{ way: 'cell', path: 'secret/a.txt', line }],
  ),
])('reaches it by %j where nothing denies it', async (one) => {
  await using host = await openSecrets();
  const own = [
    puttingTool('Own', host, { aliases: ['Old'] }),
    puttingTool('mcp__disk__put', host, { isMcp: true }),
  ];
  const before = one.way === 'Write' || cellLines('')[one.line]?.includes('tools.') === true;
  const read = callTool('Read', { file_path: 'secret/a.txt' }, 'before');
  const { requests } = await runHooked(host, [...(before ? [read] : []), toTurn(one, 'call-0')], {
    tools: [...(await host.loadTools()), ...own],
    permissionMode: 'acceptEdits',
    canUseTool: async () => ({ behavior: 'allow' }),
  });
  const last = JSON.stringify(requests.at(-1)?.at(-1));
  const file = await host.workspace.fs.readFile(`${host.cwd}/secret/a.txt`, 'utf8').catch(() => '');
  expect(file !== secret || last.includes('The word is')).toBe(true);
});
