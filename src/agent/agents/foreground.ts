// Calls that wait for their agents, and leave them to the background when a person asks for that. Used by
// create-session-agents.ts.
import type { AgentReport } from '../../core/agents/agents.ts';
import type { FoldedAgent } from '../journal/fold.ts';
import type { FoldedTask } from '../journal/folded.ts';
import type { SessionJournal } from '../journal/session-journal.ts';

export interface Foreground {
  /** The agent's report; undefined: it goes on in the background, and its end is told to its caller's conversation. */
  report(folded: FoldedAgent, ended: Promise<AgentReport>): Promise<AgentReport | undefined>;
  /** As `Query.backgroundTasks`. Rejects where the journal is broken. */
  leave(callId?: string): Promise<boolean>;
}

interface Waiting {
  readonly folded: FoldedAgent;
  /** Its call goes on without it. */
  tell(): void;
  /** From now on its end is told to the conversation, and not by the call. */
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
      let tell = () => {};
      const left = new Promise<void>((resolve) => (tell = resolve));
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
      // As in the Claude Agent SDK: false is said of a call alone.
      return callId === undefined || left.includes(true);
    },
  };
}
