// Replaces a tool's saved state if the medium has lost its bytes. The tool then begins with an empty state, and says
// why. Called by hosts/assemble-states.ts.

/** No real state begins with these bytes: a Repl's state begins with its length, which is never so large. */
const mark = '\uFFFFrockpool: lost state\n';

/** Inverse: {@link readLostState}. */
export function encodeLostState(reason: string): Uint8Array {
  return new TextEncoder().encode(mark + reason);
}

/** Why the state is lost, in a sentence. Undefined: it isn't lost. */
export function readLostState(state: Uint8Array): string | undefined {
  const begins = markBytes.every((byte, at) => state[at] === byte);
  return begins ? new TextDecoder().decode(state.subarray(markBytes.length)) : undefined;
}

const markBytes = new TextEncoder().encode(mark);
