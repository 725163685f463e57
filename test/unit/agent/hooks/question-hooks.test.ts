// PermissionRequest, Notification and PermissionDenied in the whole agent.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Host } from '../../../../src/agent/host.ts';
import type { HookCallback } from '../../../../src/agent/hooks/hooks.ts';
import type { HookInput } from '../../../../src/agent/hooks/hook-inputs.ts';
import type { HookSpecificOutput } from '../../../../src/agent/hooks/read-answer.ts';
import { createDeferred } from '../../../../src/core/async/deferred.ts';
import { createVirtualClock } from '../../../../src/hosts/inline/virtual-clock.ts';
import { createPerson, createQuickPerson } from '../../../support/turns/run-cells.ts';
import {
  openHost,
  readAll,
  runHooked,
  say,
  startHooked,
  toReminders,
  toResults,
  callTool,
  write,
} from '../../../support/turns/run-hooked.ts';

let host: Host;
beforeEach(async () => void (host = await openHost()));
afterEach(() => host[Symbol.asyncDispose]());

type Decision = NonNullable<
  Extract<HookSpecificOutput, { hookEventName: 'PermissionRequest' }>['decision']
>;
const decides =
  (decision: Decision): HookCallback =>
  () =>
    Promise.resolve({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } });
const read = (name: string) =>
  host.workspace.fs.readFile(`${host.cwd}/${name}`, 'utf8').catch(() => undefined);
function createGate() {
  const { promise: passed, resolve: open } = createDeferred();
  return { open: () => open(), passed };
}
const yes = { behavior: 'allow' } as const;

