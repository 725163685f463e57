// The permission context of one session: rules and mode as they stand, replaced as a whole by each
// update. Everything that decides takes the current one at that moment.
import type {
  PermissionMode,
  PermissionUpdate,
  ToolPermissionContext,
} from '../../core/permission.ts';
import { applyUpdate } from './apply-update.ts';

/** The one place where a session's permissions change. */
export interface PermissionState {
  current(): ToolPermissionContext;
  /**
   * Applies to this session at once. Keeping rules for later sessions is the host's part.
   *
   * @throws SdkError `invalid-input` for a rule that can't hold, and
   * `bad-usage` for what is no mode; nothing is then changed.
   */
  update(updates: readonly PermissionUpdate[]): void;
  setMode(mode: PermissionMode): void;
  /** Has nothing been changed since it began? */
  isInitial(): boolean;
  /** Text from outside may be in the conversation, by this tool. Never taken back. */
  taint(toolName: string): void;
}

/** Begins with what the query's options say. Directories of updates are taken from `cwd`. */
export function createPermissionState(
  initial: ToolPermissionContext,
  cwd: string,
): PermissionState {
  let context = initial;
  return {
    current: () => context,
    update: (updates) => {
      // All or none: an update that is refused must not leave the ones before it behind.
      context = updates.reduce((before, update) => applyUpdate(before, update, cwd), context);
    },
    setMode: (mode) => {
      context = { ...context, mode };
    },
    isInitial: () => context === initial,
    taint: (taintedBy) => {
      if (context.taintedBy === undefined) context = { ...context, taintedBy };
    },
  };
}
