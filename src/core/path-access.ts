// Which files a call may read and write, as data that crosses to any realm. Compiled once from the
// permission rules (agent/permissions/), enforced in every view of the workspace at operation time
// (workspace/access.ts).
import { compileRuleGlob } from './glob/path-glob.ts';
import { isInside } from './path.ts';

/** Names and attributes count as reading; making, changing and removing as writing. */
export type PathOperation = 'read' | 'write';

/** One rule on paths. The globs are those of {@link compilePathGlob}. */
export interface PathAccessRule {
  readonly effect: 'deny' | 'ask';
  readonly operation: PathOperation;
  readonly glob: string;
  /**
   * Absolute and normal: the rule holds neither here nor below, nor, where it is one on writing, for
   * the directories above, which the path may need made. Left out: it holds for all of the glob.
   */
  readonly except?: string;
}

/** Serialisable. Nothing outside `roots` can be named at all. */
export interface PathAccess {
  readonly cwd: string;
  readonly roots: readonly string[];
  /** Directories outside the roots that may be read, never written: the session's own files. */
  readonly readOnlyRoots: readonly string[];
  readonly rules: readonly PathAccessRule[];
  /** `deny`: the call was judged read-only, and gets no way to write. */
  readonly write: 'allow' | 'deny';
}

/** `outside`: the path is in no root. `ask`: a person must be asked, so synchronous code is refused. */
export type PathVerdict = 'allow' | 'deny' | 'ask' | 'outside' | 'read-only';

/** Judges real, normal paths: the caller follows symbolic links first. */
export type PathJudge = (operation: PathOperation, path: string) => PathVerdict;

/** Compiles the globs once; the judge is then called for each operation. Deny beats ask. */
export function createPathJudge(access: PathAccess): PathJudge {
  const compiled = access.rules.map((rule) => ({
    ...rule,
    pattern: compileRuleGlob(access.cwd, rule.glob),
  }));
  const matches = (effect: 'deny' | 'ask', operation: PathOperation, path: string) =>
    compiled.some(
      (rule) =>
        rule.effect === effect &&
        rule.operation === operation &&
        rule.pattern.test(path) &&
        !isExcepted(rule, path),
    );
  return (operation, path) => {
    const isOwn = access.roots.some((root) => isInside(root, path));
    const isReadable = isOwn || access.readOnlyRoots.some((root) => isInside(root, path));
    if (!isReadable) return 'outside';
    if (operation === 'write' && (!isOwn || access.write === 'deny')) return 'read-only';
    // Security: what may not be read may not be overwritten either; a blind write would tell
    // by its conflict what stands there.
    if (matches('deny', 'read', path) || matches('deny', operation, path)) return 'deny';
    return matches('ask', operation, path) ? 'ask' : 'allow';
  };
}

function isExcepted({ operation, except }: PathAccessRule, path: string): boolean {
  if (except === undefined) return false;
  return isInside(except, path) || (operation === 'write' && isInside(path, except));
}
