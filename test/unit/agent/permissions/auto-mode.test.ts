// Mode `auto`: what the classifier is asked, what its verdict does, and what it is never asked.
import { describe, expect, it } from 'vitest';
import { authorizeChanges } from '../../../../src/agent/calls/authorize-changes.ts';
import { authorize } from '../../../../src/agent/calls/authorize.ts';
import type { AllowedCall } from '../../../../src/agent/calls/authorize.ts';
import type { Session } from '../../../../src/agent/session/session.ts';
import type { ChangeSet } from '../../../../src/core/change-set.ts';
import type {
  AutoClassifier,
  ClassifierRequest,
  ClassifierVerdict,
} from '../../../../src/core/permissions/permission.ts';
import type { Tool } from '../../../../src/core/tool/tool.ts';
import { createScriptedAnswers } from '../../../../src/hosts/inline/scripted-answers.ts';
import { createVirtualClock } from '../../../../src/hosts/inline/virtual-clock.ts';
import { createTestSession, testContext } from '../../../support/stages/test-session.ts';
import type { TestSessionOptions } from '../../../support/stages/test-session.ts';
import { cellTool, changeTool, lookTool, plainTool } from '../../../support/stages/test-tools.ts';
import { validCall } from '../../../support/stages/valid-call.ts';

const shown = { toAutoClassifierInput: () => 'what it does' };

async function judge(
  verdict: ClassifierVerdict | AutoClassifier,
  tool: Tool = plainTool(shown),
  options: TestSessionOptions = {},
  onOpen: (session: Session) => void = () => undefined,
) {
  const requests: ClassifierRequest[] = [];
  const { canUseTool, asked } = createScriptedAnswers(['allow']);
  const session = await createTestSession({
    permissionMode: 'auto',
    canUseTool,
    autoClassifier: (request, signal, reportUsage) => {
      requests.push(request);
      return typeof verdict === 'function'
        ? verdict(request, signal, reportUsage)
        : Promise.resolve(verdict);
    },
    ...options,
  });
  onOpen(session);
  const call = validCall(tool, tool.getPath ? { path: 'src/a.ts' } : {});
  const result = await authorize(call, testContext(session), session);
  const end = result.stage === 'allowed' ? result.reason.type : result.denial?.message;
  return { result, end, requests, asked: asked.length, session };
}

const allow: ClassifierVerdict = { behavior: 'allow', message: 'the user asked for it' };
const deny: ClassifierVerdict = { behavior: 'deny', message: 'nobody asked to publish' };

