// What is found of skills, what is left out and why, and what is read of one.
import { describe, expect, it } from 'vitest';
import {
  trustFiles,
  trustsNothing,
} from '../../../../src/agent/session/settings/workspace-trust.ts';
import { createSkillCatalog } from '../../../../src/agent/skills/skill-catalog.ts';
import type { SkillCatalogOptions } from '../../../../src/agent/skills/skill-catalog.ts';
import { listLooseningSkills } from '../../../../src/agent/skills/workspace-skills.ts';
import { joinPath } from '../../../../src/core/path.ts';
import type { HostSkill, SkillCatalog, SkillSource } from '../../../../src/core/commands/skill.ts';
import { createVirtualClock } from '../../../../src/hosts/inline/virtual-clock.ts';
import { createMemoryWorkspace } from '../../../../src/workspace/memory-workspace.ts';

const cwd = '/workspace';

async function openFiles(files: Readonly<Record<string, string>>) {
  const { fs } = await createMemoryWorkspace();
  await fs.mkdir(cwd, { recursive: true });
  const write = async (path: string, text: string) => {
    const whole = joinPath(cwd, path);
    await fs.mkdir(joinPath(whole, '..'), { recursive: true });
    await fs.writeFile(whole, text);
  };
  for (const [path, text] of Object.entries(files)) await write(path, text);
  return { fs, write };
}

async function open(
  files: Readonly<Record<string, string>>,
  options: Partial<SkillCatalogOptions> & { readonly isTrusting?: boolean } = {},
) {
  const { fs, write } = await openFiles(files);
  const { isTrusting = false, ...rest } = options;
  const trust = isTrusting
    ? await trustFiles(await listLooseningSkills({ fs, cwd }))
    : trustsNothing;
  const warnings: string[] = [];
  const skills = await createSkillCatalog({
    sources: [],
    scopes: [{ source: 'workspace', fs, cwd, trust, mayRead: () => true }],
    reserved: new Map([['compact', 'the command /compact']]),
    clock: createVirtualClock(),
    signal: new AbortController().signal,
    warn: (message) => warnings.push(message),
    ...rest,
  });
  return { fs, write, skills, warnings };
}

const text = (fields: string, body = 'Do it.') => `---\n${fields}\n---\n${body}`;

const sourceOf = (list: unknown, read: SkillSource['read'] = async () => 'Body.'): SkillSource => ({
  name: 'team',
  list: async () => list as readonly HostSkill[],
  read,
});

const namesOf = ({ found }: SkillCatalog) => found.skills.map(({ name }) => name);
const problemsOf = ({ found }: SkillCatalog) => found.problems.map(({ message }) => message);

