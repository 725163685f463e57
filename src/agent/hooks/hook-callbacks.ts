// How a caller gives hooks to query(). Types only; compile-hooks.ts checks what was given.
import type { HookEvent } from './hook-events.ts';
import type { HookInput } from './hook-inputs.ts';
import type { HookJSONOutput } from './hook-outputs.ts';

/**
 * One hook. `toolUseID` is that of the call that the event is about. `signal` is aborted when nobody
 * waits any more: at the timeout, when the turn is stopped; for an async hook at its own timeout and
 * with the session.
 */
export type HookCallback<E extends HookEvent = HookEvent> = (
  input: HookInput<E>,
  toolUseID: string | undefined,
  options: { readonly signal: AbortSignal },
) => Promise<HookJSONOutput>;

/** Hooks of one event, and when they run. All that run for one event run at once. */
export interface HookCallbackMatcher<E extends HookEvent = HookEvent> {
  /**
   * Letters, digits, `_` and `|`: exact names, by which older names of a tool and `mcp__server` for
   * all tools of a server are meant too; anything else: a regular expression that is searched for.
   * Left out, empty or `*`: always.
   */
  readonly matcher?: string;
  /** Ours in this place: a permission rule that the call must match, such as `Edit(src/**)`. */
  readonly if?: string;
  readonly hooks: readonly HookCallback<E>[];
  /** Seconds that each may take. @defaultValue 60, and 1.5 for SessionEnd */
  readonly timeout?: number;
  /**
   * What a hook counts as that throws, takes too long, or answers what can't be understood. `block`:
   * the call, prompt or question is refused, the result objected to, the turn stopped after a batch; it
   * does nothing at other events. @defaultValue 'continue': as if it had no opinion
   */
  readonly onFailure?: 'continue' | 'block';
}

/** `query({ options: { hooks } })`. */
export type HooksOption = {
  readonly [E in HookEvent]?: readonly HookCallbackMatcher<E>[];
};
