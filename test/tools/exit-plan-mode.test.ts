// ExitPlanMode in whole turns: the plan is put to a person, and what they say decides how the turn goes on.
import { describe, expect, it } from 'vitest';
import type { PermissionResult } from '../../src/core/permissions/permission.ts';
import { exitPlanModeTool } from '../../src/tools/exit-plan-mode/tool.ts';
import { asks, says } from '../support/turns/play-turns.ts';
import {
  enters,
  exits,
  planPath,
  plans,
  playPlan,
  thePlan,
  toolUse,
  wholePlan,
  works,
  yes,
} from '../support/turns/plan-turns.ts';
import type { PlanTurn } from '../support/turns/plan-turns.ts';

const accepted = `The user has accepted the plan. Plan mode is over: begin with the work. The plan stays in ${planPath}.`;

/** The modes that viewers are told of. */
const modesOf = ({ messages }: PlanTurn) =>
  messages.flatMap((message) =>
    message.type === 'system' && message.subtype === 'status' ? [message.permissionMode] : [],
  );

describe('ExitPlanMode', () => {
  it('puts the plan to the person; a yes gives back the mode from before, and the turn goes on', async () => {
    const turn = await playPlan(wholePlan(), {
      EnterPlanMode: [yes],
      ExitPlanMode: [yes],
      Write: [yes],
    });
    expect(turn.asked).toEqual([
      { toolName: 'EnterPlanMode', input: {} },
      { toolName: 'ExitPlanMode', input: { plan: thePlan, planFilePath: planPath } },
      // The mode from before asks.
      { toolName: 'Write', input: { file_path: 'b.txt', content: 'b' } },
    ]);
    expect(turn.told('exit')).toBe(accepted);
    expect(modesOf(turn)).toEqual(['plan', 'default']);
    expect(await turn.file(planPath)).toBe(thePlan);
    expect(await turn.file('/workspace/b.txt')).toBe('b');
    expect(turn.result).toMatchObject({
      subtype: 'success',
      result: 'Done.',
      permission_denials: [],
    });
  });

  it('goes on in the mode that the person chooses with the yes', async () => {
    const answer: PermissionResult = {
      behavior: 'allow',
      updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
    };
    const turn = await playPlan(wholePlan(), { EnterPlanMode: [yes], ExitPlanMode: [answer] });
    expect(turn.asked.map(({ toolName }) => toolName)).toEqual(['EnterPlanMode', 'ExitPlanMode']);
    expect(modesOf(turn).at(-1)).toBe('acceptEdits');
    expect(await turn.file('/workspace/b.txt')).toBe('b');
    expect(turn.result).toMatchObject({ subtype: 'success', result: 'Done.' });
  });

  it('gives back the very mode that was before, however loose', async () => {
    const options = { permissionMode: 'bypassPermissions' } as const;
    const turn = await playPlan(
      wholePlan(),
      { EnterPlanMode: [yes], ExitPlanMode: [yes] },
      options,
    );
    expect(turn.asked).toHaveLength(2);
    expect(await turn.file('/workspace/b.txt')).toBe('b');
  });

  it('ends plan mode to the default one where the session began with it', async () => {
    const turn = await playPlan(
      [plans(), exits(), works(), says('Done.')],
      { ExitPlanMode: [yes], Write: [yes] },
      { permissionMode: 'plan' },
    );
    expect(turn.asked.map(({ toolName }) => toolName)).toEqual(['ExitPlanMode', 'Write']);
  });

  it('takes the plan as the person has changed it, and tells the model what it says now', async () => {
    const edited = '# Mine\n\nWrite b.txt, and nothing else.\n';
    const answer: PermissionResult = {
      behavior: 'allow',
      updatedInput: { plan: edited, planFilePath: '/etc/elsewhere' },
    };
    const answers = { EnterPlanMode: [yes], ExitPlanMode: [answer], Write: [yes] };
    const turn = await playPlan(wholePlan(), answers);
    expect(turn.told('exit')).toBe(
      `The user has changed the plan and accepted it. Plan mode is over: begin with the work. The plan is in ${planPath}, and says now:\n\n${edited}`,
    );
    expect(await turn.file(planPath)).toBe(edited);
    const output = turn.messages.find(
      (message) => message.type === 'user' && JSON.stringify(message).includes('planWasEdited'),
    );
    expect(output).toMatchObject({
      tool_use_result: { plan: edited, isAgent: false, filePath: planPath, planWasEdited: true },
    });
  });

  it('changes nothing of a plan that the answer gives back as it was', async () => {
    const answer: PermissionResult = {
      behavior: 'allow',
      updatedInput: { plan: thePlan, planFilePath: planPath },
    };
    const answers = { EnterPlanMode: [yes], ExitPlanMode: [answer], Write: [yes] };
    expect((await playPlan(wholePlan(), answers)).told('exit')).toBe(accepted);
  });

  it('stays in plan mode after a no, with what the person said', async () => {
    const no: PermissionResult = { behavior: 'deny', message: 'The user said no: test it, too.' };
    const mended = asks(
      toolUse('mend', 'Edit', { file_path: planPath, old_string: '1. ', new_string: '1. Test. ' }),
    );
    const turn = await playPlan(
      [enters(), plans(), exits(), works('early'), mended, exits('again'), says('Done.')],
      { EnterPlanMode: [yes], ExitPlanMode: [no, yes] },
    );
    expect(turn.told('exit')).toBe('The user said no: test it, too.');
    expect(turn.told('early')).toBe(
      'Write was refused: the permission mode is plan. Say what you would do instead; nothing is changed before the plan is accepted.',
    );
    expect(turn.told('again')).toBe(accepted);
    expect(await turn.file(planPath)).toBe('# The plan\n\n1. Test. Write b.txt.\n');
    expect(await turn.file('/workspace/b.txt')).toBeUndefined();
  });

  it('waits for the plan that is still being written beside it', async () => {
    const [plan, exit] = [plans(), exits()].map(({ content }) => content[0]);
    const turn = await playPlan([enters(), asks(plan!, exit!), works(), says('Done.')], {
      EnterPlanMode: [yes],
      ExitPlanMode: [yes],
      Write: [yes],
    });
    expect(turn.told('exit')).toBe(accepted);
  });

  it('ends the turn with the plan as its result where nobody is there', async () => {
    const replies = [plans(), exits(), works(), says('Never.')];
    const turn = await playPlan(replies, undefined, { permissionMode: 'plan' });
    expect(turn.result).toMatchObject({
      subtype: 'success',
      is_error: false,
      result: thePlan,
      num_turns: 2,
      permission_denials: [{ tool_name: 'ExitPlanMode', tool_use_id: 'exit', tool_input: {} }],
    });
    expect(turn.told('exit')).toBe(
      'Nobody is here to accept the plan: it is the result of this turn. Plan mode stays on.',
    );
    expect(turn.model.requests).toHaveLength(2);
    expect(await turn.file('/workspace/b.txt')).toBeUndefined();
  });

  it('is answered by a hook where one speaks for the person', async () => {
    const speak = () =>
      Promise.resolve({
        hookSpecificOutput: {
          hookEventName: 'PermissionRequest' as const,
          decision: { behavior: 'allow' as const },
        },
      });
    const turn = await playPlan([plans(), exits(), says('Done.')], undefined, {
      permissionMode: 'plan',
      hooks: { PermissionRequest: [{ matcher: 'ExitPlanMode', hooks: [speak] }] },
    });
    expect(turn.told('exit')).toBe(accepted);
    expect(turn.result).toMatchObject({ result: 'Done.' });
  });
});

