// Rules on the hosts that a tool's code may reach: what is decided before the call runs, and what goes
// along with it.
import { describe, expect, it } from 'vitest';
import { authorize } from '../../../../src/agent/calls/authorize.ts';
import { parseRules } from '../../../../src/agent/permissions/rules.ts';
import type { HostAccess } from '../../../../src/core/access/host-access.ts';
import { createScriptedAnswers } from '../../../../src/hosts/inline/scripted-answers.ts';
import { createTestSession, testContext } from '../../../support/stages/test-session.ts';
import type { TestSessionOptions } from '../../../support/stages/test-session.ts';
import { cellTool, plainTool } from '../../../support/stages/test-tools.ts';
import { validCall } from '../../../support/stages/valid-call.ts';

/** Code that names these hosts. */
const reaching = (...hosts: string[]) =>
  cellTool({ callsTools: true, isOpenWorld: () => true, getNetworkHosts: () => hosts });

async function run(tool: ReturnType<typeof reaching>, options: TestSessionOptions = {}) {
  const answers = createScriptedAnswers(['allow']);
  const session = await createTestSession({
    tools: [tool],
    canUseTool: answers.canUseTool,
    ...options,
  });
  const call = await authorize(validCall(tool), testContext(session), session);
  return { call, asked: answers.asked };
}

const rules = (allow: string[], ask: string[] = [], deny: string[] = []): TestSessionOptions => ({
  settings: { permissions: { allow, ask, deny } },
});

describe('a call whose code names hosts', () => {
  it('is asked about them, and reaches them when a person says so', async () => {
    const { call, asked } = await run(reaching('a.net', 'localhost:8080'));
    expect(asked.map(({ options }) => [options.decisionReason, options.suggestions])).toEqual([
      [
        'nothing allows Cell to reach a.net, localhost:8080 yet',
        [
          {
            type: 'addRules',
            behavior: 'allow',
            destination: 'session',
            rules: [
              { toolName: 'Cell', ruleContent: 'net:a.net' },
              { toolName: 'Cell', ruleContent: 'net:localhost:8080' },
            ],
          },
        ],
      ],
    ]);
    expect(call).toMatchObject({
      stage: 'allowed',
      network: { hosts: [], granted: ['a.net', 'localhost:8080'], asked: [], denied: [] },
    });
  });

  it('is told of all of them, whatever rule asks: a yes grants them all', async () => {
    const { asked } = await run(reaching('a.net', 'localhost'), rules([], ['Cell(net:a.net)']));
    expect(asked.map(({ options }) => options.decisionReason)).toEqual([
      expect.stringMatching(/^the ask rule Cell\(net:a\.net\) .*; it names a\.net, localhost$/u),
    ]);
  });

  it.each<[string, TestSessionOptions, 'asked' | 'allowed' | 'refused', Partial<HostAccess>]>([
    ['allows each', rules(['Cell(net:a.net)', 'Cell(net:*.b.net)']), 'allowed', { granted: [] }],
    ['allows one alone', rules(['Cell(net:a.net)']), 'asked', { granted: ['a.net', 'x.b.net'] }],
    ['allows all', rules(['Cell']), 'allowed', { hosts: ['*'], granted: [] }],
    ['is about another tool', rules(['Other(net:*)']), 'asked', { hosts: [] }],
    [
      'asks about one',
      rules(['Cell(net:*)'], ['Cell(net:a.net)']),
      'asked',
      { hosts: ['*'], asked: ['a.net'], granted: ['a.net', 'x.b.net'] },
    ],
    [
      'asks about none of them',
      rules(['Cell(net:*)'], ['Cell(net:c.net)']),
      'allowed',
      { asked: ['c.net'] },
    ],
    ['denies one', rules(['Cell(net:*)'], [], ['Cell(net:*.b.net)']), 'refused', {}],
    [
      'denies none of them',
      rules(['Cell(net:*)'], [], ['Cell(net:c.net)']),
      'allowed',
      { denied: ['c.net'] },
    ],
    ['is bypassed', { permissionMode: 'bypassPermissions' }, 'allowed', { hosts: ['*'] }],
    [
      'denies one in any mode',
      { ...rules([], [], ['Cell(net:a.net)']), permissionMode: 'bypassPermissions' },
      'refused',
      {},
    ],
    ['plans', { ...rules(['Cell(net:*)']), permissionMode: 'plan' }, 'refused', {}],
    ['never asks', { ...rules(['Cell(net:a.net)']), permissionMode: 'dontAsk' }, 'refused', {}],
  ])('where a rule or mode %s', async (_what, options, end, network) => {
    const { call, asked } = await run(reaching('a.net', 'x.b.net'), options);
    expect([call.stage === 'settled' ? 'refused' : asked.length > 0 ? 'asked' : 'allowed']).toEqual(
      [end],
    );
    if (call.stage === 'allowed') expect(call.network).toMatchObject(network);
  });
});

