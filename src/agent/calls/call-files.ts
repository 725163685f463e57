// Read access to the workspace for a tool's own `call`, within the rules of that call. Used by
// page-call.ts.
import type { CallFileChange, CallFiles } from '../../core/tool/call-files.ts';
import { SdkError, hasCode } from '../../core/errors.ts';
import { dirname, isInside, joinPath, resolvePath } from '../../core/path.ts';
import { createPathJudge } from '../../core/access/path-access.ts';
import type { PathAccess, PathJudge, PathVerdict } from '../../core/access/path-access.ts';
import type { RootFiles, SessionRoot } from '../session/files/session-root.ts';

// 40: the same limit as in the workspace.
const maxLinks = 40;

/**
 * `onRead` is called for each file whose content is read. The access is compiled at the first operation, because most
 * calls read no file.
 *
 * Security: a worker's view judges each operation where its files are. Here the real path is found first, then judged
 * and used: a link can't lead a call past a rule.
 */
export function createCallFiles(
  fs: RootFiles,
  access: PathAccess,
  onRead: (realPath: string) => void = () => undefined,
): CallFiles {
  let compiled: PathJudge | undefined;
  const judge: PathJudge = (...asked) => (compiled ??= createPathJudge(access))(...asked);

  async function locate(path: string, syscall: string): Promise<string> {
    const asked = resolvePath(access.cwd, path);
    // Security: the given path is judged too, so an error doesn't reveal whether a path outside
    // exists.
    requireAllowed(judge('read', asked), path, syscall);
    const whole = path.startsWith('/') ? path : `${access.cwd}/${path}`;
    const real = await fs.realpath(whole).catch(async (error: unknown) => {
      await judgeTheWay(whole, path, syscall);
      throw hasCode(error, 'ENOENT') ? absent(path, syscall) : error;
    });
    requireAllowed(judge('read', real), path, syscall);
    if (real !== whole) await judgeTheWay(whole, path, syscall);
    return real;
  }

  /** Judges each part of the path. A link, or `..` behind a link, must not reveal what exists. */
  async function judgeTheWay(whole: string, path: string, syscall: string): Promise<void> {
    const roots = [...access.roots, ...access.readOnlyRoots];
    const parts = whole.split('/');
    let current = '/';
    for (let links = 0; parts.length > 0 && links <= maxLinks;) {
      const name = parts.shift() ?? '';
      if (name === '..') current = dirname(current);
      if (name === '' || name === '.' || name === '..') continue;
      const next = joinPath(current, name);
      const isAboveRoot = roots.some((root) => isInside(next, root));
      const verdict = judge('read', next);
      // The name of a path that would need a person's permission may be revealed.
      if (!isAboveRoot && verdict !== 'ask') requireAllowed(verdict, path, syscall);
      const target = await fs.readlink(next).catch(() => undefined);
      if (target === undefined) current = next;
      else {
        links += 1;
        parts.unshift(...target.split('/'));
        if (target.startsWith('/')) current = '/';
      }
    }
  }

  async function readFile(path: string, encoding: 'utf8'): Promise<string>;
  async function readFile(path: string): Promise<Uint8Array<ArrayBuffer>>;
  async function readFile(
    path: string,
    encoding?: 'utf8',
  ): Promise<string | Uint8Array<ArrayBuffer>> {
    const real = await locate(path, 'open');
    onRead(real);
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

/**
 * Reports changes by others than the session `sessionId`, as far as the access allows reading them.
 */
export function watchCallFiles(
  watch: SessionRoot['watch'],
  access: PathAccess,
  sessionId: string,
  listener: (changes: readonly CallFileChange[]) => void,
): Disposable {
  const judge = createPathJudge(access);
  return watch(({ author, changes }) => {
    if (author.sessionId === sessionId) return;
    // Security: paths of the tree are real paths. A path that a rule denies or asks about isn't
    // reported.
    const seen = changes.filter(({ path }) => judge('read', path) === 'allow');
    if (seen.length > 0) listener(seen.map(({ path, type, kind }) => ({ path, type, kind })));
  });
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

/** The same error for a missing path and for a denied one, so that they can't be told apart. */
function absent(path: string, syscall: string): SdkError {
  const message = `ENOENT: no such file or directory, ${syscall} '${path}'`;
  return new SdkError('ENOENT', message, { data: { syscall, path } });
}
