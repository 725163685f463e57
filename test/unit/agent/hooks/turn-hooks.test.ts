// The events of a session and its turns in the whole agent, and what a reader sees of hooks.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Host } from '../../../../src/agent/host.ts';
import type { HookCallback } from '../../../../src/agent/hooks/hooks.ts';
import type { HookEvent } from '../../../../src/agent/hooks/hook-events.ts';
import { matcherFields } from '../../../../src/agent/hooks/hook-events.ts';
import type { HookInput } from '../../../../src/agent/hooks/hook-inputs.ts';
import type { HookJSONOutput } from '../../../../src/agent/hooks/read-answer.ts';
import { createDeferred } from '../../../../src/core/async/deferred.ts';
import type { SDKUserMessage } from '../../../../src/core/messages/sdk-message.ts';
import { query } from '../../../../src/agent/query.ts';
import { createScriptedModel } from '../../../../src/model/scripted.ts';
import { createVirtualClock } from '../../../../src/hosts/inline/virtual-clock.ts';
import {
  openHost,
  readAll,
  runHooked,
  say,
  startHooked,
  toReminders,
  withoutEnvironment,
  callTool,
} from '../../../support/turns/run-hooked.ts';

let host: Host;
beforeEach(async () => void (host = await openHost()));
afterEach(() => host[Symbol.asyncDispose]());

/** Answers the same each time, and remembers its inputs. */
function recorder<E extends HookEvent>(output: HookJSONOutput = {}) {
  const seen: HookInput<E>[] = [];
  const hook: HookCallback<E> = (input) => {
    seen.push(input);
    return Promise.resolve(output);
  };
  return { seen, hook };
}
const context = (hookEventName: 'SessionStart' | 'UserPromptSubmit', text: string) => ({
  hookSpecificOutput: { hookEventName, additionalContext: text },
});

async function* prompts(...texts: readonly string[]): AsyncGenerator<SDKUserMessage, void> {
  for (const content of texts) {
    yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
  }
}

it('says how thoroughly the model was told to work, to hooks and to readers', async () => {
  const { seen, hook } = recorder<'UserPromptSubmit'>();
  const script = { turns: [say('One.'), say('Two.')] };
  const hooks = { UserPromptSubmit: [{ hooks: [hook] }] };
  const model = createScriptedModel({ script });
  const told: unknown[] = [];
  for (const one of [{ ...model, effort: 'high' } as const, model]) {
    const [init] = await readAll(query({ prompt: 'Go.', options: { host, model: one, hooks } }));
    told.push(init);
  }
  expect(told[0]).toMatchObject({ subtype: 'init', effort: 'high' });
  expect(told[1]).not.toHaveProperty('effort');
  expect(seen.map(({ effort }) => effort)).toEqual([{ level: 'high' }, undefined]);
});

describe('SessionStart and SessionEnd', () => {
  it('are fired once, and the first tells the model more with the first prompt', async () => {
    const start = recorder<'SessionStart'>(context('SessionStart', 'It rains.'));
    const end = recorder<'SessionEnd'>();
    const missed = recorder<'SessionStart'>();
    const hooks = {
      SessionStart: [{ hooks: [start.hook] }, { matcher: 'resume', hooks: [missed.hook] }],
      SessionEnd: [{ hooks: [end.hook] }],
    };
    const run = await runHooked(host, [], { hooks });
    expect(start.seen).toMatchObject([{ source: 'startup', model: 'scripted' }]);
    expect(end.seen).toMatchObject([{ hook_event_name: 'SessionEnd', reason: 'other' }]);
    expect([missed.seen, toReminders(run.requests)]).toEqual([[], ['It rains.']]);
  });

  it('are told of with all others, also what the second has to say to the person', async () => {
    const { hook } = recorder<'SessionEnd'>({ systemMessage: 'Until tomorrow.' });
    const hooks = { SessionEnd: [{ hooks: [hook] }] };
    const { running } = startHooked(host, [say('x')], { hooks, includeHookEvents: true });
    const messages = await readAll(running);
    const after = messages.slice(messages.findIndex(({ type }) => type === 'result') + 1);
    expect(after).toMatchObject([
      { subtype: 'hook_started', hook_event: 'SessionEnd' },
      { subtype: 'hook_response', hook_event: 'SessionEnd', outcome: 'success' },
      { subtype: 'informational', content: 'Until tomorrow.' },
    ]);
  });

  it('end also with a reader who leaves, and a hook that hangs keeps them 1.5 s', async () => {
    const clock = createVirtualClock();
    const own = await openHost({ clock });
    const { promise: called, resolve: isCalled } = createDeferred();
    const hangs = () => {
      isCalled();
      return new Promise<never>(() => undefined);
    };
    const { running } = startHooked(own, [say('x')], {
      hooks: { SessionEnd: [{ hooks: [hangs] }] },
    });
    await running.next();
    const left = running.return();
    await called;
    clock.advance(1_500);
    await left;
    expect(clock.pending()).toBe(0);
    await own[Symbol.asyncDispose]();
  });

  it('keep nobody who closes the query while the first hangs', async () => {
    const clock = createVirtualClock();
    const own = await openHost({ clock });
    const { running } = startHooked(own, [say('x')], {
      hooks: {
        SessionStart: [
          {
            hooks: [
              () => {
                running.close();
                return new Promise(() => undefined);
              },
            ],
          },
        ],
      },
    });
    expect((await readAll(running)).at(-1)).toMatchObject({ subtype: 'error_during_execution' });
    expect(clock.pending()).toBe(0);
    await own[Symbol.asyncDispose]();
  });

  it('say what they have to say after init', async () => {
    const { hook } = recorder({ systemMessage: 'Hello.', continue: false });
    const run = await runHooked(host, [], { hooks: { SessionStart: [{ hooks: [hook] }] } });
    expect(run.messages.slice(0, 2)).toMatchObject([
      { subtype: 'init' },
      { subtype: 'informational', content: 'Hello.' },
    ]);
    // There was no turn to stop.
    expect(run.result).toMatchObject({ terminal_reason: 'completed' });
  });
});

