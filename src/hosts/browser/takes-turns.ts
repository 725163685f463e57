// Which calls share a worker with others of their kind. Searches give their thread back every few
// milliseconds, and what they read is at hand in one worker only.
import type { WorkRequest } from '../../core/ports.ts';
import { globToolName } from '../../tools/glob/prompt.ts';
import { grepToolName } from '../../tools/grep/prompt.ts';
import { searchFilesName } from '../../tools/search-files/schema.ts';

const searches: ReadonlySet<string> = new Set([grepToolName, globToolName, searchFilesName]);

export function takesTurns({ toolName, isStateless }: WorkRequest): boolean {
  return isStateless === true && searches.has(toolName);
}
