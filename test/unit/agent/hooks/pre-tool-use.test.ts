// A PreToolUse hook in the whole agent: what it may decide, and what it can't.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Host } from '../../../../src/agent/host.ts';
import type { HookCallback } from '../../../../src/agent/hooks/hooks.ts';
import type { HookInput } from '../../../../src/agent/hooks/hook-inputs.ts';
import type { HookJSONOutput } from '../../../../src/agent/hooks/read-answer.ts';
import { createScriptedAnswers } from '../../../../src/hosts/inline/scripted-answers.ts';
import { createQuickPerson } from '../../../support/turns/run-cells.ts';
import {
  openHost,
  runHooked,
  toReminders,
  toResults,
  callTool,
  write,
} from '../../../support/turns/run-hooked.ts';
import type { HookedOptions } from '../../../support/turns/run-hooked.ts';

let host: Host;
beforeEach(async () => void (host = await openHost()));
afterEach(() => host[Symbol.asyncDispose]());

type Pre = Extract<
  NonNullable<Extract<HookJSONOutput, { hookSpecificOutput?: unknown }>['hookSpecificOutput']>,
  { hookEventName: 'PreToolUse' }
>;
const answers =
  (fields: Omit<Pre, 'hookEventName'>): HookCallback =>
  () =>
    Promise.resolve({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...fields } });
const before = (...hooks: readonly HookCallback[]): HookedOptions => ({
  hooks: { PreToolUse: [{ hooks }] },
});
const read = (name: string) =>
  host.workspace.fs.readFile(`${host.cwd}/${name}`, 'utf8').catch(() => undefined);

const allow = answers({ permissionDecision: 'allow' });
const ask = answers({ permissionDecision: 'ask', permissionDecisionReason: 'look at it' });
const deny = answers({ permissionDecision: 'deny', permissionDecisionReason: 'Not here.' });
const rewriteTo = (file_path: string, permissionDecision?: 'allow' | 'ask') =>
  answers({
    updatedInput: { file_path, content: 'by a hook' },
    ...(permissionDecision && { permissionDecision }),
  });

const allowing = () => Promise.resolve({ behavior: 'allow', message: 'fine' } as const);

describe('a PreToolUse hook', () => {
  it('is told of the call as it was parsed, and who makes it', async () => {
    const seen: unknown[] = [];
    const hook: HookCallback = (input, toolUseID) => {
      seen.push([input, toolUseID]);
      return Promise.resolve({});
    };
    await runHooked(host, [callTool('Read', { file_path: 'a.txt' })], {
      ...before(hook),
      sessionId: 's',
    });
    expect(seen).toEqual([
      [
        {
          hook_event_name: 'PreToolUse',
          session_id: 's',
          transcript_path: '',
          cwd: '/workspace',
          permission_mode: 'default',
          prompt_id: expect.any(String),
          tool_name: 'Read',
          tool_input: { file_path: 'a.txt' },
          tool_use_id: 'call-0',
        },
        'call-0',
      ],
    ]);
  });

  it('denies with its reason, whatever else allows', async () => {
    const run = await runHooked(host, [write('new.txt')], {
      ...before(allow, deny),
      permissionMode: 'bypassPermissions',
      allowedTools: ['Write'],
    });
    expect(toResults(run.messages)).toEqual(['Not here.']);
    expect(run.messages).toContainEqual(
      expect.objectContaining({ subtype: 'permission_denied', decision_reason_type: 'hook' }),
    );
    expect([await read('new.txt'), run.result.permission_denials.length]).toEqual([undefined, 1]);
  });

  it('allows what nothing else speaks of', async () => {
    await runHooked(host, [write('new.txt')], before(allow));
    expect(await read('new.txt')).toBe('x');
  });

  it.each<[string, HookedOptions, number]>([
    ['a deny rule', { disallowedTools: ['Edit(new.txt)'] }, 0],
    ['a deny rule of the settings', { settings: { permissions: { deny: ['Write(*)'] } } }, 0],
    ['an ask rule', { settings: { permissions: { ask: ['Write'] } } }, 1],
    ['plan mode', { permissionMode: 'plan' }, 0],
  ])('can’t allow against %s', async (_, options, questions) => {
    const { canUseTool, asked } = createScriptedAnswers(['deny']);
    await runHooked(host, [write('new.txt')], { ...before(allow), ...options, canUseTool });
    expect([await read('new.txt'), asked.length]).toEqual([undefined, questions]);
  });

  it('can’t allow writing what steers the agent', async () => {
    const { canUseTool, asked } = createScriptedAnswers(['deny']);
    const options = { ...before(allow), permissionMode: 'bypassPermissions', canUseTool } as const;
    await runHooked(host, [write('.claude/settings.json', '{}')], options);
    expect([await read('.claude/settings.json'), asked.length]).toEqual([undefined, 1]);
  });

  it.each<[HookedOptions, string | undefined]>([
    [{ permissionMode: 'bypassPermissions' }, 'x'],
    [{ allowedTools: ['Write'] }, 'x'],
    [{}, 'x'],
    // What a hook asks is no classifier's to answer.
    [{ permissionMode: 'auto', autoClassifier: allowing }, 'x'],
  ])('asks the person, whatever %j says', async (options, content) => {
    const { canUseTool, asked } = createScriptedAnswers(['allow']);
    await runHooked(host, [write('new.txt')], { ...before(allow, ask), ...options, canUseTool });
    expect(await read('new.txt')).toBe(content);
    expect(asked).toHaveLength(1);
    expect(asked[0]?.options.decisionReason).toBe('a hook says so: look at it');
  });

  it.each<[HookedOptions]>([[{ permissionMode: 'plan' }], [{ disallowedTools: ['Edit(*)'] }]])(
    'doesn’t make a question of what %j refuses',
    async (options) => {
      const { canUseTool, asked } = createScriptedAnswers(['allow']);
      await runHooked(host, [write('new.txt')], { ...before(ask), ...options, canUseTool });
      expect([await read('new.txt'), asked.length]).toEqual([undefined, 0]);
    },
  );

  it('that asks is refused where nobody may be asked', async () => {
    const options = { ...before(ask), permissionMode: 'dontAsk', allowedTools: ['Write'] } as const;
    const run = await runHooked(host, [write('new.txt')], options);
    expect(await read('new.txt')).toBeUndefined();
    expect(toResults(run.messages)[0]).toContain('the permission mode is dontAsk');
  });

  it('tells the model more, after the result', async () => {
    const hook = answers({ additionalContext: 'Mind the style.' });
    const run = await runHooked(
      host,
      [callTool('Read', { file_path: 'a.txt' })],
      before(hook, hook),
    );
    expect(toReminders(run.requests)).toEqual(['Mind the style.', 'Mind the style.']);
    const [results, context] = run.requests[1]?.slice(-2) ?? [];
    expect([results?.role, context?.role]).toEqual(['user', 'user']);
  });
});

