// How cells in the background end, and their bounds.
import { afterEach, describe, expect, it } from 'vitest';
import type { Host } from '../../../src/agent/host.ts';
import type { SDKTaskNotificationMessage } from '../../../src/core/messages/sdk-message.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import type { InlineHostOptions } from '../../../src/hosts/inline/create-inline-host.ts';
import {
  background,
  converse,
  createHoldTool,
  forever,
  openTaskHost,
  taskOf,
} from '../../support/turns/background.ts';
import { createPerson } from '../../support/turns/run-cells.ts';

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host[Symbol.asyncDispose]();
});

async function open(options: InlineHostOptions = {}): Promise<Host> {
  const host = await openTaskHost(options);
  hosts.push(host);
  return host;
}

const readFile = (host: Host, path: string) => host.workspace.fs.readFile(path, 'utf8');

describe('the end of a background task', () => {
  it('comes by TaskStop, with nothing kept, and is told by its result alone', async () => {
    const host = await open();
    const talk = converse(host);
    talk.say('Go.');
    const asked = await talk.cell(
      await talk.asked(),
      `fs.writeFileSync('b.txt', 'b'); ${forever}`,
      background,
    );
    const id = taskOf(talk);
    asked.call({ id: 'stop-1', name: 'TaskStop', input: { task_id: id } });
    const stopped = await talk.asked();
    expect(stopped.news).toMatch(
      /^Task b[0-9a-f]{8} \(.*\) is stopped\. Nothing that it did was kept\.$/u,
    );
    expect((await talk.taskEnd(id)).status).toBe('stopped');
    expect(await host.workspace.fs.readdir('/workspace')).toEqual(['a.txt']);
    stopped.call({ id: 'stop-2', name: 'KillShell', input: { shell_id: id } });
    const again = await talk.asked();
    expect(again.news).toBe(`No task ${id} runs in the background. None does.`);
    again.say('Done.');
    await talk.end();
  });

  it('comes by TaskStop also while it waits for an answer', async () => {
    const host = await open();
    const person = createPerson();
    const talk = converse(host, { permissionMode: 'default', canUseTool: person.canUseTool });
    talk.say('Go.');
    const asked = await talk.cell(await talk.asked(), `fs.writeFileSync('b.txt', 'b')`, background);
    const id = taskOf(talk);
    const question = await person.next();
    asked.call({ id: 'stop-1', name: 'TaskStop', input: { task_id: id } });
    const stopped = await talk.asked();
    expect(stopped.news).toContain('is stopped');
    expect(question.options.signal.aborted).toBe(true);
    expect(await host.workspace.fs.readdir('/workspace')).toEqual(['a.txt']);
    stopped.say('Done.');
    await talk.end();
  });

  it('comes with the final answer to the only prompt, before the result', async () => {
    const host = await open();
    const talk = converse(host, { prompt: 'Go.' });
    const asked = await talk.cell(await talk.asked(), forever, background);
    expect(talk.lastOutput()).toMatchObject({ backgroundEndsWithFinalResponse: true });
    expect(asked.news).toContain('your final answer stops it');
    asked.say('Done.');
    await talk.end();
    const kinds = talk.messages.map((message) =>
      'subtype' in message ? message.subtype : message.type,
    );
    const last = ['task_updated', 'task_notification', 'background_tasks_changed', 'success'];
    expect(kinds.slice(-4)).toEqual(last);
    expect(talk.messages.at(-3)).toMatchObject({ status: 'stopped' });
  });

  it('comes with the abort of the query, even if it asks; a stopped turn leaves it alone', async () => {
    const host = await open();
    const person = createPerson();
    const abortController = new AbortController();
    const talk = converse(host, {
      permissionMode: 'default',
      canUseTool: person.canUseTool,
      abortController,
    });
    talk.say('Go.');
    await talk.cell(await talk.asked(), `fs.writeFileSync('b.txt', 'b')`, background);
    const id = taskOf(talk);
    const question = await person.next();
    await talk.query.interrupt();
    expect(question.options.signal.aborted).toBe(false);
    abortController.abort();
    await talk.end();
    expect(question.options.signal.aborted).toBe(true);
    expect((await talk.taskEnd(id)).status).toBe('stopped');
  });

  const fail = (): never => {
    throw new Error('out of order');
  };
  it.each<[string, () => unknown, Partial<Tool>, string]>([
    [
      'say that it has begun',
      fail,
      {},
      'Hold could not say that it had begun (Error: out of order), and was stopped.',
    ],
    [
      'present it',
      () => 'It has begun.',
      { mapToolResultToToolResultBlockParam: fail },
      'Hold could not present its result (Error: out of order), and nothing that it changed was kept.',
    ],
  ])('comes at once where its tool can not %s', async (_, toStartedOutput, changes, told) => {
    const host = await open();
    const hold = createHoldTool();
    const tool: Tool = {
      ...hold.tool,
      ...changes,
      background: {
        taskType: 'hold',
        isAskedFor: () => true,
        toStartedOutput,
        toOutputText: () => '',
        describeOutcome: () => '',
      },
    };
    const talk = converse(host, { tools: [...(await host.loadTools()), tool] });
    talk.say('Go.');
    (await talk.asked()).call({ id: 'hold-1', name: 'Hold', input: {} });
    const next = await talk.asked();
    expect(next.news).toContain(`${told} This is a fault of the tool; try another way.`);
    const end = await talk.seen((message): message is SDKTaskNotificationMessage => {
      return message.type === 'system' && message.subtype === 'task_notification';
    });
    expect(end.status).toBe('stopped');
    // It need not have begun: its tool's part may be stopped before.
    expect(hold.isRunning()).toBe(false);
    next.say('Done.');
    await talk.end();
  });

  it('comes with the close of the query', async () => {
    const host = await open();
    const hold = createHoldTool();
    const talk = converse(host, { tools: [...(await host.loadTools()), hold.tool] });
    talk.say('Go.');
    const write = `fs.writeFileSync('b.txt', 'b'); await tools.Hold({});`;
    await talk.cell(await talk.asked(), write, background);
    await hold.isCalled;
    talk.query.close();
    await hold.isCut;
    await talk.end();
    expect(await host.workspace.fs.readdir('/workspace')).toEqual(['a.txt']);
  });

  it('is told also where its output could not be written, with the reason', async () => {
    const host = await open();
    const hold = createHoldTool();
    const talk = converse(host, { tools: [...(await host.loadTools()), hold.tool] });
    talk.say('Go.');
    const asked = await talk.cell(await talk.asked(), 'await tools.Hold({}); 7', background);
    await hold.isCalled;
    // A folder stands where the file would be.
    const [, , sessionId = '', ...path] = (talk.lastOutput().persistedOutputPath ?? '').split('/');
    const root = await host.workspace.roots.session(sessionId, { author: { kind: 'agent' } });
    const { fs } = host.workspace.at(root.id);
    await fs.rm(`/${path.join('/')}`, { force: true });
    await fs.mkdir(`/${path.join('/')}`, { recursive: true });
    const id = taskOf(talk);
    hold.release();
    const end = await talk.taskEnd(id);
    expect(end.status).toBe('completed');
    expect(end.summary).toContain('Its output could not be written to the file: SdkError: EISDIR');
    asked.say('Done.');
    await talk.end();
  });

  it('is told as a failure where the cell throws, with the error', async () => {
    const talk = converse(await open());
    talk.say('Go.');
    const asked = await talk.cell(
      await talk.asked(),
      `fs.writeFileSync('b.txt', 'b'); throw new TypeError('</summary> no')`,
      background,
    );
    const end = await talk.taskEnd(taskOf(talk));
    expect(end).toMatchObject({ status: 'failed' });
    expect(end.summary).toMatch(/failed: TypeError: <\/summary> no$/u);
    const next = await talk.cell(asked, '1');
    expect(next.news).toContain('TypeError: &lt;/summary&gt; no</summary>');
    next.say('Done.');
    await talk.end();
  });
});

describe('background tasks', () => {
  it('are three at most at a time', async () => {
    const talk = converse(await open());
    talk.say('Go.');
    let asked = await talk.asked();
    for (let at = 0; at < 4; at += 1) asked = await talk.cell(asked, forever, background);
    expect(asked.news).toMatch(/^3 tasks run in the background already, as many as may\./u);
    expect(talk.lastOutput()).toBeUndefined();
    asked.say('Done.');
    await talk.end();
  });

  it('call tools on their own draft', async () => {
    const host = await open();
    const talk = converse(host);
    talk.say('Go.');
    const asked = await talk.cell(
      await talk.asked(),
      `await tools.Edit({ file_path: 'a.txt', old_string: 'two', new_string: fs.readFileSync('a.txt', 'utf8').slice(0, 3) });`,
      background,
    );
    const end = await talk.taskEnd(taskOf(talk));
    expect(end.summary).toContain('updated /workspace/a.txt (+1 -1)');
    expect(await readFile(host, '/workspace/a.txt')).toBe('one\none\nthree\n');
    asked.say('Done.');
    await talk.end();
  });
});
