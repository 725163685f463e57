// The conversations that are killed for real, in a tab and in a Durable Object. Here is what plays
// each to its end, and what it must have come to. Portable, but for the judging.
import type { Host } from '../../../src/agent/host.ts';
import type { JournalEntry } from '../../../src/core/session/journal.ts';
import { finishSession } from './finish-session.ts';
import type { Witness } from './finish-session.ts';
import { findAgentFaults, finishAgents } from './killed-agents.ts';
import type { AgentsEnding } from './killed-agents.ts';
import { findFaults } from './killed-conversation.ts';
import type { Ending, Seen } from './killed-conversation.ts';

/** `session`: killed-conversation.ts. `agents`: killed-agents.ts. */
export type ConversationName = 'session' | 'agents';

/** How one of them has ended: plain data. */
export interface KilledEnding {
  readonly entries: readonly JournalEntry[];
}

interface KilledConversation {
  /** Opens it in whatever state it is, and plays it to its end. */
  finish(host: Host, witness: Witness): Promise<KilledEnding>;
  /** The differences to the run without kills; undefined: none. */
  findFaults(ending: KilledEnding, reference: KilledEnding, seen: Seen): object | undefined;
}

export const killedConversations: Readonly<Record<ConversationName, KilledConversation>> = {
  // The casts: each judges what it has made.
  session: {
    finish: finishSession,
    findFaults: (ending, reference, seen) =>
      findFaults(ending as Ending, reference as Ending, seen),
  },
  agents: {
    finish: finishAgents,
    findFaults: (ending, reference, seen) =>
      findAgentFaults(ending as AgentsEnding, reference as AgentsEnding, seen),
  },
};
