// Prepares a call's work: waits for an event with room for the call, if the host has events, and
// flushes unsaved text. Called by run-call.ts.
import type { Session } from '../session/session.ts';
import type { AllowedCall } from './authorize.ts';
import { isNested } from './call-origin.ts';
import type { CallOrigin } from './call-origin.ts';

/** Dispose the result when the call is done. Rejects if unsaved text can't be flushed. */
export async function beginWork(
  { tool }: AllowedCall,
  origin: CallOrigin,
  { host: { documents, steps } }: Session,
  signal: AbortSignal,
): Promise<Disposable | undefined> {
  // A nested call is part of its outer call's work and uses that call's draft. A call of an app has
  // no outer draft.
  if (!isNested(origin)) await steps?.nextCall(signal);
  // Flushed after the wait, to include text that was typed meanwhile.
  if (!isNested(origin) || origin.type === 'app') await documents?.flush();
  // For a call that resumes itself, such as an agent's, its own requests and calls count as work.
  return tool.resumeCall ? undefined : steps?.work();
}
