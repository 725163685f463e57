// The session's own files: outside the user's tree, so that Glob, Grep and git don't see them, but
// readable by every call (they are among its read-only roots). For now they stand in the
// workspace's tree; a volume of their own comes with the durable session.
import { SdkError } from '../../core/errors.ts';
import { joinPath } from '../../core/path.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { SpillStore } from '../calls/spill-text.ts';

/**
 * Where the files of a session are.
 *
 * @throws SdkError `bad-usage` when the id couldn't be one directory's name.
 */
export function getSessionDirectory(sessionId: string): string {
  // Security: an id with a slash or dots in it would reach into the user's tree.
  if (!/^[\w-]{1,128}$/u.test(sessionId)) {
    throw new SdkError(
      'bad-usage',
      `"${sessionId}" can't be a session's id: use letters, digits, - and _, at most 128.`,
      { data: { sessionId } },
    );
  }
  return joinPath('/session', sessionId);
}

/** Keeps results that are too long for the conversation, one file a call. */
export function createSessionSpill(workspace: Workspace, directory: string): SpillStore {
  const results = joinPath(directory, 'tool-results');
  return {
    async write(toolUseId, text) {
      // Security: the id comes from the model's server; as a name it must not climb out.
      const name = toolUseId.replace(/[^\w-]/gu, '_').slice(0, 128);
      const path = joinPath(results, `${name}.txt`);
      await workspace.fs.mkdir(results, { recursive: true });
      await workspace.fs.writeFile(path, text);
      return path;
    },
  };
}
