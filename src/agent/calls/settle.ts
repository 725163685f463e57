// Stage 10 turns an outcome into the call's one result. It commits the draft or drops it. Changes
// that are judged at commit go through stage 4 first. Called by `run-call.ts`.
import { toSentResult } from '../../core/messages/blocks.ts';
import type { ToolResultBlock } from '../../core/messages/blocks.ts';
import type { ChangeSet } from '../../core/change-set.ts';
import type { ReadFileState } from '../../core/tool/context.ts';
import { isDevelopment } from './is-development.ts';
import { createPathJudge } from '../../core/access/path-access.ts';
import type { DecisionReason } from '../../core/permissions/permission.ts';
import { readFileChanges } from '../../core/tool/read-file-changes.ts';
import type { PersistedOutput, Tool } from '../../core/tool/tool.ts';
import { authorizeChanges } from './authorize-changes.ts';
import type { ChangeDecision, ChangePorts, ProposedChanges } from './authorize-changes.ts';
import type { AllowedCall } from './authorize.ts';
import { applyNewMessagesBudget, applyResultBudget } from './budget.ts';
import type { BudgetedResult } from './budget.ts';
import type { ChangeTarget } from './change-target.ts';
import {
  describeBadResult,
  describeCommitError,
  describeFailure,
  describeForged,
  describeUnjudged,
  describeWholesale,
  findOutputMistake,
  joinResults,
} from './describe-failure.ts';
import type { DispatchOutcome } from './dispatch-outcome.ts';
import type { OwnFiles, Weighed } from './own-files.ts';
import { toCallDecision } from '../permissions/decide.ts';
import { changesOnlyPlan } from '../permissions/plan-file.ts';
import { getCallPath, isEdit } from '../permissions/match-rule.ts';
import { toPathRule } from '../permissions/rules.ts';
import { mayReadSessionFiles } from './session-file-taint.ts';
import { settleStopped, settleWithDenial, settleWithError } from './settled.ts';
import type { CallRecorder, Learned } from './record-call.ts';
import type { Downloads } from '../session/files/downloads.ts';
import type { Settled } from './settled.ts';
import type { SpillStore } from './spill-text.ts';

/** The ports for authorizing changes and for recording a settled call. */
export interface SettlePorts extends ChangePorts {
  /** The call's session, for the workspace's file history. */
  readonly sessionId: string;
  /** The target of permitted changes. */
  readonly target: ChangeTarget;
  /** Undefined if the model doesn't see what the call reads and writes. */
  readonly readFileState: Pick<ReadFileState, 'get' | 'set' | 'delete'> | undefined;
  readonly downloads: Downloads;
  readonly ownFiles: OwnFiles;
  /** The cause of a taint of any agent of the session; undefined: none is tainted. */
  readonly sessionTaint: () => string | undefined;
  readonly recorder: Pick<CallRecorder, 'commit'>;
  /** Undefined for a result that is never sent to the model: it isn't shortened. */
  readonly spill: SpillStore | undefined;
}

/** The only outcome with changes to keep. */
type Done = Extract<DispatchOutcome, { type: 'done' }>;

/** Settles the call. `signal` withdraws a question that is still open. Never rejects. */
export async function settle(
  call: AllowedCall,
  outcome: DispatchOutcome,
  ports: SettlePorts,
  signal: AbortSignal,
): Promise<Settled> {
  // Security: its result may hold text from outside, which can speak to the model.
  if (call.traits.isOpenWorld || call.network) ports.permissions.taint(call.tool.name);
  // Security: a file of the session may hold such text, too, if another agent has written its
  // result there.
  else if (mayReadSessionFiles(call, outcome)) {
    const taintedBy = ports.sessionTaint();
    if (taintedBy !== undefined) ports.permissions.taint(taintedBy);
  }
  const ended = await settleOutcome(call, outcome, ports, signal);
  const decision = ended.decision ?? toCallDecision(call, ended.denial);
  const settled: Settled = { ...ended, ...(decision && { decision }) };
  if (settled.state === 'output-error') await ports.hooks?.afterFailure(call, settled, signal);
  return settled;
}

