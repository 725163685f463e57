// The state of a session as a fold over its journal: the same entries give the same state, live or
// after a resume. session-journal.ts passes it each entry.
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
import { toModeElsewhere, toPermissionsHere, type FoldedPermissions } from './moved-permissions.ts';
import type { Branch, FoldedTurn } from './branch.ts';
import { EntriesAtHand, type EntrySource } from './entries-at-hand.ts';
import {
  applyMeta,
  listWaitingAt,
  noteTaskEnd,
  removeWhere,
  takesPrompt,
  tellingKinds,
  toMark,
} from './folded.ts';
import type {
  FoldedAgent,
  FoldedCall,
  FoldedQuestion,
  FoldedTask,
  JoinedPrompt,
  News,
  TurnMark,
} from './folded.ts';
import { isLoss, isProgress } from './is-progress.ts';
import { worktreeState } from './worktree-state.ts';

/**
 * Starts without entries. Only `apply` changes the returned values; callers must not. The session's
 * main agent and each sub-agent have a fold; `apply` of the session's fold takes the entries of all.
 */
export class SessionFold {
  /** The sub-agent whose fold this is. Undefined: the session's main agent. */
  agent: string | undefined;
  /** The first entry; in a fork it has the fork's id and seed. Undefined until it is applied. */
  session: SessionRecord | undefined;
  /** For a fork: the ids under which its first entries were recorded, oldest first. */
  readonly ancestors: string[] = [];
  /** The newest opening. */
  opened: OpenedRecord | undefined;
  /** The entry of the current opening or arrival. Takeovers and wakes continue an opening. */
  begunAt = 0;
  /** The number of the last entry. */
  length = 0;
  /** When the last entry was recorded, in milliseconds since the epoch. */
  time = 0;
  /** The highest number of a request. */
  lastStep = 0;
  /** Losses since the last progress: a kept reply, a settled call, an answer or a result. */
  lossesInARow = 0;
  readonly permissions: FoldedPermissions[] = [];
  /**
   * Files that the session's calls have created: path and version. A rewind doesn't change this.
   */
  readonly own = new Map<string, Version>();
  /** The costs of requests. The session's own fold includes those of sub-agents. */
  readonly usage: (UsageRecord & JournalEntry)[] = [];
  /** The open turn's questions by requestId, including answered ones. */
  readonly questions = new Map<string, FoldedQuestion>();
  /** The calls of the open turn and of running tasks, by their ids. */
  readonly calls = new Map<string, FoldedCall>();
  /** The newest entry of each task, by its id. */
  readonly tasks = new Map<string, FoldedTask>();
  /** Prompts without a turn, oldest first. */
  readonly waiting: PromptRecord[] = [];
  /** The numbers of all prompts by uuid, to recognise a repeated prompt. */
  readonly promptIds = new Map<string, number>();
  /**
   * When a state last started a turn, in milliseconds since the epoch, by the state's key. A rewind
   * doesn't revert this.
   */
  readonly firedAt = new Map<string, number>();
  /** The turns, oldest first, including reverted ones. A sub-agent's fold has the agent's turns. */
  readonly turns: TurnMark[] = [];
  /** The prompts that have joined a turn, oldest first, including reverted ones. */
  readonly joined: JoinedPrompt[] = [];
  /** The rewinds by the numbers of their entries, oldest first. Only in the session's own fold. */
  readonly rewinds = new Map<number, RewoundRecord & JournalEntry>();
  /** The ids of all mail of all agents. Only in the session's own fold. */
  readonly mailIds = new Set<string>();
  /** The apps that show calls, by the calls' ids. Only in the session's own fold. */
  readonly apps = new Map<string, McpAppReference>();
  /** Every work tree state that any agent has recorded. Only in the session's own fold. */
  readonly worktrees: unknown[] = [];
  /** Ticks since the person's last prompt. */
  ticks = 0;
  /** News that the model hasn't got yet, oldest first, by the id of the task or the mail. */
  readonly news = new Map<string, News>();
  /** All of the session's sub-agents, by their ids. Every fold of the session shares this map. */
  readonly agents: Map<string, FoldedAgent>;
  readonly meta: Parameters<typeof applyMeta>[0] = {};
  lastResult: ResultRecord | undefined;
  /** Denials of sub-agents that have ended since the last result. Only in the main fold. */
  readonly agentDenials: SDKPermissionDenial[] = [];
  /** The person has continued in another session, and this one wasn't opened since. */
  moved: MovedRecord | undefined;
  /** The newest entry of a move; undefined if it was never moved, and in a fork. */
  place: (MoveOutRecord | MoveInRecord | MoveKeptRecord) | undefined;
  /** How often another place has taken the session over. */
  lease = 0;
  /** A move has interrupted the running work, and no request was sent since. */
  isCutByMove = false;
  /** The newest arrival here, until the model gets a message about it. */
  arrival: MoveInRecord | undefined;
  /** The permissions in a place, by the entry with which the session has left it. */
  readonly #heldAt = new Map<number, readonly FoldedPermissions[]>();
  /** The entry of the newest arrival; 0: the session was never moved. */
  #arrivedAt = 0;
  #branch = emptyBranch();
  /** The sandbox's state at a rewind that has kept it, by the rewind's entry. */
  readonly #leftAs = new Map<number, Pick<Branch, 'vm' | 'kept'>>();
  readonly #atHand: EntriesAtHand;
  /** The conversation as it was at entry `to`, for the rewind that goes there next. */
  #recalled: { readonly to: number; readonly branch: Branch } | undefined;

