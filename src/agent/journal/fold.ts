// All that a session knows, as a fold over its journal: the same entries give the same state, live or after a resume.
// session-journal.ts feeds it entry by entry.
import type { Version } from '../../core/change-set.ts';
import { getOrMake } from '../../core/values/get-or-make.ts';
import type {
  AgentRecord,
  JournalEntry,
  MailRecord,
  MoveInRecord,
  MoveKeptRecord,
  MoveOutRecord,
  MovedRecord,
  OpenedRecord,
  PromptRecord,
  ResultRecord,
  RewoundRecord,
  SessionRecord,
  SettledRecord,
  SnippedRecord,
  UsageRecord,
  VmChange,
} from '../../core/session/journal.ts';
import type { McpAppReference } from '../../core/mcp/mcp-app.ts';
import type { MessageParam } from '../../core/messages/messages.ts';
import type { SDKPermissionDenial } from '../../core/messages/sdk-message.ts';
import { deriveId } from '../../core/hashes/seeded-ids.ts';
import { amend } from './amend.ts';
import { applyToBranch, emptyBranch, findCut, inherit, replace } from './branch.ts';
import { toModeElsewhere, toPermissionsHere } from './moved-permissions.ts';
import type { FoldedPermissions } from './moved-permissions.ts';
import type { Branch, FoldedTurn } from './branch.ts';
import { EntriesAtHand } from './entries-at-hand.ts';
import type { EntrySource } from './entries-at-hand.ts';
import { applyMeta, listWaitingAt, noteEnd, toMark } from './folded.ts';
import type { FoldedCall, FoldedQuestion, FoldedTask, News, TurnMark } from './folded.ts';
import { isLoss, isProgress } from './is-progress.ts';
import { worktreeState } from './worktree-state.ts';

/** A sub-agent, and the fold over its own entries. */
export interface FoldedAgent {
  readonly n: number;
  readonly record: AgentRecord;
  /** The agent that began it. Undefined: the session's own agent. */
  readonly parent: string | undefined;
  readonly fold: SessionFold;
  /** A rewind has taken the agent's beginning back. */
  isGone: boolean;
}

/**
 * Begins with no entry. Only `apply` changes what it gives out; callers must not. The session's own agent and each
 * sub-agent have one; `apply` of the session's takes the entries of all.
 */
