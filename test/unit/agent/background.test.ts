// Cells in the background, the whole way on one thread. That the foreground goes on beside one that
// computes is shown with real workers: test/browser/host/background.
import { afterEach, describe, expect, it } from 'vitest';
import type {
  SDKMessage,
  SDKResultMessage,
  SDKToolProgressMessage,
} from '../../../src/core/messages/sdk-message.ts';
import { explain } from '../../../src/trace/explain.ts';
import type { Host } from '../../../src/agent/host.ts';
import type { InlineHostOptions } from '../../../src/hosts/inline/create-inline-host.ts';
import { createVirtualClock } from '../../../src/hosts/inline/virtual-clock.ts';
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

const count = (texts: readonly string[], part: string) => texts.join('\n').split(part).length - 1;

describe('a cell in the background', () => {
  it('answers at once with its id, its file and how to stop it', async () => {
    const host = await open();
    const talk = converse(host);
    talk.say('Go.');
    const told = await talk.cell(await talk.asked(), forever, background);
    const id = taskOf(talk);
    const path = `/session/${talk.messages[0]?.session_id}/tasks/${id}.output`;
    expect(talk.lastOutput()).toEqual({
      stdout: '',
      stderr: '',
      interrupted: false,
      backgroundTaskId: id,
      backgroundWakesOwner: true,
      persistedOutputPath: path,
      changes: [],
      rolledBack: false,
    });
    expect(told.news).toContain(`task ${id}`);
    expect(told.news).toContain(`goes to ${path}: Read it`);
    expect(told.news).toContain('Stop it with TaskStop');
    expect(await readFile(host, path)).toBe('');
    told.say('It runs.');
    await talk.end();
  });

  it('has the variables of the session, and leaves none of its own there', async () => {
    const talk = converse(await open());
    talk.say('Go.');
    let asked = await talk.cell(await talk.asked(), 'let n = 1');
    asked = await talk.cell(asked, 'n += 10; var mine = 1; n', background);
    const { summary } = await talk.taskEnd(taskOf(talk));
    expect(summary).toContain('=> 11');
    asked = await talk.cell(asked, '[n, typeof mine]');
    expect(talk.lastOutput().value).toEqual([1, 'undefined']);
    asked.say('Done.');
    await talk.end();
  });

  it('begins anew where the session has run no cell yet', async () => {
    const talk = converse(await open());
    talk.say('Go.');
    const asked = await talk.cell(await talk.asked(), 'typeof n', background);
    expect((await talk.taskEnd(taskOf(talk))).summary).toContain("=> 'undefined'");
    asked.say('Done.');
    await talk.end();
  });

  it('keeps its files when it has ended, and tells the model once', async () => {
    const host = await open();
    const talk = converse(host);
    talk.say('Go.');
    const asked = await talk.cell(
      await talk.asked(),
      'console.log("hello"); fs.writeFileSync("b.txt", "b"); 42',
      { ...background, description: 'Writes b' },
    );
    const id = taskOf(talk);
    const end = await talk.taskEnd(id);
    expect(end).toMatchObject({
      tool_use_id: 'cell-1',
      status: 'completed',
      output_file: `/session/${end.session_id}/tasks/${id}.output`,
      summary:
        'Repl in the background (Writes b) is done: => 42\nChanged files:\ncreated /workspace/b.txt (+1 -0)',
    });
    expect(await readFile(host, '/workspace/b.txt')).toBe('b');
    expect(await readFile(host, end.output_file)).toBe(
      'hello\n=> 42\nChanged files:\ncreated /workspace/b.txt (+1 -0)\n',
    );
    const next = await talk.cell(asked, '1');
    expect(next.news).toContain(`<task-id>${id}</task-id>`);
    expect(next.news).toContain('<status>completed</status>');
    expect(next.news).toContain('(Writes b) is done: =&gt; 42');
    next.say('Done.');
    talk.say('And?');
    const later = await talk.asked();
    expect(
      count(
        later.messages.map((message) => JSON.stringify(message)),
        id,
      ),
    ).toBe(
      // Where it began (its id, and twice its path) and where it ended.
      count(
        next.messages.map((message) => JSON.stringify(message)),
        id,
      ),
    );
    expect(later.news).not.toContain(id);
    later.say('Nothing.');
    await talk.end();
    const ends = talk.messages.filter(
      (message) => message.type === 'system' && message.subtype === 'task_notification',
    );
    expect(ends).toHaveLength(1);
  });

  it('wakes an agent that is at rest, but not where a person stopped it', async () => {
    const host = await open();
    const hold = createHoldTool();
    const talk = converse(host, { tools: [...(await host.loadTools()), hold.tool] });
    talk.say('Go.');
    const told = await talk.cell(await talk.asked(), forever, background);
    const id = taskOf(talk);
    told.say('I wait for it.');
    await talk.query.stopTask(id);
    expect((await talk.taskEnd(id)).status).toBe('stopped');
    talk.say('Another.');
    const again = await talk.asked();
    expect(again.news).toContain('Another.');
    expect(again.news).toContain('<status>stopped</status>');
    const last = await talk.cell(again, `await tools.Hold({}); 'woke'`, background);
    await hold.isCalled;
    last.say('I rest.');
    await talk.seen(
      (message): message is SDKResultMessage =>
        message.type === 'result' && message.subtype === 'success' && message.result === 'I rest.',
    );
    hold.release();
    const woken = await talk.asked();
    expect(woken.news).toContain("=&gt; 'woke'");
    woken.say('Thank you.');
    await talk.end();
    expect(talk.messages).toContainEqual(
      expect.objectContaining({
        type: 'user',
        isSynthetic: true,
        origin: { kind: 'task-notification' },
      }),
    );
    const results = talk.messages.filter((message) => message.type === 'result');
    expect(results.map(({ origin }) => origin?.kind)).toEqual([
      undefined,
      undefined,
      'task-notification',
    ]);
  });

  // How often it is written: background/output-file.test.ts.
  it('tells each piece that it prints, and grows its file while it runs', async () => {
    const clock = createVirtualClock();
    const host = await open({ clock });
    const hold = createHoldTool();
    const talk = converse(host, { tools: [...(await host.loadTools()), hold.tool] });
    talk.say('Go.');
    const told = await talk.cell(
      await talk.asked(),
      `console.log('line 0'); console.log('line 1'); await tools.Hold({}); console.log('line 2'); ${forever}`,
      background,
    );
    const [id, path] = [taskOf(talk), talk.lastOutput().persistedOutputPath ?? ''];
    const says =
      (text: string) =>
      (message: SDKMessage): message is SDKToolProgressMessage =>
        message.type === 'tool_progress' && JSON.stringify(message).includes(text);
    const grow = async () => {
      const grown = new Promise<void>((resolve) => {
        host.workspace.onChange(({ root, changes }) => {
          if (changes.some((change) => `/${root}${change.path}` === path)) resolve();
        });
      });
      clock.advance(2_000);
      await grown;
      return readFile(host, path);
    };

    const piece = await talk.seen(says('line 1'));
    expect(piece).toMatchObject({ tool_use_id: 'cell-1', task_id: id });
    expect(await readFile(host, path)).toBe('');
    expect(await grow()).toBe('line 0\nline 1\n');
    await hold.isCalled;
    hold.release();
    await talk.seen(says('line 2'));
    expect(await grow()).toBe('line 0\nline 1\nline 2\n');
    await talk.query.stopTask(id);
    expect(await readFile(host, path)).toBe(
      'line 0\nline 1\nline 2\nRepl was stopped before it was finished. Nothing that it did was kept.\n',
    );
    told.say('Stopped.');
    await talk.end();
  });
});