  /** `agents`: for a sub-agent's fold. Without a source all entries stay in memory. */
  constructor(agents: Map<string, FoldedAgent> = new Map(), source?: EntrySource) {
    this.agents = agents;
    this.#atHand = new EntriesAtHand(source);
  }

  /** The conversation as it is sent. A compaction, a clearing or a rewind replaces the array. */
  get messages(): readonly MessageParam[] {
    return this.#branch.messages;
  }

  /** For each message of the conversation, the number of its entry; 0 for a summary. */
  get sources(): readonly number[] {
    return this.#branch.sources;
  }

  /** The user's own words, oldest first. */
  get prompts(): readonly string[] {
    return this.#branch.prompts;
  }

  /** The removed parts of the conversation, by the calls that have removed them. */
  get snips(): ReadonlyMap<string, SnippedRecord> {
    return this.#branch.snips;
  }

  /** The first message that has changed since the newest request. Undefined: none has. */
  get cutAt(): number | undefined {
    return findCut(this.#branch);
  }

  /** The file versions that the model knows. */
  get reads(): ReadonlyMap<string, Version> {
    return this.#branch.reads;
  }

  /** The states of features, by key. */
  get states(): ReadonlyMap<string, unknown> & Pick<Branch['states'], 'lost'> {
    return this.#branch.states;
  }

  /** The state of the agent's work tree at the newest request, where its calls work. */
  get workplace(): unknown {
    return this.#branch.workplace;
  }

  /** The text about a state for the model after a compaction, by the state's key. */
  get reminders(): ReadonlyMap<string, string> {
    return this.#branch.reminders;
  }

  /** Each tool's complete sandbox state and the later differences, in order. */
  get vm(): ReadonlyMap<string, readonly VmChange[]> {
    return this.#branch.vm;
  }

  /** What each tool's sandbox keeps. That of a state that is lost is removed where it is restored. */
  get kept(): Branch['kept'] {
    return this.#branch.kept;
  }

  /** The turn without a result. */
  get turn(): FoldedTurn | undefined {
    return this.#branch.turn;
  }

  /**
   * The entries in memory, oldest first, including those that a rewind has reverted. All entries
   * unless some were dropped; those of the open turn are always in memory.
   */
  get entries(): readonly JournalEntry[] {
    return this.#atHand.list;
  }

  /**
   * Yields the entries from `from` to `to`, oldest first; dropped ones are read again.
   *
   * @throws SdkError like the source
   */
  read(from = 1, to = this.length): AsyncGenerator<JournalEntry, void, undefined> {
    return this.#atHand.read(from, to);
  }

  /**
   * Entries up to number `landed` can be read again: drops those before the open turn, except the
   * newest. Does nothing without a source.
   */
  letGo(landed: number, atHand?: number): void {
    this.#atHand.letGo(Math.min(landed + 1, this.turn?.n ?? Infinity), atHand);
  }

  /** Await it before a rewind to entry `to` is applied: it reads the needed dropped entries. */
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
   * Returns a fold to which the entries after `n` are applied to derive their messages. It begins
   * with the turn of `n`. If there are tasks or agents, which may have started earlier, it begins
   * with the first entry.
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
   * Applies the next entry. An unknown kind changes only the length.
   *
   * @throws TypeError for an entry out of order, and for a rewind without {@link recall}
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

  /** The fold of one of the session's agents. Undefined: the session's main agent. */
  foldOf(agent: string | undefined): SessionFold | undefined {
    return agent === undefined ? this : this.agents.get(agent)?.fold;
  }

  /** Finds a question of the session's main agent, or of one of its sub-agents. */
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

  /** Records the values that are needed when the entries themselves are dropped. */
  #mark(entry: JournalEntry): void {
    if (entry.type === 'mail') this.mailIds.add(entry.id);
    // The newest end of the call is used: hooks may have changed it.
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
    // Found before the entry is applied, because afterwards the prompt isn't waiting any more.
    const prompt = takesPrompt(entry) ? this.#findPrompt(entry.prompt) : undefined;
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

  /** Marks agents whose beginning a rewind has reverted. Undoing the rewind unmarks them. */
  #findGone(): void {
    const path = new Set(this.pathTo(this.length));
    for (const agent of this.agents.values()) agent.isGone = !path.has(agent.n);
  }

