// How long it takes until a kept session is on the screen again. Used in Node, and in the bench's page.
import type { Host } from '../../../../src/agent/host.ts';
import { toKeptMessages } from '../../../../src/agent/journal/kept-messages.ts';
import { SessionFold } from '../../../../src/agent/journal/fold.ts';
import { readEntries } from '../../../../src/agent/journal/stored-journal.ts';

export interface ResumeTimes {
  /** Until the first kept message is there, in milliseconds. */
  readonly firstMs: number;
  /** Until all that were kept are. */
  readonly allMs: number;
  readonly messages: number;
}

export async function resumeSession({ workspace }: Host, sessionId: string): Promise<ResumeTimes> {
  const startedAt = performance.now();
  let firstMs: number | undefined;
  let messages = 0;
  const fold = new SessionFold();
  for (const entry of await readEntries(workspace, sessionId)) {
    fold.apply(entry);
    messages += toKeptMessages(entry, fold).length;
    if (messages > 0) firstMs ??= performance.now() - startedAt;
  }
  if (firstMs === undefined) throw new Error('The session has no messages.');
  return { firstMs, allMs: performance.now() - startedAt, messages };
}
