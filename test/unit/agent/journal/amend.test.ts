import { expect, it } from 'vitest';
import { amend } from '../../../../src/agent/journal/amend.ts';
import type { AmendedRecord } from '../../../../src/core/session/journal.ts';
import { settled } from '../../../support/sessions/journals.ts';

it('an amendment takes away what it leaves out, but not what hooks have said', () => {
  const result = { type: 'tool_result', tool_use_id: 'a', content: 'Hidden.' } as const;
  const state = 'output-available';
  const amended: AmendedRecord = { type: 'amended', id: 'a', state, result };
  const open = settled('a', { output: 'secret', notes: ['Tabs, please.'], isOpen: true });
  const { output: _, isOpen: __, ...rest } = open;
  expect(amend(open, amended)).toEqual({ ...rest, state, result });
  const notes = ['Tabs, please.', 'It has no tests.'];
  expect(amend(open, { ...amended, notes })).toEqual({ ...rest, state, result, notes });
});
