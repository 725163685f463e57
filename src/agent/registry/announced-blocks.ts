// News for the model of things that have names: a reminder with a block for each that is new or has
// changed. What the model knows is read from the conversation.
import type { MessageParam } from '../../core/messages/messages.ts';
import { toSystemReminder } from '../../core/messages/system-reminder.ts';
import { listNotedReminders } from './noted-messages.ts';

/** One kind of news. */
export interface BlockKind {
  /** The text above the blocks, by which its reminders are recognised. */
  readonly heading: string;
  readonly tag: string;
}

/** Texts by what names them: the attributes of their tags. Neither may end a tag. */
export type Blocks = ReadonlyMap<string, string>;

/** The newest texts that the conversation has. */
export function readBlocks({ heading, tag }: BlockKind, messages: readonly MessageParam[]): Blocks {
  const told = new Map<string, string>();
  const blocks = new RegExp(`<${tag} (?<name>[^>]*)>\n(?<text>.*?)\n</${tag}>`, 'gsu');
  for (const text of listNotedReminders(messages)) {
    if (!text.startsWith(heading)) continue;
    for (const { groups = {} } of text.matchAll(blocks)) {
      told.set(groups['name'] ?? '', groups['text'] ?? '');
    }
  }
  return told;
}

/** The reminder with these texts; undefined if there are none. */
export function toBlocksMessage(
  { heading, tag }: BlockKind,
  news: Blocks,
): MessageParam | undefined {
  if (news.size === 0) return undefined;
  const written = [...news].map(([name, text]) => `<${tag} ${name}>\n${text}\n</${tag}>`);
  return toSystemReminder(`${heading}\n${written.join('\n')}`);
}

/** A name as it may stand in an attribute. */
export function toAttribute(key: string, value: string): string {
  return `${key}="${value.replaceAll(/["<>\s]/gu, '_')}"`;
}
