// Runs the PostToolUse hooks of a call when its session is opened again, if the page was closed
// between the call's commit and the hooks' answer. Called by resume-turn.ts; settle.ts does the
// same for a running call.
import type { AmendedRecord, SettledRecord } from '../../core/session/journal.ts';
import type { CallHooks } from '../hooks/hooks.ts';
import { applyNewMessagesBudget } from './budget.ts';
import { fitShown } from './settle.ts';
import type { SpillStore } from './spill-text.ts';
import type { ValidCall } from './validate.ts';

interface HearingPorts {
  readonly hooks: Pick<CallHooks, 'afterUse' | 'afterFailure' | 'takeNotes'>;
  readonly spill: SpillStore;
  readonly signal: AbortSignal;
}

/**
 * Returns the call's end as its hooks leave it. `settled`: its recorded end, as its tool returned
 * it. The hooks may have run before, on the page that was closed. Never rejects.
 */
export async function hearOpenCall(
  call: ValidCall,
  settled: SettledRecord,
  { hooks, spill, signal }: HearingPorts,
): Promise<AmendedRecord> {
  const { tool, toolUse } = call;
  const given = { output: settled.output, block: settled.result };
  const shown = (await hooks.afterUse({ call, ...given }, signal)) ?? given;
  // Security: the rest was derived from the output that a hook has replaced, and may contain what
  // the hook hides.
  const isReplaced = shown.block !== given.block;
  const { newMessages, mcpMeta } = isReplaced ? {} : settled;
  const { result, output } = await fitShown(call, shown, spill);
  const isFailure = shown.block.is_error === true;
  const amended: AmendedRecord = {
    type: 'amended',
    id: settled.id,
    state: isFailure ? 'output-error' : 'output-available',
    result,
    ...(output !== undefined && { output }),
    ...(newMessages && {
      newMessages: await applyNewMessagesBudget(newMessages, toolUse.id, tool, spill),
    }),
    ...(mcpMeta && { mcpMeta }),
  };
  if (isFailure) await hooks.afterFailure(call, amended, signal);
  // The first notes are from the hooks of the page that was closed.
  const notes = [...(settled.notes ?? []), ...hooks.takeNotes(toolUse.id)];
  return { ...amended, ...(notes.length > 0 && { notes }) };
}