describe('a rewritten input', () => {
  it('takes the place of the model’s', async () => {
    await runHooked(host, [write('new.txt')], before(rewriteTo('other.txt', 'allow')));
    expect([await read('new.txt'), await read('other.txt')]).toEqual([undefined, 'by a hook']);
  });

  it('is parsed as the model’s is', async () => {
    const hook = answers({
      permissionDecision: 'allow',
      updatedInput: { file_path: 'b.txt', content: 'x', approved: true },
    });
    const run = await runHooked(host, [write('new.txt')], before(hook));
    expect(toResults(run.messages)[0]).toMatch(
      /^Write was not run: a hook changed its input\.\nThe input of Write isn't valid:.*approved/su,
    );
    expect(await read('b.txt')).toBeUndefined();
  });

  it.each([
    ['secrets/key'],
    ['./secrets/../secrets/key'],
    ['/workspace/secrets/key'],
    ['link/key'],
  ])('%s is held against deny rules', async (path) => {
    await host.workspace.fs.mkdir('/workspace/secrets');
    await host.workspace.fs.symlink('secrets', '/workspace/link');
    const options = {
      ...before(rewriteTo(path, 'allow')),
      disallowedTools: ['Edit(secrets/**)'],
      permissionMode: 'bypassPermissions',
    } as const;
    const run = await runHooked(host, [write('new.txt')], options);
    expect(toResults(run.messages)).toHaveLength(1);
    expect(await host.workspace.fs.readdir('/workspace/secrets')).toEqual([]);
  });

  it('that another hook made isn’t let through by one that allowed the first', async () => {
    const { canUseTool, asked } = createScriptedAnswers(['deny']);
    const hooks = before(allow, rewriteTo('other.txt'));
    await runHooked(host, [write('new.txt')], { ...hooks, canUseTool });
    expect(asked.map(({ input }) => input)).toEqual([
      { file_path: 'other.txt', content: 'by a hook' },
    ]);
    expect(await read('other.txt')).toBeUndefined();
  });

  it('isn’t had by changing what the hook was shown', async () => {
    const hook: HookCallback = (input) => {
      const { tool_input } = input as HookInput<'PreToolUse'>;
      (tool_input as { file_path: string }).file_path = 'other.txt';
      return Promise.resolve({});
    };
    const run = await runHooked(host, [write('new.txt')], {
      ...before(hook),
      permissionMode: 'acceptEdits',
    });
    expect(await read('new.txt'), toResults(run.messages)[0]).toBe('x');
    expect(await read('other.txt')).toBeUndefined();
  });
});