describe('ExitPlanMode says in a sentence', () => {
  it('that there is no plan yet, and asks nobody', async () => {
    const blank = plans(' \n');
    const turn = await playPlan(
      [exits(), blank, exits('blank'), says('Done.')],
      {},
      { permissionMode: 'plan' },
    );
    const sentence = `There is no plan yet: write it to ${planPath}, then call ExitPlanMode again.`;
    expect([turn.told('exit'), turn.told('blank')]).toEqual([sentence, sentence]);
    expect(turn.asked).toEqual([]);
  });

  it('that nothing is being planned, or no more', async () => {
    const early = await playPlan([exits(), says('Done.')], {});
    expect(early.told('exit')).toBe(
      'You are not in plan mode: do the work, or call EnterPlanMode first. (error 1)',
    );
    const late = await playPlan(
      [plans(), exits(), exits('late'), says('Done.')],
      { ExitPlanMode: [yes] },
      { permissionMode: 'plan' },
    );
    expect(late.told('late')).toBe(
      'Plan mode is over already: go on with the work under the rules of the session. (error 1)',
    );
  });

  it('that the answer has emptied the plan', async () => {
    const answer: PermissionResult = { behavior: 'allow', updatedInput: { plan: '  ' } };
    const turn = await playPlan(
      [plans(), exits(), says('Done.')],
      { ExitPlanMode: [answer] },
      { permissionMode: 'plan' },
    );
    expect(turn.told('exit')).toBe(
      "The answer's updatedInput can't be used: The plan that came back with the answer is empty. Ask the user what they want instead. (error 2)",
    );
    expect(await turn.file(planPath)).toBe(thePlan);
  });

  it('that the model may bring no plan by its input', async () => {
    const smuggled = asks(toolUse('exit', 'ExitPlanMode', { plan: 'Mine.' }));
    const turn = await playPlan([plans(), smuggled, says('Done.')], {}, { permissionMode: 'plan' });
    expect(turn.told('exit')).toContain('plan');
    expect(turn.asked).toEqual([]);
  });
});

