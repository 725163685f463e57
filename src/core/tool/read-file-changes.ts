// The changes of a call, as its tool lists them for people.
import type { FileChange } from '../change-set.ts';
import type { Tool } from './tool.ts';

/** Empty if the tool lists none, or throws: an error here must not keep the call from ending. */
export function readFileChanges(tool: Tool, output: unknown): readonly FileChange[] {
  try {
    return tool.getFileChanges?.(output) ?? [];
  } catch {
    return [];
  }
}
