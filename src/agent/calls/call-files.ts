// The workspace's files for a tool's own `call`: reading alone, by the rules of that call. Made by
// page-call.ts.
import type { CallFileChange, CallFiles } from '../../core/tool/call-files.ts';
import { SdkError } from '../../core/errors.ts';
import { dirname, isInside, joinPath, resolvePath } from '../../core/path.ts';
import { createPathJudge } from '../../core/access/path-access.ts';
import type { PathAccess, PathJudge, PathVerdict } from '../../core/access/path-access.ts';
import type { RootFiles, SessionRoot } from '../session/files/session-root.ts';

// As many as the workspace itself follows.
const maxLinks = 40;

/**
 * `onRead`: told of each file whose content is asked for. The access is compiled for the first operation: most calls look at no file.
 *
 * Security: a worker's view judges each operation where its files are. Here the real path is found
 * first, then judged and used: a link can't lead a call past a rule.
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
    // Security: the path is judged as it is named, too. So nobody learns by the failure what there
    // is outside.
    requireAllowed(judge('read', asked), path, syscall);
    const whole = path.startsWith('/') ? path : `${access.cwd}/${path}`;
    const real = await fs.realpath(whole).catch(async (error: unknown) => {
      await judgeTheWay(whole, path, syscall);
      throw SdkError.isInstance(error) && error.code === 'ENOENT' ? absent(path, syscall) : error;
    });
    requireAllowed(judge('read', real), path, syscall);
    if (real !== whole) await judgeTheWay(whole, path, syscall);
    return real;
  }

  /** Judges each part of the path. A link, or `..` behind one, must not tell what is there. */
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
      // A path that a person would be asked about may be known by its name.
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

/** What others than the session `sessionId` change, as far as the access lets it be read. */
export function watchCallFiles(
  watch: SessionRoot['watch'],
  access: PathAccess,
  sessionId: string,
  listener: (changes: readonly CallFileChange[]) => void,
): Disposable {
  const judge = createPathJudge(access);
  return watch(({ author, changes }) => {
    if (author.sessionId === sessionId) return;
    // Security: a path of the tree is a real one, and what a rule denies or asks about isn't told by its name.
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

/** The error for a missing path and for one that a rule denies: nobody may tell them apart. */
function absent(path: string, syscall: string): SdkError {
  const message = `ENOENT: no such file or directory, ${syscall} '${path}'`;
  return new SdkError('ENOENT', message, { data: { syscall, path } });
}
