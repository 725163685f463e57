// The settings of a session that tools may see, and that may change while it runs. All else is the host's options.
import type { PermissionMode } from '../permissions/permission.ts';
import type { ThinkingOption } from '../messages/thinking.ts';

/** The name of the model that the host gives, among those that may be chosen. */
export const hostsModel = 'default';

/** The settings of the session's own agent, also for a sub-agent. Reads give the present values. */
export interface SessionSettings {
  readonly permissionMode: PermissionMode;
  /** {@link hostsModel}, or one of `models`. */
  readonly model: string;
  /** The names of the query's `models`. */
  readonly models: readonly string[];
  /** Undefined: the session has none. */
  readonly title: string | undefined;
  /** How much the model is told to think. Undefined: as its server has it. */
  readonly thinking: ThinkingOption | undefined;
  /** Holds from the next permission decision on. */
  setPermissionMode(mode: PermissionMode): void;
  /**
   * Holds from the next request on, also after a reload and in a fork. A rewind takes it back, and the host's
   * `setModel` ends it. Resolves when it is recorded. Rejects with `bad-usage` for a name that isn't there.
   */
  setModel(name: string): Promise<void>;
  /** Resolves when it is recorded. A rewind leaves it. */
  setTitle(title: string): Promise<void>;
}
