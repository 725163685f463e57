// Reads tsconfig.json and jsconfig.json files.
import { isRecord } from '../../core/values/is-record.ts';
import type { ModuleFiles } from './module-resolver.ts';

// Security: an unclosed text or comment goes to the file's end. Otherwise each of its beginnings
// would be looked through to there.
const commentOrText = /("(?:[^"\\]|\\[^])*(?:"|\\?$))|\/\/[^\n\r]*|\/\*[^]*?(?:\*\/|$)/gu;
const lastCommaOrText = /("(?:[^"\\]|\\[^])*(?:"|\\?$))|,(?=\s*[}\]])/gu;

/** JSON with comments and last commas, as TypeScript reads it. */
export function readConfig(files: ModuleFiles, path: string): Record<string, unknown> {
  if (!isFile(files, path)) return {};
  try {
    const text = files
      .readFileSync(path, 'utf8')
      .replace(/^\uFEFF/u, '')
      .replace(commentOrText, '$1')
      .replace(lastCommaOrText, '$1');
    const config: unknown = JSON.parse(text);
    return isRecord(config) ? config : {};
  } catch {
    return {};
  }
}

export function toList(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

export function isFile(files: ModuleFiles, path: string): boolean {
  return files.existsSync(path) && files.statSync(path).isFile();
}
