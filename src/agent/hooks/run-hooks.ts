// Runs the hooks of one event concurrently. Each has exactly one outcome: it answers, throws, times
// out, or is cancelled because the turn is stopped. Called by create-hooks.ts.
import { SdkError, messageOf } from '../../core/errors.ts';
import type { Clock } from '../../core/tool/ports.ts';
import type { CompiledHook } from './compile-hooks.ts';
import type { HookEvent } from './hook-events.ts';
import type { HookInput } from './hook-inputs.ts';
import { readAnswer } from './read-answer.ts';
import type { HookAnswer, QuestionDecision } from './read-answer.ts';

/** The outcome of one hook. */
export type HookOutcome =
  | { readonly type: 'answered'; readonly answer: HookAnswer; readonly output: unknown }
  /** `message` completes "The hook failed: …". */
  | { readonly type: 'failed'; readonly message: string }
  /** The hook's answer is invalid. `message` completes "It can't be understood: …". */
  | { readonly type: 'misread'; readonly message: string }
  /** The turn was stopped before it answered. */
  | { readonly type: 'cancelled' };

/** Hooks that continue in the background. They live as long as the session. */
export interface BackgroundHooks extends Disposable {
  /** Takes over the hook's controller. */
  add(controller: AbortController, timeoutMs: number | undefined): void;
}

/** The parts of the session that a run uses. */
export interface HookRunPorts {
  readonly clock: Clock;
  readonly background: BackgroundHooks;
}

/** One event, as its hooks get it. */
export interface HookCall {
  readonly event: HookEvent;
  /** Creates a new input for each hook, so that no hook sees another one's changes. */
  readonly createInput: () => HookInput;
  readonly toolUseId: string | undefined;
  /** Ends the wait for the hooks. */
  readonly signal: AbortSignal;
}

/** Gives an outcome for each hook, in their order. Never rejects. */
export async function runHooks(
  hooks: readonly CompiledHook[],
  call: HookCall,
  { clock, background }: HookRunPorts,
): Promise<readonly HookOutcome[]> {
  const deadlines = createDeadlines(clock);
  try {
    return await Promise.all(hooks.map((hook) => runHook(hook, call, deadlines, background)));
  } finally {
    deadlines[Symbol.dispose]();
  }
}

function runHook(
  hook: CompiledHook,
  { event, createInput, toolUseId, signal }: HookCall,
  deadlines: Deadlines,
  background: BackgroundHooks,
): Promise<HookOutcome> {
  if (signal.aborted) return Promise.resolve({ type: 'cancelled' });
  const controller = new AbortController();
  return new Promise((resolve) => {
    let isEnded = false;
    const end = (outcome: HookOutcome) => {
      isEnded = true;
      signal.removeEventListener('abort', cancel);
      resolve(outcome);
    };
    const cut = (outcome: HookOutcome, reason: string) => {
      // A hook that continues in the background has its own timeout.
      if (isEnded) return;
      end(outcome);
      controller.abort(new SdkError('aborted', reason));
    };
    const cancel = () => cut({ type: 'cancelled' }, 'The turn was stopped.');
    signal.addEventListener('abort', cancel, { once: true });
    deadlines.add(hook.timeoutMs, () => {
      const message = `it took longer than ${hook.timeoutMs / 1_000} s`;
      cut({ type: 'failed', message }, message);
    });
    // A hook that throws synchronously fails like any other.
    const run = async () => hook.callback(createInput(), toolUseId, { signal: controller.signal });
    run().then(
      (output) => {
        // Too late: the hook already has an outcome.
        if (isEnded) return;
        try {
          const answer = readAnswer(event, output);
          if (answer.background) background.add(controller, answer.background.timeoutMs);
          end({ type: 'answered', answer, output });
        } catch (error) {
          end({ type: 'misread', message: messageOf(error) });
        }
      },
      (error: unknown) => end({ type: 'failed', message: messageOf(error) }),
    );
  });
}

/**
 * One timer for all hooks with the same timeout, because in a tab each timer is a message to a
 * worker.
 */
interface Deadlines extends Disposable {
  add(delayMs: number, callback: () => void): void;
}

function createDeadlines(clock: Clock): Deadlines {
  const groups = new Map<number, (() => void)[]>();
  const timers: Disposable[] = [];
  return {
    add(delayMs, callback) {
      const group = groups.get(delayMs);
      if (group) return void group.push(callback);
      const callbacks = [callback];
      groups.set(delayMs, callbacks);
      timers.push(
        clock.after(delayMs, () => {
          for (const expire of callbacks) expire();
        }),
      );
    },
    [Symbol.dispose]() {
      for (const timer of timers) timer[Symbol.dispose]();
    },
  };
}

/** Starts empty. Disposing it aborts all remaining hooks. */
export function createBackgroundHooks(clock: Clock): BackgroundHooks {
  const left = new Map<AbortController, Disposable | undefined>();
  let isDisposed = false;
  const abort = (controller: AbortController, reason: string) => {
    left.get(controller)?.[Symbol.dispose]();
    left.delete(controller);
    controller.abort(new SdkError('aborted', reason));
  };
  return {
    add(controller, timeoutMs) {
      if (isDisposed) return abort(controller, 'The session is no longer open here.');
      const expire = () => abort(controller, 'The hook took longer than its asyncTimeout.');
      left.set(controller, timeoutMs === undefined ? undefined : clock.after(timeoutMs, expire));
    },
    [Symbol.dispose]() {
      isDisposed = true;
      for (const controller of left.keys())
        abort(controller, 'The session is no longer open here.');
    },
  };
}

/** The combined answer of PreToolUse's hooks. */
export interface CallVerdict {
  /** Left out: no hook has an opinion. */
  readonly decision?: 'allow' | 'deny' | 'ask' | 'defer';
  /** The reason of the hook that decided; may be empty. */
  readonly reason: string;
  /** Absent for `deny` and `defer`. */
  readonly updatedInput?: Record<string, unknown>;
}

// The strictest is first.
const decisions = ['deny', 'defer', 'ask', 'allow'] as const;

/**
 * Deny beats defer beats ask beats allow. Of several rewritten inputs, the last one is used.
 * Security: an allow counts only if its hook has seen or written that input. Otherwise it would
 * allow another hook's input unseen.
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

/** Also reads the older fields. A hook that stops the turn denies its call. */
function readDecision({ stop, decision, specific }: HookAnswer): CallVerdict['decision'] {
  if (stop !== undefined || decision === 'block') return 'deny';
  return specific.permissionDecision ?? (decision === 'approve' ? 'allow' : undefined);
}

/**
 * The combined answer of PermissionRequest's hooks. Deny beats allow; of several allows, the first
 * one counts. Undefined: no hook answers, and the person is asked.
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

/** The reason of the first hook that blocks; undefined if none does. */
export function findBlock(answers: readonly HookAnswer[]): string | undefined {
  const blocking = answers.find(({ stop, decision }) => stop !== undefined || decision === 'block');
  return blocking && (blocking.reason ?? blocking.stop ?? '');
}

/** All texts for the model, in order. */
export function listContext(answers: readonly HookAnswer[]): readonly string[] {
  return answers.flatMap(({ specific }) => specific.additionalContext ?? []);
}
