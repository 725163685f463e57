// The tools that one cell may call. Calls are counted, pause the cell's clock, and get the list of files that the cell
// has read.
import type { WorkContext } from '../../core/tool/handler.ts';
import { SdkError, messageOf } from '../../core/errors.ts';
import type { SyncFileSystem } from '../../workspace/files/file-system.ts';
import type { Deadline } from '../vm/deadline.ts';
import type { CellMeter } from '../vm/limits.ts';

/** A cell's capability. */
export interface ToolAccess {
  readonly names: readonly string[];
  /** See {@link WorkContext.callTool}. */
  readonly call: WorkContext<unknown>['callTool'];
}

/** The access of a cell that may call no tool. */
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
  /** A tool is called. */
  onReachOut(): void;
  /** A remote tool has answered. */
  onDownload(): void;
}

export class CellTools {
  readonly #access: ToolAccess;
  readonly #ports: CellToolsPorts;
  /** Paths as the guest gave them. Where they lead is looked up when a tool has to know. */
  readonly #readPaths = new Set<string>();

  constructor(access: ToolAccess, ports: CellToolsPorts) {
    this.#access = access;
    this.#ports = ports;
  }

  get names(): readonly string[] {
    return this.#access.names;
  }

  /** The guest's fs has read from this file. */
  noteRead(path: string): void {
    this.#readPaths.add(path);
  }

  /**
   * Counts a call and gives a function that runs it. That gives JSON of the tool's output,
   * undefined if it has none. It rejects with the error for the guest: PermissionDenied, or a
   * ToolError with the tool's code.
   * @throws SdkError `limit-exceeded` if the cell has had its share.
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
   * Read files that weren't told yet, by their real paths. A file that is gone meanwhile is left
   * out.
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
