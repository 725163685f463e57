// Workflow and the scripts of the workspace: who is asked, and what rules hold.
import { describe, expect, it } from 'vitest';
import { answer, launch, meta, openTalk, taskOf } from '../support/turns/workflow-talk.ts';

describe('a script of the workspace', () => {
  const path = '/workspace/.claude/workflows/nightly.js';
  const nightly = `${meta}return agent('Nightly');`;
  const files = { [path]: nightly };
  const settingSources = ['project'] as const;

  it('is shown in the question, also where a rule or the mode allows workflows', async () => {
    const { talk, questions } = await openTalk({
      files,
      settingSources,
      allowedTools: ['Workflow', 'Workflow(nightly)'],
      permissionMode: 'bypassPermissions',
    });
    const told = await launch(talk, await talk.asked(), { name: 'nightly' });
    expect(questions.map(({ input }) => input)).toEqual([{ name: 'nightly', script: nightly }]);
    expect(questions[0]?.options.decisionReason).toContain('nobody has trusted it');
    expect(taskOf(talk).scriptPath).toBe(path);
    await answer(talk, 1);
    told.say('I wait.');
    (await talk.asked()).say('Thanks.');
    await talk.end();
  });

  it('runs as it was shown, also where the file has changed meanwhile', async () => {
    const opened: { change?: () => Promise<void> } = {};
    const { host, talk } = await openTalk({
      files,
      settingSources,
      canUseTool: async () => {
        await opened.change?.();
        return { behavior: 'allow' };
      },
    });
    opened.change = () =>
      host.workspace.fs.writeFile(path, `${meta}return agent('Something else');`);
    const told = await launch(talk, await talk.asked(), { name: 'nightly' });
    expect(await answer(talk, 1)).toEqual(['Nightly']);
    told.say('I wait.');
    (await talk.asked()).say('Thanks.');
    await talk.end();
  });

  it('runs without a question once a person has trusted it, as long as it is the same', async () => {
    const { host, talk, questions } = await openTalk({
      files,
      settingSources,
      trustWorkspace: ({ definitions }) => {
        expect(definitions).toEqual([{ path, allow: ['Workflow(nightly)'], cannotHold: [] }]);
        return true;
      },
    });
    const told = await launch(talk, await talk.asked(), { name: 'nightly' });
    expect(questions).toEqual([]);
    await answer(talk, 1);
    await host.workspace.fs.writeFile(path, `${nightly}\n// changed`);
    const again = await launch(talk, told, { name: 'nightly' }, 'again');
    expect(questions).toHaveLength(1);
    const { taskId } = taskOf(talk);
    await answer(talk, 1, (_task, asked) => asked.say('done'));
    again.say('I wait.');
    await talk.taskEnd(taskId);
    await talk.end();
  });

  it.each([
    { name: 'nightly' },
    { scriptPath: path },
    { name: 'other', scriptPath: '.claude/workflows/nightly.js' },
    { name: 'other', scriptPath: 'link.js' },
  ])('is refused by name, asked for by %j, where a rule denies the name', async (input) => {
    const { host, talk, questions } = await openTalk({
      files,
      settingSources,
      trustWorkspace: () => true,
      disallowedTools: ['Workflow(nightly)'],
    });
    await host.workspace.fs.symlink(path, '/workspace/link.js');
    const told = await launch(talk, await talk.asked(), input);
    expect(told.news).toContain('the deny rule Workflow(nightly)');
    expect(questions).toEqual([]);
    told.say('Done.');
    await talk.end();
  });

  it('is refused by name where an earlier run is to go on, and asked about by an ask rule', async () => {
    const { talk, questions } = await openTalk({
      files,
      settingSources,
      trustWorkspace: () => true,
      allowedTools: ['Workflow'],
      settings: { permissions: { ask: ['Workflow(nightly)'] } },
    });
    const told = await launch(talk, await talk.asked(), { name: 'nightly' });
    const { runId, taskId } = taskOf(talk);
    await answer(talk, 1);
    await talk.taskEnd(taskId);
    const again = await launch(talk, told, { resumeFromRunId: runId }, 'again');
    expect(questions.map(({ input }) => input)).toEqual([
      { name: 'nightly', script: nightly },
      { resumeFromRunId: runId, script: nightly },
    ]);
    again.say('Done.');
    await talk.end();
  });

  it('is asked about when a run of it goes on, whatever allows workflows, until it is trusted', async () => {
    const { talk, questions } = await openTalk({
      files,
      settingSources,
      allowedTools: ['Workflow'],
      permissionMode: 'bypassPermissions',
    });
    let told = await launch(talk, await talk.asked(), { scriptPath: path });
    let { runId, taskId } = taskOf(talk);
    await answer(talk, 1);
    await talk.taskEnd(taskId);
    for (const id of ['again', 'once more']) {
      told = await launch(talk, told, { resumeFromRunId: runId, args: { id } }, id);
      ({ runId, taskId } = taskOf(talk));
      expect(taskOf(talk).scriptPath).toBe(path);
      await talk.taskEnd(taskId);
    }
    expect(questions.map(({ options }) => options.decisionReason)).toEqual(
      Array.from({ length: 3 }, () => expect.stringContaining('nobody has trusted it')),
    );
    told.say('Done.');
    await talk.end();
  });

  it.each([
    [{ name: 'other' }, 'There are: nightly.'],
    [{ name: '../../secret' }, 'There are: nightly.'],
    [{ scriptPath: '/workspace/none.js' }, 'no script at /workspace/none.js'],
    [{ scriptPath: '/etc/passwd' }, 'no script at /etc/passwd'],
    [{ scriptPath: 'denied.js' }, 'no script at denied.js'],
    [{ scriptPath: 'a.txt' }, 'line 1: a workflow begins'],
    [{}, 'There is nothing to run'],
    [{ resumeFromRunId: 'wf_none' }, 'no run wf_none'],
    [{ script: 'return 1;' }, 'begins with export const meta'],
  ])('is refused for %j, before anybody is asked', async (input, sentence) => {
    const { talk, questions } = await openTalk({
      files: { ...files, '/workspace/denied.js': nightly },
      settingSources,
      disallowedTools: ['Read(denied.js)'],
    });
    const told = await launch(talk, await talk.asked(), input);
    expect(told.news).toContain(sentence);
    expect(questions).toEqual([]);
    told.say('Done.');
    await talk.end();
  });
});

