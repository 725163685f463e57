// Where a call's path really leads. Asked by check-nested.ts, which lets a tool do by its own means what a
// worker's view would judge: there each operation is judged on the real path, and here nothing else would.
import { dirname, resolvePath } from '../../core/path.ts';
import type { PathJudge } from '../../core/access/path-access.ts';
import { SdkError } from '../../core/errors.ts';
import type { FileSystem } from '../../workspace/files/file-system.ts';
import type { AllowedCall } from '../calls/authorize.ts';

type Links = Pick<FileSystem, 'lstat' | 'realpath'>;

/**
 * Why the call may not be made, for the model; undefined: it may. `path` is the one that was judged,
 * `judge` that of the call's access. Security: a link in a directory that rules allow may lead anywhere.
 */
export async function judgeRealPath(
  { tool, traits }: Pick<AllowedCall, 'tool' | 'traits'>,
  path: string,
  judge: PathJudge,
  fs: Links,
): Promise<string | undefined> {
  const real = await findRealPath(path, fs);
  if (real === path) return undefined;
  const refusal = `${tool.name} was refused: ${path} is a link, or behind one`;
  if (real === undefined) return `${refusal}, and leads nowhere. Name the file itself.`;
  if (judge(traits.isReadOnly ? 'read' : 'write', real) === 'allow') return undefined;
  return `${refusal}, and leads to ${real}, which it may not reach so. Name the file itself.`;
}

/** Links followed, as far as the path exists; undefined for a link that leads nowhere. */
async function findRealPath(path: string, fs: Links): Promise<string | undefined> {
  try {
    return await fs.realpath(path);
  } catch (error) {
    if (!SdkError.isInstance(error) || error.code !== 'ENOENT') return undefined;
  }
  const isThere = await fs.lstat(path).then(
    () => true,
    () => false,
  );
  // It is there, and what it stands for isn't.
  if (isThere || path === '/') return undefined;
  const parent = await findRealPath(dirname(path), fs);
  const name = path.slice(path.lastIndexOf('/') + 1);
  return parent === undefined ? undefined : resolvePath(parent, name);
}
