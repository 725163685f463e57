// Plugins of the workspace: what a folder brings has the plugin's name before its own, and loosens nothing by itself.
import { describe, expect, it } from 'vitest';
import type { Host } from '../../../src/agent/host.ts';
import { query } from '../../../src/agent/query.ts';
import type { QueryOptions, WorkspaceTrustQuestion } from '../../../src/agent/query-options.ts';
import { dirname } from '../../../src/core/path.ts';
import { quickHost } from '../../support/sessions/open-sessions.ts';
import { asks, listModel, says } from '../../support/turns/play-turns.ts';
import { readAll } from '../../support/turns/run-hooked.ts';
import { skillText, toDeniedTools, toSkillOutputs } from '../../support/turns/skills.ts';
import { lastPrompt, talk } from '../../support/sessions/talk-commands.ts';

const folder = '/workspace/plugins/review';
const plugins = [{ type: 'local', path: './plugins/review' }] as const;
const manifest = (fields: object) => ({
  [`${folder}/.claude-plugin/plugin.json`]: JSON.stringify(fields),
});
const agentText = (name: string) => `---\nname: ${name}\ndescription: checks\n---\nCheck.`;

async function openWith(files: Readonly<Record<string, string>>): Promise<Host> {
  const host = await quickHost();
  for (const [path, text] of Object.entries(files)) {
    await host.workspace.fs.mkdir(dirname(path), { recursive: true });
    await host.workspace.fs.writeFile(path, text);
  }
  return host;
}

/** What the first message of a query says of its plugins. */
async function begin(
  files: Readonly<Record<string, string>>,
  given: QueryOptions['plugins'] = plugins,
) {
  const host = await openWith(files);
  const model = listModel('m', [says('Fine.')]);
  const [init] = await readAll(query({ prompt: 'Go.', options: { host, model, plugins: given } }));
  return init as Extract<typeof init, { readonly subtype: 'init' }>;
}

