// Which calls share a worker with others of their kind. Searches give their thread back, between texts, at
// least every 50 ms, and what they read is at hand in one worker only.
import type { WorkRequest } from '../../../core/tool/ports.ts';
import { globToolName } from '../../../tools/glob/prompt.ts';
import { grepToolName } from '../../../tools/grep/prompt.ts';
import { searchFilesName } from '../../../tools/search-files/schema.ts';

interface SearchCall {
  readonly request: WorkRequest;
  readonly isSuspect: boolean;
}

const searches: ReadonlySet<string> = new Set([grepToolName, globToolName, searchFilesName]);

/** Not a suspect: nothing else runs where that does. */
export function takesTurns({ request, isSuspect }: SearchCall): boolean {
  return !isSuspect && request.isStateless === true && searches.has(request.toolName);
}
