// What becomes of a work tree in the life of a session: another opening, a rewind, a fork, a
// compaction, sub-agents. The tests also ask real git what it says of the work tree.
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AgentSession } from '../../../src/agent/agent-session.ts';
import type { Host } from '../../../src/agent/host.ts';
import { openSession } from '../../../src/agent/open-session.ts';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import { listReminders } from '../../../src/core/tool/tool-catalog.ts';
import { exportTree } from '../../support/git/exported-tree.ts';
import { gitVersion } from '../../support/git/git-export.ts';
import { isResult, quickHost, readUntil } from '../../support/sessions/open-sessions.ts';
import { toolUse } from '../../support/turns/plan-turns.ts';
import { asks, listModel, says, type Reply } from '../../support/turns/play-turns.ts';
import { openTabs } from '../../support/sessions/session-tabs.ts';
import {
  enters,
  leaves,
  makeProject,
  placeOf,
  writes,
} from '../../support/turns/worktree-turns.ts';

async function openProject(): Promise<Host> {
  const host = await quickHost();
  await makeProject(host);
  return host;
}

async function open(host: Host, replies: readonly Reply[], options: Partial<QueryOptions> = {}) {
  const model = listModel('list', replies);
  const session = await openSession({
    ...{ host, worktrees: true, toolSearch: false, permissionMode: 'bypassPermissions', model },
    ...options,
  });
  onTestFinished(() => session.close());
  return { session, model };
}

async function say(session: AgentSession, text: string) {
  const { uuid, n } = await session.send(text);
  const told = await readUntil(session, isResult, n);
  return { uuid, told };
}

const fileOf = (host: Host, path: string) =>
  host.workspace.fs.readFile(path, 'utf8').catch(() => undefined);

describe('a session in a work tree', () => {
  it('works there still when it is opened again, and goes back from there', async () => {
    const host = await openProject();
    const first = await open(host, [enters(), says('In.')], { sessionId: 's1' });
    await say(first.session, 'Enter.');
    await first.session.close();
    const next = await open(
      host,
      [writes('b.txt', 'b'), leaves({ action: 'keep' }), writes('c.txt', 'c', 'w2'), says('Out.')],
      { resume: 's1' },
    );
    const { told } = await say(next.session, 'Go on.');
    expect(await fileOf(host, `${placeOf('fix')}/b.txt`)).toBe('b');
    expect(await fileOf(host, '/workspace/c.txt')).toBe('c');
    expect(told.find(isResult)).toMatchObject({ subtype: 'success' });
    const inits: unknown[] = [];
    for await (const message of next.session.messages()) {
      if (message.type === 'system' && message.subtype === 'init') inits.push(message.cwd);
      break;
    }
    expect(inits).toEqual(['/workspace']);
  });

  it('is where it was before after a rewind, and there again after its undo', async () => {
    const host = await openProject();
    const replies = [enters(), says('In.'), writes('b.txt', 'b'), says('.')];
    const { session } = await open(host, [...replies, writes('d.txt', 'd', 'w2'), says('.')]);
    const { uuid } = await say(session, 'Enter.');
    await session.rewind(uuid);
    expect(await fileOf(host, `${placeOf('fix')}/a.txt`)).toBeUndefined();
    await say(session, 'Write.');
    expect(await fileOf(host, '/workspace/b.txt')).toBe('b');
    await session.undo();
    expect(await fileOf(host, `${placeOf('fix')}/a.txt`)).toBe('a\n');
    await say(session, 'Write.');
    expect(await fileOf(host, `${placeOf('fix')}/d.txt`)).toBe('d');
  });

  it('is told of it again after a compaction, and its fork is there too', async () => {
    const host = await openProject();
    const long = Array.from({ length: 4 }, (_, at) => says(`${at} ${'x'.repeat(40_000)}`));
    const { session, model } = await open(host, [
      ...[enters(), says('In.')],
      ...long,
      ...[says('A summary.'), says('Still.')],
    ]);
    for (const text of ['Enter.', '1', '2', '3', '4']) await say(session, text);
    await session.compact();
    await say(session, 'Where are you?');
    const told = listReminders(model.requests.at(-1)?.messages ?? []).join('\n\n');
    expect(told).toContain(
      `You work in ${placeOf('fix')}, on branch worktree-fix. ExitWorktree takes you back to /workspace.`,
    );
    expect(told).toContain(`- Working directory: ${placeOf('fix')}\n`);
    const { sessionId } = await session.fork();
    const fork = await open(host, [writes('f.txt', 'f'), says('.')], { resume: sessionId });
    await say(fork.session, 'Write.');
    expect(await fileOf(host, `${placeOf('fix')}/f.txt`)).toBe('f');
  });

  it('is followed there from another tab, which answers for it, and takes it over where it works', async () => {
    const openTab = await openTabs();
    const [one, two] = [await openTab(), await openTab()];
    await makeProject(one.host);
    const options = {
      permissionMode: 'default',
      canUseTool: () => new Promise<never>(() => {}),
    } as const;
    const first = await openSession({
      ...{ host: one.host, worktrees: true, toolSearch: false, sessionId: 's1', ...options },
      model: listModel('list', [enters(), writes('b.txt', 'b'), says('In.')]),
      settings: { permissions: { allow: ['EnterWorktree'], deny: ['Edit(a.txt)'] } },
    });
    const second = await open(
      two.host,
      [writes('a.txt', 'denied', 'w2'), writes('c.txt', 'c', 'w3'), says('Out.')],
      {
        resume: 's1',
        ...options,
        settings: { permissions: { allow: ['Edit(*.txt)'], deny: ['Edit(a.txt)'] } },
      },
    );
    await first.send('Enter.');
    await readUntil(second.session, () => second.session.state() === 'requires_action');
    expect(second.session.role()).toBe('viewer');
    const [question] = second.session.questions();
    expect(question).toMatchObject({ toolName: 'Write', input: { file_path: 'b.txt' } });
    await second.session.answer(question?.requestId ?? '', { behavior: 'allow' });
    const { n } = (await readUntil(second.session, isResult)).at(-1) ?? {};
    expect(await fileOf(two.host, `${placeOf('fix')}/b.txt`)).toBe('b');

    one.kill();
    await second.session.send('Go on.');
    const told = await readUntil(second.session, isResult, n);
    expect(second.session.role()).toBe('runner');
    expect(JSON.stringify(told)).toContain('the deny rule Edit(a.txt)');
    expect(await fileOf(two.host, `${placeOf('fix')}/a.txt`)).toBe('a\n');
    expect(await fileOf(two.host, `${placeOf('fix')}/c.txt`)).toBe('c');
    expect(await fileOf(two.host, '/workspace/c.txt')).toBeUndefined();
  });

  it('sends the bytes of every request again with the next one', async () => {
    const host = await openProject();
    const { session, model } = await open(host, [
      ...[enters(), writes('b.txt', 'b'), leaves({ action: 'keep' }), says('Out.')],
    ]);
    await say(session, 'Go.');
    const sent = model.requests.map(({ system, tools, messages }) => ({ system, tools, messages }));
    sent.slice(1).forEach((request, at) => {
      const before = sent[at];
      expect(request.system).toEqual(before?.system);
      expect(request.tools).toEqual(before?.tools);
      expect(request.messages.slice(0, before?.messages.length)).toEqual(before?.messages);
    });
  });
});

