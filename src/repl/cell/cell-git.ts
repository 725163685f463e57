// Git for one cell. Commands that change something are recorded, so that a person can be asked
// about them.
import type { WorkContext } from '../../core/tool/handler.ts';
import { gitCommands } from '../../core/git/git-commands.ts';
import { SdkError } from '../../core/errors.ts';
import { toGitDeed, type GitDeed } from '../../core/git/git-deed.ts';
import type { GitProgress } from '../../workspace/git/git.ts';
import type { GitCommandProgress } from './cell-request.ts';
import type { Deadline } from '../vm/deadline.ts';
import type { GuestValue } from '../vm/engine.ts';

// 100: a cell with more changes is a loop, and one question covers all of them.
const maxDeeds = 100;

/** The parts of the running cell that git uses. */
export interface CellGitPorts {
  readonly deadline: Deadline;
  /** Called before a server is contacted. */
  onReachOut(): void;
  /** Called when a server has answered, or a part of its answer may have arrived. */
  onDownload(): void;
  /** Milliseconds from any starting point. */
  now(): number;
  /** Called with progress, for people who watch the cell. */
  onProgress(progress: GitCommandProgress): void;
}

// 100 ms: ten updates a second are as many as a person can see.
const progressMs = 100;

export class CellGit {
  readonly #run: WorkContext<unknown>['runGit'] | undefined;
  readonly #ports: CellGitPorts;
  readonly #deeds: GitDeed[] = [];

  constructor(run: WorkContext<unknown>['runGit'] | undefined, ports: CellGitPorts) {
    this.#run = run;
    this.#ports = ports;
  }

  /** The commands that have changed something, in order. */
  get deeds(): readonly GitDeed[] {
    return this.#deeds;
  }

  /**
   * Returns a function that runs the command. It resolves to JSON of the result, or to bytes.
   * `note` receives progress as JSON. `directory` names another repository than the cell's own.
   * @throws SdkError if this cell has no git
   */
  prepare(
    command: string,
    args: readonly unknown[],
    directory: string | undefined,
  ): (signal: AbortSignal, note: (progress: GuestValue) => void) => Promise<readonly GuestValue[]> {
    const run = this.#run;
    const { deadline, onDownload, onReachOut } = this.#ports;
    if (!run) throw new SdkError('permission-denied', "git can't be used here.");
    return async (signal, note) => {
      const effect = gitCommands.get(command)?.effect;
      // Security: called before the guest has any of the data, whether or not the command succeeds.
      if (effect === 'network') {
        onReachOut();
        onDownload();
      }
      const onProgress = this.#watch((progress) => {
        this.#ports.onProgress({ ...progress, command });
        note(JSON.stringify(progress));
      });
      const pauseClock = () => deadline.pause();
      const where = directory === undefined ? {} : { directory };
      const result = await run(command, args, { signal, onProgress, pauseClock, ...where });
      if (effect === 'network') onDownload();
      if (effect !== 'read' && this.#deeds.length < maxDeeds) {
        this.#deeds.push(toGitDeed(command, args, result, directory));
      }
      if (result instanceof Uint8Array) return [undefined, result];
      return [JSON.stringify(result) as string | undefined];
    };
  }

  /** Reports the beginning of each phase at once, and other progress at intervals. */
  #watch(tell: (progress: GitProgress) => void): (progress: unknown) => void {
    let last: { readonly phase: string; readonly at: number } | undefined;
    return (progress) => {
      // The cast is safe: git commands report nothing else.
      const { phase, done, total } = progress as GitProgress;
      const at = this.#ports.now();
      if (last?.phase === phase && at - last.at < progressMs) return;
      last = { phase, at };
      tell({ phase, done, ...(total !== undefined && { total }) });
    };
  }
}