describe('mode auto', () => {
  it.each<[string, ClassifierVerdict | AutoClassifier, unknown, number]>([
    ['allows what it allows', allow, 'classifier', 0],
    [
      'refuses what it refuses, and says why',
      deny,
      "Plain was refused: auto mode's classifier says so: nobody asked to publish. Do without it, or ask the user.",
      0,
    ],
    ['asks the person when it is not sure', { behavior: 'ask', message: 'unclear' }, 'user', 1],
    ['asks the person when it fails', () => Promise.reject(new Error('offline')), 'user', 1],
    [
      'asks the person when the verdict is none',
      { behavior: 'sure', message: '' } as unknown as ClassifierVerdict,
      'user',
      1,
    ],
  ])('%s', async (_, verdict, end, asked) => {
    const judged = await judge(verdict);
    expect([judged.end, judged.asked]).toEqual([end, asked]);
    expect(judged.requests).toEqual([
      { toolName: 'Plain', input: 'what it does', prompts: [], messages: [] },
    ]);
  });

  it('asks the person when the classifier takes too long, and aborts it', async () => {
    const clock = createVirtualClock();
    let aborted = false;
    const never: AutoClassifier = (_, signal) => {
      signal.addEventListener('abort', () => (aborted = true));
      queueMicrotask(() => clock.advance(30_000));
      return new Promise(() => undefined);
    };
    const { end, asked } = await judge(never, plainTool(shown), { clock });
    expect([end, asked, aborted]).toEqual(['user', 1, true]);
  });

  it.each<[string, Tool, TestSessionOptions, string]>([
    ['a call that shows it nothing', plainTool(), {}, 'user'],
    [
      'a tool that fails to show it anything',
      plainTool({
        toAutoClassifierInput: () => {
          throw new Error('oops');
        },
      }),
      {},
      'user',
    ],
    [
      'what an ask rule asks',
      plainTool(shown),
      { settings: { permissions: { ask: ['Plain'] } } },
      'user',
    ],
    [
      'what the tool asks',
      plainTool({ ...shown, requiresUserInteraction: () => true }),
      {},
      'user',
    ],
    ['what only reads', lookTool(shown), {}, 'read-only'],
    ['what a rule allows', plainTool(shown), { allowedTools: ['Plain'] }, 'rule'],
    ['another mode', plainTool(shown), { permissionMode: 'default' }, 'user'],
  ])('does not ask the classifier about %s', async (_, tool, options, end) => {
    const judged = await judge(allow, tool, options);
    expect([judged.end, judged.requests]).toEqual([end, []]);
  });

  it.each<[string, (session: Session) => void, unknown]>([
    [
      'plan mode',
      ({ permissions }) => permissions.setMode('plan'),
      /^Plain was refused: the permission mode is plan/,
    ],
    [
      'a deny rule',
      ({ permissions }) =>
        permissions.update([
          {
            type: 'addRules',
            rules: [{ toolName: 'Plain' }],
            behavior: 'deny',
            destination: 'session',
          },
        ]),
      /^Plain was refused: the deny rule/,
    ],
    ['default mode', ({ permissions }) => permissions.setMode('default'), /^user$/],
  ])('heeds %s that is set while the classifier thinks', async (_, set, end) => {
    let opened: Session | undefined;
    const late: AutoClassifier = () => {
      if (opened) set(opened);
      return Promise.resolve(allow);
    };
    const judged = await judge(late, plainTool(shown), {}, (session) => (opened = session));
    expect(judged.end).toMatch(end as RegExp);
  });

  it('tells the person why the classifier leaves it to them', async () => {
    const { canUseTool, asked } = createScriptedAnswers(['allow']);
    await judge(() => Promise.reject(new Error('offline')), plainTool(shown), { canUseTool });
    expect(asked[0]?.options.decisionReason).toBe(
      'nothing allows Plain for this yet (auto mode: the classifier failed (Error: offline))',
    );
  });

  it('never lets a write to a protected path through', async () => {
    const tool = changeTool({ ...shown, getPath: () => '.git/config' });
    const judged = await judge(allow, tool);
    expect([judged.end, judged.asked, judged.requests]).toEqual(['user', 1, []]);
  });

  it('grants the hosts that an allowed call names, and no other', async () => {
    const tool = plainTool({
      ...shown,
      isOpenWorld: () => true,
      getNetworkHosts: () => ['api.example.com'],
    });
    const { result } = await judge(allow, tool);
    expect((result as AllowedCall).network).toEqual({
      hosts: [],
      granted: [],
      grantedPublic: ['api.example.com'],
      asked: [],
      denied: [],
    });
  });

  it.each([['localhost:8080'], ['169.254.169.254'], ['a.net', '[::1]:3000']])(
    'leaves a call that names %s to the person',
    async (...hosts) => {
      const reaching = { isOpenWorld: () => true, getNetworkHosts: () => hosts };
      const { canUseTool, asked } = createScriptedAnswers(['allow']);
      const tool = plainTool({ ...shown, ...reaching });
      const { end, result, requests } = await judge(allow, tool, { canUseTool });
      expect([end, requests]).toEqual(['user', []]);
      expect(asked[0]?.options.decisionReason).toContain(
        `(auto mode: ${hosts.at(-1)} is no public host)`,
      );
      expect((result as AllowedCall).network?.granted).toEqual(hosts);
    },
  );

  it('judges a call where a rule names its private host, and not what else it names', async () => {
    const hosts = ['localhost:8080', 'a.net'];
    const reaching = { isOpenWorld: () => true, getNetworkHosts: () => hosts };
    const { end } = await judge(allow, plainTool({ ...shown, ...reaching }), {
      allowedTools: ['Plain(net:localhost:8080)'],
    });
    expect(end).toBe('classifier');
  });
});

describe('mode auto, for what a cell changed', () => {
  const changeSet: ChangeSet = {
    baseSeq: 0,
    changes: [{ type: 'remove', path: '/workspace/src/a.ts', baseVersion: 1 }],
  } as unknown as ChangeSet;

  it.each<[string, ClassifierVerdict, TestSessionOptions, unknown, number]>([
    [
      'keeps what it allows',
      allow,
      {},
      { type: 'kept', reason: { type: 'classifier', message: allow.message } },
      1,
    ],
    ['drops what it refuses', deny, {}, { type: 'refused' }, 1],
    [
      'asks the person where a rule asks about one of the paths',
      allow,
      { settings: { permissions: { ask: ['Edit(src/**)'] } } },
      { type: 'kept', reason: { type: 'user' } },
      0,
    ],
  ])('%s', async (_, verdict, options, decision, consulted) => {
    const { result, session, requests } = await judge(verdict, cellTool(shown), options);
    const signal = new AbortController().signal;
    const decided = await authorizeChanges(
      result as AllowedCall,
      { changeSet, fileChanges: [], losses: new Set(), isOnlyForLosses: false, deeds: [] },
      session,
      signal,
    );
    expect(decided).toMatchObject(decision as object);
    expect(requests.map(({ changedPaths }) => changedPaths)).toEqual(
      Array.from({ length: consulted }, () => ['/workspace/src/a.ts']),
    );
  });
});
