// What the user has for all projects: the source `user`, below the home directory of the session.
import { describe, expect, it } from 'vitest';
import { query } from '../../../../../src/agent/query.ts';
import type {
  QueryOptions,
  WorkspaceTrustQuestion,
} from '../../../../../src/agent/query-options.ts';
import type { Host } from '../../../../../src/agent/host.ts';
import { dirname } from '../../../../../src/core/path.ts';
import { openMemory } from '../../../../support/stages/open-memory.ts';
import { quickHost } from '../../../../support/sessions/open-sessions.ts';
import { asks, listModel, says } from '../../../../support/turns/play-turns.ts';
import { readAll } from '../../../../support/turns/run-hooked.ts';
import { skillText, toDeniedTools, toSkillOutputs } from '../../../../support/turns/skills.ts';
import { lastPrompt, talk } from '../../../../support/sessions/talk-commands.ts';

const home = '/user';
const both = { settingSources: ['user', 'project'], homeDirectory: home } as const;

async function openWith(files: Readonly<Record<string, string>>): Promise<Host> {
  const host = await quickHost();
  for (const [path, text] of Object.entries(files)) {
    await host.workspace.fs.mkdir(dirname(path), { recursive: true });
    await host.workspace.fs.writeFile(path, text);
  }
  return host;
}

const call = (name: string, input: Readonly<Record<string, unknown>>) =>
  asks({ type: 'tool_use', id: `call-${name}`, name, input });

describe('the instructions of the user', () => {
  const sources = ['user', 'project', 'local'] as const;

  it('are told first, rules too, and by no other name', async () => {
    const { prompt, loaded, memory } = await openMemory(
      {
        '/w/app/CLAUDE.md': 'project',
        [`${home}/.claude/CLAUDE.md`]: 'mine',
        [`${home}/.claude/rules/a.md`]: 'rule',
        [`${home}/CLAUDE.md`]: 'beside',
        [`${home}/.claude/AGENTS.md`]: 'agents',
      },
      { sources, home },
    );
    expect(await prompt()).toEqual(['mine', 'rule', 'project']);
    expect(loaded.map((one) => one.memory_type)).toEqual(['User', 'User', 'Project']);
    expect(memory.record.files.map(({ path }) => path)).toContain(`${home}/.claude/CLAUDE.md`);
  });

  it('are none where the source is not switched on', async () => {
    const files = { [`${home}/.claude/CLAUDE.md`]: 'mine' };
    const { prompt } = await openMemory(files, { sources: ['project'], home });
    expect(await prompt()).toEqual([]);
  });

  it('have rules for files of the project', async () => {
    const { prompt, read } = await openMemory(
      { [`${home}/.claude/rules/ts.md`]: '---\npaths: src/*.ts\n---\nTyped.' },
      { sources, home },
    );
    expect(await prompt()).toEqual([]);
    expect(await read('/w/app/b.ts')).toEqual([]);
    expect(await read('/w/app/src/b.ts')).toEqual(['Typed.']);
  });

  it('import what stands below ~/.claude, for the user’s files alone', async () => {
    const { prompt } = await openMemory(
      {
        [`${home}/.claude/CLAUDE.md`]: '@~/.claude/style.md, @~/keys.txt and @~/../x',
        [`${home}/.claude/style.md`]: 'style',
        [`${home}/.claude/secret.md`]: 'secret',
        [`${home}/keys.txt`]: 'keys',
        '/x': 'x',
        '/w/app/CLAUDE.md': 'I import @~/.claude/secret.md.',
        '/w/app/CLAUDE.local.md': 'So do I @~/.claude/secret.md.',
      },
      { sources, home },
    );
    expect(await prompt()).toEqual([
      'style',
      '@~/.claude/style.md, @~/keys.txt and @~/../x',
      'I import @~/.claude/secret.md.',
      'So do I @~/.claude/secret.md.',
    ]);
  });

  it.each([
    ['by its path', { '/w/app/CLAUDE.md': `@${home}/.claude/secret.md` }],
    ['from below', { '/w/app/CLAUDE.local.md': `@../..${home}/.claude/secret.md` }],
    ['by a link', { '/w/app/AGENTS.md': `-> ${home}/.claude/secret.md` }],
    ['by a rule', { '/w/app/.claude/rules/a.md': `@${home}/.claude/secret.md` }],
    [
      'by a file that the user imports',
      {
        [`${home}/.claude/CLAUDE.md`]: '@/w/app/docs.md',
        '/w/app/docs.md': `@~/.claude/secret.md @${home}/.claude/secret.md`,
      },
    ],
    [
      'by a file that the user links',
      {
        [`${home}/.claude/CLAUDE.md`]: '-> /w/app/docs.md',
        '/w/app/docs.md': `@${home}/.claude/secret.md`,
      },
    ],
  ])('are not brought by a project %s', async (_, files) => {
    const given = { [`${home}/.claude/secret.md`]: 'the secret', ...files };
    const { prompt, read } = await openMemory(given, { sources, home });
    const told = [...(await prompt()), ...(await read('/w/app/a.ts'))];
    expect(told.join('\n')).not.toContain('the secret');
  });

  it('are told anew when they change', async () => {
    const path = `${home}/.claude/CLAUDE.md`;
    const { prompt, workspace } = await openMemory({ [path]: 'mine' }, { sources, home });
    await prompt();
    await workspace.fs.writeFile(path, 'other');
    expect(await prompt()).toEqual(['other']);
  });
});