describe('what a cell in the background changed', () => {
  it('is merged with what was changed meanwhile', async () => {
    const host = await open();
    const hold = createHoldTool();
    const talk = converse(host, { tools: [...(await host.loadTools()), hold.tool] });
    talk.say('Go.');
    const write = `fs.writeFileSync('a.txt', fs.readFileSync('a.txt', 'utf8').replace('one', 'ONE'));`;
    const asked = await talk.cell(await talk.asked(), `${write} await tools.Hold({});`, background);
    const id = taskOf(talk);
    await hold.isCalled;
    await host.workspace.fs.writeFile('/workspace/a.txt', 'one\ntwo\nTHREE\n');
    hold.release();
    expect((await talk.taskEnd(id)).status).toBe('completed');
    expect(await readFile(host, '/workspace/a.txt')).toBe('ONE\ntwo\nTHREE\n');
    asked.say('Done.');
    await talk.end();
  });

  it('is dropped where it does not merge, and the conflict is named', async () => {
    const host = await open();
    const hold = createHoldTool();
    const talk = converse(host, { tools: [...(await host.loadTools()), hold.tool] });
    talk.say('Go.');
    const asked = await talk.cell(
      await talk.asked(),
      `fs.writeFileSync('a.txt', 'mine'); await tools.Hold({});`,
      background,
    );
    const id = taskOf(talk);
    await hold.isCalled;
    await host.workspace.fs.writeFile('/workspace/a.txt', 'yours');
    hold.release();
    const end = await talk.taskEnd(id);
    expect(end.status).toBe('failed');
    expect(end.summary).toContain('/workspace/a.txt was changed by someone else meanwhile');
    expect(await readFile(host, '/workspace/a.txt')).toBe('yours');
    asked.say('Done.');
    await talk.end();
  });

  it('is judged by what holds when it has ended', async () => {
    const host = await open();
    const hold = createHoldTool();
    const talk = converse(host, { tools: [...(await host.loadTools()), hold.tool] });
    talk.say('Go.');
    const asked = await talk.cell(
      await talk.asked(),
      `fs.writeFileSync('c.txt', 'c'); await tools.Hold({});`,
      background,
    );
    await hold.isCalled;
    await talk.query.setPermissionMode('plan');
    hold.release();
    const end = await talk.taskEnd(taskOf(talk));
    expect(end.status).toBe('failed');
    expect(end.summary).toContain('was refused');
    expect(end.decision && explain(end.decision)).toBe(
      'Repl was allowed because what the call changes is judged before it is kept. Its changes were dropped because the permission mode is plan.',
    );
    expect(await host.workspace.fs.readdir('/workspace')).toEqual(['a.txt']);
    asked.say('Done.');
    await talk.end();
  });

  it('is asked about when it has ended, and dropped by a no', async () => {
    const host = await open();
    const person = createPerson();
    const talk = converse(host, { permissionMode: 'default', canUseTool: person.canUseTool });
    talk.say('Go.');
    const asked = await talk.cell(await talk.asked(), `fs.writeFileSync('b.txt', 'b')`, background);
    const question = await person.next();
    expect(question.options.changes?.map(({ path }) => path)).toEqual(['/workspace/b.txt']);
    // The conversation goes on meanwhile.
    const next = await talk.cell(asked, '6 * 7');
    expect(talk.lastOutput().value).toBe(42);
    question.answer({ behavior: 'deny', message: 'Not that.' });
    const id =
      talk.messages.flatMap((m) =>
        m.type === 'system' && m.subtype === 'task_started' ? [m.task_id] : [],
      )[0] ?? '';
    const end = await talk.taskEnd(id);
    expect(end).toMatchObject({
      status: 'failed',
      summary: expect.stringContaining('Not that.'),
      decision: { changes: { behavior: 'deny', reason: { type: 'user' } } },
    });
    expect(await host.workspace.fs.readdir('/workspace')).toEqual(['a.txt']);
    next.say('Done.');
    await talk.end();
  });

  it('is committed only when no other call runs', async () => {
    const host = await open();
    const first = createHoldTool();
    const second = createHoldTool();
    const tools = [first.tool, { ...second.tool, name: 'HoldToo' }];
    const talk = converse(host, { tools: [...(await host.loadTools()), ...tools] });
    talk.say('Go.');
    const asked = await talk.cell(
      await talk.asked(),
      `fs.writeFileSync('b.txt', 'b'); await tools.Hold({}); console.log('ended');`,
      background,
    );
    const id = taskOf(talk);
    await first.isCalled;
    asked.call({ id: 'busy', name: 'HoldToo', input: {} });
    await second.isCalled;
    first.release();
    // Its last word: from here on it is done, and waits.
    await talk.seen(
      (message): message is SDKToolProgressMessage =>
        message.type === 'tool_progress' && message.task_id === id,
    );
    await host.workspace.fs.writeFile('/workspace/later.txt', '');
    expect(await host.workspace.fs.readdir('/workspace')).toEqual(['a.txt', 'later.txt']);
    second.release();
    expect((await talk.taskEnd(id)).status).toBe('completed');
    expect(await readFile(host, '/workspace/b.txt')).toBe('b');
    (await talk.asked()).say('Done.');
    await talk.end();
  });
});
