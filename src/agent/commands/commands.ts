// The commands of a session and of its sources. Created by create-commands.ts.
import type { UserBlock } from '../../core/messages/blocks.ts';
import type { SlashCommand } from '../../core/commands/slash-command.ts';

/** A command whose text is the prompt. */
export interface PromptCommand extends SlashCommand {
  /**
   * A skill's text can't include files by `@path`. A server's prompt already contains its
   * arguments, and is text from outside.
   */
  readonly kind: 'command' | 'skill' | 'mcp-prompt';
  /** Its origin, for hooks: for example `project`. */
  readonly source: string;
  /** Its location for a person: a path, or the name of the host's source. */
  readonly place: string;
  /** The allow rules that should apply while it is used, as they are written. */
  readonly allowedTools: readonly string[];
  /** The model that it is meant for: a name among the query's `models`, or `inherit`. */
  readonly model?: string;
  /** Reads its current text. `args`: the text after the name. Rejects like the workspace. */
  load(args: string): Promise<LoadedCommand>;
  /** Returns completions for the argument that is being written. Left out: none are known. */
  complete?(args: string): Promise<readonly string[]>;
}

/** A loaded command. */
export interface LoadedCommand {
  /** Its text without front matter; arguments aren't inserted yet. */
  readonly body: string;
  /** The allow rules, which apply until the turn ends. Empty if the command isn't trusted. */
  readonly allow: readonly string[];
  /** Pictures after its text. */
  readonly images?: readonly UserBlock[];
  /** A note for the model after its text. */
  readonly note?: string;
}

/** The commands of a source, and a message for each invalid one. */
export interface FoundCommands {
  readonly commands: readonly PromptCommand[];
  readonly problems: readonly string[];
}

/** A source of commands. Rejects like the workspace. */
export type CommandSource = () => Promise<FoundCommands>;

/** The sources of the list of `/agents`. */
export interface CommandLists {
  /** Reads the definitions again. */
  readonly listAgents: () => Promise<
    readonly { readonly name: string; readonly description: string }[]
  >;
}

/** The commands of one session. Methods never reject. */
export interface Commands extends CommandLists {
  /** The commands as they were last read, sorted by name. */
  list(): readonly SlashCommand[];
  /** The invalid commands at the last read. */
  problems(): readonly string[];
  /** Reads the sources again. */
  refresh(): Promise<void>;
  /** The command as it was last read; undefined for built-in commands and unknown names. */
  find(name: string): PromptCommand | undefined;
  /** Similar names. */
  findNear(name: string): readonly string[];
}
