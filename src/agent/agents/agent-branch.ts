// The branch of an isolated sub-agent, and its state. It is read from the agent's own journal entries, so a resumed
// session knows the same. isolation.ts writes these entries.
import type { AgentReport } from '../../core/agents/agents.ts';
import type { JournalEntry, StateRecord } from '../../core/session/journal.ts';
import type { FoldedAgent } from '../journal/folded.ts';
import { openRoot } from '../session/files/session-root.ts';
import type { SessionRoot } from '../session/files/session-root.ts';
import type { Workspace } from '../../workspace/workspace.ts';

/** The part of an isolated agent's report that is about its branch. */
export type BranchReport = Pick<AgentReport, 'worktreePath' | 'worktreeBranch' | 'mergeNote'>;

/** The last recorded state of one agent's branch. */
export interface AgentBranch {
  /** The id of the root that it works in. */
  readonly root: string;
  /** Another branch, which begins with the present state of the target root. It is about to replace this branch. */
  readonly next?: string;
  /** The agent has had its turn for the files in conflict. */
  readonly hasRetried?: true;
  /**
   * The report's text about commits that can't be merged because others have moved the branch: see
   * branch-repositories.ts.
   */
  readonly lost?: string;
  /** The branch's end: it was merged, dropped or left. */
  readonly report?: BranchReport;
}

const key = 'branch';

/** The agent's branch. Undefined: the agent works where its caller does. */
export function readBranch({ record, fold }: FoldedAgent): AgentBranch | undefined {
  const known = fold.states.get(key) as AgentBranch | undefined;
  return known ?? (record.root === undefined ? undefined : { root: record.root });
}

/** Reads the branch from an agent's own entry. Undefined if the entry isn't about a branch. */
export function readBranchRecord(entry: JournalEntry): AgentBranch | undefined {
  return entry.type === 'state' && entry.key === key ? (entry.value as AgentBranch) : undefined;
}

/** Inverse: {@link readBranchRecord}. */
export function toBranchRecord(
  agentId: string,
  branch: AgentBranch,
): StateRecord & { readonly agent: string } {
  return { type: 'state', key, value: branch, agent: agentId };
}

/** The report of the branch. Empty if the agent wasn't isolated. */
export function toBranchReport(agent: FoldedAgent): BranchReport {
  const branch = readBranch(agent);
  if (!branch) return {};
  const { root, report } = branch;
  // The agent has failed, so its branch stays unmerged.
  const mergeNote = `Nothing was merged. What it has changed stays on the branch ${root}.`;
  return (
    report ?? { worktreeBranch: root, worktreePath: agent.fold.session?.cwd ?? '/', mergeNote }
  );
}

/** The agent's present branch, also after it changes. */
export function openBranch(workspace: Workspace, agent: FoldedAgent): SessionRoot {
  const current = () => openRoot(workspace, readBranch(agent)?.root ?? '');
  return {
    get id() {
      return current().id;
    },
    get fs() {
      return current().fs;
    },
    lookUp: (paths) => current().lookUp(paths),
    watch: (listener) => current().watch(listener),
    commit: (changeSet, options) => current().commit(changeSet, options),
  };
}
