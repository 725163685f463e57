// What a skill allows, for how long, and the rules on skills.
import { describe, expect, it } from 'vitest';
import { readEntries } from '../../src/agent/journal/stored-journal.ts';
import { openSession } from '../../src/agent/open-session.ts';
import { query } from '../../src/agent/query.ts';
import type { WorkspaceTrustQuestion } from '../../src/agent/query-options.ts';
import type { JournalEntry } from '../../src/core/session/journal.ts';
import type { CanUseToolOptions } from '../../src/core/permissions/permission.ts';
import { toSessionRootId } from '../../src/core/session/session-path.ts';
import type { SkillSource } from '../../src/core/commands/skill.ts';
import { createInlineHost } from '../../src/hosts/inline/create-inline-host.ts';
import { createMemoryMedium } from '../../src/workspace/drivers/memory.ts';
import type { LogMedium } from '../../src/workspace/log/log-medium.ts';
import { createAgentsModel } from '../support/models/agents-model.ts';
import { openFreezing } from '../support/storage/freezing-workspace.ts';
import { createDisk, playSession } from '../support/sessions/kept-session.ts';
import { asks, listModel, says } from '../support/turns/play-turns.ts';
import {
  callTool,
  openHost,
  readAll,
  runHooked,
  say,
  toReminders,
  toResults,
} from '../support/turns/run-hooked.ts';
import {
  openWithSkills,
  skillFolder,
  skillText,
  toDeniedTools,
  toPrompts,
  toSkillOutputs,
  callSkill,
} from '../support/turns/skills.ts';

const project = { settingSources: ['project'] } as const;

