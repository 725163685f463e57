// The built-in commands: a table of names, texts and lazy imports. Their implementations are in
// built-in/.
import type { SlashCommand } from '../../core/commands/slash-command.ts';
import type { StateRecord } from '../../core/session/journal.ts';
import type { RewoundPaths } from '../session/files/rewind.ts';
import type { Session } from '../session/session.ts';
import { builtInPrompts } from './built-in-prompts.ts';
import { goalNote, setsGoal } from './built-in/goal-words.ts';

/** The parameters of a command. */
export interface CommandRun {
  readonly session: Session;
  /** Trimmed; may be empty. */
  readonly args: string;
  /**
   * Records a state with the turn whose prompt the arguments are, so that a rewind to before that
   * turn reverts it.
   */
  readonly withTurn: (record: StateRecord) => void;
  /** `compactNow` of compact-session.ts, for this turn. */
  readonly compact: (instructions: string | undefined) => Promise<void>;
  /** `clearSession` of session/clear-session.ts. */
  readonly clear: () => Promise<void>;
  /** `rewindToPrompt` of session/files/rewind.ts. */
  readonly rewind: (promptUuid: string) => Promise<RewoundPaths>;
}

/**
 * Returns a text about what it has done. Rejects with an SdkError whose message tells a person what
 * to do instead.
 */
export type RunCommand = (run: CommandRun) => string | Promise<string>;

/** A built-in command. It runs between two turns and doesn't ask the model for an answer. */
export interface BuiltInCommand extends SlashCommand {
  load(): Promise<RunCommand>;
  /**
   * Returns true if the arguments are a prompt after the command has run. Left out: they never are.
   */
  takesPrompt?(args: string): boolean;
  /** A text for the model after such a prompt. */
  readonly note?: string;
}

/** In alphabetical order. */
export const builtInCommands: readonly BuiltInCommand[] = [
  {
    name: 'agents',
    description: 'List the agents that can be given work',
    argumentHint: '',
    load: async () => (await import('./built-in/agents.ts')).runAgents,
  },
  {
    name: 'clear',
    description: 'Begin a new conversation; this one stays in the list',
    argumentHint: '',
    load: async () => (await import('./built-in/clear.ts')).runClear,
  },
  {
    name: 'compact',
    description: 'Sum the conversation up, and go on from the summary',
    argumentHint: '[what the summary must have]',
    load: async () => (await import('./built-in/compact.ts')).runCompact,
  },
  {
    name: 'context',
    description: 'Show what fills the model’s window',
    argumentHint: '',
    load: async () => (await import('./built-in/context.ts')).runContext,
  },
  {
    name: 'cost',
    description: 'Show the tokens and the price of this session, by model',
    argumentHint: '',
    load: async () => (await import('./built-in/cost.ts')).runCost,
  },
  {
    name: 'goal',
    description: 'Set what is to hold: the agent works until it does',
    argumentHint: '[what is to hold, or clear]',
    takesPrompt: setsGoal,
    note: goalNote,
    load: async () => (await import('./built-in/goal.ts')).runGoal,
  },
  {
    name: 'help',
    description: 'List the commands, and what each does',
    argumentHint: '',
    load: async () => (await import('./built-in/help.ts')).runHelp,
  },
  {
    name: 'memory',
    description: 'List the instructions and notes that the conversation has',
    argumentHint: '',
    load: async () => (await import('./built-in/memory.ts')).runMemory,
  },
  {
    name: 'plan',
    description: 'Begin plan mode: read and plan, and change nothing',
    argumentHint: '[what to plan]',
    takesPrompt: (args) => args !== '',
    load: async () => (await import('./built-in/plan.ts')).runPlan,
  },
  {
    name: 'rewind',
    description: 'Go back to before a prompt: conversation, files and variables',
    argumentHint: '[how many prompts, or the uuid of one]',
    load: async () => (await import('./built-in/rewind.ts')).runRewind,
  },
  {
    name: 'tasks',
    description: 'List the tasks that run in the background, and what is to be done',
    argumentHint: '',
    load: async () => (await import('./built-in/tasks.ts')).runTasks,
  },
];

/** The commands that every session has, for lists before a session is open. */
export function listBuiltInCommands(): readonly SlashCommand[] {
  return sortCommands([...builtInCommands, ...builtInPrompts]);
}

/** Sorts commands for a list. */
export function sortCommands(commands: readonly SlashCommand[]): readonly SlashCommand[] {
  return commands
    .map(({ name, description, argumentHint }) => ({ name, description, argumentHint }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns undefined if no built-in command has that name. */
export function findBuiltIn(name: string): BuiltInCommand | undefined {
  return builtInCommands.find((command) => command.name === name);
}
