// The settings of a session that tools may read, and that may change while the session runs. All other settings are
// the host's options.
import type { PermissionMode } from '../permissions/permission.ts';
import type { ThinkingOption } from '../messages/thinking.ts';

/** The name of the host's model, `options.model`, among the names that may be chosen. */
export const hostsModel = 'default';

/** The settings of the session's main agent, also for a sub-agent's call. Reads give the present values. */
export interface SessionSettings {
  readonly permissionMode: PermissionMode;
  /** {@link hostsModel}, or one of `models`. */
  readonly model: string;
  /** The names of the query's `models`. */
  readonly models: readonly string[];
  /** Undefined: the session has no title. */
  readonly title: string | undefined;
  /** The model's setting for thinking. Undefined: the server's default. */
  readonly thinking: ThinkingOption | undefined;
  /** Applies from the next permission decision on. */
  setPermissionMode(mode: PermissionMode): void;
  /**
   * Applies from the next request on, also after a reload and in a fork. A rewind reverts it, and the host's
   * `setModel` replaces it. Resolves when it is recorded. Rejects with `bad-usage` for an unknown name.
   */
  setModel(name: string): Promise<void>;
  /** Resolves when it is recorded. A rewind doesn't revert it. */
  setTitle(title: string): Promise<void>;
}
