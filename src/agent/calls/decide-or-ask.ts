// The order of decisions in stage 4, the same for calls, changes and git's errands: rules and
// modes, the classifier in mode auto, then a person. Rules and modes are checked again after each
// wait. Used by authorize.ts, authorize-changes.ts and authorize-errand.ts.
import type { Denial } from '../../core/session/journal.ts';
import { asSentence } from '../../core/text/as-sentence.ts';
import type { ClassifierVerdict, DecisionReason } from '../../core/permissions/permission.ts';
import { isSameData } from '../../core/values/same-data.ts';
import { isForClassifier } from '../permissions/auto-mode.ts';
import type { PermissionState } from '../permissions/permission-state.ts';
import { narrowPermissions } from '../permissions/principal.ts';
import type { Question, Questions } from '../permissions/questions.ts';
import type { ToolUse } from '../messages/collect.ts';
import type { CallingTools } from './validate.ts';

interface Asking extends CallingTools {
  readonly toolUse: Pick<ToolUse, 'id'>;
}

/** A decision that is still open. */
export interface Open<Call> {
  readonly type: 'open';
  /** The call as it would run. */
  readonly call: Call;
  /** The rule or other reason that demands a question. Undefined: nothing allows the call. */
  readonly reason: DecisionReason | undefined;
}

/** The current decision by rules and modes. */
export type Judgement<Call, Asked, End> =
  | Asked
  | { readonly type: 'allowed'; readonly call: Call; readonly end: End }
  | { readonly type: 'refused'; readonly end: End };

/**
 * The call as the answer has allowed and possibly changed it, or the final result if it wasn't
 * allowed.
 */
export type Heard<Call, End> =
  { readonly call: Call; readonly reason: DecisionReason } | { readonly end: End };

/** The parts that differ between the kinds of decisions. None of them rejects. */
export interface DecisionSteps<Call, Asked, End> {
  judge(call: Call): Judgement<Call, Asked, End> | Promise<Judgement<Call, Asked, End>>;
  classify(open: Asked): Promise<ClassifierVerdict>;
  /** `undecided`: why the classifier leaves it to a person, if it was asked. */
  ask(open: Asked, undecided: string | undefined): Promise<Heard<Call, End>>;
  /** `asked`: the call as it was in the question. */
  allow(call: Call, reason: DecisionReason, asked: Call): End;
  refuse(call: Call, reason: DecisionReason): End;
}

/** Decides, and asks a person if necessary. */
export async function decideOrAsk<Call extends Asking, Asked extends Open<Call>, End>(
  given: Call,
  steps: DecisionSteps<Call, Asked, End>,
  {
    permissions,
    questions,
  }: { readonly permissions: PermissionState; readonly questions: Questions },
): Promise<End> {
  const first = await steps.judge(given);
  if (first.type !== 'open') return first.end;
  const isItsToSay = ({ call, reason }: Asked) =>
    isForClassifier(narrowPermissions(permissions.current(), call), reason);
  const verdict = isItsToSay(first) ? await steps.classify(first) : undefined;
  const { call } = first;
  if (verdict && verdict.behavior !== 'ask') {
    const reason = { type: 'classifier', message: verdict.message } as const;
    if (verdict.behavior === 'deny') return steps.refuse(call, reason);
    // Security: rules and modes that were set while the classifier ran apply too.
    const again = await steps.judge(call);
    if (again.type !== 'open') return again.end;
    // The classifier hasn't seen an input that the tool has substituted meanwhile.
    if (again.call === call && isItsToSay(again)) return steps.allow(call, reason, call);
  }
  return questions.inTurn(call.toolUse.id, async (hasWaited) => {
    // An answer that came meanwhile, from the classifier or to an earlier question, may decide this
    // one.
    const isStale = hasWaited || verdict !== undefined;
    let open = isStale ? await steps.judge(call) : first;
    while (open.type === 'open') {
      const heard = await steps.ask(open, verdict?.message);
      if ('end' in heard) return heard.end;
      // Security: rules and modes that were set while the question was open apply too.
      const again = await steps.judge(heard.call);
      const isAnswered = again.type === 'open' && isSameQuestion(again, open);
      if (again.type === 'allowed' || isAnswered) {
        return steps.allow(again.call, heard.reason, open.call);
      }
      open = again;
    }
    return open.end;
  });
}

/** True if the question is the one just answered, or has no rule behind it. */
function isSameQuestion(again: Open<unknown>, asked: Open<unknown>): boolean {
  return again.reason === undefined || isSameData(again.reason, asked.reason);
}

/**
 * Asks about a call that has begun, and applies the permissions of the answer. The answer can't
 * change the call's input any more. `after`: added to a refusal, says what happened to the work.
 */
export async function askAboutBegun(
  question: Question,
  {
    permissions,
    questions,
  }: { readonly permissions: PermissionState; readonly questions: Questions },
  { hasRun, after }: { readonly hasRun: string; readonly after: string },
  signal: AbortSignal,
): Promise<
  | { readonly type: 'allowed'; readonly reason: DecisionReason }
  | { readonly type: 'refused'; readonly denial: Denial }
  | { readonly type: 'withdrawn' }
> {
  const answer = await questions.put(question, signal);
  if (answer.type === 'withdrawn') return answer;
  const refuse = (denial: Denial) => ({
    type: 'refused' as const,
    denial: { ...denial, message: `${asSentence(denial.message)} ${after}` },
  });
  if (answer.type === 'refused') return refuse(answer.denial);
  const badAnswer = (message: string) =>
    refuse({ reason: { type: 'user' }, message, interrupt: false });
  if (answer.updatedInput && !isSameData(answer.updatedInput, question.input)) {
    return badAnswer(`The answer changed the input of a call that ${hasRun} already.`);
  }
  try {
    permissions.update(answer.updatedPermissions);
  } catch (error) {
    return badAnswer(`The answer's permission rules can't be understood: ${String(error)}`);
  }
  return { type: 'allowed', reason: answer.reason };
}
