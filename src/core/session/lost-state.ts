// What stands for a tool's saved state whose bytes the medium has lost: its tool begins anew, and says why. Made by
// hosts/assemble-states.ts.

/** No state of a tool begins so: a Repl's begins with a length that none has. */
const mark = '\uFFFFrockpool: lost state\n';

/** Inverse: {@link readLostState}. */
export function encodeLostState(reason: string): Uint8Array {
  return new TextEncoder().encode(mark + reason);
}

/** Why the state is lost, in a sentence; undefined: it isn't. */
export function readLostState(state: Uint8Array): string | undefined {
  const begins = markBytes.every((byte, at) => state[at] === byte);
  return begins ? new TextDecoder().decode(state.subarray(markBytes.length)) : undefined;
}

const markBytes = new TextEncoder().encode(mark);
