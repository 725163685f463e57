// Workflow over a real host. It has the script in its sandbox, and real agents with a model that
// the test plays. The tests also show what a run leaves for the one that goes on from it.
import { describe, expect, it } from 'vitest';
import type { SDKToolProgressMessage } from '../../src/core/messages/sdk-message.ts';
import { createVirtualClock } from '../../src/hosts/inline/virtual-clock.ts';
import { workflowInputSchema } from '../../src/tools/workflow/schema.ts';
import type { Asked } from '../support/models/directed-model.ts';
import {
  answer,
  launch,
  meta,
  openTalk,
  taskOf,
  taskText,
} from '../support/turns/workflow-talk.ts';

const review = `${meta}phase('Read');
const read = await parallel(args.files.map((file) => () => agent('Read ' + file, { label: file })));
phase('Sum up');
return agent('Sum up ' + read.join(' and '));`;

describe('Workflow', () => {
  it('runs a script beside the conversation, and tells what it returns', async () => {
    const { host, talk, questions } = await openTalk();
    const told = await launch(talk, await talk.asked(), {
      script: review,
      args: { files: ['a', 'b'] },
    });
    const { taskId, runId, workflowName, summary, outputFile } = taskOf(talk);
    expect({ workflowName, summary }).toEqual({ workflowName: 'test', summary: 'A test' });
    expect(told.news).toContain(`task ${taskId}, run ${runId}`);
    expect(questions.map(({ name, input }) => [name, input['script']])).toEqual([
      ['Workflow', review],
    ]);
    expect((await answer(talk, 2)).sort()).toEqual(['Read a', 'Read b']);
    expect(await answer(talk, 1)).toEqual(['Sum up did: Read a and did: Read b']);
    told.say('I wait.');
    const end = await talk.taskEnd(taskId);
    expect(end).toMatchObject({ status: 'completed' });
    expect(end.summary).toContain('did: Sum up did: Read a and did: Read b');
    const news = await talk.asked();
    expect(news.news).toContain('did: Sum up did: Read a');
    news.say('Thanks.');
    const file = new TextDecoder().decode(await host.workspace.fs.readFile(outputFile));
    expect(file).toMatch(/did: Sum up .*\n\nrun wf_\w+: 3 agents, \d+ tokens/u);
    const progress = talk.messages
      .filter((message): message is SDKToolProgressMessage => message.type === 'tool_progress')
      .flatMap((message) => {
        const told = (message as unknown as { readonly progress: unknown }).progress;
        return [JSON.stringify(told)];
      });
    expect(progress.join('\n')).toContain('"text":"Sum up"');
    // Its code goes on with their reports, so nobody can send them to the background.
    const agents = talk.messages.flatMap((message) =>
      message.type === 'system' && message.subtype === 'task_started' && message.subagent_type
        ? [message.can_be_backgrounded ?? false]
        : [],
    );
    expect(agents).toEqual([false, false, false]);
    await talk.end();
  });

  it('gives data where a schema asks for it', async () => {
    const { talk } = await openTalk();
    const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    const told = await launch(talk, await talk.asked(), {
      script: `${meta}return (await agent('Count', { schema: ${JSON.stringify(schema)} })).n + 1;`,
    });
    const { taskId } = taskOf(talk);
    const first = await talk.asked();
    // A text is no answer: it is asked once more.
    first.say('Seven.');
    const second = await talk.asked();
    second.call({ id: 'wrong', name: 'SyntheticOutput', input: { n: 'seven' } });
    const third = await talk.asked();
    third.call({ id: 'right', name: 'SyntheticOutput', input: { n: 7 } });
    told.say('I wait.');
    expect((await talk.taskEnd(taskId)).summary).toContain('is done: 8');
    // What a person reads of the agent's end is its answer, too.
    const ends = talk.messages.flatMap((message) =>
      message.type === 'system' && message.subtype === 'task_notification' ? message.summary : [],
    );
    expect(ends[0]).toBe('Count: {"n":7}');
    (await talk.asked()).say('Thanks.');
    await talk.end();
  });

  it('gives null for an agent that was stopped, and goes on', async () => {
    const { talk } = await openTalk();
    const told = await launch(talk, await talk.asked(), {
      script: `${meta}return [await agent('First'), await agent('Second')];`,
    });
    const { taskId } = taskOf(talk);
    const first = await talk.asked();
    expect(taskText(first)).toBe('First');
    const begun = await talk.seen(
      (message): message is Extract<typeof message, { subtype: 'task_started' }> =>
        message.type === 'system' &&
        message.subtype === 'task_started' &&
        message.task_type === 'local_agent',
    );
    await talk.query.stopTask(begun.task_id);
    await answer(talk, 1);
    told.say('I wait.');
    expect((await talk.taskEnd(taskId)).summary).toContain('[null,"did: Second"]');
    (await talk.asked()).say('Thanks.');
    await talk.end();
  });

  it('ends its agents when it is stopped, and goes on from its run by what had ended', async () => {
    const { talk } = await openTalk();
    const told = await launch(talk, await talk.asked(), {
      script: review,
      args: { files: ['a', 'b'] },
    });
    const { taskId, runId } = taskOf(talk);
    const one = await talk.asked();
    const other = await talk.asked();
    const ofB = taskText(one) === 'Read b' ? one : other;
    ofB.say('did: Read b');
    await talk.seen(
      (message): message is SDKToolProgressMessage =>
        message.type === 'tool_progress' && JSON.stringify(message).includes('"completed"'),
    );
    told.call({ id: 'stop', name: 'TaskStop', input: { task_id: taskId } });
    const stopped = await talk.asked();
    expect(stopped.news).toContain('stopped');
    expect(await talk.taskEnd(taskId)).toMatchObject({ status: 'stopped' });
    const again = await launch(talk, stopped, { resumeFromRunId: runId }, 'again');
    const { taskId: second } = taskOf(talk);
    expect(await answer(talk, 2)).toEqual(['Read a', 'Sum up did: Read a and did: Read b']);
    again.say('I wait.');
    const end = await talk.taskEnd(second);
    expect(end.summary).toContain('3 agents (1 replayed)');
    (await talk.asked()).say('Thanks.');
    await talk.end();
  });

  it('is cut after a day, with its agents', async () => {
    const clock = createVirtualClock();
    const { talk } = await openTalk({ clock });
    const script = `${meta}return agent('Wait');`;
    const told = await launch(talk, await talk.asked(), { script });
    const { taskId } = taskOf(talk);
    expect(taskText(await talk.asked())).toBe('Wait');
    told.say('I wait.');
    // A second more: what is asked to stop has a moment for it.
    clock.advance(24 * 60 * 60_000 + 1_000);
    expect(await talk.taskEnd(taskId)).toMatchObject({
      status: 'failed',
      summary: expect.stringContaining('86400000 ms'),
    });
    await talk.end();
  });

  it('keeps a query with one prompt open until its end is told', async () => {
    const { talk } = await openTalk({ prompt: 'Go.' });
    const told = await launch(talk, await talk.asked(), { script: `${meta}return agent('Work');` });
    const { taskId } = taskOf(talk);
    told.say('I wait.');
    await answer(talk, 1);
    const news = await talk.asked();
    expect(news.news).toContain('did: Work');
    news.say('Thanks.');
    expect(await talk.taskEnd(taskId)).toMatchObject({ status: 'completed' });
    await talk.end();
  });

  it('is waited for by a cell, which is given what it came to', async () => {
    const { talk } = await openTalk();
    const from = await talk.asked();
    const script = JSON.stringify(`${meta}return agent('Work');`);
    from.call({
      id: 'cell',
      name: 'Repl',
      input: { code: `(await tools.Workflow({ script: ${script} })).result` },
    });
    await answer(talk, 1);
    const told = await talk.asked();
    expect(told.news).toContain("'did: Work'");
    told.say('Done.');
    await talk.end();
  });

  it('has no more running at a time than leave room for others', async () => {
    const { talk } = await openTalk();
    const told = await launch(talk, await talk.asked(), {
      script: `${meta}const all = await parallel(Array.from({ length: 9 }, (_, n) => () => agent('Work ' + n)));
        return all.filter(Boolean).length;`,
    });
    const { taskId } = taskOf(talk);
    const open: Asked[] = [];
    while (open.length < 6) open.push(await talk.asked());
    const running = () =>
      talk.messages.filter(
        (message) => message.type === 'system' && message.subtype === 'task_started',
      ).length;
    // The workflow itself, and six agents.
    expect(running()).toBe(7);
    for (const asked of open) asked.say('done');
    await answer(talk, 3, (_task, asked) => asked.say('done'));
    told.say('I wait.');
    expect((await talk.taskEnd(taskId)).summary).toContain('is done: 9');
    (await talk.asked()).say('Thanks.');
    await talk.end();
  });
});

