// Makes the tree of a turn: it groups the flat list of entries by sub-agent.
import type { CallEntry, TranscriptEntry } from '../transcript.ts';

/**
 * The entries by the call that started their agent, in order; null for the main agent. The agents of a workflow share
 * its call.
 */
export type EntriesByAgent = ReadonlyMap<string | null, readonly TranscriptEntry[]>;

/** Splits entries by agent. Nested calls of other calls stay with their caller's entries. */
export function splitByAgent(entries: readonly TranscriptEntry[]): EntriesByAgent {
  const calls = new Map<string, CallEntry>();
  const owners = new Map<string | null, TranscriptEntry[]>();
  for (const entry of entries) if (entry.kind === 'call') calls.set(entry.id, entry);
  for (const entry of entries) {
    const agent = findAgent(entry, calls);
    const own = owners.get(agent);
    if (own) own.push(entry);
    else owners.set(agent, [entry]);
  }
  return owners;
}

/**
 * Finds the innermost agent of an entry. An agent's entries may come before its call, because it starts while its
 * caller's reply streams.
 */
function findAgent(entry: TranscriptEntry, calls: ReadonlyMap<string, CallEntry>): string | null {
  for (let id = entry.parentToolUseId; id !== null;) {
    const call = calls.get(id);
    if (call?.task?.agent || call?.agentCount !== undefined) return id;
    id = call?.parentToolUseId ?? null;
  }
  return null;
}
