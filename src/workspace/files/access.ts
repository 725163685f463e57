// The gate that checks every file operation of a view. It applies the call's PathAccess to the real
// path at the time of the operation. locate.ts and the operations call it. The gate itself never
// reads the tree.
import {
  createPathJudge,
  describeOutside,
  describeReadOnly,
  toRulePlace,
} from '../../core/access/path-access.ts';
import type { PathAccess, PathVerdict } from '../../core/access/path-access.ts';
import { isInside } from '../../core/path.ts';
import { isSessionPath } from '../../core/session/session-path.ts';
import { createFsError } from './fs-error.ts';

/** The operation, for its error, with the path as the caller gave it. */
export interface FsCall {
  readonly syscall: string;
  readonly path: string;
  readonly dest?: string;
}

/** Checks real, normalized paths. Methods named `require…` throw an SdkError. */
export interface AccessGate {
  /**
   * True if there are no rules below roots: what holds for a directory holds for everything in it.
   */
  readonly isUniform: boolean;
  /** True if some rule prevents files from being read, or asks first. */
  readonly hasReadRules: boolean;
  /** Gates with the same key give the same answers about reading. */
  readonly readKey: string;
  /** True if reading is denied. For this view the path then doesn't exist. */
  isAbsent(path: string): boolean;
  /** True if `requireRead` would pass. */
  mayRead(path: string): boolean;
  /**
   * Checks whether the existence of the path may be known. Throws `ENOENT` if it is denied, and
   * `EACCES` outside of the roots. A directory above a root passes, because its existence isn't
   * secret.
   */
  requireKnown(path: string, call: FsCall): void;
  /** Checks whether the name and attributes may be seen. Throws `EACCES` outside of the roots. */
  requireVisible(path: string, call: FsCall): void;
  /**
   * Checks whether the content may be read. Throws `ENOENT` if it is denied, and `EACCES` outside
   * of the roots and if a person must be asked.
   */
  requireRead(path: string, call: FsCall): void;
  /**
   * Checks whether the path may be created, changed or removed. Throws `EACCES`, or `EROFS` if
   * nothing may be written.
   */
  requireWrite(path: string, call: FsCall): void;
  /** Checks whether a directory may be created. Throws as `requireWrite` does. */
  requireDirectory(path: string, call: FsCall): void;
}

/**
 * For `Workspace.fs`: no rules apply to the user's own operations. The files of sessions are
 * excluded.
 */
export const openGate: AccessGate = {
  isUniform: true,
  hasReadRules: false,
  readKey: 'open',
  isAbsent: () => false,
  mayRead: () => true,
  requireKnown: () => {},
  requireVisible: () => {},
  requireRead: () => {},
  requireWrite: refuseInSessions,
  requireDirectory: refuseInSessions,
};

function refuseInSessions(path: string, call: FsCall): void {
  if (!isSessionPath(path)) return;
  const message = "it holds sessions' own files; a session's are changed by its own root alone";
  throw createFsError('EROFS', { ...call, message });
}

/** Compiles the rules, once for each view. */
export function createAccessGate(access: PathAccess): AccessGate {
  const judge = createPathJudge(access);
  const refuse = (path: string, verdict: PathVerdict, call: FsCall, tool: 'Read' | 'Edit') => {
    switch (verdict) {
      case 'allow':
        return;
      case 'outside':
        throw createFsError('EACCES', { ...call, message: describeOutside(access) });
      case 'ask':
        throw createFsError('EACCES', {
          ...call,
          message: `a person must be asked first; call the ${tool} tool for ${nameIn(call, path)}, it asks`,
        });
      case 'read-only':
        throw createFsError('EROFS', { ...call, message: describeReadOnly(access, path) });
      case 'deny':
        throw createFsError('EACCES', { ...call, message: 'a permission rule forbids it' });
      default:
        verdict satisfies never;
    }
  };
  return {
    isUniform: access.rules.length === 0 && !access.readOnlyMounts?.length,
    hasReadRules: access.rules.some(({ operation }) => operation === 'read'),
    readKey: toReadKey(access),
    isAbsent: (path) => judge('read', path) === 'deny',
    mayRead: (path) => judge('read', path) === 'allow',
    requireKnown(path, call) {
      const verdict = judge('read', path);
      if (verdict === 'deny') throw createFsError('ENOENT', call);
      const roots = [...access.roots, ...access.readOnlyRoots];
      if (verdict === 'outside' && !roots.some((root) => isInside(path, root))) {
        refuse(path, verdict, call, 'Read');
      }
    },
    requireVisible(path, call) {
      const verdict = judge('read', path);
      if (verdict === 'outside') refuse(path, verdict, call, 'Read');
    },
    requireRead(path, call) {
      const verdict = judge('read', path);
      if (verdict === 'deny') throw createFsError('ENOENT', call);
      refuse(path, verdict, call, 'Read');
    },
    requireWrite: (path, call) => refuse(path, judge('write', path), call, 'Edit'),
    requireDirectory: (path, call) => refuse(path, judge('write', path, true), call, 'Edit'),
  };
}

function toReadKey(access: PathAccess): string {
  const { roots, readOnlyRoots, rules } = access;
  const onReading = rules.filter(({ operation }) => operation === 'read');
  // The place of globs doesn't matter if there are none.
  const place = onReading.length > 0 ? toRulePlace(access) : '';
  return JSON.stringify([roots, readOnlyRoots, onReading, place]);
}

/**
 * If a link led to another path, the error names that path, because a rule for the caller's path
 * wouldn't help.
 */
function nameIn(call: FsCall, path: string): string {
  return path === call.path || path.endsWith(`/${call.path}`) ? 'this path' : path;
}
