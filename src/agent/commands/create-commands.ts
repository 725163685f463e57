// Creates the commands of a session: built-in ones, and those of its sources, such as files of the
// workspace. Called by create-session.ts. take-command.ts runs them.
import { builtInCommandNames } from '../../core/commands/command-names.ts';
import { describeThrown } from '../../core/errors.ts';
import { findNearNames } from '../../core/text/near-names.ts';
import type { SlashCommand } from '../../core/commands/slash-command.ts';
import { builtInCommands, sortCommands } from './built-in-commands.ts';
import { builtInPrompts } from './built-in-prompts.ts';
import type {
  CommandLists,
  Commands,
  CommandSource,
  FoundCommands,
  PromptCommand,
} from './commands.ts';

export interface CommandsOptions extends Partial<CommandLists> {
  /** Sources of commands. If two commands have one name, that of the earlier source counts. */
  readonly sources: readonly CommandSource[];
  /** Called with a message for each new invalid command. Must not throw. */
  readonly warn: (problem: string) => void;
  /** Called when the list has changed. Must not throw. */
  readonly onChanged: (commands: readonly SlashCommand[]) => void;
}

/** Reads the sources. */
export async function createCommands(options: CommandsOptions): Promise<Commands> {
  const { sources, warn, onChanged, listAgents = async () => [] } = options;
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
    for (const prompt of builtInPrompts) if (!next.has(prompt.name)) next.set(prompt.name, prompt);
    found = next;
    problems = wrong;
  }

  function list(): readonly SlashCommand[] {
    return sortCommands([...builtInCommands, ...found.values()]);
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

/** Returns why a name is already used by another command. */
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
