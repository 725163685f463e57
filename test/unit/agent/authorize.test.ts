import { describe, expect, it } from 'vitest';
import { authorize } from '../../../src/agent/calls/authorize.ts';
import type { AllowedCall } from '../../../src/agent/calls/authorize.ts';
import { dispatch } from '../../../src/agent/calls/dispatch.ts';
import type { Session } from '../../../src/agent/session/session.ts';
import type { Settled } from '../../../src/agent/calls/settled.ts';
import type { PermissionResult } from '../../../src/core/permissions/permission.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import { createScriptedAnswers } from '../../../src/hosts/inline/scripted-answers.ts';
import { createTestSession, testContext } from '../../support/stages/test-session.ts';
import type { TestSessionOptions } from '../../support/stages/test-session.ts';
import { changeTool, lookTool, plainTool } from '../../support/stages/test-tools.ts';
import { validCall } from '../../support/stages/valid-call.ts';

type Answers = Parameters<typeof createScriptedAnswers>[0];

async function ask(
  answers: Answers,
  options: TestSessionOptions = {},
  tool: Tool = changeTool(),
  path = 'src/a.ts',
) {
  const { canUseTool, asked } = createScriptedAnswers(answers);
  const session = await createTestSession({ canUseTool, ...options });
  const call = validCall(tool, tool.getPath ? { path } : {});
  const result = await authorize(call, testContext(session), session);
  return { result, asked, session };
}

function summary(result: AllowedCall | Settled) {
  if (result.stage === 'allowed') return { input: result.input, reason: result.reason.type };
  return { denied: result.denial?.message ?? result.result.content };
}

const form = "An answer is { behavior: 'allow' } or { behavior: 'deny', message: 'Why not' }";

describe('authorize', () => {
  it('asks with what a person needs to decide', async () => {
    const { asked } = await ask(['allow']);
    const [question] = asked;
    const { signal: _, requestId: __, ...options } = question!.options;
    expect({ ...question, options }).toEqual({
      toolName: 'Change',
      input: { path: 'src/a.ts' },
      options: {
        toolUseID: 'call-1',
        decisionReason: 'nothing allows Change for this yet',
        title: 'Change',
        displayName: 'Change',
        description: 'A tool of the tests.',
        suggestions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
      },
    });
  });

  it.each<[string, Answers, number]>([
    ['before it asks and after the answer', ['allow'], 2],
    ['where it asks no more than that, once', ['deny'], 1],
  ])('decides once %s', async (_, answers, times) => {
    let decided = 0;
    const tool = changeTool();
    const checkPermissions: Tool['checkPermissions'] = (input, context) => {
      decided += 1;
      return tool.checkPermissions(input, context);
    };
    await ask(answers, {}, { ...tool, checkPermissions });
    expect(decided).toBe(times);
  });

  it.each<[string, Answers[number], object]>([
    ['allows', 'allow', { input: { path: 'src/a.ts' }, reason: 'user' }],
    ['refuses', 'deny', { denied: 'The user said no.' }],
    [
      'is given elsewhere',
      null,
      {
        denied:
          'Change needs permission: nothing allows Change for this yet. It was not answered here.',
      },
    ],
    ...(
      [
        [{ behavior: 'maybe' }, form, '{"behavior":"maybe"}'],
        [true, form, 'true'],
        [
          { behavior: 'allow', updatedInput: 'b' },
          'The updatedInput of an answer is the whole input of the call as an object',
          '"b"',
        ],
        [
          { behavior: 'allow', updatedPermissions: {} },
          "The updatedPermissions of an answer are a list of updates, such as the question's suggestions",
          '{}',
        ],
      ] as const
    ).map(([answer, what, shown]): [string, Answers[number], object] => [
      `is none: ${JSON.stringify(answer)}`,
      answer as unknown as PermissionResult,
      {
        denied: `Change needs permission: nothing allows Change for this yet. The answer is none: ${what}, not ${shown}.`,
      },
    ]),
  ])('does what the answer says when it %s', async (_, answer, expected) => {
    expect(summary((await ask([answer])).result)).toEqual(expected);
  });

  it('takes a refusal without words, and a host that fails without any, for a refusal', async () => {
    const mute = { behavior: 'deny', message: 42 } as unknown as PermissionResult;
    expect(summary((await ask([mute])).result)).toEqual({ denied: 'The user refused Change.' });
    const canUseTool = () => Promise.reject(Object.create(null) as Error);
    const { result } = await ask([], { canUseTool });
    expect(summary(result)).toMatchObject({ denied: expect.stringContaining('Asking failed') });
  });

  it('says which protected path a question is about', async () => {
    const { asked } = await ask(['deny'], {}, changeTool(), '.claude/settings.json');
    expect(asked[0]?.options.blockedPath).toBe('/workspace/.claude/settings.json');
  });

  it('refuses when there is nobody to ask, and says so', async () => {
    const session = await createTestSession();
    const result = await authorize(
      validCall(changeTool(), { path: 'a' }),
      testContext(session),
      session,
    );
    expect(summary(result)).toEqual({
      denied:
        'Change needs permission: nothing allows Change for this yet. Nobody is here to ask (no canUseTool).',
    });
  });

  it('applies an answer’s updates, so that the next call isn’t asked', async () => {
    const { canUseTool, asked } = createScriptedAnswers([
      {
        behavior: 'allow',
        updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
      },
    ]);
    const session = await createTestSession({ canUseTool });
    const run = () =>
      authorize(validCall(changeTool(), { path: 'a' }), testContext(session), session);
    // Together: the second waits for the first one's answer, which settles it too.
    const results = await Promise.all([run(), run()]);
    expect(results.map(summary)).toEqual([
      { input: { path: 'a' }, reason: 'user' },
      { input: { path: 'a' }, reason: 'mode' },
    ]);
    expect(asked).toHaveLength(1);
  });

  it('refuses the call when the answer’s rules can’t be understood', async () => {
    const rules = [{ toolName: 'Bash', ruleContent: 'ls' }];
    const updates = { type: 'addRules', rules, behavior: 'allow', destination: 'session' } as const;
    const { result } = await ask([{ behavior: 'allow', updatedPermissions: [updates] }]);
    expect(result.stage).toBe('settled');
  });

  it('withdraws the question when the turn is stopped', async () => {
    const controller = new AbortController();
    const session = await createTestSession({
      canUseTool: () => {
        controller.abort();
        return new Promise(() => undefined);
      },
    });
    const call = validCall(changeTool(), { path: 'a' });
    const result = await authorize(call, testContext(session, controller), session);
    expect(summary(result)).toEqual({
      denied: 'Change was stopped before it was finished. Nothing that it did was kept.',
    });
  });
});