describe('PreToolUse hooks that fail', () => {
  const throws: HookCallback = () => Promise.reject(new Error('broken'));
  const nonsense = (() => Promise.resolve('allow')) as unknown as HookCallback;
  const bare = (() => Promise.resolve({ permissionDecision: 'deny' })) as unknown as HookCallback;
  const elsewhere: HookCallback = () =>
    Promise.resolve({ hookSpecificOutput: { hookEventName: 'PostToolUse' } });
  const typo = answers({ permissionDecision: 'Allow' as 'allow' });

  it('allow nothing, refuse nothing, and are told of', async () => {
    const hook = throws;
    const message = 'broken';
    const person = createQuickPerson({ behavior: 'allow' });
    const options = { ...before(hook), canUseTool: person.canUseTool };
    const run = await runHooked(host, [write('new.txt')], options);
    expect([person.asked.length, await read('new.txt')]).toEqual([1, 'x']);
    expect(run.messages).toContainEqual(
      expect.objectContaining({
        subtype: 'informational',
        level: 'warning',
        content: `A PreToolUse hook failed (${message}); it is ignored.`,
        tool_use_id: 'call-0',
      }),
    );
  });

  it.each([
    ['gives nonsense', nonsense, 'its output is no object'],
    ['misspells', typo, 'its permissionDecision is none of allow, deny, ask, defer'],
    [
      'leaves out the envelope',
      bare,
      "its permissionDecision stands outside of hookSpecificOutput: write { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision } }",
    ],
    [
      'answers as another event’s hook does',
      elsewhere,
      'hookSpecificOutput is for PostToolUse, and this was PreToolUse',
    ],
  ])('refuse the call, and are told of, where one %s', async (_, hook, message) => {
    const run = await runHooked(host, [write('new.txt')], {
      ...before(hook),
      permissionMode: 'bypassPermissions',
    });
    expect(await read('new.txt')).toBeUndefined();
    expect(toResults(run.messages)).toEqual([`A hook's answer can't be understood: ${message}.`]);
    expect(run.messages).toContainEqual(
      expect.objectContaining({
        subtype: 'informational',
        level: 'warning',
        content: `A PreToolUse hook's answer can't be understood (${message}), so it blocks.`,
      }),
    );
  });

  it('refuse the call with onFailure: block', async () => {
    const run = await runHooked(host, [write('new.txt')], {
      hooks: { PreToolUse: [{ hooks: [throws], onFailure: 'block' }, { hooks: [allow] }] },
      permissionMode: 'bypassPermissions',
    });
    expect(toResults(run.messages)).toEqual(['A hook that has to agree failed: broken.']);
    expect(await read('new.txt')).toBeUndefined();
  });
});

describe('a hook’s if', () => {
  it.each([
    ['Edit(src/**)', 'src/new.txt', true],
    ['Edit(src/**)', 'new.txt', false],
    ['Write', 'new.txt', true],
    ['Read', 'new.txt', false],
    ['Edit(src/**)', './x/../src/new.txt', true],
  ])('%s, for a Write of %s: runs %s', async (rule, path, runs) => {
    const hooks = { PreToolUse: [{ if: rule, hooks: [deny] }] };
    const run = await runHooked(host, [write(path)], { hooks, permissionMode: 'acceptEdits' });
    expect(toResults(run.messages)[0] === 'Not here.').toBe(runs);
  });
});

describe('a call that a hook puts off', () => {
  const later = answers({ permissionDecision: 'defer', permissionDecisionReason: 'at night' });

  it('is refused inside a cell, which can’t wait', async () => {
    const code = `await tools.Write({ file_path: 'new.txt', content: 'x' }).catch((error) => error.message)`;
    const run = await runHooked(host, [callTool('Repl', { code })], {
      hooks: { PreToolUse: [{ matcher: 'Write', hooks: [later] }] },
      permissionMode: 'bypassPermissions',
    });
    expect(toResults(run.messages).at(-1)).toContain("A hook put Write off, and Repl can't wait.");
    expect(run.result).toMatchObject({ terminal_reason: 'completed' });
  });
});

describe('a call out of a cell', () => {
  const cell = `const told = await tools.Write({ file_path: 'new.txt', content: 'x' })
    .then(() => 'done', (error) => [error.name, error.message].join(': ')); told`;
  const onWrite = (...hooks: readonly HookCallback[]): HookedOptions => ({
    hooks: { PreToolUse: [{ matcher: 'Write', hooks }] },
    permissionMode: 'bypassPermissions',
  });

  it('is denied by a hook as the model’s is', async () => {
    const run = await runHooked(host, [callTool('Repl', { code: cell })], onWrite(deny));
    expect(toResults(run.messages).at(-1)).toContain('PermissionDenied: Not here.');
    expect(await read('new.txt')).toBeUndefined();
  });

  it('is rewritten by a hook, and rules are judged by what it is then', async () => {
    await runHooked(host, [callTool('Repl', { code: cell })], onWrite(rewriteTo('other.txt')));
    expect([await read('new.txt'), await read('other.txt')]).toEqual([undefined, 'by a hook']);
    const run = await runHooked(host, [callTool('Repl', { code: cell }, 'again')], {
      ...onWrite(rewriteTo('secret.txt', 'allow')),
      disallowedTools: ['Edit(secret.txt)'],
    });
    expect(toResults(run.messages).at(-1)).toContain('PermissionDenied');
    expect(await read('secret.txt')).toBeUndefined();
  });

  it('has its context told with the cell’s result', async () => {
    const hook = answers({ additionalContext: 'From inside.' });
    const run = await runHooked(host, [callTool('Repl', { code: cell })], onWrite(hook));
    expect(toReminders(run.requests)).toEqual(['From inside.']);
  });
});
