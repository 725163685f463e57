// Records the beginning and the end of one call in the journal. Created by run-call.ts for each
// call. settle.ts has the end recorded together with the call's changes.
import type { Version } from '../../core/change-set.ts';
import { hasCode } from '../../core/errors.ts';
import type { AmendedRecord, SettledRecord, VmChange } from '../../core/session/journal.ts';
import { deriveSeed } from '../../core/hashes/seeded-ids.ts';
import type { WorkRequest } from '../../core/tool/ports.ts';
import { isChainHeavy } from '../../core/session/state-change.ts';
import type { StateChange } from '../../core/session/state-change.ts';
import type { CallHooks } from '../hooks/hooks.ts';
import type { JournalAppend } from '../journal/session-journal.ts';
import type { ToolUse } from '../messages/collect.ts';
import { toCallDecision } from '../permissions/decide.ts';
import type { ReadChange } from '../session/files/read-file-state.ts';
import type { Session } from '../session/session.ts';
import type { AllowedCall } from './authorize.ts';
import { findDraftId, isNested, toParentId } from './call-origin.ts';
import type { CallOrigin } from './call-origin.ts';
import type { Settled } from './settled.ts';

/** What is known about files after a commit. */
export interface Learned {
  /** The changed files that the session's calls have created. */
  readonly own: readonly string[];
  /** The changes of what the model knows. */
  readonly reads: readonly ReadChange[];
  /** The files whose committed content the model knows. */
  readonly writes: readonly string[];
}

/**
 * Commits, with `append` in the same record. Undefined: the changes stay in another call's draft.
 */
export type Commit = (
  append: JournalAppend | undefined,
) => Promise<{ readonly seq: Version } | undefined>;

/** Records one call. */
export interface CallRecorder {
  /**
   * Call it before the call runs. Resolves when the call may run. Rejects if the journal is broken.
   */
  begin(call: AllowedCall): Promise<void>;
  /** True if an earlier opening of the session has begun the call. Known after `begin`. */
  isResumed(): boolean;
  /**
   * The values for the call's work that are journalled: whether to record its state, its seed and
   * its time. Known after `begin`.
   */
  toRecorded(): Pick<WorkRequest, 'recordState' | 'seed' | 'time'>;
  /**
   * Records the end in the same record as the commit. With `isOpen`, hooks haven't run yet. Rejects
   * like the commit; nothing is recorded then.
   */
  commit(
    settled: Settled,
    learned: Learned,
    commit: Commit,
    isOpen: boolean,
  ): Promise<{ readonly seq: Version } | undefined>;
  /** Records the call's end, unless it is recorded already. Rejects if the journal is broken. */
  end(settled: Settled): Promise<void>;
}

interface RecorderPorts {
  readonly session: Pick<Session, 'journal' | 'readFileState'>;
  readonly hooks: Pick<CallHooks, 'takeNotes'> | undefined;
  /** Aborted when the call's result isn't needed any more. */
  readonly signal: AbortSignal;
}

