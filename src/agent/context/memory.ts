// What the model is told that varies: where it works, once a conversation, and the workspace's
// instructions. Appended to the conversation, so that nothing that was sent changes. The loop asks it
// before each prompt and after each batch of results; docs/memory.md says what a user sees.
import type { Host } from '../host.ts';
import type { MessageParam } from '../../core/messages/messages.ts';
import { SdkError, describeThrown } from '../../core/errors.ts';
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

/** What a conversation has been told. Plain data, for whoever keeps it: see {@link createMemory}. */
export interface MemoryRecord extends ToldInstructions {
  readonly hasEnvironment: boolean;
  /** Why files will be told next: a conversation begins, or it was compacted. */
  readonly reason: 'session_start' | 'compact';
}

/** Nothing was told. */
const nothing: MemoryRecord = {
  hasEnvironment: false,
  reason: 'session_start',
  files: [],
  directories: [],
};

/** The memory of one session. Methods never reject, and must not run at the same time. */
export interface Memory {
  /** As things stand now: to be kept with the messages that were given. */
  readonly record: MemoryRecord;
  /** What goes before a prompt: what wasn't told yet, and instructions that have changed since. */
  beforePrompt(modelName: string): Promise<readonly MessageParam[]>;
  /**
   * What follows the results of calls: the instructions that stand beside files that were read, and those
   * for such files. Real paths. Those that were given before are passed over.
   */
  afterReads(paths: Iterable<string>): Promise<readonly MessageParam[]>;
  /**
   * The conversation was compacted: nothing of it was told. The next {@link Memory.beforePrompt} tells
   * what every conversation begins with; the rest comes when such a file is read again.
   */
  forget(): void;
  /** The conversation goes on from elsewhere, and was told this. Undefined: nothing. */
  reset(told: MemoryRecord | undefined): void;
}

export interface MemoryOptions {
  readonly host: Pick<Host, 'clock' | 'kind'>;
  readonly root: InstructionsOptions['root'] & Pick<SessionRoot, 'lookUp'>;
  /** Where the session began, absolute: instructions are taken from there. */
  readonly cwd: string;
  /** Where the agent works: the model is told that. */
  readonly place: Pick<WorkPlace, 'next'>;
  /** The user's home, absolute: `~` of the source `user`. */
  readonly home?: string | undefined;
  /** What this agent is told besides, at its beginning: its notes, its skills. Never rejects. @defaultValue nothing */
  readonly readOwn?: () => Promise<readonly string[]>;
  /** Whose instructions are read. None: only the environment is told. */
  readonly sources: readonly SettingSource[];
  readonly permissions: () => Pick<ToolPermissionContext, 'rules' | 'additionalWorkingDirectories'>;
  /** What the conversation was told already: of one that is resumed. @defaultValue nothing */
  readonly record?: MemoryRecord;
  /** Hears of each file whose text is told. Must not throw. */
  readonly onLoaded: (loaded: InstructionsLoaded) => void;
  /** Tells a person, in a sentence, what couldn't be found out. Must not throw. */
  readonly warn: (message: string) => void;
}

/** Reads nothing yet. Rejects where the code for instructions, which only some queries need, can't be loaded. */
export async function createMemory(options: MemoryOptions): Promise<Memory> {
  const code = options.sources.length > 0 ? await import('./instructions.ts') : undefined;
  let record = options.record ?? nothing;
  let instructions: Instructions | undefined;

  /** A turn goes on without what can't be told, and a person hears why. */
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

/** The nearest directory with a `.git`; null for none, undefined where the workspace can't be asked. */
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
    // A branch can't be asked yet, which is nobody's mistake.
    const isBranch = SdkError.isInstance(error) && error.code === 'unsupported-environment';
    if (!isBranch)
      warn(`Whether there is a git repository can't be told: ${describeThrown(error)}`);
    return undefined;
  }
}
