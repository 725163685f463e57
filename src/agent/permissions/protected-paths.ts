// Files that steer the agent or git: settings, hooks, agents, skills, MCP servers. Security: writing
// one asks in every mode and whatever rule allows it, because a call that may write anything could
// otherwise loosen what holds for the calls after it.
import { compilePathGlob } from '../../core/path-glob.ts';

/** Anywhere in the tree: a package or a submodule may have its own. */
export const protectedGlobs: readonly string[] = [
  '/**/.git/config',
  '/**/.git/hooks/**',
  '/**/.git/hooks',
  '/**/.claude/**',
  '/**/.claude',
  '/**/.mcp.json',
];

// Compiled on first use: a module does no work when it loads.
let patterns: readonly RegExp[] | undefined;

/** `path` must be absolute and normal. */
export function isProtectedPath(path: string): boolean {
  patterns ??= protectedGlobs.map((glob) => compilePathGlob('/', glob));
  return patterns.some((pattern) => pattern.test(path));
}
