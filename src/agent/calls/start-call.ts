// Runs a tool's `call` on the agent's own thread, under the same rules as a worker's handler:
// `dispatch.ts` interrupts it, and abandons it where it doesn't stop.
import { toSerializedError } from '../../core/errors.ts';
import { loadOnce } from '../../core/load-once.ts';
import type { NestedCallListener } from '../../core/tool/nested-call.ts';
import type { createPathJudge } from '../../core/access/path-access.ts';
import type { FileSystem } from '../../workspace/files/file-system.ts';
import type { AllowedCall } from './authorize.ts';
import type { DispatchOptions, Running } from './dispatch.ts';

/** What `dispatch.ts` knows of the call besides. */
export interface StartCallOptions extends DispatchOptions {
  /** The workspace's own face, which judges nothing. */
  readonly fs: FileSystem;
  /** Handed in rather than imported; see hooks/hook-kit.ts. */
  readonly createPathJudge: typeof createPathJudge;
  /** Left out: the call can call no tools. */
  readonly onNestedCall?: NestedCallListener | undefined;
}

// Most tools' work is done in workers.
const loadPageCall = loadOnce(() => import('./page-call.ts'));

/** Starts it in a task of its own, so a `call` that throws at once is a reply like any other. */
export function startCall(call: AllowedCall, options: StartCallOptions): Running {
  const abortController = new AbortController();
  let abandon: (reason: string) => void = () => undefined;
  const abandoned = new Promise<Awaited<Running['reply']>>((resolve) => {
    abandon = (message) => resolve({ type: 'lost', message });
  });

  const run = async (): Promise<Awaited<Running['reply']>> => {
    try {
      const { runPageCall } = await loadPageCall();
      return await runPageCall(call, abortController, options);
    } catch (error) {
      return { type: 'failed', error: toSerializedError(error) };
    }
  };

  return {
    reply: Promise.race([run(), abandoned]),
    interrupt: (reason) => abortController.abort(reason),
    // Nothing stands before what runs on the agent's own thread.
    isBehind: () => false,
    kill: abandon,
  };
}
