// Files that steer the agent or git: settings, hooks, agents, skills, MCP servers. Security: writing
// one asks in every mode and whatever rule allows it, because a call that may write anything could
// otherwise loosen what holds for the calls after it.
import type { PathGlob } from '../../core/glob/compile-glob.ts';
import { compilePathGlob } from '../../core/glob/path-glob.ts';

/** Anywhere in the tree: a package or a submodule may have its own. */
const globs: readonly string[] = [
  '/**/.git/config',
  '/**/.git/hooks/**',
  '/**/.git/hooks',
  '/**/.claude/**',
  '/**/.claude',
  '/**/.mcp.json',
];

// Both are made on first use: a module does no work when it loads.
let globsInAnyCase: readonly string[] | undefined;
let patterns: readonly PathGlob[] | undefined;

/**
 * In any case of letters: names that differ here are one on the disks of most people, and the tree is
 * copied there.
 */
export function protectedGlobs(): readonly string[] {
  globsInAnyCase ??= globs.map(inAnyCase);
  return globsInAnyCase;
}

/** Two letters have a third form that such disks fold too: the Kelvin sign, and the long s. */
function inAnyCase(glob: string): string {
  const more: Readonly<Record<string, string>> = { k: ',\u212a', s: ',\u017f' };
  return glob.replace(/[a-z]/gu, (letter) => {
    return `{${letter},${letter.toUpperCase()}${more[letter] ?? ''}}`;
  });
}

/** `path` must be absolute and normal. */
export function isProtectedPath(path: string): boolean {
  patterns ??= protectedGlobs().map((glob) => compilePathGlob('/', glob));
  return patterns.some((pattern) => pattern.test(path));
}