describe("a workflow's agents", () => {
  it('are judged as calls of Agent', async () => {
    const { talk } = await openTalk({ disallowedTools: ['Agent(Explore)'] });
    const told = await launch(talk, await talk.asked(), {
      script: `${meta}return agent('Look', { agentType: 'Explore' });`,
    });
    const { taskId } = taskOf(talk);
    told.say('I wait.');
    const end = await talk.taskEnd(taskId);
    expect(end.status).toBe('failed');
    expect(end.summary).toContain('Agent was refused');
    (await talk.asked()).say('Thanks.');
    await talk.end();
  });

  it.each([
    ["agent('Look', { agentType: 'Nobody' })", 'Nobody'],
    ["agent('Look', { model: 'gpt' })", 'model must be one of'],
    ["agent('Look', { schema: { type: 'array' } })", 'schema'],
  ])('are refused for %s', async (code, sentence) => {
    const { talk } = await openTalk();
    const told = await launch(talk, await talk.asked(), { script: `${meta}return ${code};` });
    const { taskId } = taskOf(talk);
    told.say('I wait.');
    const end = await talk.taskEnd(taskId);
    expect(end.status).toBe('failed');
    expect(end.summary).toContain(sentence);
    (await talk.asked()).say('Thanks.');
    await talk.end();
  });
});

it("isn't a sub-agent's, nor plan mode's", async () => {
  const { talk } = await openTalk({ permissionMode: 'plan' });
  const from = await talk.asked();
  const told = await launch(talk, from, { script: `${meta}return 1;` });
  expect(told.news).toContain('plan');
  told.call({
    id: 'agent',
    name: 'Agent',
    input: { description: 'Work', prompt: 'Work', run_in_background: false },
  });
  const inner = await launch(talk, await talk.asked(), { script: `${meta}return 1;` }, 'inner');
  expect(inner.news).toContain("A sub-agent can't run a workflow");
  inner.say('Nothing.');
  (await talk.asked()).say('Done.');
  await talk.end();
});

it('takes no field that it does not know', () => {
  expect(workflowInputSchema().safeParse({ script: 'a', model: 'opus' }).success).toBe(false);
});