async function settleOutcome(
  call: AllowedCall,
  outcome: DispatchOutcome,
  ports: SettlePorts,
  signal: AbortSignal,
): Promise<Settled> {
  if (outcome.type === 'done') return settleDone(call, outcome, ports, signal);
  const hasGivenUp = outcome.type === 'failed' && outcome.error.code === 'aborted';
  if (outcome.type === 'aborted' || hasGivenUp) {
    const mayHaveActed = call.tool.runsIn !== 'worker' && !call.traits.isReadOnly;
    return settleStopped(call.toolUse, signal.reason, mayHaveActed);
  }
  const { name } = call.tool;
  return settleWithError(call.toolUse, describeFailure(name, outcome));
}

async function settleDone(
  call: AllowedCall,
  done: Done,
  ports: SettlePorts,
  signal: AbortSignal,
): Promise<Settled> {
  const { toolUse, tool } = call;
  const outcome = { ...done, output: noteChangedInput(call, done.output) };
  // Mapped before anything is committed: a tool that can't say what it did must not have done it.
  const { output } = outcome;
  const block = (await checkOutput(tool, output)) ?? mapOutput(call, output);
  if (typeof block === 'string') {
    outcome.discard?.();
    return settleWithError(toolUse, block);
  }
  const { changeSet } = outcome;
  const seqBefore = ports.downloads.now();
  const whole: Shown = { ...outcome, block };
  const { hooks, spill } = ports;
  const keeping =
    changeSet &&
    (await keepChanges(call, { ...outcome, changeSet }, ports, signal, (reason) =>
      // A long result is written to a file only if no hook may hide a part of it.
      settleShown(call, whole, outcome, reason, hooks ? undefined : spill),
    ));
  const refused = keeping?.stage === 'settled' ? keeping : undefined;
  // If a cell's files are dropped, its variables must be dropped too.
  if (refused) outcome.discard?.();
  else outcome.keep?.();
  // Security: its text may be in files from now on, where cells could run it as code. A tool that
  // runs code reports its downloads itself.
  if (call.traits.isOpenWorld && !tool.callsTools) ports.downloads.note(seqBefore);
  if (refused) {
    // The output is still useful if the changes are lost.
    const joined = { ...whole, block: joinResults(refused.result, block) };
    const { result, preview, output: noted } = await fitShown(call, joined, spill);
    const told = refused.output !== undefined && { output: noted };
    return { ...refused, result, ...(preview && { preview }), ...told };
  }
  const { readFileState } = ports;
  const reads = outcome.reads.map(([path, version]) => {
    return { path, version, before: readFileState?.get(path) };
  });
  for (const [path, version] of listNewReads(outcome, readFileState)) {
    readFileState?.set(path, version);
  }
  const kept = keeping?.stage === 'kept' ? keeping : undefined;
  // Without hooks nothing has changed since it was recorded.
  if (kept && !hooks) return kept.settled;
  const shown = await hooks?.afterUse({ call, output, block }, signal);
  // Security: the rest was derived from the output that a hook has replaced, and may contain what
  // the hook hides.
  const isReplaced = shown !== undefined && shown.block !== block;
  const next = isReplaced ? shown : { ...whole, ...shown };
  const settled = await settleShown(call, next, outcome, kept?.reason, spill);
  return reads.length > 0 ? { ...settled, reads } : settled;
}

/** The result of a call that has done its work. */
interface Shown extends Pick<Done, 'output' | 'newMessages' | 'mcpMeta'> {
  readonly block: ToolResultBlock;
}

/**
 * The end of a call whose changes, if any, are committed. `reason`: the reason, if the changes were
 * judged separately.
 */
async function settleShown(
  call: AllowedCall,
  shown: Shown,
  { changeSet, state: saved }: Done,
  reason: DecisionReason | undefined,
  spill: SpillStore | undefined,
): Promise<Settled> {
  const { toolUse, tool } = call;
  const { block, newMessages, mcpMeta } = shown;
  const { result, preview, output } = await fitShown(call, shown, spill);
  const decision = toCallDecision(call, undefined, reason);
  return {
    stage: 'settled',
    toolUse,
    ...(decision && { decision }),
    state: block.is_error === true ? 'output-error' : 'output-available',
    result,
    output,
    ...(preview && { preview }),
    kept: changeSet?.changes.map(({ type, path }) => ({ type, path })),
    ...(saved && { saved }),
    ...(newMessages && {
      newMessages: spill
        ? await applyNewMessagesBudget(newMessages, toolUse.id, tool, spill)
        : newMessages,
    }),
    ...(mcpMeta && { mcpMeta }),
  };
}

