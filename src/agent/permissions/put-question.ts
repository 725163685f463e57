// One question to the person, from the hooks that may answer it to what the answer comes to. Loaded by
// `questions.ts` for the first one.
import { describeThrown } from '../../core/errors.ts';
import type { createId } from '../../core/ids.ts';
import type { CanUseTool, PermissionResult } from '../../core/permission.ts';
import type { Hooks } from '../hooks/hooks.ts';
import type { Answer, Question } from './questions.ts';

/** Who may answer. */
export interface Answerers {
  readonly canUseTool: CanUseTool | undefined;
  readonly hooks: Hooks | undefined;
  readonly createId: typeof createId;
}

/** Never rejects: a host that fails, or whose answer can't be understood, refuses. */
export async function putQuestion(
  question: Question,
  { canUseTool, hooks, createId }: Answerers,
  signal: AbortSignal,
): Promise<Answer> {
  if (signal.aborted) return { type: 'withdrawn' };
  const answer = await hooks?.answer(question, signal);
  if (signal.aborted) return { type: 'withdrawn' };
  if (answer) return answer;
  if (!canUseTool) return refuse(`${describe(question)} Nobody is here to ask (no canUseTool).`);
  hooks?.notify(question);
  const { toolName, input, ...options } = question;
  const withdrawal = listenForAbort(signal);
  try {
    const asked = canUseTool(toolName, input, { ...options, signal, requestId: createId() });
    const result = await Promise.race([asked, withdrawal.promise]);
    return result === 'withdrawn' ? { type: 'withdrawn' } : toAnswer(result, question);
  } catch (error) {
    if (signal.aborted) return { type: 'withdrawn' };
    return refuse(`${describe(question)} Asking failed: ${describeThrown(error)}.`);
  } finally {
    withdrawal[Symbol.dispose]();
  }
}

function toAnswer(result: PermissionResult | null, question: Question): Answer {
  if (result?.behavior === 'allow') {
    return {
      type: 'allowed',
      reason: { type: 'user' },
      ...(result.updatedInput && { updatedInput: result.updatedInput }),
      updatedPermissions: result.updatedPermissions ?? [],
    };
  }
  if (result?.behavior === 'deny') {
    const { message: given } = result;
    // A host without types may give anything, and the model is sent a text.
    const isTold = typeof given === 'string' && given !== '';
    const message = isTold ? given : `The user refused ${question.toolName}.`;
    const interrupt = result.interrupt === true;
    return { type: 'refused', denial: { reason: { type: 'user' }, message, interrupt } };
  }
  // Security: null, and whatever else isn't an answer, leaves the call blocked.
  return refuse(`${describe(question)} It was not answered here.`);
}

function describe(question: Question): string {
  return `${question.toolName} needs permission: ${question.decisionReason ?? 'it is asked'}.`;
}

function refuse(message: string): Answer {
  const reason = { type: 'no-answer', message } as const;
  return { type: 'refused', denial: { reason, message, interrupt: false } };
}

function listenForAbort(
  signal: AbortSignal,
): Disposable & { readonly promise: Promise<'withdrawn'> } {
  let listener: () => void = () => undefined;
  const promise = new Promise<'withdrawn'>((resolve) => {
    listener = () => resolve('withdrawn');
    signal.addEventListener('abort', listener, { once: true });
  });
  return { promise, [Symbol.dispose]: () => signal.removeEventListener('abort', listener) };
}
