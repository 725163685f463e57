// Answers a worker's request to let git contact a server, in the form of a nested call's reply.
// Called by `run-call.ts`.
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

/** The parts of the asking call that the answer needs. */
export interface ErrandPorts extends AuthorizePorts {
  readonly permissions: PermissionState;
  readonly turn: Turn;
  /** Aborted when the call has ended. */
  readonly signal: AbortSignal;
  /** The number of earlier errands of this call. */
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
  // Security: a loop must not ask a person endlessly.
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
  // Security: from here on the server's text may reach the model.
  onOutside();
  ports.permissions.taint(outer.tool.name);
  if (origin.type === 'code') origin.approvals.allowErrand(errand.command);
  return { type: 'done', callId: '', output: null, isFromOutside: true };
}

/**
 * Records that the call must not run again after a kill, because a push can't be undone. Resolves
 * to false if the journal is broken.
 */
async function noteOnce(callId: string, journal: SessionJournal): Promise<boolean> {
  const { call } = journal.fold.calls.get(callId) ?? {};
  if (!call?.repeatable) return true;
  const { n: _n, time: _time, ...record } = call;
  try {
    await journal.recordSafely({ ...record, repeatable: false });
    return true;
  } catch {
    // The journal itself reports the failure to viewers.
    return false;
  }
}

function fail(error: SdkError): NestedReply {
  return { type: 'failed', callId: '', error: toSerializedError(error) };
}
