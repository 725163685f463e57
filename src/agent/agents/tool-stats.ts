// Counts a sub-agent's calls for its report. Counted over its own entries, so a resumed session
// reports the same.
import type { ToolStats } from '../../core/agents/agents.ts';
import type { PatchHunk } from '../../core/change-set.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { isListedTool } from '../../core/tool/listed-tool.ts';
import type { KnownTools } from '../../core/tool/listed-tool.ts';
import { findToolByName } from '../../core/tool/tool.ts';
import type { FoldedAgent } from '../journal/folded.ts';

/** `tools`: the agent's tools. Calls that its cells make count as a part of the cell. */
export function countTools({ fold }: FoldedAgent, tools: KnownTools): ToolStats {
  const stats = {
    ...{ readCount: 0, searchCount: 0, bashCount: 0, editFileCount: 0 },
    ...{ linesAdded: 0, linesRemoved: 0, otherToolCount: 0 },
  };
  const inputs = new Map<string, unknown>();
  for (const entry of fold.entries) {
    if (entry.type === 'call') inputs.set(entry.id, entry.input);
    if (entry.type !== 'settled' || entry.parent !== undefined) continue;
    stats[toKind(entry, inputs.get(entry.id), tools)] += 1;
    for (const line of listPatchLines(entry.output)) {
      if (line.startsWith('+')) stats.linesAdded += 1;
      if (line.startsWith('-')) stats.linesRemoved += 1;
    }
  }
  return stats;
}

type Kind = 'readCount' | 'searchCount' | 'bashCount' | 'editFileCount' | 'otherToolCount';

function toKind(
  { tool: name, changes = [] }: { readonly tool: string; readonly changes?: readonly unknown[] },
  input: unknown,
  tools: KnownTools,
): Kind {
  const tool = findToolByName(tools, name);
  // A cell counts as a shell command does elsewhere.
  if (tool?.callsTools) return 'bashCount';
  if (changes.length > 0) return 'editFileCount';
  if (!tool || isListedTool(tool)) return 'otherToolCount';
  const { isSearch = false, isRead = false } = classify(tool, input);
  if (isSearch) return 'searchCount';
  return isRead ? 'readCount' : 'otherToolCount';
}

/** A call that never ran has no checked input. */
function classify(
  tool: Exclude<KnownTools[number], { isListed: true }>,
  input: unknown,
): { readonly isSearch?: boolean; readonly isRead?: boolean } {
  return isRecord(input) ? (tool.isSearchOrReadCommand?.(input) ?? {}) : {};
}

/**
 * The changed lines of one file, or of each that a cell has changed. A new file has its content instead of a patch.
 */
function listPatchLines(output: unknown): readonly string[] {
  if (!isRecord(output)) return [];
  const { structuredPatch = [], changes = [], type, content } = output;
  if (type === 'create' && typeof content === 'string') {
    return content
      .replace(/\n$/u, '')
      .split('\n')
      .map((line) => `+${line}`);
  }
  const parts = [{ structuredPatch }, ...(Array.isArray(changes) ? changes : [])];
  return parts.flatMap((part: unknown) => {
    const hunks = isRecord(part) ? part['structuredPatch'] : undefined;
    return Array.isArray(hunks) ? (hunks as readonly PatchHunk[]).flatMap((one) => one.lines) : [];
  });
}
