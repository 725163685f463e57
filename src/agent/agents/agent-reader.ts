// What the journal says of a session's agents: which of them run, and which have something to go on for. Used by
// create-session-agents.ts.
import type { FoldedAgent, SessionFold } from '../journal/fold.ts';
import type { FoldedTask } from '../journal/folded.ts';

/** Reads an agent's state at the time of each call. */
export interface AgentReader {
  findTask(folded: FoldedAgent): FoldedTask | undefined;
  /** Is the agent's end still to be recorded? */
  isOpen(folded: FoldedAgent): boolean;
  /** Does its run belong to the session that this one is a fork of, where it goes on? */
  isOfParent(folded: FoldedAgent): boolean;
  /**
   * Has one at rest something to go on for? One that was stopped or has failed goes on for what came afterwards:
   * who has stopped it had seen the rest.
   */
  hasWork(folded: FoldedAgent): boolean;
  /** Does nobody wait for it any more, as its call had its result and went on as a task? */
  isLeftByTask(folded: FoldedAgent): boolean;
  /** The agent, the one that began it, and so on. */
  listLine(folded: FoldedAgent): FoldedAgent[];
}

/** `fold`: the session's own. */
export function createAgentReader(fold: SessionFold): AgentReader {
  const findTask = ({ record, parent }: FoldedAgent) => fold.foldOf(parent)?.tasks.get(record.id);
  const isOpen = (folded: FoldedAgent) => findTask(folded)?.status === 'running';
  /** The last entry that is another session's, which goes on with what was under way. */
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
