// Runs the hooks of one event concurrently. Each ends in exactly one outcome: it answers, throws,
// times out, or the turn is stopped first. Called by create-hooks.ts.
import { SdkError, messageOf } from '../../core/errors.ts';
import type { Clock } from '../../core/tool/ports.ts';
import type { CompiledHook } from './compile-hooks.ts';
import type { HookEvent } from './hook-events.ts';
import type { HookInput } from './hook-inputs.ts';
import { readAnswer } from './read-answer.ts';
import type { HookAnswer, QuestionDecision } from './read-answer.ts';

/** What became of one hook. */
export type HookOutcome =
  | { readonly type: 'answered'; readonly answer: HookAnswer; readonly output: unknown }
  /** `message` completes "The hook failed: …". */
  | { readonly type: 'failed'; readonly message: string }
  /** The hook's answer can't be read: `message` completes "It can't be understood: …". */
  | { readonly type: 'misread'; readonly message: string }
  /** The turn was stopped before it answered. */
  | { readonly type: 'cancelled' };

/** Hooks that said that they go on in the background: they live as long as the session. */
export interface BackgroundHooks extends Disposable {
  /** Takes over the hook's controller. */
  add(controller: AbortController, timeoutMs: number | undefined): void;
}

/** What a run needs of the session. */
export interface HookRunPorts {
  readonly clock: Clock;
  readonly background: BackgroundHooks;
}

/** One event, as its hooks are told of it. */
export interface HookCall {
  readonly event: HookEvent;
  /** Makes the input again for each hook: what one does to it, the others don't see. */
  readonly createInput: () => HookInput;
  readonly toolUseId: string | undefined;
  /** Stops waiting for them. */
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
      // One that goes on in the background has a timeout of its own.
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
    // A hook that throws at once, without a promise, fails like any other.
    const run = async () => hook.callback(createInput(), toolUseId, { signal: controller.signal });
    run().then(
      (output) => {
        // Too late: its outcome is decided.
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

/** One timer for all hooks that may take the same time: in a tab each one is a message to a worker. */
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

/** Begins empty. Disposing it aborts all that are left. */
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

/** PreToolUse's hooks together. */
export interface CallVerdict {
  /** Left out: no hook has an opinion. */
  readonly decision?: 'allow' | 'deny' | 'ask' | 'defer';
  /** The reason of the hook that decided; may be empty. */
  readonly reason: string;
  /** Not with `deny` and `defer`. */
  readonly updatedInput?: Record<string, unknown>;
}

// The strictest first.
const decisions = ['deny', 'defer', 'ask', 'allow'] as const;

/**
 * Deny beats defer beats ask beats allow. The last of several rewritten inputs stands. Security: an
 * allow counts only where its hook has seen the input that stands, or wrote it. Otherwise another
 * hook's input would be let through unseen.
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
