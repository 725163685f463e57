// The commands of a session: ours, and those that its sources have (files of the workspace, say). Made by
// create-session.ts. What runs them is take-command.ts.
import { builtInCommandNames } from '../../core/command-names.ts';
import type { UserBlock } from '../../core/blocks.ts';
import { describeThrown } from '../../core/errors.ts';
import { findNearNames } from '../../core/near-names.ts';
import type { SlashCommand } from '../../core/slash-command.ts';
import { builtInCommands, toSlashCommand } from './built-in-commands.ts';

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
  /** The name of the model that it is meant for. */
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
  /** Of the rules those that hold until the turn ends. Empty where it isn't trusted. */
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
  readonly listAgents: () => readonly { readonly name: string; readonly description: string }[];
}

export interface CommandsOptions extends Partial<CommandLists> {
  /** Of two commands of one name the earlier source's counts. */
  readonly sources: readonly CommandSource[];
  /** Hears, in a sentence, of what is new that can't be a command. Must not throw. */
  readonly warn: (problem: string) => void;
  /** Hears of the list when it is another one than before. Must not throw. */
  readonly onChanged: (commands: readonly SlashCommand[]) => void;
}

/** One session's. Methods never reject. */
export interface Commands extends CommandLists {
  /** As they were read last, by name. */
  list(): readonly SlashCommand[];
  /** What couldn't be a command when they were read last. */
  problems(): readonly string[];
  /** Reads the sources anew. */
  refresh(): Promise<void>;
  /** As it was read last. Undefined for ours, and where there is none. */
  find(name: string): PromptCommand | undefined;
  /** Names that may have been meant. */
  findNear(name: string): readonly string[];
}

/** Reads the sources. */
export async function createCommands(options: CommandsOptions): Promise<Commands> {
  const { sources, warn, onChanged, listAgents = () => [] } = options;
  let found = new Map<string, PromptCommand>();
  let problems: readonly string[] = [];

  async function read(): Promise<void> {
    const next = new Map<string, PromptCommand>();
    const wrong: string[] = [];
    for (const source of sources) {
      const { commands, problems: more } = await readSource(source);
      wrong.push(...more);
      for (const command of commands) {
        const problem = findTaken(command, next);
        if (problem === undefined) next.set(command.name, command);
        else wrong.push(problem);
      }
    }
    found = next;
    problems = wrong;
  }

  function list(): readonly SlashCommand[] {
    return [...builtInCommands, ...found.values()]
      .map(toSlashCommand)
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  await read();
  return {
    list,
    problems: () => problems,
    async refresh() {
      if (sources.length === 0) return;
      const before = JSON.stringify(list());
      const known = new Set(problems);
      await read();
      for (const problem of problems) if (!known.has(problem)) warn(problem);
      const now = list();
      if (JSON.stringify(now) !== before) onChanged(now);
    },
    find: (name) => found.get(name),
    findNear: (name) =>
      findNearNames(
        name,
        list().map((command) => command.name),
      ),
    listAgents,
  };
}

async function readSource(source: CommandSource): Promise<FoundCommands> {
  try {
    return await source();
  } catch (error) {
    return { commands: [], problems: [`Commands can't be read: ${describeThrown(error)}`] };
  }
}

/** Why its name is another's. */
function findTaken(
  { name, place }: PromptCommand,
  found: ReadonlyMap<string, PromptCommand>,
): string | undefined {
  const other = found.get(name)?.place;
  const isBuiltIn = builtInCommandNames.has(name);
  if (!isBuiltIn && other === undefined) return undefined;
  const whose = isBuiltIn ? 'a command that is always there' : `the command of ${other ?? ''}`;
  return `The command in ${place} is left out: /${name} is ${whose}. Give one of them another name.`;
}
