// EnterPlanMode in whole turns; how planning ends is shown in exit-plan-mode.test.ts.
import { describe, expect, it } from 'vitest';
import type { PermissionResult } from '../../src/core/permissions/permission.ts';
import { enterPlanModeTool } from '../../src/tools/enter-plan-mode/tool.ts';
import { says } from '../support/turns/play-turns.ts';
import { enters, planPath, playPlan, works, yes } from '../support/turns/plan-turns.ts';

const no: PermissionResult = { behavior: 'deny', message: 'The user said no: just do it.' };

describe('EnterPlanMode', () => {
  it('asks, and begins plan mode: the model is told where the plan goes, and nothing else is kept', async () => {
    const turn = await playPlan([enters(), works(), says('Done.')], { EnterPlanMode: [yes] });
    expect(turn.asked).toEqual([{ toolName: 'EnterPlanMode', input: {} }]);
    expect(turn.told('enter')).toBe(
      `Plan mode is on. Look at what the task needs, write the plan to ${planPath}, then call ExitPlanMode.`,
    );
    const reminders = JSON.stringify(turn.model.requests[1]?.messages.at(-1));
    expect(reminders).toContain(`# Plan mode\\n`);
    expect(reminders).toContain(planPath);
    expect(reminders).toContain('ExitPlanMode');
    expect(turn.told('work')).toContain('the permission mode is plan');
    expect(await turn.file('/workspace/b.txt')).toBeUndefined();
  });

  it('leaves the mode as it is after a no', async () => {
    const turn = await playPlan([enters(), works(), says('Done.')], {
      EnterPlanMode: [no],
      Write: [yes],
    });
    expect(turn.told('enter')).toBe('The user said no: just do it.');
    expect(await turn.file('/workspace/b.txt')).toBe('b');
  });

  it.each(['acceptEdits', 'auto', 'bypassPermissions'] as const)(
    'asks in mode %s, too',
    async (permissionMode) => {
      const turn = await playPlan(
        [enters(), says('Done.')],
        { EnterPlanMode: [yes] },
        { permissionMode },
      );
      expect(turn.asked).toHaveLength(1);
    },
  );

  it('is refused where nobody is there: the work would never be done', async () => {
    const turn = await playPlan([enters(), says('Done.')], undefined);
    expect(turn.result).toMatchObject({
      result: 'Done.',
      permission_denials: [{ tool_name: 'EnterPlanMode' }],
    });
  });

  it('says in a sentence that plan mode is on already', async () => {
    const turn = await playPlan([enters(), says('Done.')], {}, { permissionMode: 'plan' });
    expect(turn.told('enter')).toBe(
      `You are in plan mode already: write the plan to ${planPath}, then call ExitPlanMode. (error 1)`,
    );
  });

  it('tells what the query adds about planning', async () => {
    const turn = await playPlan([says('Done.')], undefined, {
      permissionMode: 'plan',
      planModeInstructions: 'Name the risks.',
    });
    expect(JSON.stringify(turn.model.requests[0]?.messages)).toContain('Name the risks.');
  });

  it('has the plan as its answer where ExitPlanMode is no tool of the query', async () => {
    const turn = await playPlan([says('Done.')], undefined, {
      permissionMode: 'plan',
      tools: ['Read'],
    });
    expect(JSON.stringify(turn.model.requests[0]?.messages)).toContain('End with the plan.');
  });
});

describe("EnterPlanMode's definition", () => {
  it('is deferred, and changes nothing but the session', () => {
    expect(enterPlanModeTool.shouldDefer).toBe(true);
    expect(enterPlanModeTool.changesOnlySession()).toBe(true);
  });
});
