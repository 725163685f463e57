// Read before write, for tools that change a part of a text. Returns the text if the model has read
// its current version and it can be written back. Called by Edit and NotebookEdit.
import { ToolError } from '../../core/errors.ts';
import type { WorkContext } from '../../core/tool/handler.ts';
import type { LocalFileSystem } from '../files/file-system.ts';
import { statExisting } from '../files/stat-path.ts';
import { requireKnownVersion } from './known-version.ts';
import { decodeText, isBinary, type DecodedText } from '../../text/encoding.ts';

type Context = Pick<WorkContext<LocalFileSystem>, 'fs' | 'limits' | 'knownVersion'>;

/**
 * Returns the file's text if the model knows it and it can be written back. `tool` is the name of
 * the calling tool, for errors. @throws ToolError `ENOENT` and `EISDIR`; `ECONFLICT` if the file
 * has changed since it was read; `invalid-input` if it is too large, isn't text, or was never read
 */
export async function readKnownText(
  path: string,
  tool: string,
  context: Context,
): Promise<DecodedText> {
  const { fs } = context;
  const stats = await statExisting(fs, path);
  if (stats.isDirectory()) {
    throw new ToolError(`${path} is a directory; ${tool} changes files.`, {
      code: 'EISDIR',
      data: { path },
    });
  }
  refuseHuge(path, stats.size, tool, context);
  const bytes = await fs.readFile(path);
  const decoded = decodeText(bytes);
  if (isBinary(bytes) || !decoded.isExact) {
    // Writing the text back would change bytes that aren't in a known encoding.
    throw new ToolError(
      `${path} holds bytes that are no valid text in any encoding that can be told, and ${tool} ` +
        'would damage them. ' +
        'Change it with Repl, byte by byte, or Write it again.',
      { code: 'invalid-input', data: { path } },
    );
  }
  // Checked last: telling the model to read a file that can't be edited wouldn't help.
  const known = context.knownVersion(await fs.realpath(path));
  requireKnownVersion({ path, current: stats.version, known });
  return decoded;
}

/**
 * Checks a size before and after an edit, because an edit may make a file grow.
 *
 * @throws ToolError `invalid-input`
 */
export function refuseHuge(
  path: string,
  size: number,
  tool: string,
  { limits }: Pick<Context, 'limits'>,
): void {
  if (size <= limits.maxFileBytes) return;
  throw new ToolError(
    `${path} has ${size} bytes, and ${tool} takes files of up to ${limits.maxFileBytes}. ` +
      'Change it with Repl, or split it first.',
    { code: 'invalid-input', data: { path, size, limit: limits.maxFileBytes } },
  );
}