describe('a script of the user', () => {
  const path = '/user/.claude/workflows/nightly.js';
  const ofUser = `${meta}return agent('Of the user');`;
  const ofProject = `${meta}return agent('Of the project');`;
  const files = { '/workspace/.claude/workflows/nightly.js': ofProject, [path]: ofUser };
  const user = { settingSources: ['user', 'project'], homeDirectory: '/user' } as const;

  it('comes before the project’s of that name, and asks until a person has trusted it', async () => {
    for (const isTrusted of [false, true]) {
      const { talk, questions } = await openTalk({
        files,
        ...user,
        ...(isTrusted && { trustWorkspace: () => true }),
      });
      const told = await launch(talk, await talk.asked(), { name: 'nightly' });
      expect(questions.map(({ input }) => input['script'])).toEqual(isTrusted ? [] : [ofUser]);
      expect(taskOf(talk).scriptPath).toBe(path);
      expect(await answer(talk, 1)).toEqual(['Of the user']);
      told.say('I wait.');
      (await talk.asked()).say('Thanks.');
      await talk.end();
    }
  });

  it('is reached by its name alone', async () => {
    const { talk } = await openTalk({ files, ...user });
    const told = await launch(talk, await talk.asked(), { scriptPath: path });
    expect(JSON.stringify(told.messages)).toContain(`There is no script at ${path}`);
    told.say('Then not.');
    await talk.end();
  });
});