describe('a plugin', () => {
  it('brings commands, skills and agents under its name, without any source switched on', async () => {
    const init = await begin({
      ...manifest({ name: 'review', version: '1.2.0' }),
      [`${folder}/commands/look.md`]: 'Look.',
      [`${folder}/commands/code/deep.md`]: 'Look deeply.',
      [`${folder}/skills/style/SKILL.md`]: skillText('description: Style', 'Be brief.'),
      [`${folder}/agents/checker.md`]: agentText('checker'),
      '/workspace/.claude/commands/own.md': 'The project’s.',
    });
    expect(init).toMatchObject({
      plugins: [{ name: 'review', path: folder, version: '1.2.0' }],
      skills: ['review:style'],
      agents: expect.arrayContaining(['review:checker']),
      slash_commands: expect.arrayContaining(['review:look', 'review:code:deep', 'review:style']),
      warnings: [],
    });
    expect(init.slash_commands).not.toContain('own');
    expect(init).not.toHaveProperty('plugin_errors');
  });

  it('needs no manifest: then its folder names it', async () => {
    const init = await begin({ [`${folder}/commands/look.md`]: 'Look.' });
    expect(init.plugins).toEqual([{ name: 'review', path: folder }]);
    expect(init.slash_commands).toContain('review:look');
  });

  it('may name more folders, files and a skill’s own folder', async () => {
    const init = await begin({
      ...manifest({
        name: 'r',
        commands: ['./more/one.md', './others'],
        agents: './people/tester.md',
        skills: './one-skill',
      }),
      [`${folder}/commands/look.md`]: 'Look.',
      [`${folder}/more/one.md`]: 'One.',
      [`${folder}/more/two.md`]: 'Two.',
      [`${folder}/others/three.md`]: 'Three.',
      [`${folder}/people/tester.md`]: agentText('tester'),
      [`${folder}/one-skill/SKILL.md`]: skillText('name: alone\ndescription: x', 'Alone.'),
    });
    expect(init.slash_commands.filter((name) => name.startsWith('r:'))).toEqual([
      'r:alone',
      'r:look',
      'r:one',
      'r:three',
    ]);
    expect(init.agents).toContain('r:tester');
    expect(init.skills).toEqual(['r:alone']);
  });

  it('is used as the project’s own are: command, skill and agent', async () => {
    const host = await openWith({
      [`${folder}/commands/look.md`]: 'Look at $1, by ${CLAUDE_PLUGIN_ROOT}/rules.txt.',
      [`${folder}/skills/style/SKILL.md`]: skillText(
        'description: Style',
        'See ${CLAUDE_PLUGIN_ROOT}/style.txt.',
      ),
      [`${folder}/agents/checker.md`]: agentText('checker'),
    });
    const use = (name: string, input: Readonly<Record<string, unknown>>) =>
      asks({ type: 'tool_use', id: `call-${name}`, name, input });
    const model = listModel('m', [
      says('Looked.'),
      use('Skill', { skill: 'review:style' }),
      use('Agent', {
        subagent_type: 'review:checker',
        description: 'Check',
        prompt: 'Go.',
        run_in_background: false,
      }),
      says('Checked.'),
      says('Done.'),
    ]);
    const options = { plugins, model, settingSources: [] };
    const { told } = await talk(host, ['/review:look a.txt'], options);
    expect(lastPrompt(model)).toBe(`Look at a.txt, by ${folder}/rules.txt.`);
    expect(told.at(-1)).toMatchObject({ type: 'result', result: 'Looked.' });

    const later = await talk(host, ['Go on.'], options);
    const outputs = toSkillOutputs(later.told);
    expect(outputs).toMatchObject([
      { text: expect.stringContaining(`See ${folder}/style.txt.`) },
      { agentType: 'review:checker' },
    ]);
    expect(model.requests.some(({ system }) => JSON.stringify(system).includes('Check.'))).toBe(
      true,
    );
  });

  it('is read anew before each prompt', async () => {
    const host = await openWith({ [`${folder}/commands/look.md`]: 'Look.' });
    const model = listModel('m', [says('One.'), says('Two.')]);
    await talk(host, ['/review:look'], { plugins, model });
    expect(lastPrompt(model)).toBe('Look.');
    await host.workspace.fs.writeFile(`${folder}/commands/look.md`, 'Look again.');
    await talk(host, ['/review:look'], { plugins, model });
    expect(lastPrompt(model)).toBe('Look again.');
  });

  it('loosens only once a person has trusted exactly its texts', async () => {
    const questions: WorkspaceTrustQuestion[] = [];
    const play = async (options: Partial<QueryOptions>) => {
      const host = await openWith({
        [`${folder}/commands/go.md`]: '---\nallowed-tools: Write(out/**)\n---\nWrite.',
        [`${folder}/.mcp.json`]: '{"mcpServers":{"x":{"type":"http","url":"https://x.test"}}}',
      });
      const model = listModel('m', [
        asks({
          type: 'tool_use',
          id: 'w',
          name: 'Write',
          input: { file_path: 'out/a', content: 'a' },
        }),
        says('Done.'),
      ]);
      const { told } = await talk(host, ['/review:go'], { plugins, ...options, model });
      return toDeniedTools(told);
    };
    expect(await play({})).toEqual(['Write']);
    const trustWorkspace = (question: WorkspaceTrustQuestion) => questions.push(question) > 0;
    expect(await play({ trustWorkspace })).toEqual([]);
    expect(questions).toMatchObject([
      {
        paths: [`${folder}/commands/go.md`, `${folder}/.mcp.json`],
        definitions: [
          { path: `${folder}/commands/go.md`, allow: ['Write(out/**)'] },
          { path: `${folder}/.mcp.json`, servers: ['plugin:review:x'] },
        ],
      },
    ]);
    questions.length = 0;
    await play({ trustWorkspace, plugins: [{ ...plugins[0], skipMcpDiscovery: true }] });
    expect(questions).toMatchObject([{ paths: [`${folder}/commands/go.md`] }]);
  });

  it('is reached by rules that name what it brings', async () => {
    const host = await openWith({
      [`${folder}/skills/style/SKILL.md`]: skillText('description: Style', 'Be brief.'),
      [`${folder}/agents/checker.md`]: agentText('checker'),
    });
    const use = (name: string, input: Readonly<Record<string, unknown>>) =>
      asks({ type: 'tool_use', id: `call-${name}`, name, input });
    const model = listModel('m', [
      use('Skill', { skill: 'review:style' }),
      use('Agent', { subagent_type: 'review:checker', description: 'Check', prompt: 'Go.' }),
      says('Done.'),
    ]);
    const disallowedTools = ['Skill(review:*)', 'Agent(review:checker)'];
    const { told } = await talk(host, ['Go.'], { plugins, model, disallowedTools });
    expect(toDeniedTools(told)).toEqual(['Skill', 'Agent']);
    expect(JSON.stringify(model.requests[0]?.messages)).not.toContain('review:style');
  });

  it('brings no workflows, also where it is a project itself', async () => {
    const script = "export const meta = { name: 'w', description: 'd' };";
    const host = await openWith({ [`${folder}/.claude/workflows/w.js`]: script });
    const model = listModel('m', [
      asks({ type: 'tool_use', id: 'w', name: 'Workflow', input: { name: 'w' } }),
      says('Done.'),
    ]);
    await talk(host, ['Go.'], { plugins, model, permissionMode: 'bypassPermissions' });
    const told = JSON.stringify(model.requests.at(-1)?.messages);
    expect(told).toContain('This query takes no workflows by name');
  });

  it('tells nothing of what Read may not', async () => {
    const host = await openWith({ [`${folder}/commands/look.md`]: 'Look.' });
    const model = listModel('m', [says('Fine.')]);
    const options = { host, model, plugins, disallowedTools: [`Read(${folder}/**)`] };
    const [init] = await readAll(query({ prompt: 'Go.', options }));
    expect(JSON.stringify(init)).not.toContain('review:look');
  });
});

