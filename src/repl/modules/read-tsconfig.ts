// Reads tsconfig.json and jsconfig.json files.
import { SdkError } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';
import type { ModuleFiles } from './module-resolver.ts';

// Security: an unclosed string or comment ends at the end of the file. Otherwise the scan would
// start again at each opening mark and take quadratic time.
const commentOrText = /("(?:[^"\\]|\\[^])*(?:"|\\?$))|\/\/[^\n\r]*|\/\*[^]*?(?:\*\/|$)/gu;
const lastCommaOrText = /("(?:[^"\\]|\\[^])*(?:"|\\?$))|,(?=\s*[}\]])/gu;

/**
 * JSON with comments and last commas, as TypeScript reads it. A missing file is `{}`, and so is an empty one.
 *
 * @throws SdkError `invalid-input`, named SyntaxError, for a file that is something else
 */
export function readConfig(files: ModuleFiles, path: string): Record<string, unknown> {
  if (!isFile(files, path)) return {};
  const text = files
    .readFileSync(path, 'utf8')
    .replace(/^\uFEFF/u, '')
    .replace(commentOrText, keepText)
    .replace(lastCommaOrText, keepText);
  if (text.trim() === '') return {};
  let config: unknown;
  try {
    config = JSON.parse(text);
  } catch (error) {
    throw broken(path, (error as SyntaxError).message);
  }
  if (!isRecord(config)) throw broken(path, 'it is no object');
  return config;
}

/** Blanks in the place of what goes, so that an error names the file's own line and column. */
function keepText(match: string, text: string | undefined): string {
  return text ?? match.replace(/[^\n\r]/gu, ' ');
}

/** Creates the error for such a file. */
export function broken(path: string, reason: string): SdkError {
  const error = new SdkError('invalid-input', `${path} can't be read: ${reason}. Mend that file.`, {
    data: { path },
  });
  error.name = 'SyntaxError';
  return error;
}

export function toList(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

export function isFile(files: ModuleFiles, path: string): boolean {
  return files.existsSync(path) && files.statSync(path).isFile();
}
