// The calls under way in one realm. A nested call finds the draft of its outer call here, and its changes wait here
// until the agent has judged them. Used by run-handler.ts.
import type { Version } from '../core/change-set.ts';
import { SdkError } from '../core/errors.ts';
import type { PathAccess } from '../core/access/path-access.ts';
import type { WorkRequest } from '../core/tool/ports.ts';
import type { ForkedView, WorkspaceView } from '../workspace/draft/view.ts';

/** The open calls of one realm. */
export class OpenCalls {
  readonly #calls = new Map<string, OpenCall>();

  /** The inverse is {@link OpenCalls.close}. */
  open(request: WorkRequest, view: WorkspaceView): OpenCall {
    const call = new OpenCall(view);
    this.#calls.set(callKey(request.sessionId, request.callId), call);
    return call;
  }

  /** What its nested calls did and nobody kept is forgotten. */
  close(request: WorkRequest): void {
    this.#calls.delete(callKey(request.sessionId, request.callId));
  }

  /**
   * The call that made this one; undefined for one that the model made.
   *
   * @throws SdkError `worker-lost` where it doesn't run here, or not any more.
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

/** A tool use's id is unique in its conversation only. */
export function callKey(sessionId: string, callId: string): string {
  return `${sessionId}/${callId}`;
}

/** A call and what its nested calls did. */
export class OpenCall {
  readonly #view: WorkspaceView;
  /** Real paths whose content the call has seen. */
  readonly #seen = new Set<string>();
  readonly #finished = new Map<string, { view: ForkedView; readPaths: Iterable<string> }>();

  constructor(view: WorkspaceView) {
    this.#view = view;
  }

  /** A nested call's view. */
  fork(access: PathAccess): ForkedView {
    return this.#view.fork(access);
  }

  /** The call has seen the content of the files at these real paths. */
  see(paths: Iterable<string>): void {
    for (const path of paths) this.#seen.add(path);
  }

  /** The version at a real path that the call has read or written, if it has. */
  knownVersion(path: string): Version | undefined {
    const isKnown = this.#seen.has(path) || this.#view.hasChanged(path);
    return isKnown ? this.#view.versionOf(path) : undefined;
  }

  /** A nested call's work is done, and waits to be kept or dropped. */
  finish(callId: string, view: ForkedView, readPaths: Iterable<string>): void {
    this.#finished.set(callId, { view, readPaths });
  }

  /**
   * What the nested call did becomes this call's. Nothing for one whose work wasn't done here.
   *
   * @throws SdkError `ECONFLICT` where this call has changed the same path meanwhile.
   */
  keep(callId: string): void {
    const finished = this.#finished.get(callId);
    this.#finished.delete(callId);
    finished?.view.join();
    this.see(finished?.readPaths ?? []);
  }

  /** What the nested call did is forgotten. */
  drop(callId: string): void {
    this.#finished.delete(callId);
  }
}
