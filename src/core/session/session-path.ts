// The directory where every view shows the sessions' own files, and the ids of the roots that hold them. The
// workspace, access rules, searches and the agent use it.
import { isInside, joinPath } from '../path.ts';

/** Each session has a directory here, named by its id. Its files can be changed only by the session's root. */
export const sessionsDirectory = '/session';

const rootPrefix = 'session/';

/** True if a real, normal path is {@link sessionsDirectory} or below it. */
export function isSessionPath(path: string): boolean {
  return isInside(sessionsDirectory, path);
}

/**
 * True if the value can be a session's id: at most 128 letters, digits, `-` and `_`. The id is also the name of a
 * directory.
 */
export function isSessionId(id: unknown): id is string {
  return typeof id === 'string' && /^[\w-]{1,128}$/u.test(id);
}

/** The directory at which every view shows a session's files. */
export function toSessionDirectory(sessionId: string): string {
  return joinPath(sessionsDirectory, sessionId);
}

/** The session's plan: the one path that may be written in plan mode. */
export function toPlanPath(sessionId: string): string {
  return joinPath(toSessionDirectory(sessionId), planFileName);
}

/** The plan's name among a session's own files. */
export const planFileName = 'plan.md';

/** The id of the root that holds a session's files. Inverse: {@link sessionOfRoot}. */
export function toSessionRootId(sessionId: string): string {
  return rootPrefix + sessionId;
}

/** The session to which a root belongs; undefined for other roots. */
export function sessionOfRoot(rootId: string): string | undefined {
  const sessionId = rootId.startsWith(rootPrefix) ? rootId.slice(rootPrefix.length) : undefined;
  return isSessionId(sessionId) ? sessionId : undefined;
}