describe('a PermissionRequest hook', () => {
  it('is told what a person would be asked', async () => {
    const seen: unknown[] = [];
    const hook: HookCallback = (input) => Promise.resolve(void seen.push(input) as never);
    await runHooked(host, [write('new.txt')], {
      hooks: { PermissionRequest: [{ hooks: [hook] }] },
      canUseTool: createQuickPerson(yes).canUseTool,
    });
    expect(seen).toEqual([
      expect.objectContaining({
        hook_event_name: 'PermissionRequest',
        tool_name: 'Write',
        tool_input: { file_path: 'new.txt', content: 'x' },
        permission_suggestions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
      }),
    ]);
    expect(await read('new.txt')).toBe('x');
  });

  it('answers where nobody is there to ask', async () => {
    await runHooked(host, [write('new.txt')], {
      hooks: { PermissionRequest: [{ hooks: [decides(yes)] }] },
    });
    expect(await read('new.txt')).toBe('x');
  });

  it.each<[string, Decision, string]>([
    ['refuses', { behavior: 'deny', message: 'Never.' }, 'Never.'],
    ['refuses without a word', { behavior: 'deny' }, 'A hook refused Write.'],
  ])('%s before the person is asked', async (_, decision, text) => {
    const person = createQuickPerson(yes);
    const run = await runHooked(host, [write('new.txt')], {
      hooks: { PermissionRequest: [{ hooks: [decides(yes), decides(decision)] }] },
      canUseTool: person.canUseTool,
    });
    expect([person.asked.length, toResults(run.messages)]).toEqual([0, [text]]);
    expect(run.messages).toContainEqual(
      expect.objectContaining({ subtype: 'permission_denied', decision_reason_type: 'hook' }),
    );
  });

  it('may stop the turn with its refusal', async () => {
    const run = await runHooked(host, [write('new.txt')], {
      hooks: { PermissionRequest: [{ hooks: [decides({ behavior: 'deny', interrupt: true })] }] },
    });
    expect(run.result).toMatchObject({ subtype: 'error_during_execution' });
    expect(run.requests).toHaveLength(1);
  });

  it('may change the input, which is parsed and judged anew', async () => {
    const to = (file_path: string) =>
      decides({ behavior: 'allow', updatedInput: { file_path, content: 'by a hook' } });
    await runHooked(host, [write('new.txt')], {
      hooks: { PermissionRequest: [{ hooks: [to('other.txt')] }] },
    });
    expect(await read('other.txt')).toBe('by a hook');
    const denied = await runHooked(host, [write('new.txt')], {
      hooks: { PermissionRequest: [{ hooks: [to('secret.txt')] }] },
      disallowedTools: ['Edit(secret.txt)'],
    });
    expect(toResults(denied.messages)[0]).toContain('the deny rule Edit(secret.txt)');
    const invalid = await runHooked(host, [write('new.txt')], {
      hooks: {
        PermissionRequest: [{ hooks: [decides({ behavior: 'allow', updatedInput: { no: 1 } })] }],
      },
    });
    expect(toResults(invalid.messages)[0]).toContain("The input of Write isn't valid");
    expect([await read('new.txt'), await read('secret.txt')]).toEqual([undefined, undefined]);
  });

  it('may change the rules for what follows; rules that can’t hold refuse the call', async () => {
    const mode = { type: 'setMode', mode: 'acceptEdits', destination: 'session' } as const;
    let asked = 0;
    const hook: HookCallback = (...given) => {
      asked += 1;
      return decides({ behavior: 'allow', updatedPermissions: [mode] })(...given);
    };
    await runHooked(
      host,
      [write('one.txt'), callTool('Write', { file_path: 'two.txt', content: 'x' }, 'b')],
      {
        hooks: { PermissionRequest: [{ hooks: [hook] }] },
      },
    );
    expect([asked, await read('two.txt')]).toEqual([1, 'x']);
    const rules = [{ toolName: 'Bash', ruleContent: 'ls' }];
    const bad = { type: 'addRules', rules, behavior: 'allow', destination: 'session' } as const;
    const hooks = {
      PermissionRequest: [{ hooks: [decides({ behavior: 'allow', updatedPermissions: [bad] })] }],
    };
    const run = await runHooked(host, [write('new.txt')], { hooks });
    expect(toResults(run.messages)[0]).toContain("permission rules can't be understood");
  });

  it('is asked about what a cell changed, with the diffs', async () => {
    const seen: HookInput<'PermissionRequest'>[] = [];
    const hook: HookCallback<'PermissionRequest'> = (input) => {
      seen.push(input);
      return Promise.resolve({
        hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: yes },
      });
    };
    await runHooked(host, [callTool('Repl', { code: `fs.writeFileSync('new.txt', 'x')` })], {
      hooks: { PermissionRequest: [{ matcher: 'Repl', hooks: [hook] }] },
    });
    expect(seen.map(({ changes }) => changes?.map(({ path, type }) => [type, path]))).toEqual([
      [['create', '/workspace/new.txt']],
    ]);
    expect(await read('new.txt')).toBe('x');
  });

  it('that fails leaves the question to the person; with onFailure: block it refuses', async () => {
    const throws: HookCallback = () => Promise.reject(new Error('broken'));
    const person = createQuickPerson(yes);
    const { canUseTool } = person;
    const run = (onFailure: 'continue' | 'block') =>
      runHooked(host, [write(`${onFailure}.txt`)], {
        hooks: { PermissionRequest: [{ hooks: [throws], onFailure }] },
        canUseTool,
      });
    await run('continue');
    await run('block');
    expect(person.asked).toHaveLength(1);
    expect([await read('continue.txt'), await read('block.txt')]).toEqual(['x', undefined]);
  });

  it('that hangs is given up at its timeout, and then the person is asked', async () => {
    const clock = createVirtualClock();
    const own = await openHost({ clock });
    const person = createPerson();
    const { promise: isWaiting, resolve: waits } = createDeferred();
    const hangs = () => {
      waits();
      return new Promise<never>(() => undefined);
    };
    const running = runHooked(own, [write('new.txt')], {
      hooks: { PermissionRequest: [{ hooks: [hangs], timeout: 5 }] },
      canUseTool: person.canUseTool,
    });
    await isWaiting;
    expect(person.asked).toEqual([]);
    clock.advance(5_000);
    (await person.next()).answer(yes);
    const { messages } = await running;
    expect(messages).toContainEqual(
      expect.objectContaining({
        content: 'A PermissionRequest hook failed (it took longer than 5 s); it is ignored.',
      }),
    );
    expect(clock.pending()).toBe(0);
    await own[Symbol.asyncDispose]();
  });

  it('and its question are withdrawn when the turn is stopped', async () => {
    const clock = createVirtualClock();
    const own = await openHost({ clock });
    const person = createPerson();
    const signals: AbortSignal[] = [];
    const abortController = new AbortController();
    const hangs: HookCallback = (_input, _id, { signal }) => {
      signals.push(signal);
      abortController.abort();
      return new Promise(() => undefined);
    };
    const run = await runHooked(own, [write('new.txt')], {
      hooks: { PermissionRequest: [{ hooks: [hangs] }] },
      canUseTool: person.canUseTool,
      abortController,
    });
    expect(toResults(run.messages)).toEqual([
      'Write was stopped before it was finished. Nothing that it did was kept.',
    ]);
    expect([signals[0]?.aborted, person.asked.length, clock.pending()]).toEqual([true, 0, 0]);
    await own[Symbol.asyncDispose]();
  });
});