export class SessionFold {
  /** The sub-agent whose fold this is. Undefined: the session's own agent. */
  agent: string | undefined;
  /** The first entry; in a fork it has the fork's id and seed. Undefined until it is applied. */
  session: SessionRecord | undefined;
  /** For a fork: the ids under which its first entries were recorded, oldest first. */
  readonly ancestors: string[] = [];
  /** The newest opening. */
  opened: OpenedRecord | undefined;
  /** The entry of the opening or the arrival that holds now. A takeover and a wake continue the opening before them. */
  begunAt = 0;
  /** The number of the last entry. */
  length = 0;
  /** When the last entry was recorded, in milliseconds since the epoch. */
  time = 0;
  /** The highest number of a request. */
  lastStep = 0;
  /** Losses since the last entry that shows progress: a reply that stays, a settled call, an answer or a result. */
  lossesInARow = 0;
  readonly permissions: FoldedPermissions[] = [];
  /** Files that the session's calls have made: path and version. A rewind leaves them as they are. */
  readonly own = new Map<string, Version>();
  /** What requests have cost. In the session's own fold also those of sub-agents. */
  readonly usage: (UsageRecord & JournalEntry)[] = [];
  /** The open turn's questions by their requestId, also those that are answered. */
  readonly questions = new Map<string, FoldedQuestion>();
  /** The calls of the open turn and of running tasks, by their ids. */
  readonly calls = new Map<string, FoldedCall>();
  /** The newest entry of each task, by its id. */
  readonly tasks = new Map<string, FoldedTask>();
  /** Prompts that no turn has taken up, oldest first. */
  readonly waiting: PromptRecord[] = [];
  /** The entries' numbers of all prompts, by uuid: a prompt that is sent again is recognised. */
  readonly promptIds = new Map<string, number>();
  /** When a state last began a turn, in milliseconds since the epoch, by the state's key. A rewind takes none back. */
  readonly firedAt = new Map<string, number>();
  /** The turns, oldest first, also those that a rewind took back. A sub-agent's fold has the agent's turns. */
  readonly turns: TurnMark[] = [];
  /** By their entries' numbers, oldest first. Only in the session's own fold. */
  readonly rewinds = new Map<number, RewoundRecord & JournalEntry>();
  /** The ids of all mail, whoever wrote it. Only in the session's own fold. */
  readonly mailIds = new Set<string>();
  /** The apps that show calls, by the calls' ids. Only in the session's own fold. */
  readonly apps = new Map<string, McpAppReference>();
  /** Every state of work trees that any agent has kept. Only in the session's own fold. */
  readonly worktrees: unknown[] = [];
  /** Ticks in a row since the person's last word. */
  ticks = 0;
  /** What the model wasn't told yet, oldest first, by the id of the task or the mail. */
  readonly news = new Map<string, News>();
  /** All of the session's sub-agents, by their ids. Every fold of the session shares this map. */
  readonly agents: Map<string, FoldedAgent>;
  readonly meta: Parameters<typeof applyMeta>[0] = {};
  lastResult: ResultRecord | undefined;
  /** What was refused to sub-agents that have ended since the session's last result. Only in the session's own fold. */
  readonly agentDenials: SDKPermissionDenial[] = [];
  /** The person has gone on in another session, and nobody has opened this one again since. */
  moved: MovedRecord | undefined;
  /** The newest entry of a move between places; undefined where it was never moved, and in a fork. */
  place: (MoveOutRecord | MoveInRecord | MoveKeptRecord) | undefined;
  /** How often another place has taken the session over. */
  lease = 0;
  /** A move has cut what was under way, and no request was sent since. */
  isCutByMove = false;
  /** The newest arrival here, until the model is to be told of it. */
  arrival: MoveInRecord | undefined;
  /** The permissions that held in a place, by the entry with which the session left it. */
  readonly #heldAt = new Map<number, readonly FoldedPermissions[]>();
  /** The entry of the newest arrival; 0: the session was never moved. */
  #arrivedAt = 0;
  #branch = emptyBranch();
  /** The sandbox's state at a rewind that kept it, by the rewind's entry. */
  readonly #leftAs = new Map<number, Pick<Branch, 'vm' | 'kept'>>();
  readonly #atHand: EntriesAtHand;
  /** The conversation as it was at entry `to`, for the rewind that goes there next. */
  #recalled: { readonly to: number; readonly branch: Branch } | undefined;

  /** `agents`: for a sub-agent's fold, the agents of its session. Without a source all entries stay at hand. */
  constructor(agents: Map<string, FoldedAgent> = new Map(), source?: EntrySource) {
    this.agents = agents;
    this.#atHand = new EntriesAtHand(source);
  }

  /** The conversation as it is sent. Another array after a compaction, a clearing or a rewind. */
  get messages(): readonly MessageParam[] {
    return this.#branch.messages;
  }

  /** For each message of the conversation the entry that it is from; 0 for a summary. */
  get sources(): readonly number[] {
    return this.#branch.sources;
  }

  /** The user's own words, oldest first. */
  get prompts(): readonly string[] {
    return this.#branch.prompts;
  }

  /** What the agent has taken out of the conversation, by the calls that asked for it. */
  get snips(): ReadonlyMap<string, SnippedRecord> {
    return this.#branch.snips;
  }

