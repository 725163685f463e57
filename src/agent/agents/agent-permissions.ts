// The permissions of a sub-agent. At each decision they are never more than those of the agent that has started it.
import type { PermissionsRecord } from '../../core/session/journal.ts';
import type {
  NotesPlace,
  PermissionMode,
  PermissionRule,
  ToolPermissionContext,
} from '../../core/permissions/permission.ts';
import { toTurnRule, toRuleValue } from '../permissions/permission-state.ts';
import type { PermissionState } from '../permissions/permission-state.ts';
import { parseRules } from '../permissions/rules.ts';

/**
 * For each mode, the modes that allow nothing more. Other modes can't be compared, because a classifier answers for
 * the person, or edits need no question.
 */
const narrower: Readonly<Record<PermissionMode, readonly PermissionMode[]>> = {
  bypassPermissions: ['acceptEdits', 'auto', 'default', 'plan', 'dontAsk'],
  acceptEdits: ['default', 'plan', 'dontAsk'],
  auto: ['default', 'plan', 'dontAsk'],
  default: ['plan', 'dontAsk'],
  plan: [],
  dontAsk: [],
};

/** The wanted mode, if it is stricter than the other one. */
function toStricterMode(mode: PermissionMode, wanted: PermissionMode | undefined): PermissionMode {
  return wanted !== undefined && narrower[mode].includes(wanted) ? wanted : mode;
}

/** The part of the caller's permissions that an agent uses. */
export type CallerPermissions = Pick<
  PermissionState,
  'current' | 'update' | 'configure' | 'isInitial'
>;

/** What an agent adds to, or takes from, its caller's permissions. */
interface OwnPermissions {
  /** The mode of its definition. */
  readonly wanted?: PermissionMode | undefined;
  /** Its recorded permissions. */
  readonly past?: readonly PermissionsRecord[];
  /** Rules of the trusted skill that it follows. */
  readonly allowed?: readonly string[] | undefined;
  /** It works on a branch of its own. */
  readonly isDraft?: boolean;
  /** Its own, as it has no business with its parent's. */
  readonly notes?: NotesPlace | undefined;
}

/**
 * The rules are the parent's, also later ones: a person's permission for the session holds for all.
 * The mode is the stricter one. A taint of either is one of the agent.
 * @throws SdkError `invalid-input` for one of these rules that can't hold.
 */
export function createAgentPermissions(
  parent: CallerPermissions,
  { wanted, past = [], allowed = [], isDraft = false, notes }: OwnPermissions,
): PermissionState {
  const own = parseRules(allowed, 'allow', 'turn');
  let turn: readonly PermissionRule[] = (
    past.findLast((one) => one.turn !== undefined)?.turn ?? []
  ).map(toTurnRule);
  let mode = past.findLast((one) => one.mode !== undefined)?.mode ?? wanted;
  let taintedBy = past.find((one) => one.taintedBy !== undefined)?.taintedBy;
  let record: ((changes: PermissionsRecord) => void) | undefined;
  let last: readonly unknown[] = [];
  let made: ToolPermissionContext | undefined;
  const change = (changes: Omit<PermissionsRecord, 'type' | 'updates'>) =>
    record?.({ type: 'permissions', updates: [], ...changes });
  return {
    current() {
      const of = parent.current();
      // The same object while nothing changes, as derived values are kept by it.
      const now = [of, mode, taintedBy, turn];
      if (made && now.every((one, at) => one === last[at])) return made;
      last = now;
      const tainted = taintedBy ?? of.taintedBy;
      const { notes: _, ...inherited } = of;
      made = {
        ...inherited,
        mode: toStricterMode(of.mode, mode),
        rules: [...of.rules, ...own, ...turn],
        ...(notes && { notes }),
        ...(tainted !== undefined && { taintedBy: tainted }),
        ...(isDraft && { isDraft }),
      };
      return made;
    },
    update: (updates) => parent.update(updates),
    configure: (updates) => parent.configure(updates),
    setMode(next) {
      mode = next;
      change({ mode });
    },
    isInitial: () => parent.isInitial() && taintedBy === undefined,
    taint(toolName) {
      if (taintedBy !== undefined) return;
      taintedBy = toolName;
      change({ taintedBy });
    },
    allowForTurn(rules) {
      turn = [...turn, ...parseRules(rules, 'allow', 'turn')];
      change({ turn: turn.map(toRuleValue) });
    },
    endTurn() {
      if (turn.length === 0) return;
      turn = [];
      change({ turn: [] });
    },
    recordBy(listener) {
      record = listener;
    },
  };
}
