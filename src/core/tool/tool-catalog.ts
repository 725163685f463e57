// The registry as tools see it: what can be found, and what a find leaves in the conversation.
import { isTextBlock } from '../messages/blocks.ts';
import type { InputJsonSchema } from '../schema/json-schema.ts';
import type { MessageParam } from '../messages/messages.ts';
import { readSystemReminder, toSystemReminder } from '../messages/system-reminder.ts';

/** A tool as a search finds it: all that a caller has to know of it. */
export interface FoundTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: InputJsonSchema;
}

/** What a search gives, the best first. */
export interface ToolSearchResult {
  readonly matches: readonly FoundTool[];
  /** Names that were asked for and that no tool has. */
  readonly unknown: readonly string[];
  /** How many tools are deferred: what keywords are looked for in. */
  readonly deferredCount: number;
}

/** A port of the tool's context; the tools are those that its call may call. */
export interface ToolCatalog {
  /** See the tool ToolSearch for the forms of a query. Rejects where a definition can't be written. */
  search(query: string, maxResults: number): Promise<ToolSearchResult>;
  /** Does the model know this tool by its name only? */
  isUnloaded(toolName: string): boolean;
}

const tag = /<discovered_tools>\n([^<]*)\n<\/discovered_tools>/u;

/**
 * The attachment that records finds: tools of these names are sent whole from the next request on.
 * Inverse: {@link extractDiscoveredToolNames}.
 */
export function toDiscoveredToolsMessage(names: readonly string[]): MessageParam {
  const list = `<discovered_tools>\n${names.join('\n')}\n</discovered_tools>`;
  return toSystemReminder(`These tools are loaded and can be called now:\n${list}`);
}

/**
 * The names that were ever found, in the order of their discovery. Whoever cuts a conversation short
 * (a compaction, a fork) puts {@link toDiscoveredToolsMessage} of them in front of what it keeps.
 */
export function extractDiscoveredToolNames(messages: readonly MessageParam[]): string[] {
  const names = listReminders(messages).flatMap((text) => tag.exec(text)?.[1]?.split('\n') ?? []);
  return [...new Set(names)];
}

/** The texts of all reminders, in their order. */
export function listReminders(messages: readonly MessageParam[]): string[] {
  return messages.flatMap(({ role, content }) => {
    if (role !== 'user' || typeof content === 'string') return [];
    return content.filter(isTextBlock).flatMap(({ text }) => readSystemReminder(text) ?? []);
  });
}