describe("a hook's allow", () => {
  it.each<[readonly string[], TestSessionOptions, number, Partial<HostAccess>]>([
    [['a.net'], {}, 0, { granted: [], grantedPublic: ['a.net'] }],
    [['a.net', 'localhost'], {}, 1, { granted: ['a.net', 'localhost'] }],
    [
      ['a.net', 'localhost'],
      rules(['Cell(net:localhost)']),
      0,
      { hosts: ['localhost'], granted: [], grantedPublic: ['a.net', 'localhost'] },
    ],
    // No wildcard means a private host.
    [['localhost'], rules(['Cell(net:*)'], ['Cell(net:*)']), 1, { granted: ['localhost'] }],
  ])('for a call that names %j, with %j, asks %i times', async (hosts, options, count, network) => {
    const tool = reaching(...hosts);
    const { canUseTool, asked } = createScriptedAnswers(['allow']);
    const session = await createTestSession({ tools: [tool], canUseTool, ...options });
    const opinion = { behavior: 'allow', message: 'so it says' } as const;
    const call = await authorize({ ...validCall(tool), opinion }, testContext(session), session);
    expect(asked).toHaveLength(count);
    expect(call).toMatchObject({ stage: 'allowed', network });
  });
});

describe('a call whose code names none', () => {
  const open = cellTool({
    isOpenWorld: () => false,
    getNetworkHosts: () => [],
    checkPermissions: () => Promise.resolve({ behavior: 'allow' }),
  });

  it.each<[string, TestSessionOptions, readonly string[] | undefined]>([
    ['what rules allow', rules(['Cell(net:a.net)']), ['a.net']],
    ['nothing without rules', {}, undefined],
    ['nothing in plan mode', { ...rules(['Cell(net:*)']), permissionMode: 'plan' }, undefined],
  ])('reaches %s', async (_what, options, hosts) => {
    const { call } = await run(open, options);
    expect(call.stage === 'allowed' && call.network?.hosts).toEqual(hosts);
  });

  it('reaches nothing where it only reads', async () => {
    const { call } = await run(
      cellTool({ isReadOnly: () => true, getNetworkHosts: () => ['a.net'] }),
      rules(['Cell(net:*)', 'Cell']),
    );
    expect(call.stage === 'allowed' && call.network).toBeUndefined();
  });
});

describe('a tool that reads the web itself', () => {
  const page = (host = 'a.net') =>
    cellTool({
      isReadOnly: () => true,
      isOpenWorld: () => true,
      authorizesChangesAt: 'call',
      getNetworkHosts: () => [host],
      checkPermissions: () => Promise.resolve({ behavior: 'passthrough' }),
    });

  it('is asked about its host, and offers a rule on its domain', async () => {
    const { call, asked } = await run(page());
    expect(asked.map(({ options }) => options.suggestions)).toMatchObject([
      [{ rules: [{ toolName: 'Cell', ruleContent: 'domain:a.net' }] }],
    ]);
    expect(call.stage === 'allowed' && call.network).toMatchObject({
      hosts: [],
      granted: ['a.net'],
    });
  });

  it.each<[string, TestSessionOptions, 'asked' | 'allowed' | 'refused', Partial<HostAccess>]>([
    ['allows its domain', rules(['Cell(domain:*.net)']), 'allowed', { hosts: ['*.net'] }],
    [
      'allows it, and the mode plans',
      { ...rules(['Cell(domain:a.net)']), permissionMode: 'plan' },
      'allowed',
      { hosts: ['a.net'] },
    ],
    ['plans', { permissionMode: 'plan' }, 'asked', { hosts: [], granted: ['a.net'] }],
    ['denies it', rules(['Cell'], [], ['Cell(domain:a.net)']), 'refused', {}],
    ['asks about it', rules(['Cell'], ['Cell(domain:*.net)']), 'asked', { granted: ['a.net'] }],
    ['is bypassed', { permissionMode: 'bypassPermissions' }, 'allowed', { hosts: ['*'] }],
  ])('where a rule or mode %s', async (_what, options, end, network) => {
    const { call, asked } = await run(page(), options);
    expect(call.stage === 'settled' ? 'refused' : asked.length > 0 ? 'asked' : 'allowed').toBe(end);
    if (call.stage === 'allowed') expect(call.network).toMatchObject(network);
  });

  it('is kept from a host that is kept from the code which calls it', async () => {
    const caller = cellTool({ callsTools: true });
    const tool = { ...page(), name: 'Page' };
    const session = await createTestSession({
      tools: [caller, tool],
      ...rules(['Page', 'Cell'], [], ['Cell(net:a.net)']),
    });
    const call = { ...validCall(tool), caller };
    const judged = await authorize(call, testContext(session), session);
    expect(judged).toMatchObject({ stage: 'settled', denial: { reason: { type: 'rule' } } });
  });
});

describe('a capability rule', () => {
  it.each([
    'Cell(net:a b)',
    'Cell(net:https://a.net)',
    'Cell(net:a.net/x)',
    'Cell(tools:)x)',
    'Cell(tools:a b)',
  ])('%s is refused as it is set', (rule) => {
    expect(() => parseRules([rule], 'allow', 'session')).toThrow("can't hold");
  });

  it('that denies holds for a tool which can’t be judged by it', async () => {
    const { call } = await run(plainTool(), rules(['Plain'], [], ['Plain(net:a.net)']));
    expect(call.stage).toBe('settled');
  });
});