describe('skills of the workspace', () => {
  it('are folders with a SKILL.md in two places, with all that their front matter says', async () => {
    const fields = [
      'name: review',
      'description: |\n  Looks at\n  changes',
      'when_to_use: Before a commit',
      'argument-hint: "[branch]"',
      'allowed-tools: Read, Edit(src/**, lib/**) Grep',
      'context: fork',
      'agent: Explore',
      'disable-model-invocation: true',
      'user-invocable: false',
    ].join('\n');
    const { skills } = await open({
      '.claude/skills/a/SKILL.md': text(fields),
      '.agents/skills/plain/SKILL.md': '# Plain work\n\nDo it.',
      '.claude/skills/README.md': 'No skill.',
      '.claude/skills/empty/notes.md': 'No skill either.',
    });
    const shared = { source: 'workspace', isTrusted: false };
    expect(skills.found).toEqual({
      problems: [],
      skills: [
        {
          ...shared,
          name: 'plain',
          description: 'Plain work',
          path: '/workspace/.agents/skills/plain/SKILL.md',
          directory: '/workspace/.agents/skills/plain',
          allowedTools: [],
          context: 'inline',
          disableModelInvocation: false,
          userInvocable: true,
        },
        {
          ...shared,
          name: 'review',
          description: 'Looks at changes',
          whenToUse: 'Before a commit',
          argumentHint: '[branch]',
          path: '/workspace/.claude/skills/a/SKILL.md',
          directory: '/workspace/.claude/skills/a',
          allowedTools: ['Read', 'Edit(src/**, lib/**)', 'Grep'],
          context: 'fork',
          agent: 'Explore',
          disableModelInvocation: true,
          userInvocable: false,
        },
      ],
    });
  });

  it.each(['[file]', '[filename] [format]', '<file>'])('may have the hint %s', async (hint) => {
    const { skills } = await open({ '.claude/skills/a/SKILL.md': text(`argument-hint: ${hint}`) });
    expect(skills.found).toMatchObject({ problems: [], skills: [{ argumentHint: hint }] });
  });

  it.each([
    [
      'is broken YAML',
      text('name: [a'),
      /^The skill in \S+\/x\/SKILL\.md is left out: The front matter is no YAML: /,
    ],
    ['has no end of its front matter', '---\nname: a\n', /The front matter has no end/],
    ['has no text', text('description: a', ' \n'), /There is no text below the front matter\.$/],
    [
      'has a name with ..',
      text('name: ../../etc'),
      /Its name is "\.\.\/\.\.\/etc"\. Use at most 64/,
    ],
    ['has a name with two dots', text('name: a..b'), /Its name is "a\.\.b"/],
    [
      'has a wrong flag',
      text('user-invocable: maybe'),
      /"user-invocable" in its front matter must be true or false/,
    ],
    [
      'has a wrong list',
      text('allowed-tools: {a: 1}'),
      /"allowed-tools" in its front matter must be a list/,
    ],
    [
      'has another context',
      text('context: cloud'),
      /"context" must be fork or inline, not "cloud"/,
    ],
    ['is no text', 'a\0b', /It is no text/],
    [
      'has 10 MB',
      'x'.repeat(10 * 1024 * 1024),
      /It has 10485760 bytes, and may have 524288\. Move the details to files beside it\.$/,
    ],
    [
      'is named like a command',
      text('name: compact'),
      /the command \/compact has that name\. Rename the skill\.$/,
    ],
  ])('are left out with the reason where one %s', async (_, broken, reason) => {
    const { skills } = await open({
      '.claude/skills/x/SKILL.md': broken,
      '.claude/skills/y/SKILL.md': 'Fine.',
    });
    expect(namesOf(skills)).toEqual(['y']);
    expect(problemsOf(skills)).toEqual([expect.stringMatching(reason)]);
  });

  it('win by the order of their places where two have one name', async () => {
    const { skills } = await open(
      {
        '.claude/skills/one/SKILL.md': text('name: same', 'Of claude.'),
        '.agents/skills/two/SKILL.md': text('name: same', 'Of agents.'),
        '.claude/skills/host/SKILL.md': 'Of the workspace.',
      },
      { sources: [sourceOf([{ name: 'host', description: 'The host’s own' }])] },
    );
    expect(problemsOf(skills)).toEqual([
      'The skill "host" of /workspace/.claude/skills/host/SKILL.md is left out: team has one of that name. Rename one of them.',
      'The skill "same" of /workspace/.agents/skills/two/SKILL.md is left out: /workspace/.claude/skills/one/SKILL.md has one of that name. Rename one of them.',
    ]);
    expect((await skills.read('same')).body).toBe('Of claude.');
    expect((await skills.read('host')).body).toBe('Body.');
  });

  it('may be links inside of the working directory, and no others', async () => {
    const { fs, skills } = await open({
      'shared/skills/a/SKILL.md': 'Inside.',
      '.claude/skills/own/SKILL.md': 'Own.',
    });
    await fs.mkdir('/outside/b', { recursive: true });
    await fs.writeFile('/outside/b/SKILL.md', 'Outside.');
    await fs.symlink(`${cwd}/shared/skills/a`, `${cwd}/.claude/skills/a`);
    await fs.symlink('/outside/b', `${cwd}/.claude/skills/b`);
    await fs.symlink(`${cwd}/.claude/skills/loop`, `${cwd}/.claude/skills/loop`);
    await skills.list();
    expect(namesOf(skills)).toEqual(['a', 'own']);
    expect(problemsOf(skills)).toEqual([
      'The skill in /workspace/.claude/skills/b/SKILL.md is left out: It is a link to /outside/b/SKILL.md, outside of /workspace. Put the file itself there.',
    ]);
  });

  it('are found anew as they come, change and go, and a person hears of a new problem once', async () => {
    const { fs, write, skills, warnings } = await open({ '.claude/skills/a/SKILL.md': 'First.' });
    await write('.claude/skills/b/SKILL.md', 'New.');
    await write('.claude/skills/a/SKILL.md', 'Second.');
    await write('.claude/skills/c/SKILL.md', text('name: [', 'Broken.'));
    await skills.list();
    await skills.list();
    expect(skills.found.skills.map(({ description }) => description)).toEqual(['Second.', 'New.']);
    expect(warnings).toEqual([expect.stringContaining('/c/SKILL.md is left out')]);
    await fs.rm(`${cwd}/.claude/skills/a`, { recursive: true });
    await skills.list();
    expect(namesOf(skills)).toEqual(['b']);
  });

  it('are read as they are now, and a name that none has is answered with those near it', async () => {
    const { fs, write, skills } = await open({ '.claude/skills/review/SKILL.md': 'First.' });
    await write('.claude/skills/review/SKILL.md', 'Second.');
    expect((await skills.read('review')).body).toBe('Second.');
    await expect(skills.read('reveiw')).rejects.toMatchObject({
      code: 'invalid-input',
      message: 'There is no skill "reveiw". Did you mean review?',
    });
    await fs.rm(`${cwd}/.claude/skills/review`, { recursive: true });
    await expect(skills.read('review')).rejects.toMatchObject({
      code: 'invalid-input',
      message: '/workspace/.claude/skills/review/SKILL.md is not there any more.',
    });
  });

  it('aren’t told where no call may read them', async () => {
    const { fs } = await openFiles({
      '.claude/skills/a/SKILL.md': 'Seen.',
      '.claude/skills/b/SKILL.md': 'Denied.',
    });
    const mayRead = (path: string) => !path.includes('/b/');
    const { skills } = await open(
      {},
      { scopes: [{ source: 'workspace', fs, cwd, trust: trustsNothing, mayRead }] },
    );
    expect(skills.found).toMatchObject({ skills: [{ name: 'a' }], problems: [] });
  });

  it('allow what a person has trusted in exactly this text, and nothing else', async () => {
    const wanting = text('allowed-tools: Edit(src/**) Bash(git:*)');
    const files = { '.claude/skills/a/SKILL.md': wanting, '.claude/skills/b/SKILL.md': 'Plain.' };
    const { write, skills } = await open(files, { isTrusting: true });
    expect(await skills.read('a')).toMatchObject({
      skill: { isTrusted: true },
      allow: ['Edit(src/**)'],
    });
    await write('.claude/skills/a/SKILL.md', `${wanting} And more.`);
    expect(await skills.read('a')).toMatchObject({ skill: { isTrusted: false }, allow: [] });
    await write('.claude/skills/b/SKILL.md', wanting);
    expect(await skills.read('b')).toMatchObject({ skill: { isTrusted: false }, allow: [] });
    const { skills: untrusted } = await open(files);
    expect(await untrusted.read('a')).toMatchObject({ skill: { isTrusted: false }, allow: [] });
  });

  it('may be chosen by name', async () => {
    const files = { '.claude/skills/a/SKILL.md': 'A.', '.claude/skills/b/SKILL.md': 'B.' };
    const { skills } = await open(files, { chosen: ['b', 'other'] });
    expect(namesOf(skills)).toEqual(['b']);
    expect(problemsOf(skills)).toEqual([
      'The option skills names "other", and there is no such skill.',
    ]);
    await expect(skills.read('a')).rejects.toThrow('There is no skill "a".');
  });
});

