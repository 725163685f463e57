// A sub-agent may never do more than the agent that has begun it. That holds for all modes, rules,
// kinds and depths. A call that is refused to the one is refused to the other. One that is asked
// about isn't simply allowed.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAgentPermissions } from '../../../../src/agent/agents/agent-permissions.ts';
import { decide } from '../../../../src/agent/permissions/decide.ts';
import type { PermissionState } from '../../../../src/agent/permissions/permission-state.ts';
import { createPermissionState } from '../../../../src/agent/permissions/permission-state.ts';
import { parseRules } from '../../../../src/agent/permissions/rules.ts';
import { permissionModes } from '../../../../src/core/permissions/permission.ts';
import type { PermissionMode } from '../../../../src/core/permissions/permission.ts';
import { cellTool, changeTool, lookTool, plainTool } from '../../../support/stages/test-tools.ts';
import { createTestSession, testContext } from '../../../support/stages/test-session.ts';
import { validCall } from '../../../support/stages/valid-call.ts';

const outside = plainTool({ name: 'Outside', isOpenWorld: () => true } as never);
const calls = [
  validCall(lookTool(), { path: 'a' }),
  validCall(changeTool(), { path: 'a' }),
  validCall(changeTool(), { path: '.git/config' }),
  validCall(cellTool(), { value: 1 }),
  validCall(plainTool(), { value: 1 }),
  validCall(outside, { value: 1 }),
];
const ruleTexts = ['Look', 'Change', 'Change(a)', 'Cell', 'Plain', 'Outside'] as const;

const modes = fc.constantFrom(...permissionModes);
const rules = fc.array(
  fc.record({
    text: fc.constantFrom(...ruleTexts),
    behavior: fc.constantFrom('allow', 'deny', 'ask'),
  }),
  { maxLength: 4 },
);

/** The stricter the higher. */
const severity = { allow: 0, ask: 1, deny: 2 } as const;

describe('what a sub-agent may do', () => {
  it('is never more than what its caller may, at any depth, also after later changes', async () => {
    const session = await createTestSession();
    const context = testContext(session);
    await fc.assert(
      fc.asyncProperty(
        modes,
        rules,
        fc.option(fc.constantFrom('ask' as const, 'deny' as const)),
        fc.array(fc.record({ mode: fc.option(modes), taints: fc.boolean() }), {
          minLength: 1,
          maxLength: 3,
        }),
        modes,
        async (mode, given, egress, kinds, later) => {
          const main: PermissionState = createPermissionState(
            {
              mode,
              rules: given.flatMap(({ text, behavior }) =>
                parseRules([text], behavior as 'allow', 'userSettings'),
              ),
              additionalWorkingDirectories: new Map(),
              ...(egress && { egress }),
            },
            '/workspace',
          );
          const chain = kinds.reduce(
            (all, kind) => {
              const parent = all.at(-1) ?? main;
              const agent = createAgentPermissions(parent, { wanted: kind.mode ?? undefined });
              if (kind.taints) parent.taint('Fetch');
              return [...all, agent];
            },
            [main] as (typeof main)[],
          );
          const check = async () => {
            for (const call of calls) {
              const decided = await Promise.all(
                chain.map((state) => decide(call, state.current(), context, context)),
              );
              decided.reduce((before, { behavior }, at) => {
                const now = severity[behavior];
                // Nobody but a person answers what is asked; a classifier must not take their place.
                const sees = describeCase(
                  call.tool.name,
                  chain.map((one) => one.current().mode),
                );
                if (at > 0) expect(now, sees).toBeGreaterThanOrEqual(before);
                return now;
              }, 0 as number);
            }
          };
          await check();
          main.setMode(later);
          main.update([
            {
              type: 'addRules',
              rules: [{ toolName: 'Look' }],
              behavior: 'deny',
              destination: 'session',
            },
          ]);
          await check();
        },
      ),
      { numRuns: Number(process.env['RUNS'] ?? 60) },
    );
  });

  it('is never asked of a classifier where its caller’s person is asked', () => {
    for (const mode of permissionModes) {
      for (const wanted of permissionModes) {
        const agent = createAgentPermissions(stateIn(mode), { wanted }).current().mode;
        if (agent === 'auto') expect(['auto', 'bypassPermissions']).toContain(mode);
      }
    }
  });
});

function stateIn(mode: PermissionMode) {
  return createPermissionState(
    { mode, rules: [], additionalWorkingDirectories: new Map() },
    '/workspace',
  );
}

function describeCase(tool: string, chain: readonly PermissionMode[]): string {
  return `${tool} in ${chain.join(' > ')}`;
}
