// Answers the requests of connect-directory.ts inside the owner's object.
import { SdkError, toSerializedError } from '../../../core/errors.ts';
import type { SessionDirectory } from './session-directory.ts';

/**
 * Security: no public request can have this host name. So a Worker that forwards its requests to
 * the object gives nobody the right to report spending.
 */
export const directoryUrl = 'http://rockpool.directory.invalid/';

/** The methods that may be called by name. Other properties of the object can't be reached. */
const methods: ReadonlySet<string> = new Set<keyof SessionDirectory>([
  'register',
  'beginTurn',
  'endTurn',
  'list',
  'find',
  'rename',
  'archive',
  'restore',
  'delete',
  'spending',
  'reserve',
  'settle',
]);

/** Resolves to undefined if the request isn't for the directory. */
export async function serveDirectory(
  directory: SessionDirectory,
  request: Request,
): Promise<Response | undefined> {
  if (!request.url.startsWith(directoryUrl)) return undefined;
  const name = request.url.slice(directoryUrl.length);
  try {
    if (!methods.has(name)) {
      throw new SdkError('bad-usage', `A directory has no ${name}. Is it of another version?`);
    }
    const values = (await request.json()) as readonly unknown[];
    const method = directory[name as keyof SessionDirectory] as (
      ...given: readonly unknown[]
    ) => Promise<unknown>;
    return Response.json({ value: (await method(...values)) ?? null });
  } catch (error) {
    const { stack: _stack, ...told } = toSerializedError(error);
    return Response.json({ error: told }, { status: 400 });
  }
}
