// Skill by itself and in whole turns: what the model is told of skills, gets of one, and may do with it.
import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../../src/agent/context/context-size.ts';
import type { Host } from '../../src/agent/host.ts';
import { query } from '../../src/agent/query.ts';
import type { WorkspaceTrustQuestion } from '../../src/agent/query-options.ts';
import type { MessageParam } from '../../src/core/messages.ts';
import type { CanUseToolOptions } from '../../src/core/permission.ts';
import type { SDKMessage, SDKUserMessage } from '../../src/core/sdk-message.ts';
import type { HostSkill, SkillSource } from '../../src/core/skill.ts';
import { skillInputSchema } from '../../src/tools/skill/schema.ts';
import type { SkillOutput } from '../../src/tools/skill/schema.ts';
import { skillTool } from '../../src/tools/skill/tool.ts';
import { createDirectedModel } from '../support/directed-model.ts';
import { createDisk, playSession } from '../support/kept-session.ts';
import { asks, listModel, says } from '../support/play-turns.ts';
import {
  callTool,
  openHost,
  readAll,
  runHooked,
  toReminders,
  toResults,
  write,
} from '../support/run-hooked.ts';
import { createTestSession, testContext } from '../support/test-session.ts';

const folder = '/workspace/.claude/skills';

async function writeSkill({ workspace: { fs } }: Host, name: string, text: string): Promise<void> {
  await fs.mkdir(`${folder}/${name}`, { recursive: true });
  await fs.writeFile(`${folder}/${name}/SKILL.md`, text);
}

async function openWith(skills: Readonly<Record<string, string>>): Promise<Host> {
  const host = await openHost();
  for (const [name, text] of Object.entries(skills)) await writeSkill(host, name, text);
  return host;
}

const skillText = (fields: string, body: string) => `---\n${fields}\n---\n${body}\n`;
const project = { settingSources: ['project'] } as const;
const use = (skill: string, args?: string, id?: string) =>
  callTool('Skill', { skill, ...(args !== undefined && { args }) }, id);

const outputs = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) =>
    message.type === 'user' && message.tool_use_result ? [message.tool_use_result] : [],
  ) as SkillOutput[];

const deniedTools = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) =>
    message.type === 'result' ? message.permission_denials.map((one) => one.tool_name) : [],
  );

/** One turn a prompt; `before` runs when the prompt of that number is asked for. */
async function* prompts(
  count: number,
  before: (at: number) => Promise<void>,
): AsyncGenerator<SDKUserMessage> {
  for (let at = 0; at < count; at += 1) {
    await before(at);
    const message = { role: 'user', content: `Prompt ${at}.` } as const;
    yield { type: 'user', message, parent_tool_use_id: null };
  }
}

describe("Skill's definition", () => {
  it.each([
    [{ skill: 'review' }, true],
    [{ skill: 'review', args: 'main' }, true],
    [{ skill: '' }, false],
    [{ name: 'review' }, false],
    [{ skill: 'review', args: ['main'] }, false],
  ])('takes %j: %j', (input, isTaken) => {
    expect(skillInputSchema().safeParse(input).success).toBe(isTaken);
  });

  it('only reads, and asks with the name of the skill', async () => {
    const input = { skill: '/review' };
    expect(skillTool.isReadOnly(input)).toBe(true);
    expect(skillTool.getToolUseSummary(input)).toBe('review');
    expect(await skillTool.description(input)).toBe('Follow the skill review');
    const matches = await skillTool.preparePermissionMatcher(input);
    expect(['review', 'rev*', 'view', '*'].map(matches)).toEqual([true, true, false, true]);
  });

  it('hands a skill with context: fork to the agents, and tells what they are doing', async () => {
    const session = await createTestSession({
      skillSources: [
        {
          name: 'team',
          list: async () => [
            { name: 'dig', description: 'Digs', context: 'fork', allowedTools: ['Repl'] },
          ],
          read: async () => 'Dig for $ARGUMENTS.',
        },
      ],
    });
    const asked: unknown[] = [];
    const context = {
      ...testContext(session),
      toolUseID: 'call-0',
      agents: {
        async runSkill(
          {
            skill,
            prompt,
            allow,
          }: { skill: { name: string }; prompt: string; allow: readonly string[] },
          { toolUseID, onProgress }: { toolUseID: string; onProgress: (activity: string) => void },
        ) {
          asked.push([skill.name, prompt, allow, toolUseID]);
          onProgress('Reading a.txt');
          return 'Found gold.';
        },
      },
    };
    const progress: unknown[] = [];
    const { data } = await skillTool.call(
      { skill: 'dig', args: 'gold' },
      context as never,
      undefined as never,
      undefined as never,
      (one) => progress.push(one),
    );
    expect(data).toMatchObject({ context: 'fork', text: 'Found gold.', allowedTools: ['Repl'] });
    expect(asked).toEqual([
      ['dig', 'Instructions of the skill "dig".\n\nDig for gold.', ['Repl'], 'call-0'],
    ]);
    expect(progress).toEqual([{ activity: 'Reading a.txt' }]);
    // The agent's rules are its own.
    expect(session.permissions.current().rules).toEqual([]);
  });
});

