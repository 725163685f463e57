// A session is tainted once text from outside may be in its conversation; then the host's policy holds
// for every call that reaches out.
import { describe, expect, it } from 'vitest';
import { authorize } from '../../../../src/agent/calls/authorize.ts';
import type { AllowedCall } from '../../../../src/agent/calls/authorize.ts';
import { decide } from '../../../../src/agent/permissions/decide.ts';
import { settle } from '../../../../src/agent/calls/settle.ts';
import type { Tool } from '../../../../src/core/tool/tool.ts';
import {
  commitOnly,
  createTestSession,
  testContext,
} from '../../../support/stages/test-session.ts';
import type { TestSessionOptions } from '../../../support/stages/test-session.ts';
import { cellTool, lookTool, plainTool } from '../../../support/stages/test-tools.ts';
import { validCall } from '../../../support/stages/valid-call.ts';

const reachesOut = plainTool({ isOpenWorld: () => true });
const everything = { permissionMode: 'bypassPermissions', allowedTools: ['Plain'] } as const;

async function decideOn(tool: Tool, options: TestSessionOptions, tainted = true) {
  const session = await createTestSession(options);
  if (tainted) session.permissions.taint('WebFetch');
  return decide(
    validCall(tool, { path: 'a' }),
    session.permissions.current(),
    testContext(session),
    session.place.rulesFrom,
  );
}

describe('the egress policy of a tainted session', () => {
  it.each<[string, Tool, TestSessionOptions, boolean, string]>([
    ['asks', reachesOut, { ...everything, egress: 'ask' }, true, 'ask'],
    ['denies', reachesOut, { ...everything, egress: 'deny' }, true, 'deny'],
    [
      'denies where nobody is asked',
      reachesOut,
      { permissionMode: 'dontAsk', egress: 'ask' },
      true,
      'deny',
    ],
    [
      'is no way around a deny rule',
      reachesOut,
      { disallowedTools: ['Plain'], egress: 'ask' },
      true,
      'deny',
    ],
    [
      'says nothing of an untainted session',
      reachesOut,
      { ...everything, egress: 'deny' },
      false,
      'allow',
    ],
    ['says nothing of what stays here', lookTool(), { egress: 'deny' }, true, 'allow'],
    ['is the host’s to set', reachesOut, everything, true, 'allow'],
  ])('%s', async (_, tool, options, tainted, behavior) => {
    expect((await decideOn(tool, options, tainted)).behavior).toBe(behavior);
  });

  it('says by which tool the text came', async () => {
    const decision = await decideOn(reachesOut, { egress: 'deny' });
    expect(decision).toMatchObject({
      reason: { type: 'egress', taintedBy: 'WebFetch' },
      message: expect.stringContaining('text from outside came into this conversation by WebFetch'),
    });
  });

  it.each(['bypassPermissions', 'default'] as const)(
    'leaves code that names no host without any, whatever rules allow, in mode %s',
    async (permissionMode) => {
      const cell = cellTool({ getNetworkHosts: () => [] });
      const session = await createTestSession({
        permissionMode,
        allowedTools: ['Cell', 'Cell(net:*)', 'Cell(net:api.example.com)'],
        egress: 'ask',
      });
      const networkOf = async () => {
        const allowed = await authorize(validCall(cell), testContext(session), session);
        return (allowed as AllowedCall).network?.hosts;
      };
      expect(await networkOf()).toContain('*');
      session.permissions.taint('WebFetch');
      expect(await networkOf()).toBeUndefined();
    },
  );

  it.each([
    ['a call that reaches out', reachesOut, 'Plain'],
    [
      'a cell that was let reach out',
      cellTool({ getNetworkHosts: () => [], isOpenWorld: () => false }),
      'Cell',
    ],
    ['no call that stays here', lookTool(), undefined],
  ])('holds from the result of %s on', async (_, tool, taintedBy) => {
    const session = await createTestSession({ ...everything, egress: 'ask' });
    const input = tool.getPath ? { path: 'a' } : {};
    const allowed = await authorize(validCall(tool, input), testContext(session), session);
    const outcome = { type: 'done', output: 'text', changeSet: null, reads: [] } as const;
    const sessionTaint = session.agents.taintedBy;
    const ports = {
      ...session,
      sessionId: session.id,
      target: session.root,
      recorder: commitOnly,
      sessionTaint,
    };
    await settle(allowed as AllowedCall, outcome, ports, new AbortController().signal);
    expect(session.permissions.current().taintedBy).toBe(taintedBy);
  });

  it('refuses a policy that is none', async () => {
    await expect(createTestSession({ egress: 'maybe' as never })).rejects.toThrow(
      "egress is 'ask' or 'deny', not \"maybe\".",
    );
  });
});
