// The running calls in one realm. A nested call finds the draft of its outer call here. Its changes
// are kept here until the agent accepts or rejects them. Used by run-handler.ts.
import type { Version } from '../core/change-set.ts';
import { SdkError } from '../core/errors.ts';
import type { PathAccess } from '../core/access/path-access.ts';
import type { WorkRequest } from '../core/tool/ports.ts';
import type { ForkedView, WorkspaceView } from '../workspace/draft/view.ts';

/** The open calls of one realm. */
export class OpenCalls {
  readonly #calls = new Map<string, OpenCall>();

  /** Inverse: {@link OpenCalls.close}. */
  open(request: WorkRequest, view: WorkspaceView): OpenCall {
    const call = new OpenCall(view);
    this.#calls.set(callKey(request.sessionId, request.callId), call);
    return call;
  }

  /** Changes of its nested calls that weren't kept are dropped. */
  close(request: WorkRequest): void {
    this.#calls.delete(callKey(request.sessionId, request.callId));
  }

  /**
   * Returns the call that has started this one; undefined if the model has started it.
   *
   * @throws SdkError `worker-lost` if the outer call doesn't run here, or has ended
   */
  findOuter({ sessionId, outerCallId, toolName }: WorkRequest): OpenCall | undefined {
    if (outerCallId === undefined) return undefined;
    const outer = this.#calls.get(callKey(sessionId, outerCallId));
    if (outer) return outer;
    throw new SdkError(
      'worker-lost',
      `The call that called ${toolName} is over: its draft is gone.`,
    );
  }
}

/** A tool use's id is unique only in its conversation. */
export function callKey(sessionId: string, callId: string): string {
  return `${sessionId}/${callId}`;
}

/** A call, with the changes of its nested calls. */
export class OpenCall {
  readonly #view: WorkspaceView;
  /** The real paths of files whose content the call has read. */
  readonly #seen = new Set<string>();
  readonly #finished = new Map<string, { view: ForkedView; readPaths: Iterable<string> }>();

  constructor(view: WorkspaceView) {
    this.#view = view;
  }

  /** Returns a view for a nested call. */
  fork(access: PathAccess): ForkedView {
    return this.#view.fork(access);
  }

  /** Records that the call has read the files at these real paths. */
  see(paths: Iterable<string>): void {
    for (const path of paths) this.#seen.add(path);
  }

  /**
   * The version at a real path that the call has read or written; undefined if it has done neither.
   */
  knownVersion(path: string): Version | undefined {
    const isKnown = this.#seen.has(path) || this.#view.hasChanged(path);
    return isKnown ? this.#view.versionOf(path) : undefined;
  }

  /** Call it when a nested call is done. Its changes wait to be kept or dropped. */
  finish(callId: string, view: ForkedView, readPaths: Iterable<string>): void {
    this.#finished.set(callId, { view, readPaths });
  }

  /**
   * Merges the nested call's changes into this call. Does nothing if the nested call didn't run
   * here.
   *
   * @throws SdkError `ECONFLICT` if this call has changed the same path meanwhile
   */
  keep(callId: string): void {
    const finished = this.#finished.get(callId);
    this.#finished.delete(callId);
    finished?.view.join();
    this.see(finished?.readPaths ?? []);
  }

  /** Drops the nested call's changes. */
  drop(callId: string): void {
    this.#finished.delete(callId);
  }
}
