// Waits for a call's turn in its message, for its question and for its work, and reports that it
// waits. Called by run-call.ts; the order is defined by schedule.ts.
import type { AssistantMessage } from '../../core/messages/messages.ts';
import type { CallPhase } from '../../trace/trace.ts';
import type { ToolUse } from '../messages/collect.ts';
import { toPhaseMessage } from '../messages/to-sdk-message.ts';
import type { Session } from '../session/session.ts';
import type { AllowedCall } from './authorize.ts';
import type { ModelOrigin } from './call-origin.ts';
import { toCallKind } from './classify-call.ts';
import type { ValidCall } from './validate.ts';
import type { CallScope } from './run-call.ts';

/**
 * With the policy `sema`, a call's question is asked when the earlier calls are done. Some tools
 * require that in any case. Resolves to false if the call must never run.
 */
export async function awaitQuestion(
  { tool, traits, toolUse }: ValidCall,
  { slot }: ModelOrigin,
  scope: CallScope,
  enter: (phase: CallPhase) => void,
): Promise<boolean> {
  slot.classify(toCallKind(tool, traits));
  const isAskedInTurn = tool.isAskedInTurn ?? tool.isRehearsed;
  if (scope.session.schedule.policy !== 'sema' && !isAskedInTurn) return true;
  enter('queued');
  return tellWait(toolUse, scope, slot.awaitTurn);
}

/** Resolves to the message of the call when its turn comes. Undefined: it must never run. */
export async function takeTurn(
  { tool, traits, toolUse }: AllowedCall,
  { slot, partial }: ModelOrigin,
  scope: CallScope,
  enter: (phase: CallPhase) => void,
): Promise<AssistantMessage | undefined> {
  // A person's answer may have changed the input, and with it the kind of the call.
  slot.classify(toCallKind(tool, traits));
  enter('queued');
  // The message is built only now, so that thousands of waiting calls don't each hold one.
  return (await tellWait(toolUse, scope, slot.takeTurn)) ? partial() : undefined;
}

/** Reports to viewers of the streaming reply that a call waits, and when it continues. */
async function tellWait(
  toolUse: ToolUse,
  { session, turn }: CallScope,
  wait: (onWait: () => void) => Promise<boolean>,
): Promise<boolean> {
  if (!turn.includePartialMessages) return wait(() => undefined);
  let hasWaited = false;
  const mayGoOn = await wait(() => {
    hasWaited = true;
    session.emit(toPhaseMessage(session, toolUse, 'queued'));
  });
  if (hasWaited && mayGoOn) session.emit(toPhaseMessage(session, toolUse, 'running'));
  return mayGoOn;
}

/** While the call runs, no task commits, and a new prompt may stop the call. */
export function holdTurn(
  { tool, traits }: AllowedCall,
  { hearPrompt }: ModelOrigin,
  { tasks, whenPrompted }: Session,
): Disposable {
  const running = tasks.enterCall();
  const { isCutByPrompt } = toCallKind(tool, traits);
  const callOff = isCutByPrompt ? whenPrompted(hearPrompt) : undefined;
  return {
    [Symbol.dispose]() {
      callOff?.();
      running[Symbol.dispose]();
    },
  };
}
