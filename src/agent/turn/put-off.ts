// Handles calls that a hook has deferred (`permissionDecision: 'defer'`). Such a call has no
// result. Its turn ends with a result message that names the call, and stays open in the journal.
// The next opening of the session resumes the call (resume-turn.ts), so the hooks are asked again.
// A prompt or a stop cancels the call.
import { textOf } from '../../core/messages/blocks.ts';
import type { ToolUseBlock } from '../../core/messages/blocks.ts';
import type { JournalRecord } from '../../core/session/journal.ts';
import { settleWithError } from '../calls/settled.ts';
import type { Settled } from '../calls/settled.ts';
import { createCallTurn } from '../calls/turn.ts';
import type { Turn } from '../calls/turn.ts';
import type { HookEnd, TurnEnd } from '../hooks/hooks.ts';
import type { ToolUse } from '../messages/collect.ts';
import { prepareSessionPool } from '../session/prepare-session-pool.ts';
import type { Session } from '../session/session.ts';
import { recordResults } from './record-step.ts';

/** The turn's end: the model's text with the call, and the call. */
export function toPutOffEnd({ journal }: Session, { id, name, input }: ToolUse): HookEnd {
  const { reply } = journal.fold.turn?.newest ?? {};
  const deferred_tool_use = { id, name, input: input as Record<string, unknown> };
  const how = { stop_reason: 'tool_deferred', terminal_reason: 'tool_deferred' };
  const result = reply ? textOf(reply.message.content, '\n') : '';
  return { type: 'hook', result: { result, ...how, deferred_tool_use } };
}

export function isPutOffEnd(end: TurnEnd): boolean {
  return end.type === 'hook' && end.result.deferred_tool_use !== undefined;
}

const reasons = {
  stopped: 'was put off and has not run, because the turn was stopped.',
  left: 'was put off and has not run, and the user has gone on. Call it again if it is still wanted.',
};

/** The deferred calls end without having run, and the results of their message are recorded. */
export async function withdrawPutOff(
  session: Session,
  { signal, stop }: Pick<Turn, 'signal' | 'stop'>,
  why: keyof typeof reasons,
): Promise<void> {
  const { journal } = session;
  const { reply, uses = [] } = journal.fold.turn?.newest ?? {};
  if (!reply) return;
  const open = uses.filter(({ id }) => !journal.fold.calls.get(id)?.settled);
  // If the page is closed before the prompt's turn begins, this turn must not be resumed.
  const left: readonly JournalRecord[] = why === 'left' ? [{ type: 'stopped' }] : [];
  await journal.record(...left, ...open.map((use) => toWithdrawn(use, reasons[why])));
  const pool = await prepareSessionPool(session);
  const ends = uses.map((use, index) => Promise.resolve(toSettled({ ...use, index }, session)));
  // The ends of the other calls are already recorded.
  await recordResults(session, pool, createCallTurn(signal, stop), reply.message, ends);
}

function toWithdrawn(use: ToolUseBlock, reason: string): JournalRecord {
  const { result, state } = settleWithError({ ...use, index: 0 }, `${use.name} ${reason}`);
  return { type: 'settled', id: use.id, tool: use.name, state, result, reads: [], isStopped: true };
}

/** The settled call by the journal, which has its end. */
export function toSettled(toolUse: ToolUse, { journal }: Session): Settled {
  const settled = journal.fold.calls.get(toolUse.id)?.settled;
  if (!settled) throw new TypeError(`The call ${toolUse.id} has no end.`);
  const { state, result, output, newMessages, mcpMeta, denial, isStopped, changes, decision } =
    settled;
  return {
    stage: 'settled',
    toolUse,
    state,
    result,
    ...(output !== undefined && { output }),
    ...(newMessages && { newMessages }),
    ...(mcpMeta && { mcpMeta }),
    ...(denial && { denial }),
    ...(isStopped && { isStopped }),
    ...(changes && { kept: changes }),
    ...(decision && { decision }),
  };
}
