// A worker asks whether git may go to a server: the answer, as one to a nested call. `run-call.ts` calls it.
import { SdkError, toSerializedError } from '../../core/errors.ts';
import { readGitErrand } from '../../core/git/git-errand.ts';
import { maxNestedCalls, type NestedReply } from '../../core/tool/nested-call.ts';
import type { SessionJournal } from '../journal/session-journal.ts';
import type { PermissionState } from '../permissions/permission-state.ts';
import { authorizeErrand } from './authorize-errand.ts';
import type { AuthorizePorts } from './authorize.ts';
import type { InnerOrigin } from './call-origin.ts';
import { settleWithDenial } from './settled.ts';
import { noteDenial, type Turn } from './turn.ts';

/** What the answer needs of the call that asks. */
export interface ErrandPorts extends AuthorizePorts {
  readonly permissions: PermissionState;
  readonly turn: Turn;
  /** Aborted when the call is over. */
  readonly signal: AbortSignal;
  /** How many errands this call has asked for before. */
  readonly asked: number;
  readonly journal: SessionJournal;
}

/** Never rejects. */
export async function runErrand(
  input: unknown,
  origin: InnerOrigin,
  { turn, signal, asked, journal, ...ports }: ErrandPorts,
): Promise<NestedReply> {
  const { outer, onOutside } = origin;
  const errand = readGitErrand(input);
  if (!errand) return fail(new SdkError('invalid-input', 'That is no command of git.'));
  // Security: a loop must not ask a person without end.
  if (asked >= maxNestedCalls) {
    const message = `The code of one call may have git reach servers ${maxNestedCalls} times, and this one has.`;
    return fail(new SdkError('limit-exceeded', message));
  }
  const decision = await authorizeErrand(outer, errand, ports, signal);
  if (decision.type === 'withdrawn') {
    return fail(new SdkError('aborted', 'The git command was cancelled.'));
  }
  if (decision.type === 'refused') {
    const { denial } = decision;
    noteDenial(turn, settleWithDenial(outer.toolUse, denial));
    if (denial.interrupt) turn.stop();
    return fail(new SdkError('permission-denied', denial.message));
  }
  if (errand.command === 'push' && !(await noteOnce(outer.toolUse.id, journal))) {
    return fail(new SdkError('EIO', 'Nothing was pushed: it could not be recorded beforehand.'));
  }
  // Security: from here on the server's text may speak to the model.
  onOutside();
  ports.permissions.taint(outer.tool.name);
  if (origin.type === 'code') origin.approvals.allowErrand(errand.command);
  return { type: 'done', callId: '', output: null, isFromOutside: true };
}

/**
 * Records that the call must not run again after a kill, as a server can't take a push back. False:
 * the journal is broken.
 */
async function noteOnce(callId: string, journal: SessionJournal): Promise<boolean> {
  const { call } = journal.fold.calls.get(callId) ?? {};
  if (!call?.repeatable) return true;
  const { n: _n, time: _time, ...record } = call;
  try {
    await journal.recordSafely({ ...record, repeatable: false });
    return true;
  } catch {
    // The journal itself tells whoever watches the session.
    return false;
  }
}

function fail(error: SdkError): NestedReply {
  return { type: 'failed', callId: '', error: toSerializedError(error) };
}
