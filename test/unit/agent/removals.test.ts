// What stood there before the session isn't removed or emptied without a person's word. That is
// judged from the change set when a call's files are kept, by whichever tool and however it was
// written.
import { describe, expect, it } from 'vitest';
import type {
  CanUseToolOptions,
  PermissionResult,
} from '../../../src/core/permissions/permission.ts';
import type { Host } from '../../../src/agent/host.ts';
import { converse } from '../../support/turns/background.ts';
import { createPerson } from '../../support/turns/run-cells.ts';
import type { HookedOptions } from '../../support/turns/run-hooked.ts';
import { callTool, openHost, runHooked, toResults } from '../../support/turns/run-hooked.ts';
import type { ScriptTurn } from '../../../src/model/script.ts';

const acceptEdits = { permissionMode: 'acceptEdits' } as const;
const no: PermissionResult = { behavior: 'deny', message: 'Keep them.' };
const yes: PermissionResult = { behavior: 'allow' };

async function openTree(): Promise<Host> {
  const host = await openHost();
  const { fs } = host.workspace;
  await fs.mkdir(`${host.cwd}/src/deep`, { recursive: true });
  await fs.mkdir(`${host.cwd}/bare`);
  await fs.writeFile(`${host.cwd}/src/a.ts`, 'a');
  await fs.writeFile(`${host.cwd}/src/deep/b.ts`, 'b');
  await fs.writeFile(`${host.cwd}/empty.txt`, '');
  await fs.symlink('src/a.ts', `${host.cwd}/link`);
  return host;
}

const cell = (code: string, more: object = {}) => callTool('Repl', { code, ...more });
const read = (file_path: string) => callTool('Read', { file_path });
const write = (file_path: string, content: string) => callTool('Write', { file_path, content });

interface Played {
  readonly asked: readonly CanUseToolOptions[];
  readonly results: readonly string[];
}

async function play(
  host: Host,
  turns: readonly ScriptTurn[],
  options: HookedOptions,
  answer: PermissionResult = no,
): Promise<Played> {
  const asked: CanUseToolOptions[] = [];
  const { messages } = await runHooked(
    host,
    turns.map((turn, at) => ({
      blocks: turn.blocks.map((block) => ({ ...block, id: `call-${at}` })),
    })),
    {
      canUseTool: async (_name, _input, question) => {
        asked.push(question);
        return answer;
      },
      ...options,
    },
  );
  return { asked, results: toResults(messages) };
}

const removeSrc = `fs.rmSync('src', { recursive: true })`;

