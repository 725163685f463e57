// Where every view shows the sessions' own files, and the ids of the roots that hold them. The
// workspace, access rules, searches and the agent go by it.
import { isInside, joinPath } from '../path.ts';

/** Each session has a directory here, by its id. Only its own root can change what is in it. */
export const sessionsDirectory = '/session';

const rootPrefix = 'session/';

/** Is a real, normal path {@link sessionsDirectory} or below it? */
export function isSessionPath(path: string): boolean {
  return isInside(sessionsDirectory, path);
}

/** Can it be a session's id? Letters, digits, `-` and `_`, at most 128: one directory's name. */
export function isSessionId(id: unknown): id is string {
  return typeof id === 'string' && /^[\w-]{1,128}$/u.test(id);
}

/** The directory that every view shows a session's files at. */
export function toSessionDirectory(sessionId: string): string {
  return joinPath(sessionsDirectory, sessionId);
}

/** The session's plan: the one path that may be written in plan mode. */
export function toPlanPath(sessionId: string): string {
  return joinPath(toSessionDirectory(sessionId), planFileName);
}

/** The plan's name among a session's own files. */
export const planFileName = 'plan.md';

/** The id of the root that a session's files stand in. Inverse: {@link sessionOfRoot}. */
export function toSessionRootId(sessionId: string): string {
  return rootPrefix + sessionId;
}

/** The session to which a root belongs; undefined for other roots. */
export function sessionOfRoot(rootId: string): string | undefined {
  const sessionId = rootId.startsWith(rootPrefix) ? rootId.slice(rootPrefix.length) : undefined;
  return isSessionId(sessionId) ? sessionId : undefined;
}
