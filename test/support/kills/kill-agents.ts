// Plays killed-agents.ts in one process, over a medium in the state after any of its writes. For tests that kill a
// page there.
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { openWorkspace } from '../../../src/workspace/open-workspace.ts';
import { findAgentFaults, finishAgents } from './killed-agents.ts';
import type { AgentsEnding } from './killed-agents.ts';
import { createRecordedMedium } from '../storage/recorded-medium.ts';
import type { RecordedMedium } from '../storage/recorded-medium.ts';

/** The reference run without kills. */
export interface PlayedAgents {
  readonly ending: AgentsEnding;
  readonly disk: RecordedMedium;
}

export async function playAgents(): Promise<PlayedAgents & { readonly fault: object | undefined }> {
  const disk = createRecordedMedium();
  const { ending, asked } = await play(disk);
  return { ending, disk, fault: findAgentFaults(ending, ending, { asked }) };
}

/**
 * Kills the page after a number of writes, and the next page after a number of its writes. The last page finishes the
 * session. Returns the faults that it has left. Undefined: none.
 */
export async function killAgents(
  { ending: reference, disk: whole }: PlayedAgents,
  [first, ...more]: readonly [number, ...number[]],
): Promise<object | undefined> {
  let disk = await whole.after(first);
  for (const count of more) {
    const before = disk.count();
    await play(disk);
    disk = await disk.after(before + count);
  }
  const { ending, asked } = await play(disk);
  return findAgentFaults(ending, reference, { asked });
}

async function play({ medium }: RecordedMedium) {
  const workspace = await openWorkspace(medium, { name: 'kept' });
  const host = await createInlineHost({ workspace });
  const asked: string[] = [];
  const ending = await finishAgents(host, { ask: (requestId) => asked.push(requestId) });
  await host[Symbol.asyncDispose]();
  return { ending, asked };
}