describe('a turn with skills', () => {
  it('tells their names once, and gives the instructions of the one that is called', async () => {
    await using host = await openWith({
      review: skillText('description: Looks at a change', 'Look at $ARGUMENTS, then $ARGUMENTS.'),
      plain: skillText('description: Has no place for arguments', 'Work.'),
      people: skillText('description: For people\ndisable-model-invocation: true', 'Ship.'),
    });
    const turns = [
      use('review', 'a.txt'),
      use('/plain', '$&', 'call-1'),
      use('people', '', 'call-2'),
    ];
    const { requests, messages } = await runHooked(host, turns, project);
    expect(messages[0]).toMatchObject({ skills: ['people', 'plain', 'review'], warnings: [] });
    const list =
      '# Skills\n\nInstructions for kinds of work. Where one fits the task, call Skill with its name before you begin.\n' +
      '<available-skills>\n- plain: Has no place for arguments\n- review: Looks at a change\n</available-skills>';
    expect(requests.map((_, at) => toReminders(requests, at))).toEqual(requests.map(() => [list]));
    expect(toResults(messages)).toEqual([
      `Instructions of the skill "review". Its folder is ${folder}/review: what it names is taken from there.\n\nLook at a.txt, then a.txt.\n`,
      `Instructions of the skill "plain". Its folder is ${folder}/plain: what it names is taken from there.\n\nWork.\n\nArguments: $&\n`,
      'The skill "people" is for people alone: you can\'t call it. Where it fits, tell the user to type /people. (error 2)',
    ]);
  });

  it('changes no byte that was sent when a skill comes, changes or goes', async () => {
    await using host = await openWith({ a: 'First of a.', b: 'First of b.' });
    const model = createDirectedModel();
    const prompt = prompts(4, async (at) => {
      if (at === 1) await writeSkill(host, 'c', 'First of c.');
      if (at === 2) await writeSkill(host, 'a', 'Second of a.');
      if (at === 3) await host.workspace.fs.rm(`${folder}/b`, { recursive: true });
    });
    const options = { host, model, ...project, toolSearch: false } as const;
    const running = readAll(query({ prompt, options }));
    const sent: (readonly MessageParam[])[] = [];
    for (let at = 0; at < 4; at += 1) {
      const asked = await model.next();
      sent.push(asked.messages);
      asked.say('Done.');
    }
    await running;
    for (const [at, messages] of sent.slice(1).entries()) {
      const before = sent[at] ?? [];
      expect(JSON.stringify(messages.slice(0, before.length))).toBe(JSON.stringify(before));
    }
    const changes = toReminders(sent).filter((text) => text.includes('-skills>'));
    expect(changes.map((text) => text.split('\n').filter((line) => line.startsWith('- ')))).toEqual(
      [
        ['- a: First of a.', '- b: First of b.'],
        ['- c: First of c.'],
        ['- a: Second of a.'],
        ['- b'],
      ],
    );
  });

  it('knows a skill that was written within the turn', async () => {
    await using host = await openHost();
    const path = `${folder}/new/SKILL.md`;
    const turns = [write(path, 'Be brief.'), use('new', undefined, 'call-1')];
    const { messages } = await runHooked(host, turns, {
      ...project,
      canUseTool: async () => ({ behavior: 'allow' }),
    });
    expect(toResults(messages)[1]).toContain('Be brief.');
  });

  it.each([
    ['none at all', {}, {}, 'There is no skill "review". This session has none.'],
    [
      'none switched on',
      { review: 'Look.' },
      {},
      'There is no skill "review". This session has none.',
    ],
    [
      'one of a similar name',
      { reviews: 'Look.' },
      project,
      'There is no skill "review". Did you mean reviews?',
    ],
    [
      'one that is to be forked',
      { review: skillText('description: x\ncontext: fork', 'Look.') },
      project,
      `The skill "review" is to be followed by an agent of its own, and this session has none: it can't be run. Its text is in ${folder}/review/SKILL.md.`,
    ],
  ])('is answered in a sentence where there is %s', async (_, skills, options, sentence) => {
    await using host = await openWith(skills);
    const { messages, result } = await runHooked(host, [use('review')], options);
    expect(toResults(messages)).toEqual([expect.stringContaining(sentence)]);
    expect(result).toMatchObject({ subtype: 'success' });
  });

  it('tells a person of a skill that is left out, and goes on with the others', async () => {
    await using host = await openWith({ good: 'Work.', bad: '---\nname: [\n---\nx' });
    const { messages } = await runHooked(host, [], project);
    const warning = expect.stringContaining(`${folder}/bad/SKILL.md is left out`);
    expect(messages[0]).toMatchObject({ skills: ['good'], warnings: [warning] });
    expect(messages[1]).toMatchObject({ subtype: 'informational', content: warning });
  });

  it('gives at most 100 000 characters, and says where the rest is', async () => {
    await using host = await openWith({ long: 'A line of instructions.\n'.repeat(10_000) });
    const { messages } = await runHooked(host, [use('long')], project);
    const [text = ''] = toResults(messages);
    expect(text.length).toBeGreaterThan(99_000);
    expect(text.length).toBeLessThanOrEqual(100_000);
    expect(text.split('\n').at(-1)).toMatch(
      /^\[The rest is left out, after some \d+ lines: Read \/workspace\/\.claude\/skills\/long\/SKILL\.md for it\.\]$/,
    );
    expect(outputs(messages)).toMatchObject([{ isCut: true }]);
  });

  it('tells 200 skills in at most 1 % of the window', async () => {
    await using host = await openHost();
    const skills = Array.from({ length: 200 }, (_, at): HostSkill => ({
      name: `skill-${at}`,
      description: 'What it does, in very many words. '.repeat(20),
    }));
    const source: SkillSource = { name: 'team', list: async () => skills, read: async () => '' };
    const { requests } = await runHooked(host, [], { skillSources: [source] });
    const told = requests[0]?.find((message) => JSON.stringify(message).includes('-skills>'));
    expect(skills.every(({ name }) => JSON.stringify(told).includes(`- ${name}`))).toBe(true);
    expect(estimateTokens(told)).toBeLessThanOrEqual(2_000);
  });
});

