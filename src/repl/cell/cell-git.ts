// Git for one cell. Its commands that change something are noted, for the question about the cell's
// changes.
import type { WorkContext } from '../../core/tool/handler.ts';
import { gitCommands } from '../../core/git/git-commands.ts';
import { SdkError } from '../../core/errors.ts';
import { toGitDeed, type GitDeed } from '../../core/git/git-deed.ts';
import type { GitProgress } from '../../workspace/git/git.ts';
import type { GitCommandProgress } from './cell-request.ts';
import type { Deadline } from '../vm/deadline.ts';
import type { GuestValue } from '../vm/engine.ts';

// 100: a cell that does more is a loop, and the question is about all of it at once.
const maxDeeds = 100;

/** The parts of the running cell that git uses. */
export interface CellGitPorts {
  readonly deadline: Deadline;
  /** A server is asked. */
  onReachOut(): void;
  /** A server has answered, or a part of its answer may have come. */
  onDownload(): void;
  /** Milliseconds, of any beginning. */
  now(): number;
  /** Called with progress, for people who watch the cell. */
  onProgress(progress: GitCommandProgress): void;
}

// 10 times a second: as often as a person sees a number change.
const progressMs = 100;

export class CellGit {
  readonly #run: WorkContext<unknown>['runGit'] | undefined;
  readonly #ports: CellGitPorts;
  readonly #deeds: GitDeed[] = [];

  constructor(run: WorkContext<unknown>['runGit'] | undefined, ports: CellGitPorts) {
    this.#run = run;
    this.#ports = ports;
  }

  /** The commands that changed something, in their order. */
  get deeds(): readonly GitDeed[] {
    return this.#deeds;
  }

  /**
   * Gives a function that runs the command. It gives JSON of the result, or bytes. `note` gets JSON
   * of the progress.
   * @throws SdkError if this cell has no git
   */
  prepare(
    command: string,
    args: readonly unknown[],
  ): (signal: AbortSignal, note: (progress: GuestValue) => void) => Promise<readonly GuestValue[]> {
    const run = this.#run;
    const { deadline, onDownload, onReachOut } = this.#ports;
    if (!run) throw new SdkError('permission-denied', "git can't be used here.");
    return async (signal, note) => {
      const effect = gitCommands.get(command)?.effect;
      // Security: before the guest has any of it, and whatever becomes of the command.
      if (effect === 'network') {
        onReachOut();
        onDownload();
      }
      const onProgress = this.#watch((progress) => {
        this.#ports.onProgress({ ...progress, command });
        note(JSON.stringify(progress));
      });
      const pauseClock = () => deadline.pause();
      const result = await run(command, args, { signal, onProgress, pauseClock });
      if (effect === 'network') onDownload();
      if (effect !== 'read' && this.#deeds.length < maxDeeds) {
        this.#deeds.push(toGitDeed(command, args, result));
      }
      if (result instanceof Uint8Array) return [undefined, result];
      return [JSON.stringify(result) as string | undefined];
    };
  }

  /** Tells of each phase's beginning, and then now and then. */
  #watch(tell: (progress: GitProgress) => void): (progress: unknown) => void {
    let last: { readonly phase: string; readonly at: number } | undefined;
    return (progress) => {
      // The cast: commands of git tell nothing else.
      const { phase, done, total } = progress as GitProgress;
      const at = this.#ports.now();
      if (last?.phase === phase && at - last.at < progressMs) return;
      last = { phase, at };
      tell({ phase, done, ...(total !== undefined && { total }) });
    };
  }
}