  /** The first message that isn't as it was sent with the newest request. Undefined: all of them are. */
  get cutAt(): number | undefined {
    return findCut(this.#branch);
  }

  /** What the model knows of files. */
  get reads(): ReadonlyMap<string, Version> {
    return this.#branch.reads;
  }

  /** What features keep, by key. */
  get states(): ReadonlyMap<string, unknown> & Pick<Branch['states'], 'lost'> {
    return this.#branch.states;
  }

  /** The state of the agent's work tree as it was at the newest request: its calls work there. */
  get workplace(): unknown {
    return this.#branch.workplace;
  }

  /** What the model is told of a state after a compaction, by the state's key. */
  get reminders(): ReadonlyMap<string, string> {
    return this.#branch.reminders;
  }

  /** Each tool's whole sandbox state and the differences since, in order. */
  get vm(): ReadonlyMap<string, readonly VmChange[]> {
    return this.#branch.vm;
  }

  /** What each tool's sandbox keeps. That of a state that is lost is removed where it is restored. */
  get kept(): Branch['kept'] {
    return this.#branch.kept;
  }

  /** The turn that has no result yet. */
  get turn(): FoldedTurn | undefined {
    return this.#branch.turn;
  }

  /**
   * The entries that are at hand, oldest first: also those that a rewind took back. All, unless some were let go;
   * those of the open turn always are.
   */
  get entries(): readonly JournalEntry[] {
    return this.#atHand.list;
  }

  /**
   * The entries from `from` to `to`, oldest first: what was let go is read again.
   *
   * @throws SdkError as the source does.
   */
  read(from = 1, to = this.length): AsyncGenerator<JournalEntry, void, undefined> {
    return this.#atHand.read(from, to);
  }

  /**
   * Entries up to number `landed` can be read again: what isn't of the open turn goes, but for the newest. Does nothing
   * without a source.
   */
  letGo(landed: number, atHand?: number): void {
    this.#atHand.letGo(Math.min(landed + 1, this.turn?.n ?? Infinity), atHand);
  }

  /** To be awaited before a rewind to entry `to` is applied: reads again what was let go of the way there. */
  async recall(to: number): Promise<void> {
    if (this.#atHand.isWhole) return;
    const branch = emptyBranch();
    const path = new Set(this.pathTo(to));
    const prompts = new Map<string, PromptRecord>();
    for await (const entry of this.read(1, to)) {
      if (entry.agent !== undefined) continue;
      if (entry.type === 'prompt') prompts.set(entry.uuid, entry);
      if (path.has(entry.n)) this.#applyAgain(branch, entry, (uuid) => prompts.get(uuid));
    }
    this.#recalled = { to, branch };
  }

  /**
   * Returns a fold to which the entries behind `n` are applied for their messages. It begins with
   * the turn that `n` is in. If there are tasks or agents, which may reach over from before, it
   * begins with the first entry.
   */
  async toViewBehind(n: number): Promise<SessionFold> {
    const view = new SessionFold(undefined, this);
    const turn = this.turns.findLast((one) => one.n <= n);
    const isAlone = this.tasks.size === 0 && this.agents.size === 0;
    if (!turn || !this.session || !isAlone || turn.n <= (this.session.forkedFrom?.n ?? 0)) {
      return view;
    }
    for (const n of listWaitingAt(turn.n, this)) {
      for await (const entry of this.read(n, n)) {
        if (entry.type === 'prompt') view.waiting.push(entry);
      }
    }
    view.session = this.session;
    view.length = turn.n - 1;
    view.#atHand.beginAt(turn.n);
    return view;
  }

  /**
   * Takes the next entry. An unknown kind changes nothing but the length.
   *
   * @throws TypeError for an entry out of order, and for a rewind that {@link recall} should have been awaited for.
   */
  apply(entry: JournalEntry): void {
    if (entry.n !== this.length + 1) {
      throw new TypeError(`Entry ${entry.n} can't follow entry ${this.length}.`);
    }
    const { agent } = entry;
    if (agent === undefined) this.#take(entry);
    else {
      this.#keep(entry);
      if (entry.type === 'usage') this.usage.push(entry);
      if (entry.type === 'result') this.agentDenials.push(...entry.message.permission_denials);
      if (isProgress(entry)) this.lossesInARow = 0;
      this.#mark(entry);
      const whose = this.agents.get(agent);
      if (whose) whose.fold.#take(entry);
    }
    if (entry.type === 'agent') this.#begin(entry);
    if (entry.type === 'mail') this.#deliver(entry);
    if (entry.type === 'rewound' && agent === undefined) this.#findGone();
  }

  /** The fold of one of the session's agents. Undefined stands for the session's own agent. */
  foldOf(agent: string | undefined): SessionFold | undefined {
    return agent === undefined ? this : this.agents.get(agent)?.fold;
  }

  /** Finds a question of the session's own agent, or of one of its sub-agents. */
  findQuestion(requestId: string): FoldedQuestion | undefined {
    const own = this.questions.get(requestId);
    if (own) return own;
    for (const { fold } of this.agents.values()) {
      const asked = fold.questions.get(requestId);
      if (asked) return asked;
    }
    return undefined;
  }

  #keep(entry: JournalEntry): void {
    this.length = entry.n;
    this.time = entry.time;
    this.#atHand.add(entry);
  }

  /** Notes what is asked for when the entries themselves may be gone. */
  #mark(entry: JournalEntry): void {
    if (entry.type === 'mail') this.mailIds.add(entry.id);
    // The newest end of the call counts: hooks may have replaced it.
    if (entry.type === 'settled' || entry.type === 'amended') {
      const app = entry.mcpMeta?.app;
      if (app) this.apps.set(entry.id, app);
      else this.apps.delete(entry.id);
    }
    if (entry.type === 'state' && entry.key === worktreeState) this.worktrees.push(entry.value);
  }