describe('what a skill allows', () => {
  const skills = {
    writer: skillText('description: Writes\nallowed-tools: Write(out/**) Bash(rm:*)', 'Write.'),
  };

  it('holds until the turn ends, where a person trusts the file', async () => {
    await using host = await openWith(skills);
    const questions: WorkspaceTrustQuestion[] = [];
    const model = listModel('events', [
      asks({ type: 'tool_use', id: 'call-0', name: 'Skill', input: { skill: 'writer' } }),
      asks({
        type: 'tool_use',
        id: 'call-1',
        name: 'Write',
        input: { file_path: 'out/a', content: 'a' },
      }),
      asks({
        type: 'tool_use',
        id: 'call-2',
        name: 'Write',
        input: { file_path: 'b', content: 'b' },
      }),
      says('Done.'),
      asks({
        type: 'tool_use',
        id: 'call-3',
        name: 'Write',
        input: { file_path: 'out/c', content: 'c' },
      }),
      says('Done.'),
    ]);
    const messages = await readAll(
      query({
        prompt: prompts(2, async () => {}),
        options: {
          ...project,
          host,
          model,
          trustWorkspace: (question) => questions.push(question) > 0,
        },
      }),
    );
    expect(questions).toMatchObject([
      {
        paths: [`${folder}/writer/SKILL.md`],
        allow: [],
        definitions: [
          {
            path: `${folder}/writer/SKILL.md`,
            allow: ['Write(out/**)'],
            cannotHold: ['Bash(rm:*)'],
          },
        ],
      },
    ]);
    expect(outputs(messages)[0]).toMatchObject({
      allowedTools: ['Write(out/**)'],
      untrustedTools: [],
    });
    expect(await host.workspace.fs.readdir('/workspace/out')).toEqual(['a']);
    expect(deniedTools(messages)).toEqual(['Write', 'Write']);
  });

  it.each([
    ['nobody is asked', undefined],
    ['the answer is no', () => false],
  ])('is nothing where %s', async (_, trustWorkspace) => {
    await using host = await openWith(skills);
    const { messages } = await runHooked(
      host,
      [use('writer'), callTool('Write', { file_path: 'out/a', content: 'a' }, 'call-1')],
      { ...project, ...(trustWorkspace && { trustWorkspace }) },
    );
    expect(outputs(messages)[0]).toMatchObject({
      allowedTools: [],
      untrustedTools: ['Write(out/**)', 'Bash(rm:*)'],
    });
    expect(deniedTools(messages)).toEqual(['Write']);
  });

  it('is nothing while the agent plans, and never beats a rule that denies or asks', async () => {
    for (const options of [
      { permissionMode: 'plan' },
      { disallowedTools: ['Write(out/**)'] },
      { settings: { permissions: { ask: ['Write(out/**)'] } } },
    ] as const) {
      await using host = await openWith(skills);
      const { messages } = await runHooked(
        host,
        [use('writer'), callTool('Write', { file_path: 'out/a', content: 'a' }, 'call-1')],
        { ...project, ...options, trustWorkspace: () => true },
      );
      expect(deniedTools(messages)).toEqual(['Write']);
    }
  });

  it('goes on with a turn that was cut anywhere, and each file is written once', async () => {
    const source: SkillSource = {
      name: 'team',
      list: async () => [
        { name: 'writer', description: 'Writes', allowedTools: ['Write(out/**)'] },
      ],
      read: async () => 'Write.',
    };
    const replies = [
      asks({ type: 'tool_use', id: 'call-0', name: 'Skill', input: { skill: 'writer' } }),
      asks({
        type: 'tool_use',
        id: 'call-1',
        name: 'Write',
        input: { file_path: 'out/a', content: 'a' },
      }),
      says('Done.'),
    ];
    /** Answers by how many replies the conversation has. */
    const modelOf = () => {
      const model = listModel('events', []);
      return {
        ...model,
        stream: (...given: Parameters<typeof model.stream>) => {
          const [{ messages }] = given;
          const at = messages.filter(({ role }) => role === 'assistant').length;
          return listModel('events', replies.slice(at, at + 1)).stream(...given);
        },
      };
    };
    const options = { prompts: ['Go.'], skillSources: [source] };
    const whole = await playSession(createDisk(), { ...options, model: modelOf() });
    expect(await whole.files()).toMatchObject({ '/workspace/out/a': 'a' });
    const { boundaries } = whole;
    for (const freezeAfter of boundaries) {
      const disk = createDisk();
      await playSession(disk, { ...options, model: modelOf(), freezeAfter });
      const { fold, files } = await playSession(disk, { ...options, model: modelOf() });
      expect([freezeAfter, await files()]).toEqual([freezeAfter, await whole.files()]);
      expect(JSON.stringify(fold.messages)).not.toContain('refused');
    }
  });
});

describe('rules on Skill', () => {
  it('deny a skill, which the model then isn’t told of', async () => {
    await using host = await openWith({ one: 'One.', two: 'Two.' });
    const { requests, messages } = await runHooked(host, [use('two')], {
      ...project,
      disallowedTools: ['Skill(tw*)'],
    });
    expect(toReminders(requests)[0]).not.toContain('two');
    expect(deniedTools(messages)).toEqual(['Skill']);
  });

  it('ask about a skill by its name', async () => {
    await using host = await openWith({ one: 'One.' });
    const asked: CanUseToolOptions[] = [];
    const { messages } = await runHooked(host, [use('one')], {
      ...project,
      settings: { permissions: { ask: ['Skill(one)'] } },
      canUseTool: async (_name, _input, options) => {
        asked.push(options);
        return { behavior: 'allow' };
      },
    });
    expect(asked).toMatchObject([{ description: 'Follow the skill one' }]);
    expect(toResults(messages)[0]).toContain('One.');
  });

  it('deny all of them, and nothing is told', async () => {
    await using host = await openWith({ one: 'One.' });
    const { requests } = await runHooked(host, [], { ...project, disallowedTools: ['Skill'] });
    expect(toReminders(requests)).toEqual([]);
  });
});
