// The files that are inlined into a document, within limits. A short page may name one picture a
// thousand times, and stylesheets that import each other twice become millions. For
// app-document.ts, and for sheets that modules import.
import { throwIfAborted } from '../../../core/async/abort.ts';
import { SdkError } from '../../../core/errors.ts';
import { getOrMake } from '../../../core/values/get-or-make.ts';
import type { Clock } from '../../../core/tool/ports.ts';
import type { AppFiles } from './app-files.ts';

export type DocumentFiles = Pick<AppFiles, 'find' | 'readText' | 'toDataUrl'>;

export interface DocumentBounds {
  /** The HTML file, or the sheet. */
  readonly path: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly signal?: AbortSignal | undefined;
}

// 64 M characters: pictures of 48 MB, more than a page shows at once.
const maxChars = 64 * 1024 * 1024;
// 1 000: a large app has some dozens of sheets and scripts.
const maxTexts = 1_000;
// 20 s: as long as a page may take to answer.
const maxMs = 20_000;

/**
 * Each file is read once, however often it is named, and counts each time: it stands there as often.
 *
 * All reject with an SdkError: `limit-exceeded` for what is too much or takes too long, `aborted`.
 */
export function createDocumentFiles(
  files: AppFiles,
  { path, clock, signal }: DocumentBounds,
): DocumentFiles {
  const until = clock.now() + maxMs;
  const texts = new Map<string, Promise<string>>();
  const addresses = new Map<string, Promise<string>>();
  let charCount = 0;
  let textCount = 0;

  function check(): void {
    throwIfAborted(signal);
    if (clock.now() > until) throw tooMuch(path, `takes more than ${maxMs / 1_000} s to be read`);
  }

  async function take(reading: Promise<string>): Promise<string> {
    const text = await reading;
    charCount += text.length;
    if (charCount > maxChars) {
      throw tooMuch(path, `takes in files of more than ${maxChars} characters`);
    }
    return text;
  }

  return {
    async find(reference, from) {
      check();
      return files.find(reference, from);
    },
    async readText(file) {
      check();
      textCount += 1;
      if (textCount > maxTexts) {
        throw tooMuch(path, `takes in more than ${maxTexts} style sheets and scripts`);
      }
      return take(getOrMake(texts, file, () => files.readText(file)));
    },
    async toDataUrl(file) {
      check();
      return take(getOrMake(addresses, file, () => files.toDataUrl(file)));
    },
  };
}

function tooMuch(path: string, why: string): SdkError {
  return new SdkError(
    'limit-exceeded',
    `${path} ${why}. Look for sheets that import others again and again, and for large files.`,
    { data: { path } },
  );
}
