// Options of rewinds that there aren't: a mistyped `dryRun` must not have rewound, wherever it is asked for.
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AgentSession } from '../../../../src/agent/agent-session.ts';
import { openSession } from '../../../../src/agent/open-session.ts';
import { query } from '../../../../src/agent/query.ts';
import type { QueryOptions } from '../../../../src/agent/query-options.ts';
import { createDeferred } from '../../../../src/core/async/deferred.ts';
import { isResult, readUntil } from '../../../support/sessions/open-sessions.ts';
import { asks, listModel, says } from '../../../support/turns/play-turns.ts';
import { openTabs } from '../../../support/sessions/session-tabs.ts';

const path = '/workspace/a.txt';

function writingModel() {
  const write = { file_path: path, content: 'a' };
  const call = { type: 'tool_use', id: 'c1', name: 'Write', input: write } as const;
  return listModel('claude-test', [asks(call), says('Done.')]);
}

async function open(options: QueryOptions): Promise<AgentSession> {
  const session = await openSession({ permissionMode: 'bypassPermissions', ...options });
  onTestFinished(() => session.close());
  return session;
}

const prompt = (uuid: string) =>
  ({
    type: 'user',
    uuid,
    message: { role: 'user', content: 'Write.' },
    parent_tool_use_id: null,
  }) as const;

describe.each(['the tab that runs the session', 'a tab that follows it'])('%s', (who) => {
  it.each([
    ['rewind', { dryrun: true }, 'rewind has no option named dryrun. Did you mean dryRun?'],
    ['rewind', { keepUser: true }, 'rewind has no option named keepUser. Did you mean keep?'],
    ['rewind', { keep: 'all' }, "keep is 'user', or left out."],
    ['rewind', { dryRun: 'yes' }, 'dryRun is true or false, not "yes".'],
    [
      'rewind',
      { scope: 'files' },
      'rewind has no option named scope. There are files, repl, dryRun, keep.',
    ],
    [
      'rewindFiles',
      { dryrun: true },
      'rewindFiles has no option named dryrun. Did you mean dryRun?',
    ],
    ['rewindFiles', { keep: 'user' }, 'rewindFiles has no option named keep. There is dryRun.'],
    ['rewindFiles', { dryRun: 1 }, 'dryRun is true or false, not 1.'],
  ] as const)('refuses %s with %j, and nothing goes back', async (method, options, text) => {
    const openTab = await openTabs();
    const [one, two] = [await openTab(), await openTab()];
    const runner = await open({ host: one.host, model: writingModel(), sessionId: 's1' });
    const viewer = await open({ host: two.host, model: writingModel(), resume: 's1' });
    await runner.send(prompt('p1'));
    await readUntil(viewer, isResult);
    const session = who.startsWith('the') ? runner : viewer;
    const rewound = session[method]('p1', options as never);
    await expect(rewound).rejects.toMatchObject({ code: 'bad-usage', message: text });
    expect(await one.host.workspace.fs.readFile(path, 'utf8')).toBe('a');
  });
});

it('is asked of a stored session by a query whose prompt is empty, which begins no turn', async () => {
  const { host } = await (await openTabs())();
  const options = { host, model: writingModel(), permissionMode: 'bypassPermissions' } as const;
  const first = { ...options, sessionId: 's1' };
  for await (const message of query({ prompt: streamOf(prompt('p1')), options: first }))
    if (isResult(message)) expect(message).toMatchObject({ is_error: false });
  const seen: string[] = [];
  const messages = query({ prompt: '', options: { ...options, resume: 's1' } });
  for await (const message of messages) {
    seen.push(message.type);
    expect(await messages.rewindFiles('p1')).toMatchObject({ filesChanged: [path] });
  }
  expect(seen).toEqual(['system']);
  await expect(host.workspace.fs.stat(path)).rejects.toMatchObject({ code: 'ENOENT' });
});

async function* streamOf<T>(value: T) {
  yield value;
}

it('is refused by a query too', async () => {
  const { host } = await (await openTabs())();
  const options = { host, model: writingModel(), permissionMode: 'bypassPermissions' } as const;
  const { promise: ended, resolve: end } = createDeferred();
  async function* prompts() {
    yield prompt('p1');
    await ended;
  }
  const messages = query({ prompt: prompts(), options });
  for await (const message of messages) {
    if (!isResult(message)) continue;
    const rewound = messages.rewindFiles('p1', { dryrun: true } as never);
    await expect(rewound).rejects.toMatchObject({ code: 'bad-usage' });
    expect(await messages.rewindFiles('p1', { dryRun: true })).toMatchObject({ canRewind: true });
    end();
  }
  expect(await host.workspace.fs.readFile(path, 'utf8')).toBe('a');
});
