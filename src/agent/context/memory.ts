// Adds the varying texts to the conversation: the environment, once per conversation, and the
// workspace's instructions. They are appended, so earlier parts of the request don't change. The
// loop calls it before each prompt and after each batch of results. docs/memory.md describes it for
// users.
import type { Host } from '../host.ts';
import type { MessageParam } from '../../core/messages/messages.ts';
import { describeThrown, hasCode } from '../../core/errors.ts';
import { dirname, joinPath } from '../../core/path.ts';
import type { ToolPermissionContext } from '../../core/permissions/permission.ts';
import { quoteForReminder, toSystemReminder } from '../../core/messages/system-reminder.ts';
import type { SettingSource } from '../query-options.ts';
import type { SessionRoot } from '../session/files/session-root.ts';
import type { WorkPlace } from '../session/files/work-place.ts';
import { describeEnvironment } from './environment.ts';
import type {
  Instructions,
  InstructionsLoaded,
  InstructionsOptions,
  ToldInstructions,
} from './instructions.ts';

/**
 * What a conversation contains of these texts. Plain data that the caller stores: see {@link
 * createMemory}.
 */
export interface MemoryRecord extends ToldInstructions {
  readonly hasEnvironment: boolean;
  /** Why files will be sent next: a conversation begins, or it was compacted. */
  readonly reason: 'session_start' | 'compact';
}

/** Nothing was sent. */
const nothing: MemoryRecord = {
  hasEnvironment: false,
  reason: 'session_start',
  files: [],
  directories: [],
};

/** The memory of one session. Methods never reject, and must not run at the same time. */
export interface Memory {
  /** The current state, to be stored with the returned messages. */
  readonly record: MemoryRecord;
  /** Returns the messages before a prompt: new texts, and instructions that have changed. */
  beforePrompt(modelName: string): Promise<readonly MessageParam[]>;
  /**
   * Returns the messages after the results of calls: the instructions next to the files that were
   * read, and the rules for them. `paths` are real paths; repeated ones are ignored.
   */
  afterReads(paths: Iterable<string>): Promise<readonly MessageParam[]>;
  /**
   * The conversation was compacted and contains none of the texts. The next {@link
   * Memory.beforePrompt} returns the texts of every conversation's start; the others follow when a
   * matching file is read again.
   */
  forget(): void;
  /** The conversation continues from another state, which contains these texts. Undefined: none. */
  reset(told: MemoryRecord | undefined): void;
}

export interface MemoryOptions {
  readonly host: Pick<Host, 'clock' | 'kind'>;
  readonly root: InstructionsOptions['root'] & Pick<SessionRoot, 'lookUp'>;
  /** The session's first working directory, absolute. Instructions are taken from there. */
  readonly cwd: string;
  /** The agent's working directory, for the environment. */
  readonly place: Pick<WorkPlace, 'next'>;
  /** The user's home, absolute: `~` in the source `user`. */
  readonly home?: string | undefined;
  /**
   * Further texts for this agent at its start: its notes, its skills. Never rejects. @defaultValue
   * none
   */
  readonly readOwn?: () => Promise<readonly string[]>;
  /** The sources of instructions. Empty: only the environment is sent. */
  readonly sources: readonly SettingSource[];
  readonly permissions: () => Pick<ToolPermissionContext, 'rules' | 'additionalWorkingDirectories'>;
  /** What a resumed conversation already contains. @defaultValue nothing */
  readonly record?: MemoryRecord;
  /** Called for each file whose text is sent. Must not throw. */
  readonly onLoaded: (loaded: InstructionsLoaded) => void;
  /** Called with a message for a person about a failure. Must not throw. */
  readonly warn: (message: string) => void;
}

/**
 * Reads nothing yet. Rejects if the code for instructions, which only some queries need, can't be
 * loaded.
 */
export async function createMemory(options: MemoryOptions): Promise<Memory> {
  const code = options.sources.length > 0 ? await import('./instructions.ts') : undefined;
  let record = options.record ?? nothing;
  let instructions: Instructions | undefined;

  /** If a text can't be read, the turn continues without it, and a person gets the reason. */
  async function tell(
    ask: (of: Instructions) => Promise<readonly MessageParam[]>,
  ): Promise<readonly MessageParam[]> {
    instructions ??= code?.createInstructions({ ...options, told: record });
    if (!instructions) return [];
    try {
      return await ask(instructions);
    } catch (error) {
      options.warn(`The project's instructions can't be told: ${describeThrown(error)}`);
      return [];
    }
  }

  return {
    get record() {
      return { ...record, ...instructions?.told };
    },

    async beforePrompt(modelName) {
      const begins = !record.hasEnvironment;
      const environment = begins ? [await toEnvironment(modelName, options)] : [];
      const own = begins ? ((await options.readOwn?.()) ?? []) : [];
      record = { ...record, hasEnvironment: true };
      return [
        ...environment,
        ...own.map((text) => toSystemReminder(quoteForReminder(text))),
        ...(await tell((of) => of.beforePrompt(record.reason))),
      ];
    },

    afterReads: (paths) => tell((of) => of.afterReads(paths)),

    forget() {
      record = { ...nothing, reason: 'compact' };
      instructions = undefined;
    },

    reset(told = nothing) {
      record = told;
      instructions = undefined;
    },
  };
}

async function toEnvironment(modelName: string, options: MemoryOptions): Promise<MessageParam> {
  const { host, cwd, place, permissions } = options;
  const text = describeEnvironment({
    cwd: place.next,
    began: cwd,
    directories: [...permissions().additionalWorkingDirectories.keys()],
    repository: await findRepository(options),
    now: host.clock.now(),
    modelName,
    hostKind: host.kind,
  });
  return toSystemReminder(quoteForReminder(text));
}

/**
 * The nearest directory with a `.git`; null if there is none, undefined if the workspace can't be
 * read.
 */
async function findRepository({
  place: { next: cwd },
  root,
  warn,
}: MemoryOptions): Promise<string | null | undefined> {
  const directories = [cwd];
  for (let at = cwd; at !== '/';) directories.push((at = dirname(at)));
  try {
    const states = await root.lookUp(directories.map((directory) => joinPath(directory, '.git')));
    return directories.find((_, at) => states[at]) ?? null;
  } catch (error) {
    // Branches don't support this yet, which isn't an error.
    const isBranch = hasCode(error, 'unsupported-environment');
    if (!isBranch)
      warn(`Whether there is a git repository can't be told: ${describeThrown(error)}`);
    return undefined;
  }
}
