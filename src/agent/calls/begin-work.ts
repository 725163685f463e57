// The step before a call's work. It waits for an event with room for the call, if the host has
// events, and saves what a person has typed. Called by run-call.ts.
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
  // A nested call is part of its outer call's work, and works in that call's draft. An app's call has no outer draft.
  if (!isNested(origin)) await steps?.nextCall(signal);
  // After the wait, to include what was typed meanwhile.
  if (!isNested(origin) || origin.type === 'app') await documents?.flush();
  // A call that resumes itself, such as an agent's, counts as work by its own requests and calls.
  return tool.resumeCall ? undefined : steps?.work();
}