describe('a Notification hook', () => {
  it('hears that a person is being asked, and keeps nobody waiting', async () => {
    const seen: unknown[] = [];
    const hook: HookCallback = (input) => {
      seen.push(input);
      return new Promise(() => undefined);
    };
    const matchers = [
      { matcher: 'permission_prompt', hooks: [hook] },
      { matcher: 'idle_prompt', hooks: [hook] },
    ];
    const { canUseTool } = createQuickPerson(yes);
    await runHooked(host, [write('new.txt')], { hooks: { Notification: matchers }, canUseTool });
    expect(seen).toEqual([
      expect.objectContaining({
        hook_event_name: 'Notification',
        notification_type: 'permission_prompt',
        message: 'Write: new.txt: nothing allows Write for this yet',
      }),
    ]);
    expect(await read('new.txt')).toBe('x');
  });

  it.each(['with the call’s result', 'with the next prompt, if it answers later'])(
    'tells the model more %s',
    async (when) => {
      const isLate = when.includes('next prompt');
      const answered = createGate();
      const resulted = createGate();
      async function* ask() {
        yield 'Go.';
        if (!isLate) return;
        await answered.passed;
        yield 'Go on.';
      }
      const hook: HookCallback<'Notification'> = async () => {
        if (isLate) await resulted.passed;
        const additionalContext = 'They are at lunch.';
        return { hookSpecificOutput: { hookEventName: 'Notification', additionalContext } };
      };
      const { running, requests } = startHooked(
        host,
        [write('new.txt'), say('One.'), say('Two.')],
        {
          hooks: { Notification: [{ hooks: [hook] }] },
          includeHookEvents: true,
          prompt: ask(),
          async canUseTool() {
            if (!isLate) await answered.passed;
            return yes;
          },
        },
      );
      for await (const message of running) {
        if (message.type === 'result') resulted.open();
        if (message.type === 'system' && message.subtype === 'hook_response') answered.open();
      }
      expect(requests.slice(0, -1).flatMap((_, at) => toReminders(requests, at))).toEqual([]);
      expect(toReminders(requests)).toEqual(['They are at lunch.']);
    },
  );
});

describe('a PermissionDenied hook', () => {
  it('hears of every refusal, and may let the model try again', async () => {
    const seen: HookInput<'PermissionDenied'>[] = [];
    const hook: HookCallback<'PermissionDenied'> = (input) => {
      seen.push(input);
      return Promise.resolve({
        hookSpecificOutput: { hookEventName: 'PermissionDenied', retry: true },
      });
    };
    const { running } = startHooked(host, [write('new.txt'), say('Done.')], {
      hooks: { PermissionDenied: [{ matcher: 'Write', if: 'Edit(*.txt)', hooks: [hook] }] },
      permissionMode: 'dontAsk',
    });
    const messages = await readAll(running);
    expect(seen.map(({ tool_use_id, reason }) => [tool_use_id, reason])).toEqual([
      ['call-0', expect.stringContaining('the permission mode is dontAsk')],
    ]);
    expect(toResults(messages)[0]).toMatch(/\nYou may try this call again\.$/u);
  });

  it('hears of a cell’s changes that were refused, and of a nested call', async () => {
    const seen: unknown[] = [];
    const hook: HookCallback<'PermissionDenied'> = ({ tool_name, reason }) => {
      seen.push([tool_name, reason.split(':')[0]]);
      return Promise.resolve({});
    };
    const code = `await tools.Write({ file_path: 'a', content: 'x' }).catch(() => {}); fs.writeFileSync('b', 'x')`;
    await runHooked(host, [callTool('Repl', { code })], {
      hooks: { PermissionDenied: [{ hooks: [hook] }] },
      permissionMode: 'dontAsk',
    });
    expect(seen).toEqual([
      ['Write', 'Write was refused'],
      ['Repl', 'What Repl changed was refused'],
    ]);
  });
});
