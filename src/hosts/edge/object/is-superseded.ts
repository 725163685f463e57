// Detects the runtime's errors for an object instance that has ended because its code was replaced
// or it was aborted. Used by create-session-object.ts.

// The runtime has no codes for these errors, only these texts. Some also have the flag.
const texts =
  /code (was|has been) updated|this version can no longer access storage|Durable Object reset|superseded|has been aborted|broken\.(dropped|outputGateBroken|exceeded)/iu;

/**
 * Such an error must be rethrown. Then the next instance repeats the work; otherwise the work is
 * lost.
 */
export function isSuperseded(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { durableObjectReset } = error as { readonly durableObjectReset?: unknown };
  return durableObjectReset === true || texts.test(error.message) || isSuperseded(error.cause);
}
