// What comes right before a call's work: its host may have it wait for an event that has room for it, and what a
// person has typed is in its files. Used by run-call.ts.
import type { Session } from '../session/session.ts';
import type { AllowedCall } from './authorize.ts';
import { isNested } from './call-origin.ts';
import type { CallOrigin } from './call-origin.ts';

/** Dispose what it gives when the call is done. Rejects where what was typed can't be flushed. */
export async function beginWork(
  { tool }: AllowedCall,
  origin: CallOrigin,
  { host: { documents, steps } }: Session,
  signal: AbortSignal,
): Promise<Disposable | undefined> {
  // A nested call belongs to the work of the one that makes it, and works in that one's draft, which is as it is. An
  // app's has none.
  if (!isNested(origin)) await steps?.nextCall(signal);
  // Also what was typed while it waited.
  if (!isNested(origin) || origin.type === 'app') await documents?.flush();
  // What takes itself up again is at work by what it begins: an agent's own requests and calls.
  return tool.resumeCall ? undefined : steps?.work();
}