describe('authorize, when an answer changes the input', () => {
  const change = (updatedInput: Record<string, unknown>) =>
    ({ behavior: 'allow', updatedInput }) as const;

  it('runs the changed input', async () => {
    const { result } = await ask([change({ path: 'b' })]);
    expect(summary(result)).toEqual({ input: { path: 'b' }, reason: 'user' });
  });

  it('parses it as it parses the model’s', async () => {
    const { result } = await ask([change({ path: 'b', approved: true })]);
    expect(summary(result)).toEqual({
      denied:
        "The answer's updatedInput can't be used: The input of Change isn't valid:\n- (the whole input): Unrecognized key: \"approved\"\nCorrect it and call Change again.",
    });
  });

  it('holds deny rules against it', async () => {
    const { result } = await ask([change({ path: 'secrets/../secrets/key' })], {
      disallowedTools: ['Edit(secrets/**)'],
    });
    expect(result.stage === 'settled' && result.denial?.reason).toMatchObject({ type: 'rule' });
  });

  it('asks again when another ask rule is about it, and once only when it is the same', async () => {
    const settings = { permissions: { ask: ['Edit(src/**)', 'Edit(test/**)'] } };
    const other = await ask([change({ path: 'test/a' }), 'deny'], { settings });
    expect(other.asked.map(({ input }) => input)).toEqual([
      { path: 'src/a.ts' },
      { path: 'test/a' },
    ]);
    expect(summary(other.result)).toEqual({ denied: 'The user said no.' });
    const same = await ask([change({ path: 'src/b' })], { settings });
    expect(summary(same.result)).toEqual({ input: { path: 'src/b' }, reason: 'user' });
  });

  it('gives up on a host that changes it again and again', async () => {
    const settings = { permissions: { ask: ['Edit(src/**)', 'Edit(test/**)'] } };
    const flip = ['test/a', 'src/a.ts', 'test/a'].map((path) => change({ path }));
    const { result, asked } = await ask(flip, { settings });
    expect([result.stage, asked.length]).toEqual(['settled', 3]);
  });

  it('classifies the call anew', async () => {
    const tool = changeTool({ isConcurrencySafe: (input) => input.path.startsWith('src') });
    const { result } = await ask([change({ path: 'b' })], {}, tool);
    expect(result.stage === 'allowed' && result.traits.isConcurrencySafe).toBe(false);
  });
});

