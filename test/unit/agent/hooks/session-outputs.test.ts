// What hooks say of the session itself: its title, and its first prompt.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Host } from '../../../../src/agent/host.ts';
import type { HookCallback } from '../../../../src/agent/hooks/hooks.ts';
import type { HookInput } from '../../../../src/agent/hooks/hook-inputs.ts';
import type {
  HookSpecificOutput,
  SpecificFields,
} from '../../../../src/agent/hooks/read-answer.ts';
import { getSessionInfo } from '../../../../src/agent/stored-sessions/session-info.ts';
import type { SDKMessage } from '../../../../src/core/messages/sdk-message.ts';
import { openHost, runHooked, say } from '../../../support/turns/run-hooked.ts';

let host: Host;
beforeEach(async () => void (host = await openHost()));
afterEach(() => host[Symbol.asyncDispose]());

type Told = 'SessionStart' | 'UserPromptSubmit';

/** Says the same each time. */
function hookFor<E extends Told>(event: E, fields: SpecificFields[E], seen: HookInput<E>[] = []) {
  const hook: HookCallback<E> = (input) => {
    seen.push(input);
    const hookSpecificOutput = { hookEventName: event, ...fields } as HookSpecificOutput;
    return Promise.resolve({ hookSpecificOutput });
  };
  return [{ hooks: [hook] }];
}

const sessionId = '5f0c7d8e-0c0a-4c0d-9f5a-0e9b5d1c7a10';
const readTitle = async () => (await getSessionInfo(sessionId, { host }))?.customTitle;
const results = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) => (message.type === 'result' ? [message] : []));

describe('sessionTitle', () => {
  it('names the session from its first prompt on, and hooks are told the title that it has', async () => {
    const starts: HookInput<'SessionStart'>[] = [];
    const submits: HookInput<'UserPromptSubmit'>[] = [];
    const hooks = {
      SessionStart: hookFor('SessionStart', { sessionTitle: ' The house ' }, starts),
      UserPromptSubmit: hookFor('UserPromptSubmit', {}, submits),
    };
    await runHooked(host, [], { hooks, sessionId });
    await runHooked(host, [say('Done.')], { hooks, resume: sessionId });
    expect(await readTitle()).toBe('The house');
    expect(starts.map((input) => input.session_title)).toEqual([undefined, 'The house']);
    expect(submits.map((input) => input.session_title)).toEqual(['The house', 'The house']);
  });

  it('of a prompt is the last in the option’s order, and none of a prompt that is blocked', async () => {
    const titled = (sessionTitle: string) => hookFor('UserPromptSubmit', { sessionTitle })[0]!;
    const hooks = { UserPromptSubmit: [titled('First'), titled('Second')] };
    await runHooked(host, [], { hooks, sessionId });
    const blocks = { hooks: [() => Promise.resolve({ decision: 'block' } as const)] };
    const blocking = { UserPromptSubmit: [titled('Third'), blocks] };
    await runHooked(host, [], { hooks: blocking, resume: sessionId });
    expect(await readTitle()).toBe('Second');
  });

  it('which is no title counts as an answer that can’t be understood', async () => {
    const hooks = { UserPromptSubmit: hookFor('UserPromptSubmit', { sessionTitle: ' ' }) };
    const { result } = await runHooked(host, [], { hooks, sessionId });
    expect(result).toMatchObject({ terminal_reason: 'hook_stopped' });
    expect(result).toHaveProperty('result', expect.stringContaining('1 to 1 000 characters'));
    expect(await readTitle()).toBeUndefined();
  });
});

describe('initialUserMessage', () => {
  it('is the first prompt of a new session, and the caller’s follows as the next turn', async () => {
    const submits: HookInput<'UserPromptSubmit'>[] = [];
    const hooks = {
      SessionStart: hookFor('SessionStart', { initialUserMessage: 'Read the plan first.' }),
      UserPromptSubmit: hookFor('UserPromptSubmit', {}, submits),
    };
    const run = await runHooked(host, [say('Read.')], { hooks, sessionId });
    expect(submits.map(({ prompt }) => prompt)).toEqual(['Read the plan first.', 'Go.']);
    expect(results(run.messages)).toMatchObject([{ result: 'Read.' }, { result: 'Done.' }]);

    const script = [say('Read.'), say('Done.')];
    const again = await runHooked(host, script, { hooks, resume: sessionId });
    expect(results(again.messages)).toMatchObject([{ result: 'Done.' }]);
  });

  it('clears the session once, and not the one that this begins', async () => {
    const hooks = { SessionStart: hookFor('SessionStart', { initialUserMessage: '/clear' }) };
    const run = await runHooked(host, [], { hooks });
    expect(results(run.messages)).toMatchObject([{ local_command: 'clear' }, { result: 'Done.' }]);
    const told = run.messages
      .filter(({ type }) => type === 'system')
      .map((one) => JSON.stringify(one));
    expect(told.filter((text) => text.includes('It is left out'))).toHaveLength(1);
  });

  it('may be a command, which runs without the model', async () => {
    const hooks = { SessionStart: hookFor('SessionStart', { initialUserMessage: '/help' }) };
    const run = await runHooked(host, [], { hooks });
    expect(run.requests).toHaveLength(1);
    expect(results(run.messages)).toHaveLength(2);
  });
});