/** Stage 9, for one result. */
export async function fitShown(
  { tool }: Pick<AllowedCall, 'tool'>,
  { block, output }: Pick<Shown, 'block' | 'output'>,
  spill?: SpillStore,
) {
  const fitted: BudgetedResult = spill
    ? await applyResultBudget({ block, tool, output }, spill)
    : { block };
  const { block: result, preview } = fitted;
  const persisted = preview?.persisted;
  return { result, preview, output: persisted ? notePersisted(tool, output, persisted) : output };
}

/**
 * The reads to record. If the same call has written a file that it read, the later version is
 * recorded already.
 */
function listNewReads({ reads }: Done, known: SettlePorts['readFileState']): Done['reads'] {
  return reads.filter(([path, version]) => (known?.get(path) ?? 0) < version);
}

/** A committed draft. `reason`: the reason, if the changes were judged separately. */
interface Kept {
  readonly stage: 'kept';
  readonly reason: DecisionReason | undefined;
  /** The call's end as it was recorded with the commit. */
  readonly settled: Settled;
}

/** Changes that may be committed. Without a reason, the call's own permission covers them. */
interface Judged {
  readonly weighed: Weighed;
  readonly decision?: ChangeDecision;
}

const nothingLost: Weighed = { losses: new Set(), moved: new Set() };

/** Returns a message for the model if the changes couldn't be judged. */
async function judgeChanges(
  call: AllowedCall,
  described: Pick<ProposedChanges, 'changeSet' | 'fileChanges' | 'deeds'>,
  ports: SettlePorts,
  signal: AbortSignal,
): Promise<Judged | string> {
  const { changeSet } = described;
  try {
    if (changesOnlyPlan(call, changeSet)) return { weighed: nothingLost };
    const weighed = await ports.ownFiles.weigh(changeSet);
    const isByPath = call.tool.authorizesChangesAt === 'commit' || isAllowedByPath(call);
    const losses = new Set([...weighed.losses].filter((path) => !wasAskedAbout(call, path)));
    if (!isByPath && losses.size === 0) return { weighed };
    const proposed = { ...described, losses, isOnlyForLosses: !isByPath };
    const decision = await authorizeChanges(call, proposed, ports, signal);
    return { weighed, decision };
  } catch (error) {
    const { name } = call.tool;
    return describeUnjudged(name, error);
  }
}

/**
 * Commits the draft, with the description of the call in the same record. Returns the call's end if
 * the draft may not or can't be committed.
 */
async function keepChanges(
  call: AllowedCall,
  done: Done & { readonly changeSet: ChangeSet },
  ports: SettlePorts,
  signal: AbortSignal,
  describe: (reason: DecisionReason | undefined) => Promise<Settled>,
): Promise<Settled | Kept> {
  const { toolUse, tool } = call;
  const { name } = tool;
  const { changeSet, output } = done;
  const wholesale = findWholesale(changeSet);
  if (wholesale !== undefined) {
    return settleWithError(toolUse, describeWholesale(name, wholesale));
  }
  const forged = tool.authorizesChangesAt === 'commit' ? undefined : findForged(call, changeSet);
  if (forged !== undefined) {
    return settleWithError(toolUse, describeForged(name, forged));
  }
  const described = {
    changeSet,
    fileChanges: readFileChanges(tool, output),
    deeds: readList(() => tool.getGitDeeds?.(output)),
  };
  const judged = await judgeChanges(call, described, ports, signal);
  if (typeof judged === 'string') return settleWithError(toolUse, judged, output);
  const { weighed, decision } = judged;
  if (decision?.type === 'withdrawn') return settleStopped(toolUse, signal.reason);
  if (decision?.type === 'refused') return settleWithDenial(toolUse, decision.denial, output);
  const reason = decision?.reason;
  try {
    const settled = await describe(reason);
    const kept = { stage: 'kept', reason, settled } as const;
    const author = { kind: 'agent', callId: toolUse.id, sessionId: ports.sessionId } as const;
    const merge = tool.mergesChanges && { merge: 'text' as const };
    const { target, recorder, readFileState } = ports;
    const own = ports.ownFiles.list(changeSet, weighed);
    const learned = { ...listLearned(call, changeSet, done, readFileState), own };
    await target.ready?.();
    const committed = await recorder.commit(
      settled,
      learned,
      (append) => target.commit(changeSet, { author, ...merge, ...(append && { append }) }),
      ports.hooks !== undefined,
    );
    if (!committed) return kept;
    const { seq } = committed;
    ports.ownFiles.record(changeSet, own, seq);
    if (readFileState) markWritten(call, changeSet, seq, readFileState);
    return kept;
  } catch (error) {
    return settleWithError(toolUse, describeCommitError(name, error), output);
  }
}