describe('in plan mode', () => {
  it('only the plan of the session itself may be written', async () => {
    const writes = (id: string, path: string) =>
      toolUse(id, 'Write', { file_path: path, content: 'x' });
    const turn = await playPlan(
      [
        asks(
          writes('own', planPath),
          writes('other', '/session/s2/plan.md'),
          writes('beside', '/session/s1/notes.md'),
          writes('below', `${planPath}/x`),
          writes('round', '/session/s1/../s1/plan.md'),
        ),
        says('Done.'),
      ],
      {},
      { permissionMode: 'plan' },
    );
    expect(turn.told('own')).toBe(`Made the new file ${planPath}.`);
    expect(turn.told('round')).toMatch(/Replaced|Wrote|Changed/u);
    for (const id of ['other', 'beside', 'below']) {
      expect(turn.told(id)).toMatch(/^Write was refused: /u);
    }
    expect(await turn.file('/session/s1/notes.md')).toBeUndefined();
  });

  it('a rule that denies the path holds for the plan, too', async () => {
    const turn = await playPlan(
      [plans(), says('Done.')],
      {},
      {
        permissionMode: 'plan',
        disallowedTools: [`Edit(/${planPath})`],
      },
    );
    expect(turn.told('plan')).toContain('refused');
  });

  it('a sub-agent leaves the plan alone: its plan is its report', async () => {
    const order = { description: 'Plan', prompt: 'Plan it.', run_in_background: false };
    const [plan, exit] = [plans(), exits()].map(({ content }) => content[0]);
    const turn = await playPlan(
      [asks(toolUse('agent', 'Agent', order)), asks(plan!, exit!), says('My plan.'), says('Done.')],
      {},
      { permissionMode: 'plan' },
    );
    const sent = JSON.stringify(turn.model.requests[2]?.messages);
    expect(sent).toContain('End with the plan.');
    expect(sent).toContain('Your report is your plan: end with it.');
    expect(await turn.file(planPath)).toBeUndefined();
  });

  it('is no way to write the plan once it is over', async () => {
    const turn = await playPlan([plans(), says('Done.')], { Write: [yes] });
    expect(turn.told('plan')).toContain('EROFS');
    expect(await turn.file(planPath)).toBeUndefined();
  });
});

describe("ExitPlanMode's definition", () => {
  it('asks for a person, and changes nothing but the session', () => {
    expect(exitPlanModeTool.requiresUserInteraction()).toBe(true);
    expect(exitPlanModeTool.changesOnlySession()).toBe(true);
    expect(exitPlanModeTool.shouldDefer).toBe(true);
  });
});
