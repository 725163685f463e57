// Calls that wait for their agents, and leave them to the background on a person's request. Used by
// create-session-agents.ts.
import type { AgentReport } from '../../core/agents/agents.ts';
import { createDeferred } from '../../core/async/deferred.ts';
import type { FoldedAgent } from '../journal/folded.ts';
import type { FoldedTask } from '../journal/folded.ts';
import type { SessionJournal } from '../journal/session-journal.ts';

export interface Foreground {
  /**
   * The agent's report. Undefined: the agent continues in the background, and its caller's conversation is notified
   * of its end.
   */
  report(folded: FoldedAgent, ended: Promise<AgentReport>): Promise<AgentReport | undefined>;
  /** See `Query.backgroundTasks`. Rejects if the journal is broken. */
  leave(callId?: string): Promise<boolean>;
}

interface Waiting {
  readonly folded: FoldedAgent;
  /** Lets the call continue without the agent. */
  tell(): void;
  /** True: the conversation is notified of its end, and the call doesn't report it. */
  isLeft: boolean;
}

export function createForeground(
  journal: SessionJournal,
  findTask: (folded: FoldedAgent) => FoldedTask | undefined,
): Foreground {
  const waiting = new Set<Waiting>();

  async function leaveOne(one: Waiting): Promise<boolean> {
    const { folded } = one;
    const task = findTask(folded);
    if (one.isLeft || task?.status !== 'running') return false;
    one.isLeft = true;
    const by = folded.parent !== undefined && { agent: folded.parent };
    await journal.recordSafely({ ...task, isBackground: true, ...by });
    one.tell();
    return true;
  }

  return {
    async report(folded, ended) {
      const { promise: left, resolve: tell } = createDeferred();
      const one: Waiting = { folded, tell, isLeft: false };
      waiting.add(one);
      try {
        const report = await Promise.race([ended, left]);
        return one.isLeft || !report ? undefined : report;
      } finally {
        waiting.delete(one);
      }
    },
    async leave(callId) {
      const chosen = [...waiting].filter(({ folded: { parent, record } }) =>
        callId === undefined ? parent === undefined : record.callId === callId,
      );
      const left = await Promise.all(chosen.map(leaveOne));
      // As in the Claude Agent SDK, false is possible only for a single call.
      return callId === undefined || left.includes(true);
    },
  };
}
