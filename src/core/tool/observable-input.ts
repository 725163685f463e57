// A call's input as observers see it: hooks, viewers, transcripts. Never what runs, nor what goes to
// the API.
import type { Tool } from './tool.ts';

/** The input itself where the tool fills nothing, or fails at it; else a copy that the tool has filled. */
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