  /** The numbers of the entries that lead to entry `to`, oldest first, along rewinds' targets. */
  pathTo(to: number): readonly number[] {
    const path: number[] = [];
    for (let n = to; n > 0;) {
      path.push(n);
      n = this.rewinds.get(n)?.to ?? n - 1;
    }
    return path.reverse();
  }

  /** Viewers get a result once the reply and the results of all earlier calls are known. */
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

  /** The conversation at a rewind's target. */
  #branchOf(entry: RewoundRecord & JournalEntry): Branch {
    const recalled = this.#recalled?.to === entry.to ? this.#recalled.branch : undefined;
    this.#recalled = undefined;
    const branch = recalled ?? this.#branchAt(entry.to);
    this.#applyAgain(branch, entry, () => undefined);
    // Versions from before a move belong to another workspace.
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
    const prompt = takesPrompt(entry) ? findPrompt(entry.prompt) : undefined;
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

  /** Drops the versions of another workspace, and the permissions that may not apply here. */
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
        // A tab that takes over in between also continues in the new session.
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
      case 'joined':
        removeWhere(this.waiting, ({ uuid }) => uuid === entry.prompt);
        if (this.turn) this.joined.push({ ...entry, turn: this.turn.turn.prompt });
        break;
      case 'request':
        this.isCutByMove = false;
        this.lastStep = Math.max(this.lastStep, entry.step);
        this.#forgetCalls();
        break;
      case 'block':
        // The first block of a new attempt: the earlier attempt and its calls are void.
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
        // Without this, calls of an app would accumulate while no request is sent.
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
        noteTaskEnd(this.news, entry);
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

  /** Drops calls of earlier requests, except background and app calls. `only`: of that origin. */
  #forgetCalls(only?: 'app'): void {
    for (const [id, { call, settled }] of this.calls) {
      if (only && call?.origin !== only) continue;
      const goesOn = call?.origin === 'background' || call?.origin === 'app';
      if (!goesOn || settled) this.calls.delete(id);
    }
  }
}
