// A deferred tool whose definition isn't loaded yet. A query holds many of these and loads few of them.
import type { Tool } from './tool.ts';

/** What a query knows of a deferred tool before it loads the definition. The definition has the same values. */
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
   * @throws SdkError `unsupported-environment` if its code can't be loaded; the next call tries again
   */
  load(): Promise<Tool>;
}

/** The members that are data: a row of the table in tools/deferred-table.ts. */
export type ListedRow = Pick<
  ListedTool,
  'name' | 'aliases' | 'searchHint' | 'callsTools' | 'tokens'
>;

/** A tool whose definition is loaded, or one that is listed. */
export type KnownTool = Tool | ListedTool;

/** Tools of which some may not be loaded yet. */
export type KnownTools = readonly KnownTool[];

/** True if the definition isn't loaded. */
export function isListedTool(tool: KnownTool): tool is ListedTool {
  return 'isListed' in tool;
}

/** The definition, which is loaded if necessary. */
export function toDefinition(tool: KnownTool): Promise<Tool> {
  return isListedTool(tool) ? tool.load() : Promise.resolve(tool);
}
