// FileChanged: which files hooks hear of, whoever changes them.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSession } from '../../../../src/agent/open-session.ts';
import type { Host } from '../../../../src/agent/host.ts';
import type { HookCallback, HooksOption } from '../../../../src/agent/hooks/hooks.ts';
import type { HookJSONOutput } from '../../../../src/agent/hooks/read-answer.ts';
import { watchFiles } from '../../../../src/agent/hooks/watch-files.ts';
import { createVirtualClock } from '../../../../src/hosts/inline/virtual-clock.ts';
import { createScriptedModel } from '../../../../src/model/scripted.ts';
import type { ChangeEvent } from '../../../../src/workspace/workspace.ts';
import {
  callTool,
  openHost,
  runHooked,
  startHooked,
  write,
} from '../../../support/turns/run-hooked.ts';

let host: Host;
beforeEach(async () => void (host = await openHost()));
afterEach(() => host[Symbol.asyncDispose]());

/** What it has heard, and a promise for the change of that number. */
function listener(answer: (path: string) => HookJSONOutput = () => ({})) {
  const heard: string[] = [];
  const waiting = new Map<number, () => void>();
  const hook: HookCallback<'FileChanged'> = ({ file_path, event }) => {
    const number = heard.push(`${event} ${file_path}`);
    waiting.get(number)?.();
    return Promise.resolve(answer(file_path));
  };
  const whenHeard = (count: number) =>
    heard.length >= count
      ? Promise.resolve()
      : new Promise<void>((resolve) => waiting.set(count, resolve));
  return { heard, hook, whenHeard };
}

const watching =
  (...watchPaths: readonly string[]): HookCallback<'SessionStart'> =>
  () =>
    Promise.resolve({ hookSpecificOutput: { hookEventName: 'SessionStart', watchPaths } });

const open = (hooks: HooksOption) =>
  openSession({ host, model: createScriptedModel({ script: { turns: [] } }), hooks });

/** A tree, and what changes a file of it. */
function fakeTree() {
  const listeners = new Set<(event: ChangeEvent) => void>();
  const watch = (each: (event: ChangeEvent) => void) => {
    listeners.add(each);
    return { [Symbol.dispose]: () => void listeners.delete(each) };
  };
  const change = (path: string) => {
    const changes = [{ path, type: 'update', kind: 'file', version: 1 } as const];
    for (const each of listeners) each({ seq: 1, root: 'main', author: { kind: 'user' }, changes });
  };
  return { watch, change };
}

describe('FileChanged', () => {
  it('tells of files that its matcher names, changed by the agent and by a person', async () => {
    const { heard, hook, whenHeard } = listener();
    const hooks = { FileChanged: [{ matcher: '.env|b.txt', hooks: [hook] }] };
    const { fs } = host.workspace;
    const { running } = startHooked(
      host,
      [write('b.txt'), callTool('Write', { file_path: 'c.txt', content: 'x' }, 'call-1')],
      {
        hooks,
        permissionMode: 'acceptEdits',
      },
    );
    for await (const message of running) {
      if (message.type !== 'result') continue;
      await fs.writeFile(`${host.cwd}/.env`, 'A=1');
      await fs.mkdir(`${host.cwd}/below`);
      await fs.writeFile(`${host.cwd}/below/.env`, 'A=1');
      await fs.writeFile(`${host.cwd}/.env`, 'A=2');
      await fs.rm(`${host.cwd}/.env`);
      await whenHeard(4);
    }
    const env = `${host.cwd}/.env`;
    expect(heard).toEqual([
      `add ${host.cwd}/b.txt`,
      `add ${env}`,
      `change ${env}`,
      `unlink ${env}`,
    ]);
  });

  it('tells of the paths that hooks give: of a directory all that is in it', async () => {
    const { heard, hook, whenHeard } = listener();
    const hooks = {
      SessionStart: [
        { hooks: [watching('/workspace/src/')] },
        { hooks: [watching('/workspace/a.txt')] },
      ],
      FileChanged: [{ hooks: [hook] }],
    };
    const session = await open(hooks);
    const { fs } = host.workspace;
    await fs.mkdir('/workspace/src/deep', { recursive: true });
    await fs.writeFile('/workspace/srcs.ts', '');
    await fs.writeFile('/workspace/src/deep/one.ts', '');
    await fs.writeFile('/workspace/a.txt', 'two');
    await whenHeard(2);
    expect(heard).toEqual(['add /workspace/src/deep/one.ts', 'change /workspace/a.txt']);
    await session.close();
    await fs.writeFile('/workspace/a.txt', 'three');
    expect(heard).toHaveLength(2);
  });

  it('goes on with the paths that its own hook gives, one change after the other', async () => {
    const { watch, change } = fakeTree();
    const told: string[] = [];
    const answers: (() => void)[] = [];
    const clock = createVirtualClock();
    const { replace } = watchFiles(watch, {
      names: ['.env'],
      cwd: () => '/workspace',
      tell: ({ file_path }) => {
        told.push(file_path);
        return new Promise<void>((resolve) => answers.push(resolve));
      },
      clock,
      signal: new AbortController().signal,
      work: () => undefined,
    });
    change('/workspace/.env');
    replace(['/workspace/second']);
    change('/workspace/second');
    replace([]);
    change('/workspace/second');
    change('/workspace/.env');
    await expect.poll(() => told).toEqual(['/workspace/.env']);
    answers[0]?.();
    await expect.poll(() => told).toEqual(['/workspace/.env', '/workspace/second']);
    change('/workspace/.env');
    answers[1]?.();
    await expect.poll(() => clock.pending()).toBe(1);
    expect(told).toHaveLength(2);
    clock.advance(100);
    await expect.poll(() => told).toHaveLength(3);
    answers[2]?.();
    expect(clock.pending()).toBe(0);
  });

  it('leaves the page its time where a hook changes its own file, until the session ends', async () => {
    const { watch, change } = fakeTree();
    const clock = createVirtualClock();
    const session = new AbortController();
    let runs = 0;
    const tell = () => {
      runs += 1;
      change('/workspace/.env');
      change('/workspace/.env');
      return Promise.resolve();
    };
    const cwd = () => '/workspace';
    const { signal } = session;
    watchFiles(watch, { names: ['.env'], cwd, tell, clock, signal, work: () => undefined });
    change('/workspace/.env');
    await expect.poll(() => [runs, clock.pending()]).toEqual([1, 1]);
    for (const [at, pauseMs] of [100, 200, 400].entries()) {
      clock.advance(pauseMs - 1);
      expect(clock.pending()).toBe(1);
      clock.advance(1);
      await expect.poll(() => [runs, clock.pending()]).toEqual([at + 2, 1]);
    }
    session.abort();
    expect(clock.pending()).toBe(0);
    change('/workspace/.env');
    await Promise.resolve();
    expect(runs).toBe(4);
  });

  it('says so where a path isn’t absolute', async () => {
    const hooks = { SessionStart: [{ hooks: [watching('src')] }] };
    const { messages } = await runHooked(host, [], { hooks });
    const [notice] = messages.filter(
      (message) => message.type === 'system' && message.subtype === 'informational',
    );
    expect(notice).toHaveProperty('content', expect.stringContaining('no list of absolute paths'));
  });
});
