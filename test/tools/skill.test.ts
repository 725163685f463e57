// Skill by itself and in whole turns: what the model is told of skills, and gets of one. What it may do with it
// is in skill-permissions.test.ts.
import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../../src/agent/context/context-size.ts';
import { query } from '../../src/agent/query.ts';
import type { MessageParam } from '../../src/core/messages/messages.ts';
import type { HostSkill, SkillSource } from '../../src/core/commands/skill.ts';
import { skillInputSchema } from '../../src/tools/skill/schema.ts';
import { skillTool } from '../../src/tools/skill/tool.ts';
import { createAgentsModel } from '../support/models/agents-model.ts';
import { createDirectedModel } from '../support/models/directed-model.ts';
import {
  openHost,
  readAll,
  runHooked,
  say,
  startHooked,
  toReminders,
  toResults,
  write,
} from '../support/turns/run-hooked.ts';
import {
  openWithSkills,
  skillFolder,
  skillText,
  toPrompts,
  toSkillOutputs,
  callSkill,
  writeSkill,
} from '../support/turns/skills.ts';
import { turnByTurn } from '../support/turns/turn-by-turn.ts';
import { createTestSession, testContext } from '../support/stages/test-session.ts';

const project = { settingSources: ['project'] } as const;

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
    expect(skillTool.isReadOnly()).toBe(true);
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
    await using host = await openWithSkills({
      review: skillText('description: Looks at a change', 'Look at $ARGUMENTS, then $ARGUMENTS.'),
      plain: skillText('description: Has no place for arguments', 'Work.'),
      people: skillText('description: For people\ndisable-model-invocation: true', 'Ship.'),
    });
    const turns = [
      callSkill('review', 'a.txt'),
      callSkill('/plain', '$&', 'call-1'),
      callSkill('people', '', 'call-2'),
    ];
    const { requests, messages } = await runHooked(host, turns, project);
    expect(messages[0]).toMatchObject({ skills: ['people', 'plain', 'review'], warnings: [] });
    const list =
      '# Skills\n\nInstructions for kinds of work. Where one fits the task, call Skill with its name before you begin.\n' +
      '<available-skills>\n- plain: Has no place for arguments\n- review: Looks at a change\n</available-skills>';
    expect(requests.map((_, at) => toReminders(requests, at))).toEqual(requests.map(() => [list]));
    expect(toResults(messages)).toEqual([
      `Instructions of the skill "review". Its folder is ${skillFolder}/review: what it names is taken from there.\n\nLook at a.txt, then a.txt.\n`,
      `Instructions of the skill "plain". Its folder is ${skillFolder}/plain: what it names is taken from there.\n\nWork.\n\nArguments: $&\n`,
      'The skill "people" is for people alone: you can\'t call it. Where it fits, tell the user to type /people. (error 2)',
    ]);
  });

  it('changes no byte that was sent when a skill comes, changes or goes', async () => {
    await using host = await openWithSkills({ a: 'First of a.', b: 'First of b.' });
    const model = createDirectedModel();
    const prompts = toPrompts(4, async (at) => {
      if (at === 1) await writeSkill(host, 'c', 'First of c.');
      if (at === 2) await writeSkill(host, 'a', 'Second of a.');
      if (at === 3) await host.workspace.fs.rm(`${skillFolder}/b`, { recursive: true });
    });
    const options = { host, model, ...project, toolSearch: false } as const;
    const { prompt, hear } = turnByTurn(prompts);
    const read = async () => {
      for await (const message of query({ prompt, options })) hear(message);
    };
    const running = read();
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
    const path = `${skillFolder}/new/SKILL.md`;
    const turns = [write(path, 'Be brief.'), callSkill('new', undefined, 'call-1')];
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
  ])('is answered in a sentence where there is %s', async (_, skills, options, sentence) => {
    await using host = await openWithSkills(skills);
    const { messages, result } = await runHooked(host, [callSkill('review')], options);
    expect(toResults(messages)).toEqual([expect.stringContaining(sentence)]);
    expect(result).toMatchObject({ subtype: 'success' });
  });

  it('is followed by an agent of its own where it is to be forked', async () => {
    await using host = await openWithSkills({
      review: skillText('description: x\ncontext: fork', 'Look at $ARGUMENTS.'),
    });
    const model = createAgentsModel({
      main: [callSkill('review', 'a.txt'), say('So it is.')],
      'Look at a.txt.': [say('I looked.')],
    });
    const running = query({
      prompt: 'Go.',
      options: { ...project, toolSearch: false, host, model },
    });
    const messages = await readAll(running);
    expect(model.requests.map(({ who }) => who)).toEqual(['main', 'Look at a.txt.', 'main']);
    expect(toResults(messages)).toEqual([expect.stringContaining('I looked.')]);
  });

  it('is not followed by an agent of a kind that a rule denies', async () => {
    await using host = await openWithSkills({
      review: skillText('description: x\ncontext: fork\nagent: Explore', 'Look.'),
    });
    const options = { ...project, disallowedTools: ['Agent(Explore)'] };
    const { messages } = await runHooked(host, [callSkill('review')], options);
    expect(toResults(messages)).toEqual([
      expect.stringContaining('an agent of the kind Explore, which a rule denies. Do without it.'),
    ]);
  });

  it('tells a person of a skill that is left out, and goes on with the others', async () => {
    await using host = await openWithSkills({ good: 'Work.', bad: '---\nname: [\n---\nx' });
    const { running } = startHooked(host, [], project);
    expect(await running.skills()).toMatchObject({
      skills: [{ name: 'good', directory: `${skillFolder}/good` }],
      problems: [{ at: `${skillFolder}/bad/SKILL.md` }],
    });
    running.close();
    const { messages } = await runHooked(host, [], project);
    const warning = expect.stringContaining(`${skillFolder}/bad/SKILL.md is left out`);
    expect(messages[0]).toMatchObject({ skills: ['good'], warnings: [warning] });
    expect(messages[1]).toMatchObject({ subtype: 'informational', content: warning });
  });

  it('gives at most 100 000 characters, and says where the rest is', async () => {
    await using host = await openWithSkills({ long: 'A line of instructions.\n'.repeat(10_000) });
    const { messages } = await runHooked(host, [callSkill('long')], project);
    const [text = ''] = toResults(messages);
    expect(text.length).toBeGreaterThan(99_000);
    expect(text.length).toBeLessThanOrEqual(100_000);
    expect(text.split('\n').at(-1)).toMatch(
      /^\[The rest is left out, after some \d+ lines: Read \/workspace\/\.claude\/skills\/long\/SKILL\.md for it\.\]$/,
    );
    expect(toSkillOutputs(messages)).toMatchObject([{ isCut: true }]);
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
