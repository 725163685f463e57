// Reads from the journal which agents of a session run, and which have a reason to continue. Used by
// create-session-agents.ts.
import type { SessionFold } from '../journal/fold.ts';
import type { FoldedAgent } from '../journal/folded.ts';
import type { FoldedTask } from '../journal/folded.ts';

/** Reads an agent's state at the time of each call. */
export interface AgentReader {
  findTask(folded: FoldedAgent): FoldedTask | undefined;
  /** True if the agent's end isn't recorded yet. */
  isOpen(folded: FoldedAgent): boolean;
  /** True if the agent runs in the session from which this one was forked. It continues there, not here. */
  isOfParent(folded: FoldedAgent): boolean;
  /**
   * True if an idle agent has a reason to continue. An agent that was stopped or has failed continues only for news
   * that came later.
   */
  hasWork(folded: FoldedAgent): boolean;
  /** True if nobody waits for the agent any more, because its call has ended and left it as a task. */
  isLeftByTask(folded: FoldedAgent): boolean;
  /** The agent, the one that began it, and so on. */
  listLine(folded: FoldedAgent): FoldedAgent[];
}

/** `fold`: that of the session's main agent. */
export function createAgentReader(fold: SessionFold): AgentReader {
  const findTask = ({ record, parent }: FoldedAgent) => fold.foldOf(parent)?.tasks.get(record.id);
  const isOpen = (folded: FoldedAgent) => findTask(folded)?.status === 'running';
  /** The last entry from the original session, in which the earlier agents continue. */
  const forkedAt = () => fold.session?.forkedFrom?.n ?? 0;

  function listLine(folded: FoldedAgent): FoldedAgent[] {
    const above = folded.parent === undefined ? undefined : fold.agents.get(folded.parent);
    return [folded, ...(above ? listLine(above) : [])];
  }

  return {
    findTask,
    isOpen,
    listLine,
    isOfParent: (folded) => isOpen(folded) && (findTask(folded)?.n ?? 0) <= forkedAt(),
    hasWork(folded) {
      const urgent = [...folded.fold.news.values()].filter(
        ({ n, isUrgent }) => isUrgent && n > forkedAt(),
      );
      if (urgent.length === 0) return false;
      const task = findTask(folded);
      if (task?.status === 'completed') return true;
      return urgent.some(({ n }) => n > (task?.n ?? 0));
    },
    isLeftByTask(folded) {
      const { parent, record } = folded;
      const call = fold.foldOf(parent)?.calls.get(record.callId);
      const isCallOver = call === undefined || call.settled !== undefined;
      return record.part !== undefined && isOpen(folded) && isCallOver;
    },
  };
}
