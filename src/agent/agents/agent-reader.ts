// Reads the journal about a session's agents: which of them run, and which have a reason to go on.
// Used by create-session-agents.ts.
import type { FoldedAgent, SessionFold } from '../journal/fold.ts';
import type { FoldedTask } from '../journal/folded.ts';

/** Reads an agent's state at the time of each call. */
export interface AgentReader {
  findTask(folded: FoldedAgent): FoldedTask | undefined;
  /** True if the agent's end is still to be recorded. */
  isOpen(folded: FoldedAgent): boolean;
  /**
   * True if the agent's run belongs to the session that this one is a fork of, where it goes on.
   */
  isOfParent(folded: FoldedAgent): boolean;
  /**
   * True if an agent at rest has a reason to go on. An agent that was stopped or has failed goes on
   * only for later news: whoever stopped it had seen the rest.
   */
  hasWork(folded: FoldedAgent): boolean;
  /**
   * True if nobody waits for the agent any more, as its call had its result and went on as a task.
   */
  isLeftByTask(folded: FoldedAgent): boolean;
  /** The agent, the one that began it, and so on. */
  listLine(folded: FoldedAgent): FoldedAgent[];
}

/** `fold`: that of the session's own agent. */
export function createAgentReader(fold: SessionFold): AgentReader {
  const findTask = ({ record, parent }: FoldedAgent) => fold.foldOf(parent)?.tasks.get(record.id);
  const isOpen = (folded: FoldedAgent) => findTask(folded)?.status === 'running';
  /** The last entry of another session, where the agents of that time go on. */
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
