// What a call changed, as its tool lists it for people.
import type { FileChange } from '../change-set.ts';
import type { Tool } from './tool.ts';

/** Empty where the tool lists none, or fails to: that must not keep a call from its end. */
export function readFileChanges(tool: Tool, output: unknown): readonly FileChange[] {
  try {
    return tool.getFileChanges?.(output) ?? [];
  } catch {
    return [];
  }
}
