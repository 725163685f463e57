import { expect, it } from 'vitest';
import { fillArguments } from '../../../../src/core/commands/fill-arguments.ts';

it.each([
  ['Move $ARGUMENTS.', 'Move a "b c".'],
  ['Move $1 to $2, not $3.', 'Move a to b c, not .'],
  ['Move $ARGUMENTS[0] to $ARGUMENTS[1], not $ARGUMENTS[2].', 'Move a to b c, not .'],
  ['Move $ARGUMENTS[] or $10.', 'Move a "b c"[] or $10.'],
  ['Move.', 'Move.\n\nArguments: a "b c"\n'],
])('fills %j', (text, filled) => {
  expect(fillArguments(text, 'a "b c"')).toBe(filled);
});
