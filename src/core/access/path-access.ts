// The files that a call may read and write, as plain data for any realm. agent/permissions/
// compiles it from the rules for each call. Every view enforces it at operation time
// (workspace/files/access.ts).
import { compileRuleGlob } from '../glob/path-glob.ts';
import { isInside } from '../path.ts';
import { isSessionPath } from '../session/session-path.ts';
import { isGitStorePath } from './git-store.ts';
import { isInstructionPath, isProtectedPath } from './protected-paths.ts';
import { listOriginals, meansPath } from './rule-place.ts';
import type { RulePlace } from './rule-place.ts';

/** Names and attributes count as reading; making, changing and removing as writing. */
export type PathOperation = 'read' | 'write';

/**
 * One rule on paths: those of a glob, as `compilePathGlob` takes it, or those of
 * {@link isProtectedPath}, {@link isInstructionPath} or {@link isGitStorePath}.
 */
export type PathAccessRule = Excepting &
  (
    | {
        readonly effect: 'deny' | 'ask';
        readonly operation: PathOperation;
        readonly glob: string;
      }
    | { readonly effect: 'ask'; readonly operation: 'write'; readonly isProtection: true }
    | { readonly effect: 'ask'; readonly operation: 'write'; readonly isForInstructions: true }
    | { readonly effect: 'deny'; readonly operation: 'read'; readonly isForGitStore: true }
  );

interface Excepting {
  /**
   * Absolute and normal: the rule holds neither here nor below. A rule on writing doesn't hold for
   * the directories above either, which the path may need made. Left out: the rule holds for all of
   * the glob.
   */
  readonly except?: string;
}

/** Serialisable. Nothing outside `roots` can be named at all. */
export interface PathAccess {
  /** What relative paths are taken from. */
  readonly cwd: string;
  /**
   * The base of the globs in `rules`, if the session works in another directory than its first one.
   * Default: `cwd`.
   */
  readonly rulesFrom?: RulePlace;
  readonly roots: readonly string[];
  /**
   * Directories outside the roots that may be read, never written: the session's own files. Those
   * aren't written inside a root either.
   */
  readonly readOnlyRoots: readonly string[];
  /** Mounts inside the roots whose sources can only be read: nothing is written at them or below. Left out: none. */
  readonly readOnlyMounts?: readonly string[];
  /** A file of the session's own that may be written all the same: its plan, while it plans. Left out: none. */
  readonly writableFile?: string;
  readonly rules: readonly PathAccessRule[];
  /** `deny`: the call was judged read-only, and gets no way to write. */
  readonly write: 'allow' | 'deny';
}

/** `outside`: the path is in no root. `ask`: a person must be asked, so synchronous code is refused. */
export type PathVerdict = 'allow' | 'deny' | 'ask' | 'outside' | 'read-only';

/**
 * Judges real, normal paths: the caller follows symbolic links first. `isDirectory`: the new entry
 * is a directory.
 */
export type PathJudge = (
  operation: PathOperation,
  path: string,
  isDirectory?: boolean,
) => PathVerdict;

/** Compiles the globs once; the judge is then called for each operation. Deny beats ask. */
export function createPathJudge(access: PathAccess): PathJudge {
  const place = toRulePlace(access);
  const compiled = access.rules.map((rule) => ({
    ...rule,
    means: compileRulePaths(rule, place.cwd),
  }));
  const matches = (
    effect: 'deny' | 'ask',
    operation: PathOperation,
    path: string,
    originals: readonly string[],
    isDirectory = false,
  ) =>
    compiled.some(
      (rule) =>
        rule.effect === effect &&
        rule.operation === operation &&
        meansPath((one) => rule.means(one, isDirectory), path, originals) &&
        !isExcepted(rule, path),
    );
  return (operation, path, isDirectory) => {
    const isOwn = access.roots.some((root) => isInside(root, path));
    const isReadable = isOwn || access.readOnlyRoots.some((root) => isInside(root, path));
    if (!isReadable) return 'outside';
    const isPlace = isSessionPath(path) ? path === access.writableFile : isOwn;
    if (operation === 'write' && !(isPlace && access.write === 'allow')) return 'read-only';
    if (operation === 'write' && findReadOnlyMount(access, path) !== undefined) return 'read-only';
    // Security: an unreadable file can't be overwritten either, because a conflict would reveal its
    // state.
    const originals = compiled.length === 0 ? [] : listOriginals(path, place);
    if (matches('deny', 'read', path, originals) || matches('deny', operation, path, originals)) {
      return 'deny';
    }
    return matches('ask', operation, path, originals, isDirectory) ? 'ask' : 'allow';
  };
}

/** The base of the globs in its rules. */
export function toRulePlace({ cwd, rulesFrom }: Pick<PathAccess, 'cwd' | 'rulesFrom'>): RulePlace {
  return rulesFrom ?? { cwd };
}

/**
 * The rules with the one that they need beside them. Where a file is kept from being read, its
 * content isn't read from git's store either. Git itself goes past that one rule, and holds what it
 * shows against the others by its path.
 */
export function withGitStore(rules: readonly PathAccessRule[]): readonly PathAccessRule[] {
  if (!rules.some(({ operation }) => operation === 'read')) return rules;
  return [...rules, { effect: 'deny', operation: 'read', isForGitStore: true }];
}

/** Is the rule about this path? Its exception isn't looked at. */
export function compileRulePaths(
  rule: PathAccessRule,
  cwd: string,
): (path: string, isDirectory?: boolean) => boolean {
  if ('isProtection' in rule) return isProtectedPath;
  if ('isForInstructions' in rule) return isInstructionPath;
  if ('isForGitStore' in rule) return isGitStorePath;
  const glob = compileRuleGlob(cwd, rule.glob);
  return (path) => glob.test(path);
}

function isExcepted({ operation, except }: PathAccessRule, path: string): boolean {
  if (except === undefined) return false;
  return isInside(except, path) || (operation === 'write' && isInside(path, except));
}

/** The sentence for a path with the verdict `outside`. */
export function describeOutside(access: PathAccess): string {
  const roots = [...access.roots, ...access.readOnlyRoots].join(', ');
  return `the path is outside the workspace; paths must be in ${roots}`;
}

/** The same for `read-only`. */
export function describeReadOnly(access: PathAccess, path: string): string {
  if (access.write === 'deny') {
    return 'this call may only read; make the change with a call that may write';
  }
  const mount = findReadOnlyMount(access, path);
  if (mount !== undefined) return describeReadOnlyMount(mount);
  return `it can only be read; what may be written is in ${access.roots.join(', ')}`;
}

/** For whatever would write at a mount that can only be read, or below. */
export function describeReadOnlyMount(mount: string): string {
  return `what is mounted at ${mount} can only be read; write elsewhere, to a copy of it if need be`;
}

function findReadOnlyMount({ readOnlyMounts }: PathAccess, path: string): string | undefined {
  return readOnlyMounts?.find((mount) => isInside(mount, path));
}
