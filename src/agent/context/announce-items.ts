// How the model learns of things that come and go, such as skills and types of agents. Their names and purposes are
// sent once as a reminder, and then only changes, so that nothing that was sent changes. What the model knows is read
// back from the conversation, so a resumed or compacted one needs no other state. create-request.ts calls it.
import type { MessageParam } from '../../core/messages/messages.ts';
import { quoteForReminder, toSystemReminder } from '../../core/messages/system-reminder.ts';
import { listReminders } from '../../core/tool/tool-catalog.ts';
import { listNotedMessages } from '../registry/announce-tools.ts';

/** A list that is told. */
export interface Announcement {
  /** What they are, in the plural: quoteForReminder keeps others from saying something in their name. */
  readonly kind: 'skills' | 'agents';
  /** The tool that uses them: they are told while the model has it. */
  readonly toolName: string;
  /** Stands above the whole list: what they are, and how they are used. */
  readonly heading: string;
  readonly items: readonly AnnouncedItem[];
}

/** One item of an announced list. */
export interface AnnouncedItem {
  /** Without spaces; no other item of the list has it. */
  readonly name: string;
  readonly description: string;
}

// 500 characters: what is longer is no description any more, however much room there is.
const maxDescriptionChars = 500;

// 80 %: descriptions leave some room for what comes later.
const FIRST_SHARE = 0.8;

/**
 * What the conversation doesn't say yet, as the message to append; undefined: it says all, as far as there is
 * room. `maxTokens`: what all items together may take of the conversation. Descriptions are cut to fit; names
 * that don't fit either are counted.
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

/** An item on one line. Its words are somebody else's. */
function toLine({ name, description }: AnnouncedItem): AnnouncedItem {
  const line = quoteForReminder(description.replace(/\s+/gu, ' ').trim());
  return { name, description: shorten(line, maxDescriptionChars) };
}

/** A description that was cut for want of room counts as told: it isn't told again for a letter more. */
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
  for (const text of listReminders(listNotedMessages(messages))) {
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

// 3 characters a token: names and single words take more tokens than running text, which has 4.
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
