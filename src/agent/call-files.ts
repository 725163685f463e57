// The workspace's files for a tool's own `call`: reading alone, by the rules of that call. Made by
// page-call.ts.
import type { CallFiles } from '../core/call-files.ts';
import { SdkError } from '../core/errors.ts';
import { joinPath, resolvePath } from '../core/path.ts';
import type { createPathJudge, PathAccess, PathJudge, PathVerdict } from '../core/path-access.ts';
import type { FileSystem } from '../workspace/files/file-system.ts';

/** What is read of the workspace. */
type Readable = Pick<FileSystem, 'readFile' | 'readdir' | 'realpath' | 'stat' | 'walk'>;

/**
 * `toJudge` compiles the access, for the first operation: most calls look at no file.
 *
 * Security: a worker's view judges each operation where its files are. Here the real path is found
 * first, then judged and used: a link can't lead a call past a rule.
 */
export function createCallFiles(
  fs: Readable,
  access: PathAccess,
  toJudge: typeof createPathJudge,
): CallFiles {
  let compiled: PathJudge | undefined;
  const judge: PathJudge = (...asked) => (compiled ??= toJudge(access))(...asked);

  async function locate(path: string, syscall: string): Promise<string> {
    const asked = resolvePath(access.cwd, path);
    // Security: as named, too, so that nobody learns what there is outside by how it fails.
    requireAllowed(judge('read', asked), path, syscall);
    const real = await fs
      .realpath(path.startsWith('/') ? path : joinPath(access.cwd, path))
      .catch((error: unknown) => {
        throw SdkError.isInstance(error) && error.code === 'ENOENT' ? absent(path, syscall) : error;
      });
    requireAllowed(judge('read', real), path, syscall);
    return real;
  }

  async function readFile(path: string, encoding: 'utf8'): Promise<string>;
  async function readFile(path: string): Promise<Uint8Array>;
  async function readFile(path: string, encoding?: 'utf8'): Promise<string | Uint8Array> {
    const real = await locate(path, 'open');
    return encoding === undefined ? fs.readFile(real) : fs.readFile(real, encoding);
  }

  return {
    readFile,
    stat: async (path) => fs.stat(await locate(path, 'stat')),
    realpath: (path) => locate(path, 'realpath'),
    async readdir(path) {
      const real = await locate(path, 'scandir');
      const names = await fs.readdir(real);
      return names.filter((name) => judge('read', joinPath(real, name)) !== 'deny').toSorted();
    },
    async walk(directory) {
      const entries = await fs.walk(await locate(directory, 'walk'));
      return entries.filter((entry) => judge('read', entry.path) === 'allow');
    },
  };
}

function requireAllowed(verdict: PathVerdict, path: string, syscall: string): void {
  if (verdict === 'allow') return;
  if (verdict === 'deny') throw absent(path, syscall);
  const why =
    verdict === 'ask'
      ? 'a person must be asked first; call the Read tool for it, it asks'
      : 'the path is outside the workspace';
  throw new SdkError('EACCES', `EACCES: ${why}, ${syscall} '${path}'`, { data: { syscall, path } });
}

/** Of what isn't there and of what a rule denies: the two must not be told apart. */
function absent(path: string, syscall: string): SdkError {
  const message = `ENOENT: no such file or directory, ${syscall} '${path}'`;
  return new SdkError('ENOENT', message, { data: { syscall, path } });
}
