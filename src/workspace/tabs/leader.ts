// The leader's side: it sends records to other tabs, accepts their commits, and answers. It starts
// when election.ts has opened the medium, and ends when the medium is lost or given up. `Admission`
// applies each follower's commits once, in the order of their numbers.
import { SdkError, hasCode, toSerializedError } from '../../core/errors.ts';
import type { Clock } from '../../core/tool/ports.ts';
import type { ContentSource } from '../state/content-source.ts';
import { FeedPacker, packNew } from '../feed/feed-packer.ts';
import type { AppliedStreamRecord } from '../commit/plan-group.ts';
import { isStreamFence } from '../commit/plan-stream.ts';
import type { FedRecord, FeedSource, PackSegment } from '../feed/serve-feed.ts';
import { maxOpenCommits } from '../state/state.ts';
import type { StreamRecord } from '../state/stream-state.ts';
import type { NewContent } from '../state/record.ts';
import type { CommitResult, WorkspaceInfo } from '../workspace.ts';
import { tickMs } from './follower.ts';
import type { RecentRecords } from './recent-records.ts';
import type {
  FollowerMessage,
  LeaderMessage,
  TabAnswer,
  TabRecord,
  TabRequest,
} from './tab-message.ts';
import type { LeaderWriter } from './tab-ports.ts';

/** What the leader needs from its tab. */
export interface LeadingPorts {
  /** This tab's id. */
  readonly id: string;
  readonly clock: Clock;
  readonly pack: PackSegment;
  readonly recent: RecentRecords;
  post(message: LeaderMessage, to?: string): void;
  /** Called for the leader's own listeners before other tabs are informed. */
  onRecord(fed: FedRecord): void;
  /** The same for a record that only changed a stream. */
  onStreamRecord(record: StreamRecord): void;
  /** For the leader's own listeners: {@link FeedSource.onMoved}. */
  onMoved(): void;
  /**
   * Called once the writer can't write any more: another tab owns the medium, or it must be
   * reopened.
   */
  onRefused(): void;
  onError(error: unknown): void;
  isVisible(): boolean;
  /** True if no other tab has ever sent a message. Nothing is packed then. */
  isAlone(): boolean;
}

// 5 s: creating a snapshot of a large workspace takes time, and need not be repeated meanwhile.
const snapshotPatienceMs = 5000;

export class Leading {
  readonly writer: LeaderWriter;
  readonly #ports: LeadingPorts;
  readonly #admission = new Admission();
  /** Tabs that said hello, and when a snapshot was last started for them. */
  readonly #followers = new Map<string, number>();
  readonly #packer: FeedPacker;
  readonly #listening: readonly (Disposable | undefined)[];
  #unsent: TabRecord[] = [];
  #reminder: Disposable | undefined;
  /** How many pieces of the current snapshot were read. */
  #piecesRead = 0;
  #isPaused = false;
  #isRefused = false;
  #isOver = false;

