// The registry as tools see it: the search for tools, and the attachment that records which were found.
import { isTextBlock } from '../messages/blocks.ts';
import type { InputJsonSchema } from '../schema/json-schema.ts';
import type { MessageParam } from '../messages/messages.ts';
import { readSystemReminder, toSystemReminder } from '../messages/system-reminder.ts';

/** A tool that a search has found, with all that a caller has to know. */
export interface FoundTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: InputJsonSchema;
}

/** The result of a search, best match first. */
export interface ToolSearchResult {
  readonly matches: readonly FoundTool[];
  /** Requested names that no tool has. */
  readonly unknown: readonly string[];
  /** How many tools are deferred. The search looks for keywords in these. */
  readonly deferredCount: number;
}

/** A port in a tool's context. It contains the tools that the tool's call may call. */
export interface ToolCatalog {
  /** See the tool ToolSearch for the forms of a query. Rejects if a definition can't be converted for the API. */
  search(query: string, maxResults: number): Promise<ToolSearchResult>;
  /** True if the model knows only the name of this tool. */
  isUnloaded(toolName: string): boolean;
}

const tag = /<discovered_tools>\n([^<]*)\n<\/discovered_tools>/u;

/**
 * The attachment that records found tools: from the next request on their definitions are sent. Inverse:
 * {@link extractDiscoveredToolNames}.
 */
export function toDiscoveredToolsMessage(names: readonly string[]): MessageParam {
  const list = `<discovered_tools>\n${names.join('\n')}\n</discovered_tools>`;
  return toSystemReminder(`These tools are loaded and can be called now:\n${list}`);
}

/**
 * The names of all tools that were found, in the order of their discovery. Code that shortens a conversation (a
 * compaction, a fork) puts {@link toDiscoveredToolsMessage} of them before the part that it keeps.
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
