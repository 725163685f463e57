// The file that a call names, for rules on paths.
import { resolvePath } from '../../core/path.ts';
import type { ValidCall } from '../calls/validate.ts';

/** `none`: the call names no file. `unknown`: the tool failed to say which, or none can have that path. */
export type CallPath =
  | { readonly type: 'path'; readonly path: string }
  | { readonly type: 'none' }
  | { readonly type: 'unknown' };

// 4096: what files' paths may have in bytes. Security: a longer one would be held against every rule.
const maxPathLength = 4_096;

/** Absolute and normal, so that no spelling of a path escapes a rule. */
export function getCallPath(call: Pick<ValidCall, 'tool' | 'input'>, cwd: string): CallPath {
  try {
    const path = call.tool.getPath?.(call.input);
    if (path === undefined) return { type: 'none' };
    if (path.length > maxPathLength) return { type: 'unknown' };
    return { type: 'path', path: resolvePath(cwd, path) };
  } catch {
    return { type: 'unknown' };
  }
}

/**
 * Does the call write the file that it names, and nothing else? Then it is an edit, whatever the
 * tool is called. Only a worker's draft is known to hold all that was done.
 */
export function isEdit(call: Pick<ValidCall, 'tool' | 'traits'>): boolean {
  const { tool, traits } = call;
  const writesDraft = tool.runsIn === 'worker' && !traits.isReadOnly && !traits.isOpenWorld;
  return writesDraft && tool.getPath !== undefined;
}