describe('the definitions of the user', () => {
  it('are commands, which win over those of the project', async () => {
    const host = await openWith({
      [`${home}/.claude/commands/look.md`]: 'Mine.',
      '/workspace/.claude/commands/look.md': 'The project’s.',
      '/workspace/.claude/commands/other.md': 'Other.',
    });
    const model = listModel('claude-test', [says('Fine.')]);
    const { told } = await talk(host, ['/look'], { model, ...both });
    expect(lastPrompt(model)).toBe('Mine.');
    expect(told[0]).toMatchObject({ slash_commands: expect.arrayContaining(['look', 'other']) });
  });

  it('are skills, which win over those of the project', async () => {
    const host = await openWith({
      [`${home}/.claude/skills/review/SKILL.md`]: skillText('description: Mine', 'My review.'),
      '/workspace/.claude/skills/review/SKILL.md': skillText('description: Yours', 'Yours.'),
    });
    const model = listModel('claude-test', [call('Skill', { skill: 'review' }), says('Fine.')]);
    const messages = await readAll(query({ prompt: 'Go.', options: { host, model, ...both } }));
    expect(toSkillOutputs(messages)).toMatchObject([
      { text: expect.stringContaining('My review.') },
    ]);
    expect(messages[0]).toMatchObject({
      warnings: [expect.stringContaining('"review" of /workspace/.claude/skills')],
    });
  });

  it('are agents; of one name the project’s counts', async () => {
    const agent = (name: string, description: string) =>
      `---\nname: ${name}\ndescription: ${description}\n---\nWork.`;
    const host = await openWith({
      [`${home}/.claude/agents/tester.md`]: agent('tester', 'mine'),
      [`${home}/.claude/agents/writer.md`]: agent('writer', 'mine'),
      '/workspace/.claude/agents/tester.md': agent('tester', 'of the project'),
    });
    const { texts } = await talk(host, ['/agents'], { model: listModel('m', []), ...both });
    expect(texts.join('\n')).toMatch(/tester.*of the project/u);
    expect(texts.join('\n')).toMatch(/writer.*mine/u);
  });

  it('loosen only once the person has trusted them, like those of a project', async () => {
    const questions: WorkspaceTrustQuestion[] = [];
    const write = () => call('Write', { file_path: 'out/a', content: 'a' });
    const play = async (options: Partial<QueryOptions>) => {
      const host = await openWith({
        [`${home}/.claude/commands/go.md`]: '---\nallowed-tools: Write(out/**)\n---\nWrite.',
        [`${home}/.mcp.json`]: '{"mcpServers":{"x":{"type":"http","url":"https://x.test"}}}',
      });
      const model = listModel('m', [write(), says('Done.')]);
      return toDeniedTools((await talk(host, ['/go'], { ...both, ...options, model })).told);
    };
    expect(await play({})).toEqual(['Write']);
    expect(await play({ trustWorkspace: (question) => questions.push(question) > 0 })).toEqual([]);
    expect(questions).toMatchObject([
      {
        paths: [`${home}/.claude/commands/go.md`],
        definitions: [{ path: `${home}/.claude/commands/go.md`, allow: ['Write(out/**)'] }],
      },
    ]);
  });
});

