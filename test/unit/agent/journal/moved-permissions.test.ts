// What of a session's permissions holds where it arrives.
import { expect, it } from 'vitest';
import { toPermissionsHere } from '../../../../src/agent/journal/moved-permissions.ts';
import type { FoldedPermissions } from '../../../../src/agent/journal/moved-permissions.ts';

function ruleAt(n: number, behavior: 'allow' | 'deny', toolName: string): FoldedPermissions {
  const rules = [{ toolName }];
  const update = { type: 'addRules', behavior, rules, destination: 'session' } as const;
  return { n, type: 'permissions', updates: [update] };
}

it('keeps at home what was forbidden elsewhere, also where what had been allowed before did not go along', () => {
  const allowed = [ruleAt(1, 'allow', 'Repl'), ruleAt(2, 'allow', 'Write')];
  const away = { acceptsRules: false, place: 'cloud', since: 0 } as const;
  const elsewhere = toPermissionsHere(away, [], allowed);
  expect(elsewhere).toEqual([]);
  const forbidden = ruleAt(5, 'deny', 'Edit');
  const home = { acceptsRules: false, place: 'tab', since: 3 } as const;
  const atHome = toPermissionsHere(home, allowed, [
    ...elsewhere,
    forbidden,
    ruleAt(6, 'allow', 'Grep'),
  ]);
  expect(atHome).toEqual([...allowed, forbidden]);
});