describe('what a skill allows', () => {
  const skills = {
    writer: skillText('description: Writes\nallowed-tools: Write(out/**) Bash(rm:*)', 'Write.'),
  };

  it('holds until the turn ends, where a person trusts the file', async () => {
    await using host = await openWithSkills(skills);
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
        prompt: toPrompts(2, async () => {}),
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
        paths: [`${skillFolder}/writer/SKILL.md`],
        allow: [],
        definitions: [
          {
            path: `${skillFolder}/writer/SKILL.md`,
            allow: ['Write(out/**)'],
            cannotHold: ['Bash(rm:*)'],
          },
        ],
      },
    ]);
    expect(toSkillOutputs(messages)[0]).toMatchObject({
      allowedTools: ['Write(out/**)'],
      untrustedTools: [],
    });
    expect(await host.workspace.fs.readdir('/workspace/out')).toEqual(['a']);
    expect(toDeniedTools(messages)).toEqual(['Write', 'Write']);
  });

  it.each([
    ['nobody is asked', undefined],
    ['the answer is no', () => false],
  ])('is nothing where %s', async (_, trustWorkspace) => {
    await using host = await openWithSkills(skills);
    const { messages } = await runHooked(
      host,
      [callSkill('writer'), callTool('Write', { file_path: 'out/a', content: 'a' }, 'call-1')],
      { ...project, ...(trustWorkspace && { trustWorkspace }) },
    );
    expect(toSkillOutputs(messages)[0]).toMatchObject({
      allowedTools: [],
      untrustedTools: ['Write(out/**)', 'Bash(rm:*)'],
    });
    expect(toDeniedTools(messages)).toEqual(['Write']);
  });

  it('is nothing while the agent plans, and never beats a rule that denies or asks', async () => {
    for (const options of [
      { permissionMode: 'plan' },
      { disallowedTools: ['Write(out/**)'] },
      { settings: { permissions: { ask: ['Write(out/**)'] } } },
    ] as const) {
      await using host = await openWithSkills(skills);
      const { messages } = await runHooked(
        host,
        [callSkill('writer'), callTool('Write', { file_path: 'out/a', content: 'a' }, 'call-1')],
        { ...project, ...options, trustWorkspace: () => true },
      );
      expect(toDeniedTools(messages)).toEqual(['Write']);
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

describe('what a skill allows that an agent of its own follows', () => {
  const source: SkillSource = {
    name: 'team',
    list: async () => [
      { name: 'dig', description: 'Digs', context: 'fork', allowedTools: ['Write(out/**)'] },
    ],
    read: async () => 'Dig.',
  };
  const model = () =>
    createAgentsModel({
      main: [
        callSkill('dig'),
        callTool('Write', { file_path: 'out/main', content: 'm' }, 'call-1'),
        say('Done.'),
      ],
      'Dig.': [callTool('Write', { file_path: 'out/dug', content: 'd' }, 'call-2'), say('Dug.')],
    });

  it('is the agent’s own, and its caller gets nothing of it', async () => {
    await using host = await openHost();
    const running = query({
      prompt: 'Go.',
      options: { host, model: model(), skillSources: [source], toolSearch: false },
    });
    const messages = await readAll(running);
    expect(await host.workspace.fs.readdir('/workspace/out')).toEqual(['dug']);
    expect(toDeniedTools(messages)).toEqual(['Write']);
  });

  it('goes on with an agent that was cut anywhere, which is begun once', async () => {
    const whole = await play(createMemoryMedium());
    expect(whole.end).toEqual({ files: ['dug'], begun: 1, results: 1 });
    for (const last of new Set(whole.boundaries)) {
      const medium = createMemoryMedium();
      await play(medium, last);
      expect({ last, ...(await play(medium)).end }).toEqual({ last, ...whole.end });
    }
  });

  /** One page, which goes on with what the medium has. Without an end: it was killed. */
  async function play(medium: LogMedium, after = Infinity) {
    const sessionId = 'session-1';
    const stream = toSessionRootId(sessionId);
    const { workspace, frozen, boundaries } = await openFreezing(medium, stream, after);
    const host = await createInlineHost({ workspace });
    const isKept = (await workspace.streams.list()).some(({ id }) => id === stream);
    async function finish() {
      const session = await openSession({
        ...{ host, model: model(), skillSources: [source], toolSearch: false },
        canUseTool: async () => ({ behavior: 'deny', message: 'No.' }),
        ...(isKept ? { resume: sessionId } : { sessionId }),
      });
      const message = { role: 'user', content: 'Go.' } as const;
      const prompt = { type: 'user', uuid: 'prompt-0', message, parent_tool_use_id: null } as const;
      await session.send(prompt);
      for await (const told of session.messages()) if (told.type === 'result') break;
      await session.close();
      const entries = await readEntries(workspace, sessionId);
      const isOwn = ({ agent }: JournalEntry) => agent === undefined;
      return {
        files: await workspace.fs.readdir('/workspace/out'),
        begun: entries.filter(({ type }) => type === 'agent').length,
        results: entries.filter((entry) => entry.type === 'result' && isOwn(entry)).length,
      };
    }
    const finishing = finish();
    finishing.catch(() => undefined);
    const end = await Promise.race([finishing, frozen]);
    return { end, boundaries };
  }
});

describe('rules on Skill', () => {
  it('deny a skill, which the model then isn’t told of', async () => {
    await using host = await openWithSkills({ one: 'One.', two: 'Two.' });
    const { requests, messages } = await runHooked(host, [callSkill('two')], {
      ...project,
      disallowedTools: ['Skill(tw*)'],
    });
    expect(toReminders(requests)[0]).not.toContain('two');
    expect(toDeniedTools(messages)).toEqual(['Skill']);
  });

  it('ask about a skill by its name', async () => {
    await using host = await openWithSkills({ one: 'One.' });
    const asked: CanUseToolOptions[] = [];
    const { messages } = await runHooked(host, [callSkill('one')], {
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
    await using host = await openWithSkills({ one: 'One.' });
    const { requests } = await runHooked(host, [], { ...project, disallowedTools: ['Skill'] });
    expect(toReminders(requests)).toEqual([]);
  });
});
