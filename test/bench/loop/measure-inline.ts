// What the loop itself takes between two requests, and what its journal takes over a medium in memory: in
// Node, over the inline host.
import { encodeRecord } from '../../../src/agent/journal/journal-codec.ts';
import type { JournalEntry } from '../../../src/core/session/journal.ts';
import { toSessionRootId } from '../../../src/core/session/session-path.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { createDisk, playSession } from '../../support/sessions/kept-session.ts';
import { resumeSession } from '../pages/loop/resume-session.ts';
import { median } from '../workspace/statistics.ts';
import { createTimedModel, listPrompts, messagesOfTurn, nothingTool } from './played-session.ts';
import type { Gap } from './played-session.ts';

const longMessages = 10_000;
const shortSessions = 20;
const resumeRounds = 5;

export interface Overhead {
  /** Medians, in milliseconds: with 10 and with 10 000 messages. */
  readonly short: number;
  readonly long: number;
  /** The long session's journal. */
  readonly entries: readonly JournalEntry[];
}

/** Plays one long session and many short ones after it, so that the code of all is as warm. */
export async function measureOverhead(): Promise<Overhead> {
  // A few turns more than that, so that there are gaps on both sides of it.
  const { gaps, entries } = await play(longMessages / messagesOfTurn + 5);
  const near: Gap[] = [];
  for (let session = 0; session < shortSessions; session += 1) near.push(...(await play(1)).gaps);
  return { short: medianNear(near, 10, 4), long: medianNear(gaps, longMessages, 100), entries };
}

/** Of the gaps with about so many messages. */
function medianNear(gaps: readonly Gap[], wanted: number, distance: number): number {
  const near = gaps.filter(({ messages }) => Math.abs(messages - wanted) <= distance);
  return median(near.map(({ ms }) => ms));
}

async function play(
  turns: number,
): Promise<{ readonly gaps: readonly Gap[]; readonly entries: readonly JournalEntry[] }> {
  const model = createTimedModel();
  const { entries, messages } = await playSession(createDisk(), {
    model,
    tools: [nothingTool()],
    permissionMode: 'bypassPermissions',
    prompts: listPrompts(turns),
  });
  const failed = messages.find((message) => message.type === 'result' && message.is_error);
  if (failed) throw new Error(`A turn failed: ${JSON.stringify(failed)}`);
  return { gaps: model.gaps, entries };
}

/** One append each, one after the other: the mean, in milliseconds. */
export async function measureEntries(entries: readonly JournalEntry[]): Promise<number> {
  await using host = await createInlineHost();
  const startedAt = performance.now();
  for (const [at, entry] of entries.entries()) {
    const encoded = [encodeRecord(entry)];
    await host.workspace.streams.append('journal', encoded, { at, durability: 'process' });
  }
  return (performance.now() - startedAt) / entries.length;
}

/** Until the first kept message is there: the median, in milliseconds. */
export async function measureResume(id: string, entries: readonly JournalEntry[]): Promise<number> {
  await using host = await createInlineHost();
  for (let at = 0; at < entries.length; at += 1000) {
    const encoded = entries.slice(at, at + 1000).map(encodeRecord);
    await host.workspace.streams.append(toSessionRootId(id), encoded, { at });
  }
  const times: number[] = [];
  for (let round = 0; round < resumeRounds; round += 1) {
    times.push((await resumeSession(host, id, entries.length)).firstMs);
  }
  return median(times);
}
