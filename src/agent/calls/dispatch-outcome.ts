// The outcome of a dispatched call: created by dispatch.ts, used by the later stages.
import type { Change, ChangeSet, Version } from '../../core/change-set.ts';
import type { SerializedError } from '../../core/errors.ts';
import type { MessageParam } from '../../core/messages/messages.ts';
import type { StateChange } from '../../core/session/state-change.ts';
import type { McpMeta } from '../../core/tool/tool.ts';

/** The outcome of a call. Abort and deadline have their own types and are never errors. */
export type DispatchOutcome =
  | {
      readonly type: 'done';
      readonly output: unknown;
      /** Null if the draft is empty. Nothing is committed yet. */
      readonly changeSet: ChangeSet | null;
      readonly reads: readonly (readonly [path: string, version: Version])[];
      /** A tool's own `call` has read files of sessions. */
      readonly hasReadSessionFiles?: true;
      /** For a nested call: see `WorkReply`. */
      readonly replaced?: readonly Change[];
      /** The state that its tool has saved, to be journalled with the commit; see `WorkReply`. */
      readonly state?: StateChange;
      readonly newMessages?: readonly MessageParam[];
      readonly mcpMeta?: McpMeta;
      /** Call it if the output or the change set isn't kept; see `RunningWork.discard`. */
      readonly discard?: () => void;
      /** Call it if both are kept; see `RunningWork.keep`. */
      readonly keep?: () => void;
    }
  | { readonly type: 'failed'; readonly error: SerializedError }
  | { readonly type: 'aborted' }
  | { readonly type: 'timed-out'; readonly timeoutMs: number }
  /** The handler of a tool that keeps its own time never called `startClock`. */
  | { readonly type: 'not-begun'; readonly waitedMs: number }
  /** The worker ended unexpectedly; the call's work is lost. */
  | { readonly type: 'lost'; readonly message: string };
