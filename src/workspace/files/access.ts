// The gate before every file operation of a view. It applies the call's PathAccess to the real path
// at the time of the operation. locate.ts and the operations ask it; the gate itself never reads
// the tree.
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

/** The operation, for its error: the path is as the caller gave it. */
export interface FsCall {
  readonly syscall: string;
  readonly path: string;
  readonly dest?: string;
}

/** All paths it gets are real and normal. Methods named `require…` throw an SdkError. */
export interface AccessGate {
  /** No rules: what holds for a directory holds for all below it, which need not be looked through. */
  readonly isUniform: boolean;
  /** Some rule keeps files from being read, or asks first. */
  readonly hasReadRules: boolean;
  /** Gates of one key say the same of every path that is to be read or known of. */
  readonly readKey: string;
  /** Denied for reading: to this view there is nothing at the path. */
  isAbsent(path: string): boolean;
  /** Would `requireRead` pass? */
  mayRead(path: string): boolean;
  /**
   * May it be known whether something stands there? `ENOENT` where it is denied, `EACCES` outside.
   * A directory above a root passes, as its existence is no secret.
   */
  requireKnown(path: string, call: FsCall): void;
  /** May its name and attributes be seen? Throws `EACCES` outside the roots. */
  requireVisible(path: string, call: FsCall): void;
  /** May its content be read? `ENOENT` where it is denied, `EACCES` outside and where a person is asked. */
  requireRead(path: string, call: FsCall): void;
  /** May it be made, changed or removed? `EACCES`, or `EROFS` where nothing may be written. */
  requireWrite(path: string, call: FsCall): void;
  /** May a directory be made there? Throws as `requireWrite` does. */
  requireDirectory(path: string, call: FsCall): void;
}

/** For `Workspace.fs`: no rules apply to the user's own operations. Sessions' files are their own. */
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

/** Compiles the rules once per view. */
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
  // Where globs are taken from doesn't matter without any.
  const place = onReading.length > 0 ? toRulePlace(access) : '';
  return JSON.stringify([roots, readOnlyRoots, onReading, place]);
}

/**
 * Where a link led to another path, the error names that path, because a rule for the caller's own
 * path would not help.
 */
function nameIn(call: FsCall, path: string): string {
  return path === call.path || path.endsWith(`/${call.path}`) ? 'this path' : path;
}