/** What the model knows about files after the commit, for its record: see {@link markWritten}. */
function listLearned(
  call: AllowedCall,
  { changes }: ChangeSet,
  done: Done,
  readFileState: SettlePorts['readFileState'],
): Omit<Learned, 'own'> {
  const removed = changes.filter(({ type }) => type === 'remove');
  const written = isEdit(call) ? changes.filter(({ type }) => type === 'write') : [];
  return {
    reads: [...listNewReads(done, readFileState), ...removed.map(({ path }) => [path, 0] as const)],
    writes: written.map(({ path }) => path),
  };
}

/**
 * After an edit the model knows the file's content, because it wrote it. It doesn't know what a
 * cell or another tool has written: there the older version stays known, so an Edit requires a new
 * Read.
 */
function markWritten(
  call: AllowedCall,
  changeSet: ChangeSet,
  seq: number,
  readFileState: NonNullable<SettlePorts['readFileState']>,
): void {
  for (const change of changeSet.changes) {
    if (change.type === 'remove') readFileState.delete(change.path);
    else if (change.type === 'write' && isEdit(call)) readFileState.set(change.path, seq);
  }
}

// Security: `Edit(src/**)` has allowed the call by the path that it names, but a link in `src` may
// lead elsewhere. The change set has the real paths, so the rules are checked again for them.
function isAllowedByPath(call: AllowedCall): boolean {
  const { reason } = call;
  if (reason.type !== 'rule' || reason.rule.ruleContent === undefined) return false;
  return toPathRule(reason.rule, call)?.operation === 'write';
}

// Security: removing a whole directory by one change hides the paths below it from the rules, so a
// protected file could be removed. Our views list every path, so such a change is forged.
function findWholesale({ changes }: ChangeSet): string | undefined {
  return changes.find((change) => change.type === 'remove' && change.recursive)?.path;
}

/** True if a person has allowed a call for exactly this path, knowing that it can't be undone. */
function wasAskedAbout(call: AllowedCall, path: string): boolean {
  if (call.reason.type !== 'user' || !call.traits.isDestructive) return false;
  if (call.tool.authorizesChangesAt === 'commit') return false;
  const named = getCallPath(call, call.access.cwd);
  return named.type === 'none' || (named.type === 'path' && named.path === path);
}

// Security: the view has already refused such writes, so our own handler can't have created such a
// change set. A worker isn't trusted with it.
function findForged(call: AllowedCall, changeSet: ChangeSet): string | undefined {
  const judge = createPathJudge(call.access);
  return changeSet.changes.find(
    ({ type, path }) => judge('write', path, type === 'mkdir') !== 'allow',
  )?.path;
}

/**
 * Returns the message for the model if the output doesn't match the tool's schema. Checked only in
 * development.
 */
async function checkOutput(tool: Tool, output: unknown): Promise<string | undefined> {
  if (!('outputSchema' in tool) || !isDevelopment()) return undefined;
  return findOutputMistake(tool, output);
}

/** Returns the result block, or the message for the model if the tool fails to create one. */
function mapOutput({ tool, toolUse }: AllowedCall, output: unknown): ToolResultBlock | string {
  try {
    return toSentResult(tool.mapToolResultToToolResultBlockParam(output, toolUse.id), toolUse.id);
  } catch (error) {
    return describeBadResult(tool.name, error);
  }
}

// Without diffs the question still lists the paths: `authorizeChanges` takes them from the change
// set.
function readList<Item>(read: () => readonly Item[] | undefined): readonly Item[] {
  try {
    return read() ?? [];
  } catch {
    return [];
  }
}

// If the tool fails here, the result is still used: the file has what the person allowed.
function noteChangedInput({ tool, askedInput }: AllowedCall, output: unknown): unknown {
  if (!askedInput) return output;
  try {
    return tool.withChangedInput?.(output, askedInput) ?? output;
  } catch {
    return output;
  }
}

// If the tool fails here, the result is still used: the model has the path.
function notePersisted(tool: Tool, output: unknown, file: PersistedOutput): unknown {
  try {
    return tool.withPersistedOutput?.(output, file) ?? output;
  } catch {
    return output;
  }
}