export function createCallRecorder(
  toolUse: ToolUse,
  origin: CallOrigin,
  { session: { journal, readFileState }, hooks, signal }: RecorderPorts,
): CallRecorder {
  const id = origin.type === 'background' ? origin.task.taskId : toolUse.id;
  const parent = toParentId(toolUse, origin);
  const whose = { id, ...(parent !== undefined && { parent }) };
  const isOfModel = !isNested(origin);
  let recorded: 'nothing' | 'open' | 'whole' = 'nothing';
  let attempt = 1;
  const notes: string[] = [];
  /**
   * All notes of hooks so far. Notes that were recorded before are included, because that record
   * may not have been kept.
   */
  const listNotes = () => {
    // Notes about other calls are reported elsewhere: with the outer call, or at the task's end.
    if (origin.type === 'model') notes.push(...(hooks?.takeNotes(id) ?? []));
    return notes.length > 0 && { notes: [...notes] };
  };
  return {
    begin(call) {
      const { tool, input } = call;
      const decision = toCallDecision(call, undefined);
      attempt = (journal.fold.calls.get(id)?.call?.attempt ?? 0) + 1;
      const record = {
        type: 'call',
        ...whose,
        origin: origin.type,
        tool: tool.name,
        input,
        ...(decision && { decision }),
        repeatable: isRepeatable(call, origin) && findDraftId(origin) === undefined,
        attempt,
      } as const;
      return isRepeatable(call, origin) ? journal.record(record) : journal.recordSafely(record);
    },
    isResumed: () => attempt > 1,
    toRecorded() {
      const { session, calls, vm } = journal.fold;
      const { begunAt } = calls.get(id) ?? {};
      const sizes = (vm.get(toolUse.name) ?? []).map(({ size }) => size);
      return {
        // States that nested and background calls save are dropped.
        ...(origin.type === 'model' && {
          recordState: isChainHeavy(sizes) ? ('whole' as const) : ('change' as const),
        }),
        seed: deriveSeed(session?.seed ?? '', id),
        ...(begunAt !== undefined && { time: begunAt }),
      };
    },
    async commit(settled, learned, commit, isOpen) {
      // The change belongs to the call whose draft it is in, and is recorded with that call.
      if (origin.type === 'code') return commit(undefined);
      const reads = isOfModel ? [...readFileState.takeChanges(), ...learned.reads] : [];
      const writes = isOfModel ? learned.writes : [];
      const record = {
        ...toSettledRecord(settled, whose, reads),
        ...(writes.length > 0 && { writes }),
        ...(learned.own.length > 0 && { own: learned.own }),
        ...listNotes(),
        ...(isOpen && { isOpen: true as const }),
      };
      const committed = await asData(record, (one) =>
        journal.recordWith([one], async (append) => {
          const result = await commit(append);
          if (!result) throw new TypeError('A root gave no number for its commit.');
          return result;
        }),
      );
      recorded = isOpen ? 'open' : 'whole';
      const { seq } = committed;
      readFileState.learn([...reads, ...writes.map((path) => [path, seq] as const)]);
      return committed;
    },
    async end(settled) {
      if (recorded === 'whole') return;
      const write = (record: SettledRecord | AmendedRecord) => journal.record(record);
      const said = listNotes();
      if (recorded === 'open') await asData({ ...toAmendedRecord(settled, id), ...said }, write);
      // A nested call isn't recorded after its outer call has ended, because only the outer result
      // counts then. A nested call that is refused again in a repeated run is recorded already.
      else if ((isOfModel || !signal.aborted) && !journal.fold.calls.get(id)?.settled) {
        const reads = isOfModel ? readFileState.takeChanges() : [];
        const hasBegun = journal.fold.calls.get(id)?.call !== undefined;
        const unstarted = isNested(origin) && !hasBegun && { input: toolUse.input };
        await asData({ ...toSettledRecord(settled, whose, reads), ...unstarted, ...said }, write);
      }
    },
  };
}

/**
 * The output of a tool on the page may not be representable as JSON. Its result is recorded anyway.
 */
async function asData<Entry extends SettledRecord | AmendedRecord, Result>(
  record: Entry,
  write: (record: Entry) => Promise<Result>,
): Promise<Result> {
  try {
    return await write(record);
  } catch (error) {
    const isUnwritable = hasCode(error, 'invalid-input');
    if (!isUnwritable || record.output === undefined) throw error;
    const { output: _, ...rest } = record;
    return write(rest as Entry);
  }
}

/**
 * True if a killed call may run again: none of its effects survives the kill, except committed
 * ones. A nested call uses its outer call's draft, so only the outer call is repeated.
 */
function isRepeatable(call: AllowedCall, origin: CallOrigin): boolean {
  const { tool, traits, network, input } = call;
  if (origin.type === 'background' || tool.background?.isAskedFor(input)) return false;
  if (traits.isReadOnly && !traits.isOpenWorld) return true;
  // Code can act outside only through its network access. Any other tool may have other ways.
  const mayActOutside = traits.isOpenWorld && !traits.isReadOnly && tool.callsTools !== true;
  return tool.runsIn === 'worker' && network === undefined && !mayActOutside;
}

function toSettledRecord(
  settled: Settled,
  whose: Pick<SettledRecord, 'id' | 'parent'>,
  reads: readonly ReadChange[],
): SettledRecord {
  const { toolUse, kept, saved, isStopped, isDeferred, denial, decision } = settled;
  return {
    type: 'settled',
    ...whose,
    tool: toolUse.name,
    ...toEnd(settled),
    reads,
    ...(kept && kept.length > 0 && { changes: kept }),
    ...(saved && { kept: saved.kept, vm: toVmChange(saved) }),
    ...(saved?.ports && { ports: saved.ports }),
    ...(isStopped && { isStopped }),
    ...(isDeferred && { isDeferred }),
    ...(denial && { denial }),
    ...(decision && { decision }),
  };
}

function toVmChange({ toolName, isWhole, bytes }: StateChange): VmChange {
  return { tool: toolName, form: isWhole ? 'whole' : 'delta', bytes, size: bytes.length };
}

function toAmendedRecord(settled: Settled, id: string): AmendedRecord {
  return { type: 'amended', id, ...toEnd(settled) };
}

function toEnd({ state, result, output, newMessages, mcpMeta }: Settled) {
  return {
    state,
    result,
    ...(output !== undefined && { output }),
    ...(newMessages && { newMessages }),
    ...(mcpMeta && { mcpMeta }),
  };
}
