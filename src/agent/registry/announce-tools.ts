// Informs the model of the names of deferred tools, as a sorted list. By default the list is sent
// once as a reminder, and later reminders have only changes, so that the sent bytes stay the same.
// The conversation shows what the model already knows, so a resumed or compacted session needs no
// other state.
import type { MessageParam } from '../../core/messages/messages.ts';
import { toSystemReminder } from '../../core/messages/system-reminder.ts';
import { listNotedReminders } from './noted-messages.ts';
import type { Pool } from './prepare-pool.ts';

const tag = 'available-deferred-tools';
const removedTag = 'removed-deferred-tools';
const returnedTag = 'returned-tools';

/** The message with the names that the conversation doesn't have; undefined if it has all. */
export function toNamesDelta(
  { tools, unloaded }: Pool,
  messages: readonly MessageParam[],
): MessageParam | undefined {
  const { told, gone } = readToldNames(messages);
  const known = new Set(tools.map(({ name }) => name));
  const added = unloaded.filter((name) => !told.has(name));
  const removed = [...told].filter((name) => !known.has(name));
  // These were found before they were removed, so they needn't be searched for again.
  const returned = [...gone].filter((name) => known.has(name) && !unloaded.includes(name));
  const parts = [
    added.length > 0 && toNamesText(added),
    removed.length > 0 && `These tools are no longer there:\n${toBlock(removedTag, removed)}`,
    returned.length > 0 &&
      `These tools are there again and can be called:\n${toBlock(returnedTag, returned)}`,
  ].filter((part) => part !== false);
  return parts.length > 0 ? toSystemReminder(parts.join('\n')) : undefined;
}

/**
 * All names that the model may load now, for the start of a request; undefined if there are none.
 */
export function toNamesMessage({ unloaded }: Pool): MessageParam | undefined {
  return unloaded.length > 0 ? toSystemReminder(toNamesText(unloaded)) : undefined;
}

function toNamesText(names: readonly string[]): string {
  return `These tools must be loaded by ToolSearch before they can be called; so far only their names are known:\n${toBlock(tag, names)}`;
}

function toBlock(name: string, lines: readonly string[]): string {
  return `<${name}>\n${lines.toSorted().join('\n')}\n</${name}>`;
}

/** The tool names that the conversation lists as available. */
export function listToldNames(messages: readonly MessageParam[]): readonly string[] {
  return [...readToldNames(messages).told];
}

function readToldNames(messages: readonly MessageParam[]) {
  const told = new Set<string>();
  const gone = new Set<string>();
  for (const text of listNotedReminders(messages)) {
    for (const name of [...readBlock(tag, text), ...readBlock(returnedTag, text)]) {
      told.add(name);
      gone.delete(name);
    }
    for (const name of readBlock(removedTag, text)) {
      told.delete(name);
      gone.add(name);
    }
  }
  return { told, gone };
}

function readBlock(name: string, text: string): readonly string[] {
  const [, rest] = text.split(`<${name}>\n`);
  const [lines] = rest?.split(`\n</${name}>`) ?? [];
  return lines === undefined ? [] : lines.split('\n');
}
