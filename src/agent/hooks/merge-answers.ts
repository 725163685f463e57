// What several hooks of one event come to. Pure, and the same whichever answers first: hooks count
// in the order in which they were given.
import type { HookAnswer, QuestionDecision } from './read-answer.ts';

/** PreToolUse's hooks together. */
export interface CallVerdict {
  /** Left out: no hook has an opinion. */
  readonly decision?: 'allow' | 'deny' | 'ask' | 'defer';
  /** Of the hook that decided; may be empty. */
  readonly reason: string;
  /** Not with `deny` and `defer`. */
  readonly updatedInput?: Record<string, unknown>;
}

// The strictest first.
const decisions = ['deny', 'defer', 'ask', 'allow'] as const;

/**
 * Deny beats defer beats ask beats allow. Of several rewritten inputs the last stands. Security: an
 * allow counts only where its hook has seen the input that stands, or wrote it: another hook's input
 * would otherwise be let through unseen.
 */
export function mergeCallAnswers(answers: readonly HookAnswer[]): CallVerdict {
  const rewriting = answers.findLast(({ specific }) => specific.updatedInput);
  const opinions = answers.flatMap((answer) => {
    const decision = readDecision(answer);
    const hasSeen = !rewriting || rewriting === answer;
    return decision && (decision !== 'allow' || hasSeen) ? [{ decision, answer }] : [];
  });
  const decision = decisions.find((one) => opinions.some((given) => given.decision === one));
  const decider = opinions.find((given) => given.decision === decision)?.answer;
  const updatedInput = rewriting?.specific.updatedInput;
  const isOver = decision === 'deny' || decision === 'defer';
  return {
    ...(decision && { decision }),
    reason: decider?.specific.permissionDecisionReason ?? decider?.reason ?? '',
    ...(updatedInput && !isOver && { updatedInput }),
  };
}

/** Also by the older fields, and by a hook that wants the turn stopped: then its call isn't run. */
function readDecision({ stop, decision, specific }: HookAnswer): CallVerdict['decision'] {
  if (stop !== undefined || decision === 'block') return 'deny';
  return specific.permissionDecision ?? (decision === 'approve' ? 'allow' : undefined);
}

/**
 * PermissionRequest's hooks together: deny beats allow; of several that allow, the first answers
 * alone. Undefined: none answers, and the person is asked.
 */
export function mergeQuestionAnswers(answers: readonly HookAnswer[]): QuestionDecision | undefined {
  const given = answers.map(({ stop, decision, reason, specific }): typeof specific.decision => {
    if (stop !== undefined) return { behavior: 'deny', message: stop };
    return decision === 'block' ? { behavior: 'deny', message: reason ?? '' } : specific.decision;
  });
  const find = (behavior: QuestionDecision['behavior']) =>
    given.find((decision) => decision?.behavior === behavior);
  return find('deny') ?? find('allow');
}

/** The first that blocks, with its reason; undefined: none does. */
export function findBlock(answers: readonly HookAnswer[]): string | undefined {
  const blocking = answers.find(({ stop, decision }) => stop !== undefined || decision === 'block');
  return blocking && (blocking.reason ?? blocking.stop ?? '');
}

/** Every text for the model, in order. */
export function listContext(answers: readonly HookAnswer[]): readonly string[] {
  return answers.flatMap(({ specific }) => specific.additionalContext ?? []);
}
