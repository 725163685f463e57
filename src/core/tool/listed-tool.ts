// A deferred tool before its definition is loaded. A query holds many of these and loads few of them.
import type { Tool } from './tool.ts';

/** What a query knows of a tool that only ToolSearch finds. The definition says the same. */
export interface ListedTool {
  readonly isListed: true;
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly searchHint: string;
  readonly shouldDefer: true;
  readonly callsTools?: true;
  /** How many tokens its definition takes in a request, usage section included. */
  readonly tokens: number;
  /** The definition's text for the API. The texts of all listed tools are loaded together. */
  description(): Promise<string>;
  /**
   * The same object each time.
   *
   * @throws SdkError `unsupported-environment` where its code can't be loaded; the next call tries again.
   */
  load(): Promise<Tool>;
}

/** The part of it that is data: a row of the table in tools/deferred-table.ts. */
export type ListedRow = Pick<
  ListedTool,
  'name' | 'aliases' | 'searchHint' | 'callsTools' | 'tokens'
>;

/** A tool whose definition is loaded, or one that is listed. */
export type KnownTool = Tool | ListedTool;

/** Tools of which some may not be loaded yet. */
export type KnownTools = readonly KnownTool[];

/** Is only its line in hand? */
export function isListedTool(tool: KnownTool): tool is ListedTool {
  return 'isListed' in tool;
}

/** The definition, loaded where it isn't yet. */
export function toDefinition(tool: KnownTool): Promise<Tool> {
  return isListedTool(tool) ? tool.load() : Promise.resolve(tool);
}
