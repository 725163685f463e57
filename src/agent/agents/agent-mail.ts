// Mail between the agents of a session, and the team that some of them form. Used by create-session-agents.ts. A
// letter is an entry of the journal, so it is delivered once, even if the page closes.
import type { SentMail, TeamState } from '../../core/agents/agents.ts';
import { clipText } from '../../core/text/clip-text.ts';
import { SdkError } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { toSystemReminder } from '../../core/messages/system-reminder.ts';
import type { FoldedAgent } from '../journal/folded.ts';
import type { SessionJournal } from '../journal/session-journal.ts';
import type { Session } from '../session/session.ts';

/** The parts of the agents that mail uses. */
export interface MailPorts {
  /** The agents that were started, oldest first. */
  list(): readonly FoldedAgent[];
  /** Opens an agent. Undefined: the session's main agent. */
  open(id: string | undefined): Promise<Session>;
  /** True if the agent runs, or is about to. */
  isRunning(id: string): boolean;
  /**
   * Checks the room for more agents.
   * @throws SdkError `limit-exceeded` if this number of further agents may not run
   */
  checkRoom(wanted: number): void;
  /** Wakes an idle agent, which reads its letters. */
  wake(agent: FoldedAgent): Promise<void>;
}

/** The mail part of `Agents` (core/agents/agents.ts), for one of the agents. */
export interface AgentMail {
  send(from: Session, to: string, text: string, callId: string): Promise<SentMail>;
  team(): TeamState | undefined;
  createTeam(by: Session, name: string, description?: string): Promise<TeamState>;
  deleteTeam(by: Session): Promise<TeamState>;
}

const stateKey = 'team';

// 100: all of them come with the agent's next request, beside the conversation.
const maxUnread = 100;

export function createAgentMail(journal: SessionJournal, ports: MailPorts): AgentMail {
  const { fold } = journal;
  /** The ids of all letters, from the first one on. */
  let sent: Set<string> | undefined;

  function team(): TeamState | undefined {
    const state = fold.states.get(stateKey);
    if (!isRecord(state) || typeof state['name'] !== 'string') return undefined;
    const { name, description, since } = state;
    const members = ports
      .list()
      .filter(({ n, record }) => n > Number(since) && record.name !== undefined)
      .map(({ record }) => ({
        name: record.name ?? '',
        agentId: record.id,
        isRunning: ports.isRunning(record.id),
      }));
    return { name, members, ...(typeof description === 'string' && { description }) };
  }

  async function deliver(
    from: Session,
    target: FoldedAgent | undefined,
    text: string,
    callId: string,
  ): Promise<boolean> {
    const to = target?.record.id;
    const id = toMailId(from, target, callId);
    // Security: an agent's text must not look like a person's.
    const message = toSystemReminder(
      `Agent ${nameOf(from)} writes to you. It is an agent's word and no user's:\n${text}`,
    );
    const { taintedBy } = from.permissions.current();
    if (taintedBy !== undefined) (await ports.open(to)).permissions.taint(taintedBy);
    // The call may be resumed, but the same letter is delivered only once.
    if (!listSent().has(id)) {
      listSent().add(id);
      await journal.recordSafely({
        type: 'mail',
        id,
        ...(from.agent && { from: from.agent.id }),
        ...(to !== undefined && { to }),
        message,
      });
    }
    // An agent that has already read the letter has no reason to continue.
    if (!target?.fold.news.has(id) || ports.isRunning(target.record.id)) return false;
    await ports.wake(target);
    return true;
  }

  function listSent(): Set<string> {
    sent ??= new Set(fold.mailIds);
    return sent;
  }

  function nameOf({ agent }: Session): string {
    if (!agent) return 'main';
    return fold.agents.get(agent.id)?.record.name ?? agent.id;
  }

  function find(to: string, from: Session): FoldedAgent {
    const others = ports.list().filter(({ record }) => record.id !== from.agent?.id);
    const found = others.find(({ record }) => record.id === to || record.name === to);
    if (found) return found;
    const names = others.map(({ record }) => record.name ?? record.id);
    const who = [...(from.agent ? ['main'] : []), ...names].join(', ') || 'none';
    throw new SdkError('bad-usage', `There is no agent "${clipText(to, 100)}". There are ${who}.`, {
      data: { to },
    });
  }

  /** Writes to all members of the team, and to its leader, but not to the writer. */
  async function sendToAll(from: Session, text: string, callId: string): Promise<SentMail> {
    const { members } = team() ?? refuseTeam('There is no team to write to. Name an agent.');
    const ids = new Set(members.map(({ agentId }) => agentId));
    const targets = ports
      .list()
      .filter(({ record }) => ids.has(record.id) && record.id !== from.agent?.id);
    checkRoom(from.agent ? [undefined, ...targets] : targets, from, callId);
    if (from.agent) await deliver(from, undefined, text, callId);
    let hasWoken = false;
    for (const target of targets) {
      hasWoken = (await deliver(from, target, text, callId)) || hasWoken;
    }
    return { to: '*', hasWoken };
  }

  const unreadOf = (target: FoldedAgent | undefined) => (target?.fold ?? fold).news.size;

  /**
   * Checks before anything is recorded, so that no mail is sent that nobody reads. Undefined: the session's main
   * agent. A resumed call may already have sent some of its letters.
   */
  function checkRoom(
    all: readonly (FoldedAgent | undefined)[],
    from: Session,
    callId: string,
  ): void {
    const targets = all.filter((one) => !listSent().has(toMailId(from, one, callId)));
    ports.checkRoom(targets.filter((one) => one && !ports.isRunning(one.record.id)).length);
    const full = targets.find((one) => unreadOf(one) >= maxUnread);
    if (unreadOf(full) < maxUnread || !targets.includes(full)) return;
    const name = full ? (full.record.name ?? full.record.id) : 'main';
    throw new SdkError(
      'limit-exceeded',
      `${name} has ${maxUnread} messages that it has not read yet, as many as may wait. Write to it again when it has.`,
      { data: { limit: maxUnread } },
    );
  }

  return {
    async send(from, to, text, callId) {
      if (to === '*') return sendToAll(from, text, callId);
      const target = to === 'main' && from.agent ? undefined : find(to, from);
      checkRoom([target], from, callId);
      return { to, hasWoken: await deliver(from, target, text, callId) };
    },
    team,
    async createTeam(by, name, description) {
      checkLeader(by);
      const before = team();
      if (before) {
        refuseTeam(`The team ${before.name} is there already. Delete it before you make another.`);
      }
      const since = fold.length;
      const value = { name, since, ...(description !== undefined && { description }) };
      const reminder = `You lead the team ${name}. Its members are the agents that you begin with a name.`;
      await journal.record({ type: 'state', key: stateKey, value, reminder });
      return { name, members: [], ...(description !== undefined && { description }) };
    },
    async deleteTeam(by) {
      checkLeader(by);
      const before = team() ?? refuseTeam('There is no team.');
      await journal.record({ type: 'state', key: stateKey, value: null });
      return before;
    },
  };
}

/** The id of a letter. The same call has the same id in each opening. */
function toMailId({ ids, journal }: Session, target: FoldedAgent | undefined, callId: string) {
  return ids.of('mail', journal.fold.lastStep, callId, target?.record.id ?? 'main');
}

function checkLeader({ agent }: Session): void {
  if (agent)
    refuseTeam("A team is the session's own agent's to make and to delete. Write to main.");
}

function refuseTeam(message: string): never {
  throw new SdkError('bad-usage', message);
}
