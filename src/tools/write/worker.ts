// Implements Write: it writes a whole file, new or in place of one that the model has read.
import { throwIfAborted } from '../../core/async/abort.ts';
import { ToolError } from '../../core/errors.ts';
import type { WorkContext } from '../../core/tool/handler.ts';
import { dirname, resolvePath } from '../../core/path.ts';
import type { LocalFileSystem } from '../../workspace/files/file-system.ts';
import { readImageHeader } from '../../workspace/state/image.ts';
import { requireKnownVersion } from '../../workspace/draft/known-version.ts';
import { statIfThere } from '../../workspace/files/stat-path.ts';
import { decodeText, encodeText, isBinary, plainText } from '../../text/encoding.ts';
import {
  detectLineEnding,
  fromLineFeeds,
  hasMixedLineEndings,
  toLineFeeds,
} from '../../text/line-endings.ts';
import { keepOriginal } from '../../text/keep-original.ts';
import { createHunks } from '../../text/patch.ts';
import { writeInputSchema, type WriteInput, type WriteOutput } from './schema.ts';

export const writeWorker = {
  get inputSchema() {
    return writeInputSchema();
  },
  handler: write,
};

/** Writes to the draft. An existing file keeps its encoding, line ends and mode. */
async function write(
  input: WriteInput,
  context: WorkContext<LocalFileSystem>,
): Promise<WriteOutput> {
  const { fs, signal } = context;
  const path = resolvePath(context.cwd, input.file_path);
  const before = await readKnown(path, context);
  const content = before === undefined ? input.content : withoutSecondMark(before, input.content);
  const bytes = before === undefined ? encodeText(content) : encodeLike(before, content);
  refuseHuge(path, bytes.length, context);
  throwIfAborted(signal);
  // An existing file has its directories.
  if (before === undefined) await fs.mkdir(dirname(path), { recursive: true });
  await fs.writeFile(path, bytes);
  return {
    type: before === undefined ? 'create' : 'update',
    filePath: path,
    content: input.content,
    ...describeChange(before, content),
    userModified: false,
  };
}

/** The present bytes, after a check that the model has read them. Undefined: a new file. */
async function readKnown(
  path: string,
  context: WorkContext<LocalFileSystem>,
): Promise<Uint8Array | undefined> {
  const { fs } = context;
  const stats = await statIfThere(fs, path);
  if (stats === undefined) return undefined;
  if (stats.isDirectory()) {
    throw new ToolError(`${path} is a directory. Give the path of a file in it.`, {
      code: 'EISDIR',
      data: { path },
    });
  }
  const bytes = await fs.readFile(path);
  const known = context.knownVersion(await fs.realpath(path));
  if (known === undefined && isBinary(bytes) && !readImageHeader(bytes)) {
    throw new ToolError(
      `${path} is there already and is binary: Read can't show it, and Write replaces only what ` +
        'you have read. Replace it with Repl: fs.writeFileSync does it.',
      { code: 'invalid-input', data: { path } },
    );
  }
  requireKnownVersion({ path, current: stats.version, known });
  return bytes;
}

/**
 * The file's byte order mark stays. A second mark at the beginning of the content, as code reads
 * it, is removed.
 */
function withoutSecondMark(before: Uint8Array, content: string): string {
  const hasMark = content.startsWith('\uFEFF') && !isBinary(before);
  return hasMark && decodeText(before).format.hasBom ? content.slice(1) : content;
}

/**
 * The content in the old text's encoding, with its byte order mark. `\n` becomes `\r\n` only if all
 * old lines end with it. A file with both kinds gets exactly the given content.
 */
function encodeLike(before: Uint8Array, content: string): Uint8Array {
  if (isBinary(before)) return encodeText(content, plainText);
  const { text, format } = decodeText(before);
  const ending = detectLineEnding(text);
  const isUniform = ending === '\r\n' && !hasMixedLineEndings(text);
  return encodeText(isUniform ? fromLineFeeds(content, ending) : content, format);
}

/** Without a text before, there are no lines to compare. */
function describeChange(
  before: Uint8Array | undefined,
  content: string,
): Pick<WriteOutput, 'originalFile' | 'structuredPatch'> {
  if (before === undefined || isBinary(before)) return { originalFile: null, structuredPatch: [] };
  const { text } = decodeText(before);
  return {
    originalFile: keepOriginal(text),
    structuredPatch: createHunks(toLineFeeds(text), toLineFeeds(content)),
  };
}

/** The written file must be small enough to be read and edited again. */
function refuseHuge(path: string, size: number, { limits }: WorkContext<LocalFileSystem>): void {
  if (size <= limits.maxFileBytes) return;
  throw new ToolError(
    `The content for ${path} has ${size} bytes, and a file may have ${limits.maxFileBytes}. ` +
      'Split it into several files.',
    { code: 'invalid-input', data: { path, size, limit: limits.maxFileBytes } },
  );
}
