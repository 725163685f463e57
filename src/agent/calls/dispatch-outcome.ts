// What became of a call that was dispatched: dispatch.ts says it, and the stations behind it go on with it.
import type { Change, ChangeSet, Version } from '../../core/change-set.ts';
import type { SerializedError } from '../../core/errors.ts';
import type { MessageParam } from '../../core/messages/messages.ts';
import type { StateChange } from '../../core/session/state-change.ts';
import type { McpMeta } from '../../core/tool/tool.ts';

/** What became of a call. Abort and deadline are outcomes of their own, never errors. */
export type DispatchOutcome =
  | {
      readonly type: 'done';
      readonly output: unknown;
      /** Null when the draft is empty. Nothing of it is kept yet. */
      readonly changeSet: ChangeSet | null;
      readonly reads: readonly (readonly [path: string, version: Version])[];
      /** A tool's own `call` has read files of sessions. */
      readonly hasReadSessionFiles?: true;
      /** For a nested call: see `WorkReply`. */
      readonly replaced?: readonly Change[];
      /** What its tool has saved, to be journalled with what is kept; see `WorkReply`. */
      readonly state?: StateChange;
      readonly newMessages?: readonly MessageParam[];
      readonly mcpMeta?: McpMeta;
      /** To be called when it isn't kept, its output or its change set; see `RunningWork.discard`. */
      readonly discard?: () => void;
      /** To be called when both are kept; see `RunningWork.keep`. */
      readonly keep?: () => void;
    }
  | { readonly type: 'failed'; readonly error: SerializedError }
  | { readonly type: 'aborted' }
  | { readonly type: 'timed-out'; readonly timeoutMs: number }
  /** The handler of a tool that keeps its own time never said that it begins. */
  | { readonly type: 'not-begun'; readonly waitedMs: number }
  /** The worker ended by itself, with all that the call had done. */
  | { readonly type: 'lost'; readonly message: string };