describe('sub-agents', () => {
  const agent = (id: string, prompt: string) =>
    asks(toolUse(id, 'Agent', { description: id, prompt, run_in_background: false }));

  it('begin where their caller works, and stay there', async () => {
    const host = await openProject();
    const { session } = await open(host, [
      ...[enters(), agent('one', 'Write.'), writes('of-agent.txt', 'x', 'w1'), says('Written.')],
      ...[leaves({ action: 'keep' }), says('Out.')],
    ]);
    await say(session, 'Go.');
    expect(await fileOf(host, `${placeOf('fix')}/of-agent.txt`)).toBe('x');
  });

  it('keep the work tree that they work in from being removed', async () => {
    const host = await openProject();
    const main = listModel('main', [
      enters(),
      asks(toolUse('one', 'Agent', { description: 'waits', prompt: 'Wait.', name: 'waiter' })),
      ...[leaves({ action: 'remove', discard_changes: true }), says('Out.')],
    ]);
    const model: typeof main = {
      ...main,
      async *stream(request, options) {
        // The agent's own conversation never hears of it, and never has an answer.
        if (JSON.stringify(request.messages).includes('"Go."'))
          yield* main.stream(request, options);
        else {
          await new Promise((_, reject) => {
            options.signal.addEventListener('abort', () => reject(new Error('Stopped.')));
          });
        }
      },
    };
    const { session } = await open(host, [], { model });
    await session.send('Go.');
    const told = JSON.stringify(await readUntil(session, isResult));
    expect(told).toContain(`The agent waiter works in ${placeOf('fix')}.`);
    expect(await fileOf(host, `${placeOf('fix')}/a.txt`)).toBe('a\n');
  });

  it('move themselves alone', async () => {
    const host = await openProject();
    const { session } = await open(host, [
      agent('one', 'Enter.'),
      ...[enters({ name: 'theirs' }), writes('of-agent.txt', 'x', 'w1'), says('Written.')],
      ...[writes('of-main.txt', 'x', 'w2'), says('Out.')],
    ]);
    await say(session, 'Go.');
    expect(await fileOf(host, `${placeOf('theirs')}/of-agent.txt`)).toBe('x');
    expect(await fileOf(host, '/workspace/of-main.txt')).toBe('x');
  });
});

describe('real git', () => {
  it.skipIf(gitVersion === undefined)(
    'lists the work tree after an export, on its branch and clean, and nothing of it in the first one',
    async () => {
      const host = await openProject();
      const { session } = await open(host, [enters(), writes('b.txt', 'b'), says('In.')]);
      await say(session, 'Go.');
      await using real = await exportTree(host.workspace.fs, '/workspace');
      await real.git('worktree', 'repair', '.worktrees/fix');
      const list = await real.git('worktree', 'list', '--porcelain');
      expect(list).toContain('.worktrees/fix\n');
      expect(list).toContain('branch refs/heads/worktree-fix\n');
      expect(await real.git('status', '--porcelain')).toBe('');
      expect(await real.git('-C', '.worktrees/fix', 'status', '--porcelain')).toBe('?? b.txt\n');
      expect(await real.git('fsck')).not.toContain('error');
    },
  );
});
