// What `interrupt` tells of the turn that it has stopped.

/** One call of a turn that was interrupted. */
export interface SDKInterruptedCall {
  readonly tool_use_id: string;
  readonly tool_name: string;
}

/**
 * What a turn had done when it was interrupted. All fields except `still_queued` are ours. Nested calls aren't
 * listed; their changes are listed with the call that made them.
 */
export interface SDKControlInterruptResponse {
  /** The uuids of prompts that wait. Their turns come next. */
  readonly still_queued: readonly string[];
  /** The calls that have ended with a result. `is_error`: the call failed or was refused. */
  readonly finished: readonly (SDKInterruptedCall & { readonly is_error: boolean })[];
  /** The calls that were running. None of their changes in the workspace was kept. */
  readonly cut: readonly SDKInterruptedCall[];
  readonly never_started: readonly SDKInterruptedCall[];
  /** The changes of the turn in the workspace, oldest first. */
  readonly changes: readonly {
    readonly tool_use_id: string;
    readonly path: string;
    readonly type: 'write' | 'mkdir' | 'symlink' | 'remove';
  }[];
}
