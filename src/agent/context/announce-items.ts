// Tells the model lists that change, such as skills and types of agents. Names and descriptions are
// sent once as a reminder, then only changes, so earlier parts of the request don't change. What
// the model knows is read from the conversation, so resuming and compacting need no other state.
// Called by create-request.ts.
import type { MessageParam } from '../../core/messages/messages.ts';
import { quoteForReminder, toSystemReminder } from '../../core/messages/system-reminder.ts';
import { listNotedReminders } from '../registry/noted-messages.ts';

/** A list to announce. */
export interface Announcement {
  /** The kind of items, in the plural. quoteForReminder prevents other text from imitating it. */
  readonly kind: 'skills' | 'agents';
  /** The tool that uses the items. The list is sent only while the model has this tool. */
  readonly toolName: string;
  /** The text above the whole list: what the items are, and how to use them. */
  readonly heading: string;
  readonly items: readonly AnnouncedItem[];
}

/** One item of an announced list. */
export interface AnnouncedItem {
  /** Without spaces, and unique in the list. */
  readonly name: string;
  readonly description: string;
}

// 500 characters: a longer text isn't a description any more, even if there is room.
const maxDescriptionChars = 500;

// 80 %: leaves some room for items that are added later.
const FIRST_SHARE = 0.8;

/**
 * Returns a message with the items that the conversation lacks; undefined if it has all for which
 * there is room. `maxTokens`: the room for all items. Descriptions are shortened to fit; names
 * without room are counted.
 */
export function toItemsDelta(
  { kind, heading, items }: Announcement,
  messages: readonly MessageParam[],
  maxTokens: number,
): MessageParam | undefined {
  const told = readTold(kind, messages);
  const lines = items.map(toLine);
  const names = new Set(lines.map(({ name }) => name));
  const gone = [...told.keys()].filter((name) => !names.has(name));
  const news = lines.filter((line) => !isTold(line, told.get(line.name)));
  const stays = lines.filter((line) => !news.includes(line) && told.has(line.name));
  const used = stays.reduce((sum, { name }) => sum + weigh(`- ${name}: ${told.get(name)}\n`), 0);
  const isFirst = told.size === 0;
  const above = isFirst ? heading : `The ${kind} have changed. These are new, or are told anew:`;
  const frame = weigh(`${heading}${toBlock(availableTag(kind), [])}${describeRest(items.length)}`);
  const room = maxTokens * CHARS_PER_TOKEN - used - frame;
  const shown = fit(news, room, isFirst ? room * FIRST_SHARE : room);
  const left = news.length - shown.length;
  const parts = [
    shown.length > 0 && `${above}\n${toBlock(availableTag(kind), shown)}`,
    shown.length > 0 && left > 0 && describeRest(left),
    gone.length > 0 &&
      `These ${kind} are no longer there:\n${toBlock(
        removedTag(kind),
        gone.map((name) => `- ${name}`),
      )}`,
  ].filter((part) => part !== false);
  return parts.length > 0 ? toSystemReminder(parts.join('\n')) : undefined;
}

function describeRest(count: number): string {
  return `There are ${count} more, for which there is no room here.`;
}

const availableTag = (kind: Announcement['kind']) => `available-${kind}`;
const removedTag = (kind: Announcement['kind']) => `removed-${kind}`;

function toBlock(tag: string, lines: readonly string[]): string {
  return `<${tag}>\n${lines.join('\n')}\n</${tag}>`;
}

/** One line per item. Its text comes from others. */
function toLine({ name, description }: AnnouncedItem): AnnouncedItem {
  const line = quoteForReminder(description.replace(/\s+/gu, ' ').trim());
  return { name, description: shorten(line, maxDescriptionChars) };
}

/**
 * A description that was shortened for lack of room counts as sent, so a small gain of room doesn't
 * send it again.
 */
function isTold({ description }: AnnouncedItem, told: string | undefined): boolean {
  if (told === undefined) return false;
  if (told === description || told === '') return true;
  return told.endsWith('…') && description.startsWith(told.slice(0, -1));
}

/** The newest announced description by name. */
function readTold(
  kind: Announcement['kind'],
  messages: readonly MessageParam[],
): ReadonlyMap<string, string> {
  const told = new Map<string, string>();
  for (const text of listNotedReminders(messages)) {
    for (const line of readBlock(availableTag(kind), text)) {
      const [name = '', ...rest] = line.split(': ');
      told.set(name, rest.join(': '));
    }
    for (const name of readBlock(removedTag(kind), text)) told.delete(name);
  }
  return told;
}

function readBlock(tag: string, text: string): readonly string[] {
  const [, rest] = text.split(`<${tag}>\n`);
  const [lines] = rest?.split(`\n</${tag}>`) ?? [];
  return (lines?.split('\n') ?? []).map((line) => line.replace(/^- /u, ''));
}

// 3 characters per token: names and single words need more tokens than running text, which has 4.
const CHARS_PER_TOKEN = 3;

/** Estimates a text's weight in characters. A character that isn't ASCII counts as a token. */
function weigh(text: string): number {
  let weight = 0;
  for (const char of text) weight += char.charCodeAt(0) < 0x80 ? 1 : CHARS_PER_TOKEN;
  return weight;
}

/** As many names as there is room for; if all, with descriptions as long as the other room leaves them. */
function fit(items: readonly AnnouncedItem[], room: number, roomInAll: number): string[] {
  const names = items.map(({ name }) => weigh(`- ${name}: \n`));
  const total = names.reduce((sum, weight) => sum + weight, 0);
  if (total > room) {
    let rest = room;
    const lines: string[] = [];
    for (const [at, { name }] of items.entries()) {
      rest -= names[at] ?? 0;
      if (rest < 0) break;
      lines.push(`- ${name}`);
    }
    return lines;
  }
  const cap = findCap(
    items.map(({ description }) => weigh(description)),
    roomInAll - total,
  );
  return items.map(({ name, description }) => {
    const shown = shorten(description, cap);
    return shown === '' ? `- ${name}` : `- ${name}: ${shown}`;
  });
}

/** The largest weight at which all fit, each cut to it. */
function findCap(weights: readonly number[], room: number): number {
  let rest = room;
  const sorted = weights.toSorted((a, b) => a - b);
  for (const [at, weight] of sorted.entries()) {
    const share = Math.floor(rest / (sorted.length - at));
    if (weight > share) return share;
    rest -= weight;
  }
  return Infinity;
}

/** Shortens a text to the weight `cap`. If only a few letters would be left, nothing is. */
function shorten(text: string, cap: number): string {
  if (weigh(text) <= cap) return text;
  let shown = '';
  // The dots weigh, too.
  let rest = cap - CHARS_PER_TOKEN;
  for (const char of text) {
    rest -= weigh(char);
    if (rest < 0) break;
    shown += char;
  }
  return shown.length < 12 ? '' : `${shown.trimEnd()}…`;
}
