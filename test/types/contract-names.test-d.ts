// What support/stages/contract-names.ts says of types holds of the types: a name that is the same is a member, one that
// is absent is none. Checked by tsc.
import { describe, expectTypeOf, it } from 'vitest';
import type {
  ToolPermissionContext,
  ToolPermissionResult,
  Tool,
  ToolResult,
  ToolUseContext,
  QueryOptions,
  ValidationResult,
} from '../../src/index.ts';
import type {
  contextMembers,
  contextOptions,
  permissionBehaviors,
  permissionContextMembers,
  resultMembers,
  Standing,
  switches,
  toolMembers,
  validationMembers,
} from '../support/stages/contract-names.ts';

/** The names of a list that stand so. */
type NamesThat<List, As extends Standing> = {
  [Name in keyof List]: List[Name] extends As ? Name : never;
}[keyof List];

/** Names of which the list says what isn't so. */
type Mistakes<List, Members extends PropertyKey> =
  Exclude<NamesThat<List, 'same'>, Members> | Extract<NamesThat<List, 'absent'>, Members>;

type KeyOfEach<Union> = Union extends Union ? keyof Union : never;

describe('the names of the contract', () => {
  it('are members of the types, as far as they are the same, and none where they are absent', () => {
    expectTypeOf<Mistakes<typeof toolMembers, keyof Tool>>().toBeNever();
    expectTypeOf<Mistakes<typeof resultMembers, keyof ToolResult<unknown>>>().toBeNever();
    expectTypeOf<Mistakes<typeof validationMembers, KeyOfEach<ValidationResult>>>().toBeNever();
    type Behavior = ToolPermissionResult['behavior'];
    expectTypeOf<Mistakes<typeof permissionBehaviors, Behavior>>().toBeNever();
    expectTypeOf<Mistakes<typeof contextMembers, keyof ToolUseContext>>().toBeNever();
    expectTypeOf<Mistakes<typeof contextOptions, keyof ToolUseContext['options']>>().toBeNever();
    type PermissionMember = keyof ToolPermissionContext;
    expectTypeOf<Mistakes<typeof permissionContextMembers, PermissionMember>>().toBeNever();
    expectTypeOf<Mistakes<typeof switches, keyof QueryOptions>>().toBeNever();
  });
});
