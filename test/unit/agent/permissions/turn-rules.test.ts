// Rules that a skill or a command brings along: they hold until the turn ends, and outlive a kill.
import { describe, expect, it } from 'vitest';
import { createPermissionState } from '../../../../src/agent/permissions/permission-state.ts';
import { narrowPermissions } from '../../../../src/agent/permissions/principal.ts';
import type { PermissionsRecord } from '../../../../src/core/session/journal.ts';
import type { ToolPermissionContext } from '../../../../src/core/permissions/permission.ts';
import { formatRule } from '../../../../src/core/permissions/rule.ts';
import { explainReason } from '../../../../src/trace/explain-reason.ts';

const empty: ToolPermissionContext = {
  mode: 'default',
  rules: [],
  additionalWorkingDirectories: new Map(),
};

function open(past: readonly PermissionsRecord[] = []) {
  const state = createPermissionState(empty, '/workspace', past);
  const records: PermissionsRecord[] = [];
  state.recordBy((record) => records.push(record));
  const rules = () => state.current().rules.map((rule) => `${formatRule(rule)} ${rule.source}`);
  return { state, records, rules };
}

describe('rules of a turn', () => {
  it('come together, each once, and go with the turn, while those of the session stay', () => {
    const { state, records, rules } = open();
    const given = { type: 'addRules', behavior: 'allow', destination: 'session' } as const;
    state.allowForTurn(['Edit(src/**)', 'Repl']);
    state.update([{ ...given, rules: [{ toolName: 'Repl' }] }]);
    state.allowForTurn(['Repl', 'Write']);
    state.allowForTurn(['Write']);
    const ofTurn = ['Edit(src/**) turn', 'Repl turn', 'Write turn'];
    expect(rules().toSorted()).toEqual([...ofTurn, 'Repl session'].toSorted());
    expect(records).toHaveLength(3);
    expect(open(records).rules()).toEqual(rules());
    state.endTurn();
    state.endTurn();
    expect(rules()).toEqual(['Repl session']);
    expect(records).toHaveLength(4);
    expect(open(records).rules()).toEqual(['Repl session']);
  });

  it('are none where one of them can’t hold', () => {
    const { state, rules } = open();
    expect(() => state.allowForTurn(['Edit', 'Bash(rm:*)'])).toThrow(/there is no shell here/);
    expect(rules()).toEqual([]);
  });

  it('can’t be given by an answer, and hold for no server', () => {
    const { state } = open();
    const rules = [{ toolName: 'Repl' }];
    const update = { type: 'addRules', behavior: 'allow', destination: 'turn', rules } as never;
    expect(() => state.update([update])).toThrow('An update can\'t be kept in "turn".');
    state.allowForTurn(['Repl']);
    const requester = { isMcp: true, name: 'mcp__a__b' } as never;
    expect(narrowPermissions(state.current(), { requester } as never).rules).toEqual([]);
  });

  it('say whose they are', () => {
    const { state } = open();
    state.allowForTurn(['Repl']);
    const [rule] = state.current().rules;
    expect(rule && explainReason({ type: 'rule', rule })).toBe(
      'the allow rule Repl says so (set by a skill or a command, until the turn ends)',
    );
  });
});