describe('removing or emptying what stood there before the session', () => {
  it.each<[string, HookedOptions]>([
    ['acceptEdits', acceptEdits],
    [
      'auto, without its classifier',
      {
        permissionMode: 'auto',
        autoClassifier: async () => ({ behavior: 'allow', message: 'It is harmless.' }),
      },
    ],
    ['default', {}],
    ['default with an allow rule on Edit', { allowedTools: ['Edit'] }],
    ['default with one on Repl', { allowedTools: ['Repl'] }],
    [
      'acceptEdits with one on what cells write',
      { ...acceptEdits, allowedTools: ['Repl(fs.write:**)'] },
    ],
    [
      'acceptEdits with one on removing something else',
      { ...acceptEdits, allowedTools: ['Repl(fs.remove:dist/**)'] },
    ],
  ])('is asked in %s, proposing no, with nothing that would spare the next', async (_, options) => {
    await using host = await openTree();
    const { asked, results } = await play(host, [cell(removeSrc)], options);
    expect(asked).toHaveLength(1);
    const [{ description, defaultToNo, suppressAlwaysAllowRule, suggestions, decisionReason }] =
      asked as [CanUseToolOptions];
    expect({
      description,
      defaultToNo,
      suppressAlwaysAllowRule,
      suggestions,
      decisionReason,
    }).toEqual({
      description: 'delete src/a.ts\ndelete src/deep/b.ts\ndelete src/deep\ndelete src',
      defaultToNo: true,
      suppressAlwaysAllowRule: true,
      suggestions: undefined,
      decisionReason:
        '/workspace/src/a.ts stood there before this session, and removing or emptying it asks',
    });
    expect(results[0]).toContain('Keep them.');
    expect(await host.workspace.fs.readdir(`${host.cwd}/src`)).toEqual(['a.ts', 'deep']);
  });

  it.each<[string, HookedOptions]>([
    ['bypassPermissions', { permissionMode: 'bypassPermissions' }],
    ['default with a rule that names it', { allowedTools: ['Repl(fs.remove:src/**)'] }],
    [
      'dontAsk with a rule that names it',
      { permissionMode: 'dontAsk', allowedTools: ['Repl(fs.remove:src/**)'] },
    ],
  ])('isn’t asked in %s', async (_, options) => {
    await using host = await openTree();
    const code = `fs.rmSync('src/a.ts'); fs.rmSync('src/deep', { recursive: true })`;
    const { asked } = await play(host, [cell(code)], options);
    expect(asked).toEqual([]);
    expect(await host.workspace.fs.readdir(`${host.cwd}/src`)).toEqual([]);
  });

  it('is refused where nobody is asked, and by a rule that denies it', async () => {
    await using host = await openTree();
    const refused = await play(host, [cell(removeSrc)], {
      permissionMode: 'dontAsk',
      allowedTools: ['Repl', 'Edit'],
    });
    expect(refused.results[0]).toContain('the permission mode is dontAsk');
    const denied = await play(host, [cell(removeSrc)], {
      permissionMode: 'bypassPermissions',
      disallowedTools: ['Repl(fs.remove:src/deep/**)'],
    });
    expect(denied.results[0]).toContain('the deny rule Repl(fs.remove:src/deep/**) says so');
    const asked = await play(host, [cell(`fs.unlinkSync('a.txt')`)], {
      permissionMode: 'bypassPermissions',
      settings: { permissions: { ask: ['Repl(fs.remove:*.txt)'] } },
    });
    expect(asked.asked).toHaveLength(1);
    expect(await host.workspace.fs.readdir(`${host.cwd}/src`)).toEqual(['a.ts', 'deep']);
  });

  it.each([
    ['a file removed', `fs.unlinkSync('a.txt')`],
    ['an empty file removed', `fs.unlinkSync('empty.txt')`],
    ['a link removed', `fs.unlinkSync('link')`],
    ['a file emptied by writing', `fs.writeFileSync('a.txt', '')`],
    ['a file emptied by truncating', `fs.truncateSync('a.txt')`],
    ['a file emptied by a copy', `fs.copyFileSync('empty.txt', 'a.txt')`],
    ['a file emptied by a move', `fs.renameSync('empty.txt', 'a.txt')`],
    ['a file that gives way to a link', `fs.unlinkSync('a.txt'); fs.symlinkSync('src', 'a.txt')`],
    ['a file that gives way to a directory', `fs.unlinkSync('a.txt'); fs.mkdirSync('a.txt')`],
    [
      'a file removed by a tool that the cell calls',
      `await tools.Write({ file_path: 'new', content: '' }); fs.unlinkSync('a.txt')`,
    ],
    [
      'a file emptied by a tool that the cell calls',
      `fs.readFileSync('a.txt'); await tools.Write({ file_path: 'a.txt', content: '' }).catch(() => {})`,
    ],
    [
      'two files moved onto one',
      `fs.renameSync('src/a.ts', 'one'); fs.renameSync('src/deep/b.ts', 'one')`,
    ],
    [
      'a file rewritten elsewhere',
      `fs.writeFileSync('b.txt', fs.readFileSync('a.txt', 'utf8') + '.'); fs.unlinkSync('a.txt')`,
    ],
  ])('is asked for %s', async (_, code) => {
    await using host = await openTree();
    const before = await host.workspace.treeHash();
    const { asked, results } = await play(host, [cell(code)], acceptEdits);
    expect([asked.length, asked[0]?.defaultToNo], results[0]).toEqual([1, true]);
    expect(await host.workspace.treeHash()).toBe(before);
  });

  it.each([
    ['a file moved', `fs.renameSync('a.txt', 'b.txt')`],
    ['an empty file moved', `fs.renameSync('empty.txt', 'still.txt')`],
    ['a link moved', `fs.renameSync('link', 'other')`],
    ['a directory moved', `fs.renameSync('src', 'lib')`],
    ['a log moved and begun anew', `fs.renameSync('a.txt', 'a.1'); fs.writeFileSync('a.txt', '')`],
    ['a file overwritten', `fs.writeFileSync('a.txt', 'other')`],
    ['a file moved over another', `fs.renameSync('src/a.ts', 'a.txt')`],
    ['an empty file touched', `fs.chmodSync('empty.txt', 0o600)`],
    ['an empty directory removed', `fs.rmdirSync('bare')`],
    ['a new empty file', `fs.writeFileSync('new.txt', '')`],
    [
      'what the cell itself has made',
      `fs.writeFileSync('t', 'x'); fs.unlinkSync('t'); fs.writeFileSync('u', 'x')`,
    ],
  ])('isn’t asked for %s', async (_, code) => {
    await using host = await openTree();
    const { asked } = await play(host, [cell(code)], acceptEdits);
    expect(asked).toEqual([]);
  });

  it.each([
    ['what it made', [cell(`fs.writeFileSync('t', 'x')`), cell(`fs.unlinkSync('t')`)], 0],
    ['what it made by Write', [write('t', 'x'), cell(`fs.writeFileSync('t', '')`)], 0],
    ['what it made and changed', [write('t', 'x'), write('t', 'y'), cell(`fs.unlinkSync('t')`)], 0],
    [
      'what it made and moved',
      [write('t', 'x'), cell(`fs.renameSync('t', 'u')`), cell(`fs.unlinkSync('u')`)],
      0,
    ],
    ['what it edited', [cell(`fs.writeFileSync('a.txt', 'x')`), cell(`fs.unlinkSync('a.txt')`)], 1],
    ['what it moved', [cell(`fs.renameSync('a.txt', 't')`), cell(`fs.unlinkSync('t')`)], 1],
    [
      'what it moved twice',
      [
        cell(`fs.renameSync('a.txt', 't')`),
        cell(`fs.renameSync('t', 'u')`),
        cell(`fs.unlinkSync('u')`),
      ],
      1,
    ],
    [
      'what it moved over its own',
      [write('t', 'x'), cell(`fs.renameSync('a.txt', 't')`), cell(`fs.unlinkSync('t')`)],
      1,
    ],
  ])('is known of %s, in later calls', async (_, turns, count) => {
    await using host = await openTree();
    const { asked } = await play(host, turns, acceptEdits);
    expect(asked).toHaveLength(count);
  });

  it('counts what a person has changed of the session’s own', async () => {
    await using host = await openTree();
    const options = {
      ...acceptEdits,
      hooks: {
        PreToolUse: [
          {
            matcher: 'Repl',
            hooks: [
              async () => {
                await host.workspace.fs.writeFile(`${host.cwd}/t`, 'mine');
                return {};
              },
            ],
          },
        ],
      },
    };
    const { asked } = await play(host, [write('t', 'x'), cell(`fs.unlinkSync('t')`)], options);
    expect(asked).toHaveLength(1);
  });

  it.each<[string, HookedOptions, number]>([
    ['acceptEdits', acceptEdits, 1],
    ['default, of who was asked whether it may be written', {}, 2],
    ['an allow rule on Write', { allowedTools: ['Write'] }, 1],
    ['an allow rule on its path', { allowedTools: ['Edit(*.txt)'] }, 1],
    ['bypassPermissions', { permissionMode: 'bypassPermissions' }, 0],
  ])('is asked for a Write of nothing in %s', async (_, options, count) => {
    await using host = await openTree();
    const asked = await play(host, [read('a.txt'), write('a.txt', '')], options, yes);
    expect(asked.asked.map(({ defaultToNo }) => defaultToNo)).toEqual(
      [undefined, true].slice(2 - count),
    );
    expect(await host.workspace.fs.readFile(`${host.cwd}/a.txt`, 'utf8')).toBe('');
  });

  it('is asked for a cell in the background, when it has ended', async () => {
    await using host = await openTree();
    const person = createPerson();
    const talk = converse(host, { prompt: 'Go.', ...acceptEdits, canUseTool: person.canUseTool });
    const asked = await talk.cell(await talk.asked(), removeSrc, { run_in_background: true });
    const question = await person.next();
    expect(question.options.defaultToNo).toBe(true);
    asked.say('Done.');
    question.answer(no);
    await talk.end();
    expect(await host.workspace.fs.readdir(`${host.cwd}/src`)).toEqual(['a.ts', 'deep']);
  });
});
