// What becomes of a plan in the life of a session: a compaction, a rewind, a fork, another opening.
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AgentSession } from '../../../src/agent/agent-session.ts';
import { openSession } from '../../../src/agent/open-session.ts';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import { listReminders } from '../../../src/core/tool/tool-catalog.ts';
import { isResult, quickHost, readUntil } from '../../support/sessions/open-sessions.ts';
import { enters, exits, planPath, plans, thePlan, works } from '../../support/turns/plan-turns.ts';
import { listModel, says } from '../../support/turns/play-turns.ts';

const canUseTool = () => Promise.resolve({ behavior: 'allow' as const });

async function open(options: QueryOptions): Promise<AgentSession> {
  const session = await openSession({ canUseTool, ...options });
  onTestFinished(() => session.close());
  return session;
}

/** Sends it, and waits for its result. */
async function say(session: AgentSession, text: string) {
  const { uuid, n } = await session.send(text);
  const told = await readUntil(session, isResult, n);
  return { uuid, result: told.find(isResult) };
}

const remindersOf = (model: ReturnType<typeof listModel>) =>
  listReminders(model.requests.at(-1)?.messages ?? []);

describe('an accepted plan', () => {
  it('is told again after a compaction', async () => {
    const host = await quickHost();
    const long = Array.from({ length: 4 }, (_, at) => says(`${at} ${'x'.repeat(40_000)}`));
    const model = listModel('list', [
      ...[enters(), plans(), exits(), says('Begun.')],
      ...long,
      ...[says('A summary.'), says('Still there.')],
    ]);
    const session = await open({ host, model, sessionId: 's1' });
    for (const text of ['Plan.', '1', '2', '3', '4']) await say(session, text);
    await session.compact();
    await say(session, 'Do you know it?');
    expect(remindersOf(model).join('\n\n')).toContain(
      `# The plan that the user has accepted\n\nIt is in ${planPath}:\n\n${thePlan}`,
    );
  });

  it('is not told any more after a rewind to before it; its file and the mode stay', async () => {
    const host = await quickHost();
    const long = Array.from({ length: 4 }, (_, at) => says(`${at} ${'x'.repeat(40_000)}`));
    const model = listModel('list', [
      ...long,
      ...[enters(), plans(), exits(), says('Begun.')],
      ...[says('A summary.'), says('No.')],
    ]);
    const session = await open({ host, model, sessionId: 's1' });
    for (const text of ['1', '2', '3', '4']) await say(session, text);
    const { uuid } = await say(session, 'Plan.');
    await session.rewind(uuid);
    await session.compact();
    await say(session, 'Do you know it?');
    expect(remindersOf(model).join()).not.toContain('# The plan');
    expect(remindersOf(model).join()).not.toContain('# Plan mode\n');
    expect(await host.workspace.fs.readFile(planPath, 'utf8')).toBe(thePlan);
  });
});

describe('a session that plans', () => {
  it('plans still when it is opened again, and ends in the mode from before', async () => {
    const host = await quickHost();
    const asked: string[] = [];
    const ask = (toolName: string) => {
      asked.push(toolName);
      return canUseTool();
    };
    const first = await open({
      host,
      model: listModel('a', [enters(), says('Soon.')]),
      sessionId: 's1',
    });
    await say(first, 'Plan.');
    await first.close();
    const model = listModel('b', [plans(), exits(), works(), says('Done.')]);
    const again = await open({ host, model, resume: 's1', canUseTool: ask });
    await say(again, 'Go on.');
    expect(asked).toEqual(['ExitPlanMode', 'Write']);
  });

  it('shares its plan with a fork, whose changes are its own', async () => {
    const host = await quickHost();
    const first = await open({
      host,
      model: listModel('a', [plans(), says('Soon.')]),
      sessionId: 's1',
      permissionMode: 'plan',
    });
    await say(first, 'Plan.');
    await first.close();
    const plansOwn = (path: string) => plans('# Another\n', path);
    const model = listModel('b', [
      exits(),
      plansOwn('/session/s2/plan.md'),
      exits('again'),
      says('Done.'),
    ]);
    const asked: unknown[] = [];
    const fork = await open({
      host,
      model,
      resume: 's1',
      forkSession: true,
      sessionId: 's2',
      permissionMode: 'plan',
      canUseTool: (_name, input) => {
        asked.push(input['plan']);
        return Promise.resolve(
          asked.length === 1 ? { behavior: 'deny', message: 'Another.' } : { behavior: 'allow' },
        );
      },
    });
    await say(fork, 'Go on.');
    expect(asked).toEqual([thePlan, '# Another\n']);
    expect(remindersOf(model).join()).toContain('/session/s2/plan.md');
    expect(await host.workspace.fs.readFile(planPath, 'utf8')).toBe(thePlan);
  });
});