describe('UserPromptSubmit', () => {
  it('is told the prompt, and tells the model more', async () => {
    const submit = recorder<'UserPromptSubmit'>(context('UserPromptSubmit', 'Be brief.'));
    const hooks = { UserPromptSubmit: [{ hooks: [submit.hook] }] };
    const run = await runHooked(host, [], { hooks });
    expect(submit.seen).toMatchObject([{ prompt: 'Go.', source: 'sdk' }]);
    expect(run.requests[0]?.[0]).toEqual({ role: 'user', content: 'Go.' });
    expect(toReminders(run.requests)).toEqual(['Be brief.']);
  });

  it.each<[string, HookJSONOutput]>([
    ['blocks', { decision: 'block', reason: 'Not today.' }],
    ['stops', { continue: false, stopReason: 'Not today.' }],
  ])('that %s keeps the prompt from the model, and the next one is taken', async (_, output) => {
    const hook: HookCallback<'UserPromptSubmit'> = ({ prompt }) =>
      Promise.resolve(prompt === 'first' ? output : {});
    const requests: unknown[] = [];
    const scripted = createScriptedModel({ script: { turns: [say('Yes.')] } });
    const model = {
      ...scripted,
      stream: (...given: Parameters<typeof scripted.stream>) => {
        requests.push(structuredClone(withoutEnvironment(given[0].messages)));
        return scripted.stream(...given);
      },
    };
    const hooks = { UserPromptSubmit: [{ hooks: [hook] }] };
    const options = { host, model, hooks, toolSearch: false };
    const messages = await readAll(query({ prompt: prompts('first', 'second'), options }));
    expect(messages.filter(({ type }) => type === 'result')).toMatchObject([
      { subtype: 'success', result: 'Not today.', terminal_reason: 'hook_stopped', num_turns: 0 },
      { subtype: 'success', result: 'Yes.' },
    ]);
    expect(requests).toEqual([[{ role: 'user', content: 'second' }]]);
  });

  it('that fails with onFailure: block keeps the prompt too', async () => {
    const hook = () => Promise.reject(new Error('broken'));
    const hooks = { UserPromptSubmit: [{ hooks: [hook], onFailure: 'block' as const }] };
    const run = await runHooked(host, [], { hooks });
    expect(run.result).toMatchObject({
      result: 'A hook that has to agree failed: broken.',
      terminal_reason: 'hook_stopped',
    });
    expect(run.requests).toEqual([]);
  });
});

describe('Stop', () => {
  it('sends the model back to work until it lets it rest', async () => {
    const seen: HookInput<'Stop'>[] = [];
    const hook: HookCallback<'Stop'> = (input) => {
      seen.push(input);
      const isDone = input.last_assistant_message === 'Now.';
      return Promise.resolve(isDone ? {} : { decision: 'block', reason: 'Run the tests.' });
    };
    const hooks = { Stop: [{ hooks: [hook] }] };
    const { running, requests } = startHooked(host, [say('Early.'), say('Now.')], { hooks });
    const messages = await readAll(running);
    expect(seen).toMatchObject([
      { stop_hook_active: false, last_assistant_message: 'Early.' },
      { stop_hook_active: true, last_assistant_message: 'Now.' },
    ]);
    expect(toReminders(requests)).toEqual(['You are not done yet: Run the tests.']);
    expect(messages.at(-1)).toMatchObject({ result: 'Now.', num_turns: 2 });
  });

  it('can’t keep it from resting for ever', async () => {
    let asked = 0;
    const hook: HookCallback = () => {
      asked += 1;
      return Promise.resolve(asked < 30 ? { decision: 'block', reason: 'More.' } : {});
    };
    const run = await runHooked(host, [], { hooks: { Stop: [{ hooks: [hook] }] } });
    expect([run.requests.length, asked]).toEqual([9, 9]);
    expect(run.result).toMatchObject({ terminal_reason: 'completed' });
  });

  it('keeps to maxTurns', async () => {
    const { hook } = recorder<'Stop'>({ decision: 'block', reason: 'More.' });
    const hooks = { Stop: [{ hooks: [hook] }] };
    const run = await runHooked(host, [say('Again.')], { hooks, maxTurns: 1 });
    expect(run.result).toMatchObject({ subtype: 'error_max_turns' });
  });

  it('lets the turn end by continue: false, whatever another hook wants', async () => {
    const more = recorder<'Stop'>({ decision: 'block', reason: 'More.' });
    const over = recorder<'Stop'>({ continue: false, stopReason: 'Over.' });
    const hooks = { Stop: [{ hooks: [more.hook, over.hook] }] };
    const run = await runHooked(host, [], { hooks });
    expect(run.result).toMatchObject({
      result: 'Done.',
      terminal_reason: 'stop_hook_prevented',
      is_error: false,
    });
  });

  it('that fails lets it rest, also with onFailure: block: more work wouldn’t mend it', async () => {
    const hook = () => Promise.reject(new Error('broken'));
    const hooks = { Stop: [{ hooks: [hook], onFailure: 'block' as const }] };
    const run = await runHooked(host, [], { hooks });
    expect([run.requests.length, run.result.terminal_reason]).toEqual([1, 'completed']);
  });
});