describe('skills of the host', () => {
  it('are trusted, and their text is asked for when they are used', async () => {
    const asked: string[] = [];
    const read = async (name: string) => {
      asked.push(name);
      return text('argument-hint: [branch] [target]', 'Deploy $ARGUMENTS.');
    };
    const listed = [{ name: 'deploy', description: 'Ships it', allowedTools: ['Repl'] }];
    const { skills } = await open({}, { sources: [sourceOf(listed, read)] });
    expect(asked).toEqual([]);
    expect(await skills.read('deploy')).toEqual({
      skill: {
        name: 'deploy',
        description: 'Ships it',
        source: 'team',
        isTrusted: true,
        allowedTools: ['Repl'],
        context: 'inline',
        disableModelInvocation: false,
        userInvocable: true,
      },
      body: 'Deploy $ARGUMENTS.',
      allow: ['Repl'],
    });
  });

  it.each([
    ['no list', 'x', "The skills of team can't be listed: It gave no list."],
    ['no object', [7], 'A skill of team is left out: It is no object.'],
    [
      'a name with ..',
      [{ name: '../a', description: 'b' }],
      expect.stringMatching(/^A skill of team is left out: Its name is "\.\.\/a"\./),
    ],
    [
      'no description',
      [{ name: 'a' }],
      'A skill of team is left out: It says not what it is for: give a description.',
    ],
    [
      'a relative directory',
      [{ name: 'a', description: 'b', directory: 'skills/a' }],
      'A skill of team is left out: Its directory is "skills/a". Give an absolute path.',
    ],
  ])('are left out with the reason where it gives %s', async (_, list, reason) => {
    const { skills } = await open({}, { sources: [sourceOf(list)] });
    expect(skills.found).toEqual({ skills: [], problems: [{ at: 'team', message: reason }] });
  });

  it('are done without where the source fails, or is silent for ten seconds', async () => {
    const clock = createVirtualClock();
    const failing: SkillSource = {
      name: 'failing',
      list: () => Promise.reject(new Error('offline')),
      read: () => Promise.reject(new Error('offline')),
    };
    const silent: SkillSource = { ...failing, name: 'silent', list: () => new Promise(() => {}) };
    const opening = open(
      { '.claude/skills/a/SKILL.md': 'A.' },
      { sources: [failing, silent], clock },
    );
    // Timers of the second source are set by then.
    while (clock.pending() === 0) await Promise.resolve();
    clock.advance(10_000);
    const { skills } = await opening;
    expect(namesOf(skills)).toEqual(['a']);
    expect(problemsOf(skills)).toEqual([
      "The skills of failing can't be listed: Error: offline",
      "The skills of silent can't be listed: No answer came within 10 seconds.",
    ]);
  });

  it('say so where the session is closed before the source answers', async () => {
    const closing = new AbortController();
    const list = async () => {
      closing.abort();
      return new Promise<never>(() => {});
    };
    const silent: SkillSource = { name: 'silent', list, read: async () => '' };
    const { skills } = await open({}, { sources: [silent], signal: closing.signal });
    expect(problemsOf(skills)).toEqual([
      "The skills of silent can't be listed: The session was closed before an answer came.",
    ]);
  });

  it('say why their text can’t be had', async () => {
    const listed = [{ name: 'deploy', description: 'Ships it' }];
    const read = () => Promise.reject(new Error('offline'));
    const { skills } = await open({}, { sources: [sourceOf(listed, read)] });
    await expect(skills.read('deploy')).rejects.toMatchObject({
      code: 'invalid-input',
      message: 'team can\'t give the skill "deploy": Error: offline',
    });
  });
});
