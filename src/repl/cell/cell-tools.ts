// The tools that one cell may call. Calls are counted and pause the cell's clock. Each call also
// gets the list of files that the cell has read.
import type { WorkContext } from '../../core/tool/handler.ts';
import { SdkError, messageOf } from '../../core/errors.ts';
import type { SyncFileSystem } from '../../workspace/files/file-system.ts';
import type { Deadline } from '../vm/deadline.ts';
import type { CellMeter } from '../vm/limits.ts';

/** What tools a cell may call. */
export interface ToolAccess {
  readonly names: readonly string[];
  /** See {@link WorkContext.callTool}. */
  readonly call: WorkContext<unknown>['callTool'];
}

/** For a cell that may not call tools. */
export const noTools: ToolAccess = {
  names: [],
  call: (name) =>
    Promise.reject(new SdkError('permission-denied', `${name} can't be called here.`)),
};

/** The parts of the running cell that tool calls use. */
export interface CellToolsPorts {
  readonly fs: SyncFileSystem;
  readonly deadline: Deadline;
  readonly meter: CellMeter;
  /** Called when a tool is called. */
  onReachOut(): void;
  /** Called when a remote tool has answered. */
  onDownload(): void;
}

export class CellTools {
  readonly #access: ToolAccess;
  readonly #ports: CellToolsPorts;
  /** Paths as the guest gave them. They are resolved when a tool needs them. */
  readonly #readPaths = new Set<string>();

  constructor(access: ToolAccess, ports: CellToolsPorts) {
    this.#access = access;
    this.#ports = ports;
  }

  get names(): readonly string[] {
    return this.#access.names;
  }

  /** Records that the guest has read this file. */
  noteRead(path: string): void {
    this.#readPaths.add(path);
  }

  /**
   * Counts a call and returns a function that runs it. It resolves to JSON of the tool's output, or
   * to undefined if there is none. It rejects with the error for the guest: PermissionDenied, or a
   * ToolError with the tool's code.
   * @throws SdkError `limit-exceeded` if the cell has reached its limit of calls.
   */
  prepare(name: string, input: unknown): (signal: AbortSignal) => Promise<string | undefined> {
    const { meter, deadline, onDownload, onReachOut } = this.#ports;
    meter.take('maxNestedCalls');
    return async (signal) => {
      onReachOut();
      const resume = deadline.pause();
      try {
        const readPaths = this.#takeReadPaths();
        const output = await this.#access.call(name, input, { readPaths, signal, onDownload });
        return JSON.stringify(output) as string | undefined;
      } catch (error) {
        throw toGuestError(error);
      } finally {
        resume();
      }
    };
  }

  /**
   * Returns the real paths of read files that weren't reported yet. A file that no longer exists is
   * left out.
   */
  #takeReadPaths(): string[] {
    const { fs } = this.#ports;
    const given = [...this.#readPaths];
    this.#readPaths.clear();
    return given.filter((path) => fs.existsSync(path)).map((path) => fs.realpathSync(path));
  }
}

function toGuestError(error: unknown): SdkError {
  const code = SdkError.isInstance(error) ? error.code : 'internal';
  const failure = new SdkError(code, messageOf(error));
  failure.name = code === 'permission-denied' ? 'PermissionDenied' : 'ToolError';
  return failure;
}