  #take(entry: JournalEntry): void {
    this.#keep(entry);
    if (entry.agent === undefined) this.#mark(entry);
    // Found before the entry is applied, after which the prompt no longer waits.
    const prompt = entry.type === 'turn' ? this.#findPrompt(entry.prompt) : undefined;
    this.#applyToSession(entry);
    if (entry.type === 'rewound') {
      const { vm, kept } = this.#branch;
      if (!entry.vm) this.#leftAs.set(entry.n, { vm, kept });
      this.rewinds.set(entry.n, entry);
      this.#branch = this.#branchOf(entry);
      this.calls.clear();
      this.questions.clear();
    } else applyToBranch(this.#branch, entry, prompt);
    if (tellingKinds.has(entry.type)) this.#tell();
  }

  #begin(entry: JournalEntry & AgentRecord): void {
    const fold = new SessionFold(this.agents);
    fold.agent = entry.id;
    const { session } = this;
    if (session) fold.session = { ...session, seed: deriveId(session.seed, 'agent', entry.id) };
    const from = this.foldOf(entry.agent);
    if (entry.inherits !== undefined && from) inherit(fold.#branch, from.#branch, entry.inherits);
    const { n, id, agent: parent } = entry;
    this.agents.set(id, { n, record: entry, parent, fold, isGone: false });
  }

