// A call's input as observers see it: hooks, viewers, transcripts. The call runs with the original input, and the API
// gets the original, too.
import type { Tool } from './tool.ts';

/** A copy of the input that the tool has filled. The input itself if the tool fills nothing, or throws. */
export function toObservableInput<Input>(tool: Tool | undefined, input: Input): Input {
  if (!tool?.backfillObservableInput || typeof input !== 'object' || input === null) return input;
  try {
    const copy = structuredClone(input);
    tool.backfillObservableInput(copy as Record<string, unknown>);
    return copy;
  } catch {
    return input;
  }
}