describe('a plugin that can’t be used', () => {
  it.each<[string, Readonly<Record<string, string>>, object]>([
    ['isn’t there', {}, { plugin: './plugins/review', type: 'not-found', path: folder }],
    ['is a file', { [folder]: 'text' }, { type: 'not-found' }],
    [
      'has a manifest that is no JSON',
      { [`${folder}/.claude-plugin/plugin.json`]: '{' },
      { type: 'bad-manifest', message: expect.stringContaining("plugin.json can't be read") },
    ],
    [
      'has a name that can’t be one',
      manifest({ name: 'a:b' }),
      { type: 'bad-manifest', message: expect.stringContaining('Its name is "a:b"') },
    ],
    [
      'names what isn’t in its folder',
      manifest({ name: 'r', commands: '../../.claude/commands' }),
      { type: 'bad-manifest', message: expect.stringContaining('Give paths in its folder') },
    ],
  ])('is left out with a sentence where it %s', async (_, files, error) => {
    const init = await begin(files);
    expect(init.plugins).toEqual([]);
    expect(init.plugin_errors).toMatchObject([error]);
    expect(init.warnings).toEqual(init.plugin_errors?.map(({ message }) => message));
  });

  it('is the second of two with one name', async () => {
    const init = await begin(
      { [`${folder}/commands/a.md`]: 'A.', '/workspace/other/review/commands/b.md': 'B.' },
      [...plugins, { type: 'local', path: '/workspace/other/review' }],
    );
    expect(init.plugins).toHaveLength(1);
    expect(init.plugin_errors).toMatchObject([{ plugin: 'review', type: 'bad-manifest' }]);
  });

  it('says which of its parts need a process, and brings the others', async () => {
    const init = await begin({
      [`${folder}/hooks/hooks.json`]: '{}',
      [`${folder}/monitors/monitors.json`]: '[]',
      [`${folder}/bin/check.sh`]: 'exit 0',
      [`${folder}/settings.json`]: '{"agent":"checker"}',
      [`${folder}/commands/look.md`]: 'Look.',
      ...manifest({ name: 'review', lspServers: './lsp.json' }),
    });
    expect(init.slash_commands).toContain('review:look');
    const parts = ['Its hooks', 'language servers', 'Its monitors', 'in its bin', 'settings.json'];
    expect(init.plugin_errors).toMatchObject(
      parts.map((part) => ({
        plugin: 'review',
        type: 'not-here',
        message: expect.stringContaining(part) as string,
      })),
    );
    expect(init.warnings).toEqual(init.plugin_errors?.map(({ message }) => message));
  });

  it('leaves out a skill and a command whose hooks would be their guard, and says so', async () => {
    const guarded = '---\ndescription: x\nhooks:\n  PreToolUse: []\n---\nGo.';
    const init = await begin({
      [`${folder}/skills/guarded/SKILL.md`]: guarded,
      [`${folder}/commands/guarded.md`]: guarded,
      [`${folder}/commands/look.md`]: 'Look.',
    });
    expect(init.skills).toEqual([]);
    expect(init.slash_commands).toContain('review:look');
    expect(init.slash_commands).not.toContain('review:guarded');
    const why = 'Its hooks are commands, and there are no processes here.';
    expect(init.warnings).toEqual([
      expect.stringContaining(why),
      ...[expect.stringContaining(why)],
    ]);
  });

  it('may be one skill by itself', async () => {
    const text = skillText('description: Style', 'Be brief.');
    const init = await begin({ [`${folder}/SKILL.md`]: text });
    expect(init.skills).toEqual(['review:review']);
    const named = skillText('name: style\ndescription: Style', 'Be brief.');
    const other = await begin({ [`${folder}/SKILL.md`]: named, ...manifest({ name: 'r' }) });
    expect(other.skills).toEqual(['r:style']);
    const both = { [`${folder}/SKILL.md`]: text, [`${folder}/skills/own/SKILL.md`]: text };
    expect((await begin(both)).skills).toEqual(['review:own']);
  });

  it.each([
    ['plugins/review'],
    [['./plugins/review']],
    [[{ type: 'git', path: 'x' }]],
    [[{ type: 'local' }]],
  ])('is refused before anything runs: %j', async (given) => {
    const options = { host: await quickHost(), model: listModel('m', []) };
    expect(() =>
      query({ prompt: 'Go.', options: { ...options, plugins: given as never } }),
    ).toThrow(expect.objectContaining({ code: 'bad-usage', data: { option: 'plugins' } }));
  });
});
