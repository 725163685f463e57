// What the journal is told of one call: that it begins, and how it ends. Made by run-call.ts for each call;
// settle.ts has the end recorded together with what the call has changed.
import type { Version } from '../../core/change-set.ts';
import { SdkError } from '../../core/errors.ts';
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

/** What is known of files after a commit. */
export interface Learned {
  /** Those of the changed files that the session's calls have made. */
  readonly own: readonly string[];
  /** What the model knows. */
  readonly reads: readonly ReadChange[];
  /** The files that the model knows as the commit leaves them. */
  readonly writes: readonly string[];
}

/** Commits; `append` lands in the same record. Undefined: the changes are left in another call's draft. */
export type Commit = (
  append: JournalAppend | undefined,
) => Promise<{ readonly seq: Version } | undefined>;

/** Records one call. */
export interface CallRecorder {
  /** The call is about to run. Resolves when it may. Rejects where the journal is broken. */
  begin(call: AllowedCall): Promise<void>;
  /** Was it begun before, by whoever had the session? Known when it has begun. */
  isResumed(): boolean;
  /**
   * What the call's work needs for the journal: whether to record its state, and seed and time.
   * Known when it has begun.
   */
  toRecorded(): Pick<WorkRequest, 'recordState' | 'seed' | 'time'>;
  /**
   * Records the end in the same record as the commit. With `isOpen` hooks have yet to hear of it. Rejects
   * as the commit does; nothing is then recorded.
   */
  commit(
    settled: Settled,
    learned: Learned,
    commit: Commit,
    isOpen: boolean,
  ): Promise<{ readonly seq: Version } | undefined>;
  /** The call has ended, whatever was recorded by then. Rejects where the journal is broken. */
  end(settled: Settled): Promise<void>;
}

interface RecorderPorts {
  readonly session: Pick<Session, 'journal' | 'readFileState'>;
  readonly hooks: Pick<CallHooks, 'takeNotes'> | undefined;
  /** Aborted when nobody waits for the call any more. */
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
   * All that hooks have said by now, also what was recorded before, as that record may not have
   * been kept.
   */
  const listNotes = () => {
    // Hooks' notes about other calls are told elsewhere: with the call that makes them, or at the
    // task's end.
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
        // What nested and background calls save is dropped.
        ...(origin.type === 'model' && {
          recordState: isChainHeavy(sizes) ? ('whole' as const) : ('change' as const),
        }),
        seed: deriveSeed(session?.seed ?? '', id),
        ...(begunAt !== undefined && { time: begunAt }),
      };
    },
    async commit(settled, learned, commit, isOpen) {
      // The change is kept or dropped with the call whose draft it is in, which records it.
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
      // A nested call isn't recorded once its outer call is over, because only the outer result
      // counts then. Nor is one that is refused again when its outer call runs again, as it is
      // known already.
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
 * A tool on the page may give an output that JSON can't say. Its result is recorded all the same.
 */
async function asData<Entry extends SettledRecord | AmendedRecord, Result>(
  record: Entry,
  write: (record: Entry) => Promise<Result>,
): Promise<Result> {
  try {
    return await write(record);
  } catch (error) {
    const isUnwritable = SdkError.isInstance(error) && error.code === 'invalid-input';
    if (!isUnwritable || record.output === undefined) throw error;
    const { output: _, ...rest } = record;
    return write(rest as Entry);
  }
}

/**
 * May a call that was killed run again? It may if nothing of it outlives the kill, unless it is
 * committed. A nested call's draft is its outer call's, which runs again or not at all.
 */
function isRepeatable(call: AllowedCall, origin: CallOrigin): boolean {
  const { tool, traits, network, input } = call;
  if (origin.type === 'background' || tool.background?.isAskedFor(input)) return false;
  if (traits.isReadOnly && !traits.isOpenWorld) return true;
  // Code reaches out only by the network that it is given. Any other tool might have a way of its
  // own.
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
