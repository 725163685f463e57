// Tells the errors by which the runtime says that this instance of an object is over: its code was replaced, or it was
// aborted. Used by create-session-object.ts.

// The runtime has these texts and no codes for it; the flag is on some of them.
const texts =
  /code (was|has been) updated|this version can no longer access storage|Durable Object reset|superseded|has been aborted|broken\.(dropped|outputGateBroken|exceeded)/iu;

/**
 * Is it such an error? It must be passed on: work that catches it is lost, and the next instance
 * does it again.
 */
export function isSuperseded(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { durableObjectReset } = error as { readonly durableObjectReset?: unknown };
  return durableObjectReset === true || texts.test(error.message) || isSuperseded(error.cause);
}