  #deliver({ id, n, to, message }: JournalEntry & MailRecord): void {
    this.foldOf(to)?.news.set(id, { id, n, message, isUrgent: true });
  }

  /** Marks agents as gone whose beginning a rewind took back. Undoing the rewind brings them back. */
  #findGone(): void {
    const path = new Set(this.pathTo(this.length));
    for (const agent of this.agents.values()) agent.isGone = !path.has(agent.n);
  }

  /**
   * The numbers of the entries on the way from the beginning to entry `to`, oldest first. Where a rewind lies
   * on it, the way leads by that to where it went back.
   */
  pathTo(to: number): readonly number[] {
    const path: number[] = [];
    for (let n = to; n > 0;) {
      path.push(n);
      n = this.rewinds.get(n)?.to ?? n - 1;
    }
    return path.reverse();
  }

  /** A result is told once the reply and the results of all calls before it are known. */
  #tell(): void {
    const newest = this.turn?.newest;
    if (newest) newest.telling = [];
    if (!newest?.reply) return;
    const { uses } = newest;
    const telling: SettledRecord[] = [];
    for (let at = newest.told; at < uses.length; at += 1) {
      const settled = this.calls.get(uses[at]?.id ?? '')?.settled;
      if (!settled || settled.isOpen) break;
      telling.push(settled);
    }
    newest.told += telling.length;
    newest.telling = telling;
  }

  /** The conversation that a rewind leads to. */
  #branchOf(entry: RewoundRecord & JournalEntry): Branch {
    const recalled = this.#recalled?.to === entry.to ? this.#recalled.branch : undefined;
    this.#recalled = undefined;
    const branch = recalled ?? this.#branchAt(entry.to);
    this.#applyAgain(branch, entry, () => undefined);
    // Versions from before a move are those of another workspace.
    if (this.#arrivedAt > entry.to) branch.reads.clear();
    // A rewind ends the turn that ran.
    branch.turn = undefined;
    return branch;
  }

  #branchAt(to: number): Branch {
    if (!this.#atHand.isWhole) throw new TypeError(`The way to entry ${to} wasn't recalled.`);
    const branch = emptyBranch();
    const prompts = new Map<string, PromptRecord>();
    for (const one of this.entries) if (one.type === 'prompt') prompts.set(one.uuid, one);
    for (const n of this.pathTo(to)) {
      const entry = this.entries[n - 1];
      if (entry) this.#applyAgain(branch, entry, (uuid) => prompts.get(uuid));
    }
    return branch;
  }

  #findPrompt(uuid: string): PromptRecord | undefined {
    const isIt = (one: JournalEntry) => one.type === 'prompt' && one.uuid === uuid;
    const found = this.waiting.find((one) => one.uuid === uuid) ?? this.entries.findLast(isIt);
    return found?.type === 'prompt' ? found : undefined;
  }

  #applyAgain(
    branch: Branch,
    entry: JournalEntry,
    findPrompt: (uuid: string) => PromptRecord | undefined,
  ): void {
    if (entry.agent !== undefined) return;
    const left = this.#leftAs.get(entry.n);
    if (left) {
      replace(branch.vm, left.vm);
      replace(branch.kept, left.kept);
    }
    const prompt = entry.type === 'turn' ? findPrompt(entry.prompt) : undefined;
    applyToBranch(branch, entry, prompt);
  }

  #fork(n: number, own: Pick<SessionRecord, 'id' | 'seed'>): void {
    if (!this.session) return;
    const { id } = this.session;
    this.ancestors.push(id);
    this.session = { ...this.session, ...own, forkedFrom: { id, n: n - 1 } };
    this.place = undefined;
    this.lease = 0;
    this.arrival = undefined;
  }

  /** Forgets the versions of another workspace, and what was allowed elsewhere unless it may hold here. */
  #arrive(entry: MoveInRecord): void {
    this.own.clear();
    this.isCutByMove = true;
    this.lossesInARow = 0;
    const held = this.#heldAt.get(entry.since) ?? [];
    this.permissions.splice(0, Infinity, ...toPermissionsHere(entry, held, this.permissions));
    if (entry.acceptsRules) return;
    for (const asked of this.questions.values()) {
      if (asked.answer?.result?.behavior === 'allow') delete asked.answer;
    }
  }

  #applyToSession(entry: JournalEntry): void {
    switch (entry.type) {
      case 'session':
        this.session = entry;
        break;
      case 'opened':
        this.opened = entry;
        // A tab that takes the session over in between also continues in the new session.
        if (entry.why !== 'takeover') this.moved = undefined;
        if (isLoss(entry, this)) this.lossesInARow += 1;
        if (entry.why !== 'takeover' && entry.why !== 'woken') this.begunAt = entry.n;
        if (entry.fork) this.#fork(entry.n, entry.fork);
        break;
      case 'prompt':
        this.promptIds.set(entry.uuid, entry.n);
        this.waiting.push(entry);
        if (!entry.origin) this.ticks = 0;
        else if (entry.origin.kind === 'tick') this.ticks += 1;
        for (const id of entry.tells ?? []) this.news.delete(id);
        for (const key of entry.fires ?? []) this.firedAt.set(key, entry.time);
        break;
      case 'context':
        for (const id of entry.tells ?? []) this.news.delete(id);
        break;
      case 'turn':
        this.questions.clear();
        this.#forgetCalls();
        removeWhere(this.waiting, ({ uuid }) => uuid === entry.prompt);
        this.turns.push(toMark(entry));
        break;
      case 'request':
        this.isCutByMove = false;
        this.lastStep = Math.max(this.lastStep, entry.step);
        this.#forgetCalls();
        break;
      case 'block':
        // The first block of a new attempt: the attempt before is void, and so are its calls.
        if (this.turn?.newest?.reply?.end === 'void') this.#forgetCalls();
        break;
      case 'question':
        this.questions.set(entry.requestId, { question: entry });
        break;
      case 'answer': {
        const asked = this.questions.get(entry.requestId);
        if (asked) asked.answer = entry;
        break;
      }
      case 'call': {
        // An app may call without end while no request is sent.
        if (entry.origin === 'app') this.#forgetCalls('app');
        const call = this.#callOf(entry.id);
        if (!call.call && entry.parent !== undefined) {
          this.#callOf(entry.parent).nested.push(entry.id);
        }
        call.call = entry;
        call.begunAt ??= entry.time;
        break;
      }
      case 'settled':
        this.#callOf(entry.id).settled = entry;
        if (entry.seq === undefined) break;
        for (const { path } of entry.changes ?? []) this.own.delete(path);
        for (const path of entry.own ?? []) this.own.set(path, entry.seq);
        break;
      case 'amended': {
        const call = this.#callOf(entry.id);
        if (call.settled) call.settled = amend(call.settled, entry);
        break;
      }
      case 'permissions':
        this.permissions.push(entry);
        break;
      case 'usage':
        this.usage.push(entry);
        break;
      case 'task':
        this.tasks.set(entry.id, entry);
        noteEnd(this.news, entry);
        break;
      case 'result':
        this.lastResult = entry;
        this.agentDenials.length = 0;
        break;
      case 'moved':
        this.moved = entry;
        for (const moved of entry.prompts) removeWhere(this.waiting, ({ uuid }) => uuid === moved);
        break;
      case 'move-out':
        this.place = entry;
        this.lease = Math.max(this.lease, entry.lease - 1);
        this.#heldAt.set(entry.n, [...this.permissions]);
        this.permissions.push(...toModeElsewhere(entry));
        break;
      case 'move-in':
        this.place = entry;
        this.lease = entry.lease;
        this.arrival = entry;
        this.begunAt = entry.n;
        this.#arrive(entry);
        this.#arrivedAt = entry.n;
        for (const { fold } of this.agents.values()) {
          fold.#branch.reads.clear();
          fold.#arrive({ ...entry, since: 0 });
        }
        break;
      case 'move-kept':
        if (this.place?.type === 'move-out' && this.place.mode) this.permissions.pop();
        this.place = entry;
        break;
      case 'arrived': {
        const { move: id, n, notification: message } = entry;
        if (this.arrival?.move === id) this.arrival = undefined;
        this.news.set(id, { id, n, message, isUrgent: false });
        break;
      }
      case 'meta':
        applyMeta(this.meta, entry);
        break;
      default:
    }
    if (isProgress(entry)) this.lossesInARow = 0;
  }

  #callOf(id: string): FoldedCall {
    return getOrMake(this.calls, id, () => ({ id, nested: [] }));
  }

  /**
   * Forgets the calls of earlier requests. What runs in the background or for an app continues. `only`: calls of that
   * origin.
   */
  #forgetCalls(only?: 'app'): void {
    for (const [id, { call, settled }] of this.calls) {
      if (only && call?.origin !== only) continue;
      const goesOn = call?.origin === 'background' || call?.origin === 'app';
      if (!goesOn || settled) this.calls.delete(id);
    }
  }
}

/** Entries by which a viewer may learn of results. */
const tellingKinds: ReadonlySet<string> = new Set(['reply', 'settled', 'amended']);

function removeWhere<Value>(list: Value[], isGone: (value: Value) => boolean): void {
  const at = list.findIndex(isGone);
  if (at !== -1) list.splice(at, 1);
}
