// Answers what connect-directory.ts asks, inside the owner's object. It is its inverse.
import { SdkError, toSerializedError } from '../../../core/errors.ts';
import type { SessionDirectory } from './session-directory.ts';

/**
 * Security: no address of a public request has this host. So a Worker that passes its requests on
 * to the object gives nobody the right to say what was spent.
 */
export const directoryUrl = 'http://rockpool.directory.invalid/';

/** Each by its name, and no other property that an object may have. */
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

/** Undefined: it isn't for the directory. */
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
