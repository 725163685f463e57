// Text from outside must not run as code. A session is tainted for good once a fetch of a cell, or
// a remote tool that the cell called, has answered. From then on its VM compiles no text
// (Vm.forbidEval). Its loader accepts only contents that were in the workspace before.
import type { ContentId } from '../../core/change-set.ts';
import { SdkError } from '../../core/errors.ts';
import type { WorkContents } from '../../core/tool/handler.ts';

/** The download taint of one session's sandbox. */
export class DownloadTaint {
  #newest: ContentId | undefined;

  /** The newest content that may be loaded as code. Undefined if any may. */
  get newest(): ContentId | undefined {
    return this.#newest;
  }

  /** Taints the session. Of several calls, the one with the oldest content id decides. */
  note(newest: ContentId): void {
    this.#newest = Math.min(newest, this.#newest ?? newest);
  }

  /**
   * @throws SdkError `permission-denied`, named PermissionDenied, if the module must not be loaded
   */
  checkModule(path: string, contents: WorkContents): void {
    if (this.#newest === undefined) return;
    const id = contents.idOf(path);
    if (id !== undefined && id <= this.#newest) return;
    const error = new SdkError(
      'permission-denied',
      `${path} can't be loaded as a module: it was written after text from outside had come into this ` +
        'session (by fetch or a remote tool), and nothing of that may run as code. What the workspace ' +
        'held before can be loaded. JSON can be read.',
      { data: { path } },
    );
    error.name = 'PermissionDenied';
    throw error;
  }
}

/** The message with which `eval`, `new Function` and the like are refused. */
export const evalRefusal =
  'Text can no longer be run as code in this session (eval, Function and their kin): text from outside ' +
  'has come into it, by fetch or a remote tool. Write the code out in the cell.';
