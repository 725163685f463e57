// The two messages of a compaction: the one that asks for a summary, and the one that holds it.
// agent/context/compact.ts writes them; the scripted model reads them.
import { isTextBlock } from './blocks.ts';
import type { MessageParam } from './messages.ts';
import { readSystemReminder, toSystemReminder } from './system-reminder.ts';

/** The message that asks for the summary. Inverse: {@link isCompactionPrompt}. */
export function toCompactionPrompt(instructions?: string): MessageParam {
  const own = instructions === undefined ? '' : `\n\nThe user asks of the summary: ${instructions}`;
  return toSystemReminder(`${ask}${own}`);
}

export function isCompactionPrompt(message: MessageParam | undefined): boolean {
  return listTexts(message).some((text) => text.startsWith(ask));
}

/** A summary, and how many replies it replaces. */
export interface ConversationSummary {
  readonly text: string;
  /** How many messages of the model it replaces, including those that an earlier summary replaced. */
  readonly replies: number;
}

/** The message that replaces the summarised messages. Inverse: {@link readSummaryMessage}. */
export function toSummaryMessage({ text, replies }: ConversationSummary): MessageParam {
  return toSystemReminder(
    `The conversation before this was summed up, as it had become too long. It had ${replies} of your messages. This is what you have written of it:\n\n${text}`,
  );
}

/** Undefined for any other message. */
export function readSummaryMessage(message: MessageParam): ConversationSummary | undefined {
  for (const text of listTexts(message)) {
    const [opening, replies] = summaryOpening.exec(text) ?? [];
    if (opening !== undefined)
      return { text: text.slice(opening.length), replies: Number(replies) };
  }
  return undefined;
}

const summaryOpening =
  /^The conversation before this was summed up, as it had become too long\. It had (\d+) of your messages\. This is what you have written of it:\n\n/u;

function listTexts(message: MessageParam | undefined): string[] {
  if (message?.role !== 'user' || typeof message.content === 'string') return [];
  return message.content.filter(isTextBlock).flatMap(({ text }) => readSystemReminder(text) ?? []);
}

const ask = `The conversation is to be shortened, so that your context window has room. Write a summary that takes its place: you will go on from it without seeing what stands above. Answer with the summary alone, and call no tool.

Keep, in this order:
1. What the user wants, in their own words where they matter, and what they have ruled out.
2. What was decided, and why.
3. Files that were read or changed: their paths, what is in them that matters, what was changed in each.
4. Commands and cells that were run, and what came of them; variables that are set in the Repl.
5. Errors that came up, and how each was solved, or that it is not solved.
6. What is done, what is being worked on right now, and what is left to do, in order.

Leave out greetings, and whatever the files themselves would tell again.`;
