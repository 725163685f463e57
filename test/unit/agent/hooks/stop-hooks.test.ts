// What Stop hooks say to a model that wants to rest, and what they are told of the session.
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Host } from '../../../../src/agent/host.ts';
import type { HookCallback } from '../../../../src/agent/hooks/hooks.ts';
import type { HookInput } from '../../../../src/agent/hooks/hook-inputs.ts';
import { forever } from '../../../support/turns/background.ts';
import {
  callTool,
  openHost,
  readAll,
  runHooked,
  say,
  startHooked,
  toReminders,
} from '../../../support/turns/run-hooked.ts';

let host: Host;
beforeEach(async () => void (host = await openHost()));
afterEach(() => host[Symbol.asyncDispose]());

const tells = (additionalContext: string) => ({
  hookSpecificOutput: { hookEventName: 'Stop', additionalContext } as const,
});

async function* prompts(...texts: readonly string[]): AsyncGenerator<string, void> {
  yield* texts;
}

it('additionalContext goes to the model, which goes on with it', async () => {
  const hook: HookCallback<'Stop'> = ({ stop_hook_active }) =>
    Promise.resolve(stop_hook_active ? {} : tells('Name the file, too.'));
  const hooks = { Stop: [{ hooks: [hook] }] };
  const { running, requests } = startHooked(host, [say('Done.'), say('a.txt.')], { hooks });
  const messages = await readAll(running);
  expect(toReminders(requests)).toEqual(['Name the file, too.']);
  expect(messages.at(-1)).toMatchObject({ result: 'a.txt.', num_turns: 2 });
});

it('additionalContext waits for the next prompt once it has been sent back often enough', async () => {
  let asked = 0;
  const hook: HookCallback<'Stop'> = () => {
    asked += 1;
    return Promise.resolve(asked <= 9 ? tells('Go on.') : {});
  };
  const { running, requests } = startHooked(host, [], {
    hooks: { Stop: [{ hooks: [hook] }] },
    prompt: prompts('1', '2'),
  });
  const results = (await readAll(running)).filter(({ type }) => type === 'result');
  expect([asked, results.length, requests.length]).toEqual([10, 2, 10]);
  const heard = requests.map((_, at) => toReminders(requests, at).length);
  expect(heard).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

it('hooks are told what goes on beside the turn, and what will wake the session', async () => {
  const seen: HookInput<'Stop'>[] = [];
  const hook: HookCallback<'Stop'> = (input) => {
    seen.push(input);
    return Promise.resolve({});
  };
  const cell = { code: forever, description: 'Waits' };
  const calls = [
    callTool('Repl', { ...cell, run_in_background: true }),
    callTool('CronCreate', { cron: '0 9 * * 1', prompt: 'Look.' }, 'call-1'),
    callTool(
      'ScheduleWakeup',
      { delaySeconds: 3_600, reason: 'r', prompt: 'x'.repeat(1_010) },
      'call-2',
    ),
  ];
  await runHooked(host, [{ blocks: calls.flatMap(({ blocks }) => blocks) }], {
    hooks: { Stop: [{ hooks: [hook] }] },
    triggers: { timeZone: 'UTC' },
    permissionMode: 'bypassPermissions',
    prompt: prompts('Go.'),
  });
  const { background_tasks, session_crons } = seen[0] ?? {};
  expect(background_tasks).toEqual([
    { id: expect.any(String), type: 'repl', status: 'running', description: 'Waits' },
  ]);
  expect(session_crons).toEqual([
    { id: expect.any(String), schedule: '0 9 * * 1', recurring: true, prompt: 'Look.' },
    {
      id: 'wakeup',
      schedule: expect.stringMatching(/^\d+ \d+ \d+ \d+ \*$/u),
      recurring: false,
      prompt: `${'x'.repeat(1_000)}… [+10 chars]`,
    },
  ]);
});

it('hooks of a sub-agent in the background aren’t told of itself', async () => {
  const seen: unknown[] = [];
  const hook: HookCallback<'SubagentStop'> = ({ background_tasks }) => {
    seen.push(background_tasks);
    return Promise.resolve({});
  };
  const task = { description: 'Look', prompt: 'Look.', run_in_background: true };
  const start = { ...callTool('Agent', task), when: { user: '^Go' } };
  await runHooked(host, [start], { hooks: { SubagentStop: [{ hooks: [hook] }] } });
  expect(seen).toEqual([[]]);
});
