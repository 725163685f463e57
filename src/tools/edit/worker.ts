// Implements Edit: it finds the one place to change, and changes nothing else in the file.
import { throwIfAborted } from '../../core/async/abort.ts';
import { ToolError } from '../../core/errors.ts';
import type { WorkContext } from '../../core/tool/handler.ts';
import { dirname, resolvePath } from '../../core/path.ts';
import type { LocalFileSystem } from '../../workspace/files/file-system.ts';
import { statIfThere } from '../../workspace/files/stat-path.ts';
import { encodeText, plainText } from '../../text/encoding.ts';
import { explainMissingText } from '../../text/explain-missing-text.ts';
import { detectLineEnding, toLineFeeds } from '../../text/line-endings.ts';
import { locateText, replaceRanges, type TextRange } from '../../text/locate-text.ts';
import { keepLineEndings } from '../../text/keep-line-endings.ts';
import { keepQuotes } from '../../text/keep-quotes.ts';
import { keepOriginal } from '../../text/keep-original.ts';
import { createHunks } from '../../text/patch.ts';
import { readKnownText, refuseHuge } from '../../workspace/draft/read-known-text.ts';
import { editInputSchema, type EditInput, type EditOutput } from './schema.ts';

type Context = WorkContext<LocalFileSystem>;

// The number of lines that an error lists: enough to see a pattern.
const maxLinesNamed = 10;

export const editWorker = {
  get inputSchema() {
    return editInputSchema();
  },
  handler: edit,
};

/** Edits the draft's file, or creates it if `old_string` is empty. */
async function edit(input: EditInput, context: Context): Promise<EditOutput> {
  const path = resolvePath(context.cwd, input.file_path);
  // The tool refuses this before a question. It is repeated here, because a handler relies only on
  // its schema.
  if (input.old_string === input.new_string) {
    throw new ToolError('old_string and new_string are the same: there is nothing to change.', {
      code: 'invalid-input',
      data: { path },
    });
  }
  return input.old_string === '' ? create(path, input, context) : replace(path, input, context);
}

/** Replaces one place, or all places if the input says so. The old text is taken literally. */
async function replace(path: string, input: EditInput, context: Context): Promise<EditOutput> {
  const { fs } = context;
  const { text: before, format } = await readKnownText(path, 'Edit', context);
  const ranges = locateText(before, input.old_string);
  refuseUnlessMeant(path, before, ranges, input);
  const fileEnding = detectLineEnding(before);
  // The model writes \n, whatever the file's line ends.
  const wanted = toLineFeeds(input.old_string);
  const fresh = toLineFeeds(input.new_string);
  const after = replaceRanges(before, ranges, (replaced) =>
    keepLineEndings(
      replaced,
      keepQuotes(toLineFeeds(replaced), wanted, fresh),
      // A file may have both line ends. The replaced text decides which one is used here.
      replaced.includes('\n') ? detectLineEnding(replaced) : fileEnding,
    ),
  );
  const bytes = encodeText(after, format);
  refuseHuge(path, bytes.length, 'Edit', context);
  throwIfAborted(context.signal);
  await fs.writeFile(path, bytes);
  const [first] = ranges;
  return {
    filePath: path,
    oldString: first ? before.slice(first.start, first.end) : input.old_string,
    newString: input.new_string,
    originalFile: keepOriginal(before),
    structuredPatch: createHunks(toLineFeeds(before), toLineFeeds(after)),
    userModified: false,
    replaceAll: input.replace_all ?? false,
  };
}

/** Refuses an ambiguous place. The error has the reason, so that the next call can be right. */
function refuseUnlessMeant(
  path: string,
  text: string,
  ranges: readonly TextRange[],
  input: EditInput,
): void {
  if (ranges.length === 0) {
    throw new ToolError(
      `old_string isn't in ${path}. ${explainMissingText(text, input.old_string)}`,
      { code: 'invalid-input', data: { path, matches: 0 } },
    );
  }
  if (ranges.length > 1 && !input.replace_all) {
    const lines = ranges.map((range) => range.line);
    const rest = lines.length > maxLinesNamed ? ', …' : '';
    throw new ToolError(
      `old_string is in ${path} ${ranges.length} times, on lines ` +
        `${lines.slice(0, maxLinesNamed).join(', ')}${rest}. Give more of the text around the ` +
        'one that you mean, or set replace_all to change them all.',
      { code: 'invalid-input', data: { path, matches: ranges.length, lines } },
    );
  }
}

/**
 * Creates a file. An empty file counts as new: it has no content to lose, so it needn't have been
 * read.
 */
async function create(path: string, input: EditInput, context: Context): Promise<EditOutput> {
  const { fs } = context;
  const existing = await statIfThere(fs, path);
  if (existing && (existing.isDirectory() || existing.size > 0)) {
    const what = existing.isDirectory() ? 'is a directory' : "is there already and isn't empty";
    throw new ToolError(
      `${path} ${what}, and an empty old_string only makes new files. ` +
        'To insert text, give the text beside it as old_string; to replace the whole, use Write.',
      { code: 'EEXIST', data: { path } },
    );
  }
  const bytes = encodeText(input.new_string, plainText);
  refuseHuge(path, bytes.length, 'Edit', context);
  throwIfAborted(context.signal);
  await fs.mkdir(dirname(path), { recursive: true });
  await fs.writeFile(path, bytes);
  return {
    filePath: path,
    oldString: '',
    newString: input.new_string,
    originalFile: '',
    structuredPatch: createHunks('', toLineFeeds(input.new_string)),
    userModified: false,
    replaceAll: input.replace_all ?? false,
  };
}
