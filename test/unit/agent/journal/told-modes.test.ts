// Which changes of the permission mode a viewer is told of.
import { describe, expect, it } from 'vitest';
import { SessionFold } from '../../../../src/agent/journal/fold.ts';
import { toKeptMessages } from '../../../../src/agent/journal/kept-messages.ts';
import type { JournalRecord } from '../../../../src/core/session/journal.ts';
import type { PermissionMode } from '../../../../src/core/permissions/permission.ts';
import { opened, session, toEntries } from '../../../support/sessions/journals.ts';

const set = (mode: PermissionMode): JournalRecord => ({ type: 'permissions', updates: [], mode });
const update = (mode: PermissionMode): JournalRecord => ({
  type: 'permissions',
  updates: [{ type: 'setMode', mode, destination: 'session' }],
});
const allowed: JournalRecord = { type: 'permissions', updates: [], turn: [{ toolName: 'Read' }] };

/** The modes that are told, in order. */
function told(...records: readonly JournalRecord[]): unknown[] {
  const fold = new SessionFold();
  return toEntries(session, opened, ...records).flatMap((entry) => {
    fold.apply(entry);
    return toKeptMessages(entry, fold).map((message) =>
      message.type === 'system' && message.subtype === 'status' ? message.permissionMode : message,
    );
  });
}

describe('a permission mode that is set', () => {
  it('is told once, however often it is set, and by whatever', () => {
    expect(told(set('plan'), set('plan'), allowed, update('plan'))).toEqual(['plan']);
  });

  it('is told whenever another one held', () => {
    const modes = [set('plan'), update('acceptEdits'), set('plan'), set('default')];
    expect(told(...modes)).toEqual(['plan', 'acceptEdits', 'plan', 'default']);
  });
});
