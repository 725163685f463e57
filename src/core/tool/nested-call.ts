// A nested call: sandboxed code of an outer call makes it. These messages cross from the outer call's realm to the
// agent, which decides about the call. The draft doesn't cross: the nested call runs in the same realm, on a fork of
// the outer call's draft.
import { SdkError, toSerializedError } from '../errors.ts';
import type { SerializedError } from '../errors.ts';

/**
 * How many nested calls the code of one call may make. That is more than a cell needs, and soon stops an endless
 * loop.
 */
export const maxNestedCalls = 100;

/** What sandboxed code asks for. Nothing in it has been checked yet. Structured-cloneable. */
export interface NestedCall {
  readonly toolName: string;
  readonly input: unknown;
}

/**
 * The end of a nested call. `callId` is the id of the nested call. `isFromOutside`: the call, or a call that it made,
 * could reach the network, so the output may hold text from outside. Structured-cloneable.
 */
export type NestedReply =
  /** The nested call's changes are in the outer call's draft from now on. */
  | {
      readonly type: 'done';
      readonly callId: string;
      readonly output: unknown;
      readonly isFromOutside?: true;
    }
  /** The nested call has changed nothing. `permission-denied`: a rule, the mode or a person refused it. */
  | {
      readonly type: 'failed';
      readonly callId: string;
      readonly error: SerializedError;
      readonly isFromOutside?: true;
    };

/** Decides about a nested call and runs it. Never rejects. */
export type NestedCallListener = (call: NestedCall) => Promise<NestedReply>;

/** Refuses every nested call. For calls that may call no tool. */
export const refuseNestedCalls: NestedCallListener = ({ toolName }) => {
  const message = `No tool can be called from here, so ${toolName} can't.`;
  const error = toSerializedError(new SdkError('permission-denied', message));
  return Promise.resolve({ type: 'failed', callId: '', error });
};
