// A call that another call's sandboxed code makes, as it crosses from the outer call's realm to the agent, which decides
// about it. The draft doesn't cross: the nested call runs in the same realm, on a fork of the outer call's draft.
import { SdkError, toSerializedError } from '../errors.ts';
import type { SerializedError } from '../errors.ts';

/** How many one call's code may make: more than a cell does on purpose, soon reached by a loop gone wild. */
export const maxNestedCalls = 100;

/** What sandboxed code asks for. Nothing of it was checked yet. Structured-cloneable. */
export interface NestedCall {
  readonly toolName: string;
  readonly input: unknown;
}

/**
 * What became of it. `callId` is the nested call's own. `isFromOutside`: it, or what it called, could reach
 * the network, so this may hold text from there. Structured-cloneable.
 */
export type NestedReply =
  /** What it changed is the outer call's from now on. */
  | {
      readonly type: 'done';
      readonly callId: string;
      readonly output: unknown;
      readonly isFromOutside?: true;
    }
  /** The call left nothing. `permission-denied`: a rule, the mode or a person refused it. */
  | {
      readonly type: 'failed';
      readonly callId: string;
      readonly error: SerializedError;
      readonly isFromOutside?: true;
    };

/** Decides about a nested call and runs it. Never rejects. */
export type NestedCallListener = (call: NestedCall) => Promise<NestedReply>;

/** Refuses every nested call: of work that was granted no tool. */
export const refuseNestedCalls: NestedCallListener = ({ toolName }) => {
  const message = `No tool can be called from here, so ${toolName} can't.`;
  const error = toSerializedError(new SdkError('permission-denied', message));
  return Promise.resolve({ type: 'failed', callId: '', error });
};