  constructor(writer: LeaderWriter, ports: LeadingPorts) {
    this.writer = writer;
    this.#ports = ports;
    this.#packer = new FeedPacker(this.#toPausingSource(), ports.pack, { hasStreams: true });
    this.#listening = [
      writer.onRecord((fed) => this.#takeRecord(fed)),
      writer.onStreamRecord((applied) => this.#takeStreamRecord(applied)),
      writer.onMoved?.(() => this.#moveAll()),
    ];
  }

  info(): WorkspaceInfo {
    return { ...this.writer.info(), role: 'leader' };
  }

  /** Informs one tab, or all, that this one leads. */
  announce(to?: string, next?: number): void {
    const isVisible = this.#ports.isVisible();
    const { epoch } = this;
    const { revision } = this.writer.state;
    this.#post({ type: 'leading', epoch, isVisible, info: this.info(), revision, next }, to);
  }

  get epoch(): number {
    return this.writer.epoch;
  }

  /** Handles a message of another tab. Claims are handled by the caller. */
  receive(from: string, message: FollowerMessage): void {
    switch (message.type) {
      case 'hello':
        this.#welcome(from, message.revision, message.oldest);
        return;
      case 'commit': {
        // Meant for another leader. Its sender sends it again if the commit is still open.
        if (message.epoch !== this.epoch || this.#isPaused) return;
        for (const [number, request] of this.#admission.admit(from, message)) {
          void this.#answer(from, number, request);
        }
        return;
      }
      case 'bye':
        this.#followers.delete(from);
        this.#admission.forget(from);
        return;
      case 'claim':
        return;
    }
  }

  /**
   * Commits for `client`. Rejects with `EFENCED` if the medium was lost, and `EBADF` if it was
   * given up: the commit then belongs to the next leader. So does every commit that is refused
   * after this tab has lost the lead.
   */
  async commit(client: string, number: number, request: TabRequest): Promise<CommitResult> {
    const origin = { client, number };
    try {
      switch (request.type) {
        case 'commit':
          return await this.writer.commit(request.changeSet, { ...request.options, origin });
        case 'roots':
          return await this.writer.changeRoots(request.change, { ...request.options, origin });
        case 'stream':
          return await this.writer.changeStream(request.change, { ...request.options, origin });
      }
    } catch (error) {
      const isFenced = hasCode(error, 'EFENCED') && !isStreamFence(error);
      if ((isFenced || this.writer.refusal) && !this.#isRefused) {
        this.#isRefused = true;
        this.#ports.onRefused();
      }
      throw error;
    }
  }

  /** Accepts no more commits of other tabs. Those in flight are answered. */
  pause(): void {
    this.#isPaused = true;
  }

  /** Stops listening to the writer. The next leader finds later acknowledged commits in the log. */
  end(): void {
    this.#isPaused = true;
    this.#isOver = true;
    for (const listening of this.#listening) listening?.[Symbol.dispose]();
    this.#reminder?.[Symbol.dispose]();
    this.#packer[Symbol.dispose]();
  }

  #takeRecord(fed: FedRecord): void {
    this.#ports.onRecord(fed);
    const { record, streamContents = [] } = fed;
    this.#send(() => ({ record, segment: this.#packer.record(fed).segment, streamContents }));
  }

  #takeStreamRecord({ record, streamContents }: AppliedStreamRecord): void {
    this.#ports.onStreamRecord(record);
    this.#send(() => ({ record, segment: undefined, streamContents }));
  }

  /** Sends the record that led to the current state. It is packed only if another tab exists. */
  #send(
    toParts: () => Pick<TabRecord, 'record' | 'segment'> & {
      readonly streamContents: readonly NewContent[];
    },
  ): void {
    const { recent, isAlone, pack } = this.#ports;
    const { revision } = this.writer.state;
    if (isAlone()) {
      recent.reset(revision);
      return;
    }
    const { streamContents, ...parts } = toParts();
    const message = { revision, ...parts, streamSegment: packNew(streamContents, pack) };
    recent.push(message);
    // Records of one flush are sent together.
    if (this.#unsent.push(message) === 1) queueMicrotask(() => this.#sendRecords());
  }

  #sendRecords(): void {
    const records = this.#unsent;
    this.#unsent = [];
    this.#post({ type: 'records', epoch: this.epoch, records });
    // Announces the current revision again, because a tab without open requests doesn't notice a
    // lost record.
    this.#reminder ??= this.#ports.clock.after(tickMs, () => {
      this.#reminder = undefined;
      this.announce();
    });
  }

  #welcome(from: string, revision: number, oldest: number): void {
    const begun = this.#followers.get(from) ?? Number.NEGATIVE_INFINITY;
    this.#followers.set(from, begun);
    this.announce(from, this.#admission.next(from, oldest));
    const answers = this.#admission.answersFor(from);
    if (answers.length > 0) this.#post({ type: 'answers', epoch: this.epoch, answers }, from);
    if (revision === this.writer.state.revision) return;
    const records = this.#ports.recent.since(revision);
    if (revision >= 0 && records) {
      this.#post({ type: 'records', epoch: this.epoch, records }, from);
      return;
    }
    const now = this.#ports.clock.now();
    if (now - begun < snapshotPatienceMs) return;
    this.#followers.set(from, now);
    void this.#sendSnapshot(from);
  }

  /** Segments that tabs read will be removed, so they get the new ones. */
  #moveAll(): void {
    this.#ports.onMoved();
    if (this.#followers.size > 0) void this.#sendSnapshot();
  }

  async #sendSnapshot(to?: string): Promise<void> {
    try {
      this.#piecesRead = 0;
      const snapshot = await this.#packer.snapshot();
      this.#post({ type: 'snapshot', epoch: this.epoch, snapshot }, to);
    } catch (error) {
      // The tab sends its request again to the leader of that time.
      this.#ports.onError(error);
    }
  }

  /**
   * Wraps the source so that it pauses before each piece but the first. Otherwise a large snapshot
   * would block all answers, and other tabs would take the leader for frozen.
   */
  #toPausingSource(): FeedSource {
    const { writer } = this;
    const { packed, savedIndex } = writer.contents;
    const contents: ContentSource = {
      ...(packed && { packed }),
      ...(savedIndex && { savedIndex }),
      readSync: (contentId) => writer.contents.readSync(contentId),
      readMany: async (contentIds) => {
        if (this.#piecesRead > 0) {
          await new Promise<void>((resolve) => this.#ports.clock.after(0, resolve));
        }
        this.#piecesRead += 1;
        return writer.contents.readMany(contentIds);
      },
    };
    return {
      get state() {
        return writer.state;
      },
      contents,
      onRecord: (listener) => writer.onRecord(listener),
    };
  }

  async #answer(client: string, number: number, request: TabRequest): Promise<void> {
    let answer: TabAnswer;
    try {
      const { seq } = await this.commit(client, number, request);
      answer = { number, seq, revision: this.writer.state.revision };
    } catch (error) {
      // Only a refusal by the writer is an answer. A commit that the writer lost goes to the next
      // leader.
      if (isLost(error) || this.#isOver) return;
      const { seq, revision } = this.writer.state;
      answer = { number, seq, revision, error: toSerializedError(error) };
    }
    this.#admission.keep(client, answer);
    this.#post({ type: 'answers', epoch: this.epoch, answers: [answer] }, client);
  }

  #post(message: LeaderMessage, to?: string): void {
    this.#ports.post(message, to);
  }
}