describe('an AllowedCall', () => {
  async function allowedCall(session: Session): Promise<AllowedCall> {
    const call = validCall(lookTool(), { path: 'a' });
    const result = await authorize(call, testContext(session), session);
    if (result.stage !== 'allowed') throw new Error('It was not allowed.');
    return result;
  }

  it('can’t be made out of another one', async () => {
    const session = await createTestSession();
    const allowed = await allowedCall(session);
    const forged: AllowedCall = { ...allowed, tool: plainTool() };
    expect(() => dispatch(forged, {} as never, {} as never)).toThrow(
      'Only what authorize() returned can be dispatched.',
    );
    // @ts-expect-error -- the brand has no name outside authorize.ts, so no literal is an AllowedCall
    const literal: AllowedCall = {
      ...validCall(plainTool()),
      stage: 'allowed',
      reason: allowed.reason,
      access: allowed.access,
    };
    expect(() => dispatch(literal, {} as never, {} as never)).toThrow(TypeError);
  });

  it('can’t be changed', async () => {
    const allowed = await allowedCall(await createTestSession());
    expect(() => Object.assign(allowed, { tool: plainTool() })).toThrow(TypeError);
  });
});

describe('a tool’s own answer', () => {
  type Own = Awaited<ReturnType<Tool['checkPermissions']>>;
  const saying = (answer: (path: unknown) => Own) =>
    changeTool({ checkPermissions: ({ path }) => Promise.resolve(answer(path)) });
  const moving = (to: unknown) =>
    saying((path) => ({
      behavior: 'allow',
      ...(path === 'src/a.ts' && { updatedInput: { path: to } }),
    }));

  it('may put another input in the place of the one that it allows', async () => {
    const { result, asked } = await ask([], {}, moving('src/b.ts'));
    expect([summary(result), asked]).toEqual([{ input: { path: 'src/b.ts' }, reason: 'tool' }, []]);
  });

  it('has that parsed like the model’s', async () => {
    const { result } = await ask([], {}, moving(5));
    expect(summary(result)).toMatchObject({ denied: expect.stringContaining('path') });
  });

  it('has rules held against it', async () => {
    const { result } = await ask([], { disallowedTools: ['Edit(src/b.ts)'] }, moving('src/b.ts'));
    expect(result).toMatchObject({ state: 'output-denied' });
    const settings = { permissions: { ask: ['Edit(src/b.ts)'] } };
    const asking = await ask(['allow'], { settings }, moving('src/b.ts'));
    expect(asking.asked.map(({ input }) => input)).toEqual([{ path: 'src/b.ts' }]);
    expect(summary(asking.result)).toEqual({ input: { path: 'src/b.ts' }, reason: 'user' });
  });

  it('is what a person is asked about where a hook asks', async () => {
    const { canUseTool, asked } = createScriptedAnswers(['allow']);
    const session = await createTestSession({ canUseTool });
    const opinion = { behavior: 'ask', message: 'Look at it.' } as const;
    const call = { ...validCall(moving('src/b.ts'), { path: 'src/a.ts' }), opinion };
    const result = await authorize(call, testContext(session), session);
    expect(asked.map(({ input }) => input)).toEqual([{ path: 'src/b.ts' }]);
    expect(summary(result)).toEqual({ input: { path: 'src/b.ts' }, reason: 'user' });
  });

  it('that asks may offer what would spare the next question', async () => {
    const suggestions = [
      { type: 'addDirectories', directories: ['/x'], destination: 'session' },
    ] as const;
    const tool = saying(() => ({ behavior: 'ask', message: 'Far away.', suggestions }));
    const { asked } = await ask(['deny'], {}, tool);
    expect(asked[0]?.options.suggestions).toEqual(suggestions);
    const silent = await ask(
      ['deny'],
      {},
      saying(() => ({ behavior: 'ask', message: 'Far.' })),
    );
    expect(silent.asked[0]?.options.suggestions).toBeUndefined();
  });
});
