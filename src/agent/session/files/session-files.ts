// The session's own files: spilled results and task output. They are in a separate root of the
// workspace, which every view shows at `/session/<id>`, read-only. So Glob, Grep, git and rewinds
// of the user's files don't include them.
import { SdkError, hasCode } from '../../../core/errors.ts';
import { dirname, extname, joinPath } from '../../../core/path.ts';
import { isSessionId, toSessionDirectory } from '../../../core/session/session-path.ts';
import type { FileSystem } from '../../../workspace/files/file-system.ts';
import type { Workspace } from '../../../workspace/workspace.ts';
import type { SpillStore } from '../../calls/spill-text.ts';

/**
 * The directory of a session's files.
 * @throws SdkError `bad-usage` if the id can't be a directory's name
 */
export function getSessionDirectory(sessionId: string): string {
  // Security: an id with a slash or dots could lead to the user's files.
  if (isSessionId(sessionId)) return toSessionDirectory(sessionId);
  throw new SdkError(
    'bad-usage',
    `"${sessionId}" can't be a session's id: use letters, digits, - and _, at most 128.`,
    { data: { sessionId } },
  );
}

/** Writes a session's own files. Paths are relative to its directory and must stay inside it. */
export interface SessionFiles {
  /** Creates the session's root if there is none. The first write does so too. */
  ready(): Promise<void>;
  /**
   * Creates the file and its parent directories, or replaces its content. Gives its path in every
   * view.
   */
  write(path: string, content: string | Uint8Array): Promise<string>;
  /**
   * Works like {@link write}, but never replaces a file with another content: the new file's name
   * then gets a number.
   */
  keep(path: string, content: string): Promise<string>;
  /** Appends text to an existing file. */
  append(path: string, text: string): Promise<void>;
}

/** The session's root is created with the first file. Rejects like the workspace. */
export function createSessionFiles(workspace: Workspace, sessionId: string): SessionFiles {
  const directory = getSessionDirectory(sessionId);
  let opening: Promise<FileSystem> | undefined;

  async function openRoot(): Promise<FileSystem> {
    const { id } = await workspace.roots.session(sessionId, { author: { kind: 'agent' } });
    return workspace.at(id).fs;
  }

  function open(): Promise<FileSystem> {
    opening ??= openRoot().catch((error: unknown) => {
      // The failure may be temporary (a full disk), so the next write tries again.
      opening = undefined;
      throw error;
    });
    return opening;
  }

  async function write(path: string, content: string | Uint8Array): Promise<string> {
    const fs = await open();
    const at = joinPath('/', path);
    await fs.mkdir(dirname(at), { recursive: true });
    await fs.writeFile(at, content);
    return joinPath(directory, at);
  }

  return {
    ready: async () => void (await open()),
    write,
    async keep(path, content) {
      const fs = await open();
      const stem = path.slice(0, -extname(path).length);
      for (let number = 1; ; number += 1) {
        const name = number === 1 ? path : `${stem}-${number}${extname(path)}`;
        const held = await readIfThere(fs, joinPath('/', name));
        if (held === undefined) return write(name, content);
        if (held === content) return joinPath(directory, name);
      }
    },
    append: async (path, text) => (await open()).appendFile(joinPath('/', path), text),
  };
}

async function readIfThere(fs: FileSystem, path: string): Promise<string | undefined> {
  try {
    return await fs.readFile(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/**
 * The path of a call's result, below the session's directory.
 *
 * Security: the id comes from the model's server, so the path must stay inside the directory.
 */
function toSpillPath(directory: string, toolUseId: string): string {
  return joinPath(directory, `tool-results/${toSpillName(toolUseId)}.txt`);
}

function toSpillName(toolUseId: string): string {
  return toolUseId.replace(/[^\w-]/gu, '_').slice(0, 128);
}

/** The path of the file that a call's result names, if the result was spilled. */
export function findSpillPath(
  result: string,
  directory: string,
  toolUseId: string,
): string | undefined {
  // Neither part has characters with a special meaning in a regular expression.
  const path = `${directory}/tool-results/${toSpillName(toolUseId)}(?:-\\d+)?\\.txt`;
  return new RegExp(path, 'u').exec(result)?.[0];
}

/**
 * Stores results that are too long for the conversation, one file per call. Some servers reuse ids
 * of calls in each reply, so an existing file is never replaced.
 */
export function createSessionSpill(files: SessionFiles): SpillStore {
  return {
    write: (toolUseId, text) => files.keep(toSpillPath('/', toolUseId), text),
  };
}
