// Once text from outside is in the conversation, writing the agent's instructions asks a person: by
// whichever tool, in every mode.
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { buildTool } from '../../../../src/core/tool/build-tool.ts';
import type {
  CanUseToolOptions,
  PermissionMode,
} from '../../../../src/core/permissions/permission.ts';
import { callTool, openHost, runHooked, toResults } from '../../../support/turns/run-hooked.ts';
import type { HookedOptions } from '../../../support/turns/run-hooked.ts';
import type { ScriptTurn } from '../../../../src/model/script.ts';

/** Its result may hold text from outside. */
const fetching = buildTool({
  name: 'Fetching',
  inputSchema: z.strictObject({}),
  maxResultSizeChars: 1_000,
  isReadOnly: () => true,
  isOpenWorld: () => true,
  isConcurrencySafe: () => true,
  description: () => Promise.resolve('Fetches.'),
  prompt: () => Promise.resolve('Fetches.'),
  call: () => Promise.resolve({ data: 'text' }),
  mapToolResultToToolResultBlockParam: (_data, tool_use_id) => ({
    ...{ type: 'tool_result', tool_use_id, content: 'text' },
  }),
});

async function play(turn: ScriptTurn, options: HookedOptions, isTainted = true) {
  await using host = await openHost();
  const { fs } = host.workspace;
  await fs.mkdir(`${host.cwd}/lib`);
  await fs.writeFile(`${host.cwd}/AGENTS.md`, 'old');
  await fs.symlink('AGENTS.md', `${host.cwd}/link.md`);
  const asked: CanUseToolOptions[] = [];
  const taint = callTool('Fetching', {}, 'call-taint');
  const read = callTool('Read', { file_path: 'AGENTS.md' }, 'call-read');
  const { messages } = await runHooked(host, [...(isTainted ? [taint] : []), read, turn], {
    allowedTools: ['Fetching'],
    ...options,
    tools: [...(await host.loadTools()), fetching],
    canUseTool: async (_name, _input, question) => {
      asked.push(question);
      return { behavior: 'deny', message: 'Keep it.' };
    },
  });
  const files = ['AGENTS.md', 'CLAUDE.md', 'lib/CLAUDE.local.md'].map((name) =>
    fs.readFile(`${host.cwd}/${name}`, 'utf8').catch(() => undefined),
  );
  return { asked, result: toResults(messages).at(-1), files: await Promise.all(files) };
}

const kept = ['old', undefined, undefined];
const write = (file_path: string) => callTool('Write', { file_path, content: 'new' });
const cell = (code: string) => callTool('Repl', { code });

const writes: readonly (readonly [string, ScriptTurn, string])[] = [
  ['Write', write('CLAUDE.md'), 'CLAUDE.md'],
  ['Write of a local one below', write('lib/CLAUDE.local.md'), 'lib/CLAUDE.local.md'],
  [
    'Edit',
    callTool('Edit', { file_path: 'AGENTS.md', old_string: 'old', new_string: 'new' }),
    'AGENTS.md',
  ],
  ['a cell', cell(`fs.writeFileSync('CLAUDE.md', 'new')`), 'CLAUDE.md'],
  ['a cell that links', cell(`fs.symlinkSync('a.txt', 'CLAUDE.md')`), 'CLAUDE.md'],
  [
    'a cell that moves a file there',
    cell(`fs.writeFileSync('x', 'y'); fs.renameSync('x', 'lib/CLAUDE.local.md')`),
    'lib/CLAUDE.local.md',
  ],
  [
    'a tool that a cell calls',
    cell(`await tools.Write({ file_path: 'CLAUDE.md', content: 'new' })`),
    'CLAUDE.md',
  ],
];

describe('writing instructions in a tainted session', () => {
  it.each(writes)('asks: %s', async (_, turn, name) => {
    const { asked, result, files } = await play(turn, { permissionMode: 'bypassPermissions' });
    expect(asked).toEqual([
      expect.objectContaining({
        decisionReason: expect.stringContaining(
          `/workspace/${name} instructs the agent, and text from outside came into this conversation by Fetching`,
        ),
      }),
    ]);
    expect(result).toContain('Keep it.');
    expect(files).toEqual(kept);
  });

  it.each<[string, PermissionMode, HookedOptions, number]>([
    ['acceptEdits', 'acceptEdits', {}, 1],
    ['a rule that allows it', 'default', { allowedTools: ['Fetching', 'Edit', 'Write'] }, 1],
    [
      'auto, and its classifier isn’t asked',
      'auto',
      {
        autoClassifier: () => Promise.resolve({ behavior: 'allow', message: 'Fine.' }),
      },
      1,
    ],
    ['dontAsk, where it is refused', 'dontAsk', {}, 0],
    ['plan, where it is refused', 'plan', {}, 1],
  ])('asks in mode %s', async (_, permissionMode, options, questions) => {
    const { asked, files } = await play(write('CLAUDE.md'), { permissionMode, ...options });
    expect([asked.length, files]).toEqual([questions, kept]);
  });

  it('names the path to who is asked', async () => {
    const { asked } = await play(write('CLAUDE.md'), { permissionMode: 'bypassPermissions' });
    expect(asked[0]?.blockedPath).toBe('/workspace/CLAUDE.md');
  });

  it('can’t be done by a link from elsewhere', async () => {
    const { asked, files, result } = await play(write('link.md'), {
      permissionMode: 'bypassPermissions',
    });
    expect([asked, files, result]).toEqual([[], kept, expect.stringContaining('AGENTS.md')]);
  });

  it.each(writes)('is as any writing before that: %s', async (_, turn) => {
    const { asked } = await play(turn, { permissionMode: 'acceptEdits' }, false);
    expect(asked).toEqual([]);
  });

  it('asks of a cell that could itself have fetched what it writes', async () => {
    const fetched = cell(`fs.writeFileSync('CLAUDE.md', 'new')`);
    const { asked } = await play(fetched, { permissionMode: 'bypassPermissions' }, false);
    expect(asked[0]?.decisionReason).toContain('came into this conversation by Repl');
  });

  it('leaves other files alone', async () => {
    const { asked } = await play(write('notes.md'), { permissionMode: 'bypassPermissions' });
    expect(asked).toEqual([]);
  });
});
