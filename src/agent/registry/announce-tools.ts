// How the model learns the names of deferred tools: a block of names, sorted. By default it comes once,
// as a reminder, and later reminders tell only what changed, so that nothing that was sent changes.
// What was told is read back from the conversation: a resumed or shortened one needs nothing else.
import type { MessageParam } from '../../core/messages.ts';
import { toSystemReminder } from '../../core/system-reminder.ts';
import { listReminders } from '../../core/tool/tool-catalog.ts';
import { listNotedMessages } from './noted-messages.ts';
import type { Pool } from './prepare-pool.ts';

const tag = 'available-deferred-tools';
const removedTag = 'removed-deferred-tools';
const returnedTag = 'returned-tools';

/** What the conversation doesn't say yet, as the message to append; undefined: it says all. */
export function toNamesDelta(
  { tools, unloaded }: Pool,
  messages: readonly MessageParam[],
): MessageParam | undefined {
  const { told, gone } = readToldNames(messages);
  const known = new Set(tools.map(({ name }) => name));
  const added = unloaded.filter((name) => !told.has(name));
  const removed = [...told].filter((name) => !known.has(name));
  // Found before they went: nothing has to be loaded twice.
  const returned = [...gone].filter((name) => known.has(name) && !unloaded.includes(name));
  const parts = [
    added.length > 0 && toNamesText(added),
    removed.length > 0 && `These tools are no longer there:\n${toBlock(removedTag, removed)}`,
    returned.length > 0 &&
      `These tools are there again and can be called:\n${toBlock(returnedTag, returned)}`,
  ].filter((part) => part !== false);
  return parts.length > 0 ? toSystemReminder(parts.join('\n')) : undefined;
}

/** All names that the model may load now, for the head of a request; undefined for none. */
export function toNamesMessage({ unloaded }: Pool): MessageParam | undefined {
  return unloaded.length > 0 ? toSystemReminder(toNamesText(unloaded)) : undefined;
}

function toNamesText(names: readonly string[]): string {
  return `These tools must be loaded by ToolSearch before they can be called; so far only their names are known:\n${toBlock(tag, names)}`;
}

function toBlock(name: string, lines: readonly string[]): string {
  return `<${name}>\n${lines.toSorted().join('\n')}\n</${name}>`;
}

function readToldNames(messages: readonly MessageParam[]) {
  const told = new Set<string>();
  const gone = new Set<string>();
  for (const text of listReminders(listNotedMessages(messages))) {
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