describe('the settings of the user', () => {
  const settings = (permissions: object) => JSON.stringify({ permissions });

  it('tighten; the mode is the project’s where both have one', async () => {
    const host = await openWith({
      [`${home}/.claude/settings.json`]: settings({ deny: ['Glob'], defaultMode: 'plan' }),
      '/workspace/.claude/settings.json': settings({ deny: ['Grep'], defaultMode: 'acceptEdits' }),
    });
    const model = listModel('m', [says('Fine.')]);
    const settingSources = ['project', 'user'] as const;
    const options = { host, model, ...both, settingSources, trustWorkspace: () => true };
    const [init] = await readAll(query({ prompt: 'Go.', options }));
    expect(init).toMatchObject({ permissionMode: 'acceptEdits' });
    const { tools } = init as { readonly tools: readonly string[] };
    expect(tools).toContain('Read');
    expect(tools).not.toContain('Glob');
    expect(tools).not.toContain('Grep');
  });

  it('have no mode to ask about where the query has its own', async () => {
    const questions: WorkspaceTrustQuestion[] = [];
    const host = await openWith({
      '/workspace/.claude/settings.json': settings({ defaultMode: 'acceptEdits' }),
    });
    const trustWorkspace = (question: WorkspaceTrustQuestion) => questions.push(question) > 0;
    const play = async (options: Partial<QueryOptions>) => {
      const given = {
        ...both,
        trustWorkspace,
        ...options,
        host,
        model: listModel('m', [says('')]),
      };
      await readAll(query({ prompt: 'Go.', options: given }));
      return questions.map(({ mode }) => mode);
    };
    expect(await play({ permissionMode: 'default' })).toEqual([]);
    expect(await play({})).toEqual(['acceptEdits']);
  });

  it('can be changed by nobody without a question, whatever the mode', async () => {
    const host = await openWith({ [`${home}/.claude/CLAUDE.md`]: 'mine' });
    const model = listModel('m', [
      call('Write', { file_path: `${home}/.claude/settings.json`, content: '{}' }),
      says('Done.'),
    ]);
    const reach = { permissionMode: 'bypassPermissions', additionalDirectories: [home] } as const;
    const messages = await readAll(
      query({ prompt: 'Go.', options: { host, model, ...both, ...reach } }),
    );
    expect(toDeniedTools(messages)).toEqual(['Write']);
  });
});

it('are not taken from behind a link', async () => {
  const host = await openWith({ '/real/.claude/CLAUDE.md': 'mine' });
  await host.workspace.fs.symlink('/real', home);
  const running = query({ prompt: 'Go.', options: { host, model: listModel('m', []), ...both } });
  await expect(readAll(running)).rejects.toThrow('which is a link');
});

describe('a home that can be none', () => {
  it.each<[Partial<QueryOptions>, string]>([
    [{ settingSources: ['user'] }, 'there is no homeDirectory'],
    [{ homeDirectory: 'user' }, 'must be an absolute path'],
    [{ homeDirectory: '/user/../x' }, 'must be an absolute path'],
    [{ homeDirectory: '/workspace' }, 'in the working directory'],
    [{ homeDirectory: '/workspace/home' }, 'in the working directory'],
  ])('is refused before anything runs: %j', async (options, why) => {
    const host = await quickHost();
    const model = listModel('m', []);
    expect(() => query({ prompt: 'Go.', options: { host, model, ...options } })).toThrow(
      expect.objectContaining({ code: 'bad-usage', message: expect.stringContaining(why) }),
    );
  });
});