describe('StopFailure', () => {
  it('is fired when the server gives no answer, and Stop isn’t', async () => {
    const failure = recorder<'StopFailure'>();
    const stop = recorder<'Stop'>();
    const error = { code: 'model-rate-limited', message: 'Slow down.' } as const;
    const { running } = startHooked(host, [{ blocks: [], error }], {
      hooks: {
        StopFailure: [{ matcher: 'rate_limit', hooks: [failure.hook] }],
        Stop: [{ hooks: [stop.hook] }],
      },
    });
    await readAll(running);
    expect(failure.seen).toMatchObject([{ error: 'rate_limit', error_details: 'Slow down.' }]);
    expect(stop.seen).toEqual([]);
  });
});

describe('what a reader sees of hooks', () => {
  const read = callTool('Read', { file_path: 'a.txt' });
  const options = (output: HookJSONOutput, includeHookEvents = true) => ({
    hooks: { PreToolUse: [{ hooks: [recorder<'PreToolUse'>(output).hook] }] },
    includeHookEvents,
  });
  const subtypes = (messages: readonly object[]) =>
    messages.flatMap((message) => ('subtype' in message ? [message.subtype] : []));

  it('is each run, where it asked for them', async () => {
    const run = await runHooked(host, [read], options({ reason: 'x' }));
    const told = run.messages.filter(
      (message) => 'subtype' in message && message.subtype.startsWith('hook_'),
    );
    const shared = { hook_id: expect.any(String), hook_name: 'PreToolUse:Read' };
    expect(told).toMatchObject([
      { subtype: 'hook_started', hook_event: 'PreToolUse', ...shared },
      {
        subtype: 'hook_response',
        hook_event: 'PreToolUse',
        output: '{"reason":"x"}',
        stdout: '',
        stderr: '',
        outcome: 'success',
        ...shared,
      },
    ]);
    expect(JSON.parse(JSON.stringify(run.messages))).toEqual(run.messages);
  });

  it('is nothing of an output that is suppressed, and nothing at all without the option', async () => {
    const run = await runHooked(host, [read], options({ suppressOutput: true, reason: 'x' }));
    expect(run.messages).toContainEqual(
      expect.objectContaining({ subtype: 'hook_response', output: '', outcome: 'success' }),
    );
    const quiet = await runHooked(host, [read], options({}, false));
    expect(subtypes(quiet.messages)).toEqual(['init', 'success']);
  });

  it('is why one failed', async () => {
    const run = await runHooked(host, [read], options('x' as never));
    expect(run.messages).toContainEqual(
      expect.objectContaining({
        subtype: 'hook_response',
        outcome: 'error',
        stderr: 'its output is no object',
      }),
    );
  });
});

describe('query({ hooks })', () => {
  it('rejects with the first message for hooks that can’t hold', async () => {
    const { running } = startHooked(host, [], {
      hooks: { PreToolUse: [{ matcher: '(', hooks: [] }] },
    });
    await expect(running.next()).rejects.toThrow("The hooks of PreToolUse can't hold");
  });

  it('takes hooks of all events, and those without an emitter never run', async () => {
    const ran: string[] = [];
    const hook: HookCallback = ({ hook_event_name }) =>
      Promise.resolve(void ran.push(hook_event_name) as never);
    const hooks = Object.fromEntries(
      Object.keys(matcherFields).map((event) => [event, [{ hooks: [hook] }]]),
    );
    const read = callTool('Read', { file_path: 'a.txt' });
    await runHooked(host, [read], { hooks });
    expect(ran).toEqual([
      'SessionStart',
      'UserPromptSubmit',
      'PreToolUse',
      'PostToolUse',
      'PostToolBatch',
      'Stop',
      'SessionEnd',
    ]);
  });
});