/** True if the commit belongs to the next leader. */
export function isLost(error: unknown): boolean {
  if (!SdkError.isInstance(error) || isStreamFence(error)) return false;
  return error.code === 'EFENCED' || error.code === 'EBADF';
}

/** A received commit. */
export interface SentCommit {
  readonly number: number;
  readonly oldest: number;
  readonly request: TabRequest;
}

interface Client {
  next: number;
  /** Commits that arrived before their turn. */
  readonly held: Map<number, TabRequest>;
  /** Kept until the client confirms them. */
  readonly answers: Map<number, TabAnswer>;
}

/** Valid for one leader's term. A new leader asks the tabs again. */
class Admission {
  readonly #clients = new Map<string, Client>();

  /** Returns the number that the client should send next, if all below `oldest` are settled. */
  next(id: string, oldest: number): number {
    return this.#clientOf(id, oldest).next;
  }

  /**
   * Returns the commits that may be applied now, in order: none, this one, or this one and those
   * that waited for it.
   */
  admit(id: string, { number, oldest, request }: SentCommit): [number, TabRequest][] {
    const client = this.#clientOf(id, oldest);
    // Security: a tab with arbitrary numbers must not fill the leader's memory.
    if (number < client.next || number >= client.next + maxOpenCommits) return [];
    client.held.set(number, request);
    const admitted: [number, TabRequest][] = [];
    for (;;) {
      const ready = client.held.get(client.next);
      if (!ready) return admitted;
      admitted.push([client.next, ready]);
      client.held.delete(client.next);
      client.next += 1;
    }
  }

  keep(id: string, answer: TabAnswer): void {
    this.#clients.get(id)?.answers.set(answer.number, answer);
  }

  answersFor(id: string): TabAnswer[] {
    return [...(this.#clients.get(id)?.answers.values() ?? [])];
  }

  forget(id: string): void {
    this.#clients.delete(id);
  }

  #clientOf(id: string, oldest: number): Client {
    const client = this.#clients.get(id) ?? { next: oldest, held: new Map(), answers: new Map() };
    this.#clients.set(id, client);
    client.next = Math.max(client.next, oldest);
    for (const number of client.held.keys()) if (number < client.next) client.held.delete(number);
    for (const number of client.answers.keys()) if (number < oldest) client.answers.delete(number);
    return client;
  }
}
