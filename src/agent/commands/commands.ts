// The commands of a session, and what a source of them gives. Made by create-commands.ts.
import type { UserBlock } from '../../core/messages/blocks.ts';
import type { SlashCommand } from '../../core/commands/slash-command.ts';

/** A command whose text is the prompt. */
export interface PromptCommand extends SlashCommand {
  /**
   * A skill's text names no files by `@path`. A server's prompt has its arguments in it already, and is text from
   * outside.
   */
  readonly kind: 'command' | 'skill' | 'mcp-prompt';
  /** Where it is from, for hooks: `project`, say. */
  readonly source: string;
  /** What a person is told of where it is: a path, or the name of the host's source. */
  readonly place: string;
  /** Rules that are to allow while it is at work, as they are written. */
  readonly allowedTools: readonly string[];
  /** The model that it is meant for: a name among the query's `models`, or `inherit`. */
  readonly model?: string;
  /** Reads it as it is now. `args`: what stands behind the name. Rejects as the workspace does. */
  load(args: string): Promise<LoadedCommand>;
  /** What the argument that is being written may be. Left out: nobody knows. */
  complete?(args: string): Promise<readonly string[]>;
}

/** A command that is to be used now. */
export interface LoadedCommand {
  /** Without its front matter; arguments aren't filled in. */
  readonly body: string;
  /** The allow rules, which hold until the turn ends. Empty if the command isn't trusted. */
  readonly allow: readonly string[];
  /** Pictures behind its text. */
  readonly images?: readonly UserBlock[];
  /** What the model is told behind its text. */
  readonly note?: string;
}

/** What a source has, and a sentence for each thing that can't be a command. */
export interface FoundCommands {
  readonly commands: readonly PromptCommand[];
  readonly problems: readonly string[];
}

/** Where commands come from. Rejects as the workspace does. */
export type CommandSource = () => Promise<FoundCommands>;

/** What the list of `/agents` is made of. */
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
  /** What couldn't be a command when they were read last. */
  problems(): readonly string[];
  /** Reads the sources again. */
  refresh(): Promise<void>;
  /** The command as it was last read; undefined for built-in ones and unknown names. */
  find(name: string): PromptCommand | undefined;
  /** Names that may have been meant. */
  findNear(name: string): readonly string[];
}
