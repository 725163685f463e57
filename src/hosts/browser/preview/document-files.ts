// Reads files to inline into a document, within limits. A short page may refer to one image a
// thousand times, and mutually importing style sheets would grow to millions. For app-document.ts,
// and for style sheets that modules import.
import { throwIfAborted } from '../../../core/async/abort.ts';
import { SdkError } from '../../../core/errors.ts';
import { getOrMake } from '../../../core/values/get-or-make.ts';
import type { Clock } from '../../../core/tool/ports.ts';
import type { AppFiles } from './app-files.ts';

export type DocumentFiles = Pick<AppFiles, 'find' | 'findSheet' | 'readText' | 'toDataUrl'>;

export interface DocumentBounds {
  /** The HTML file, or the sheet. */
  readonly path: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly signal?: AbortSignal | undefined;
}

// 64 M characters: 48 MB of images, more than a page shows at once.
const maxChars = 64 * 1024 * 1024;
// 1 000: a large app has some dozens of style sheets and scripts.
const maxTexts = 1_000;
// 20 s: as long as a page may take to respond.
const maxMs = 20_000;

/**
 * Each file is read once, but counts each time that it is inlined.
 * Methods reject with SdkErrors: `limit-exceeded` if it is too much or takes too long, and
 * `aborted`.
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
    async findSheet(reference, from) {
      check();
      return files.findSheet(reference, from);
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
