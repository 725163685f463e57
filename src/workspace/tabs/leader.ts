// The leader's side: it feeds the other tabs, admits their commits, and answers. It starts when
// election.ts has opened the medium, and ends when the medium is lost or given up. `Admission`
// applies each follower's commits in the order of their numbers, each once, however often they
// arrive.
import { SdkError, toSerializedError } from '../../core/errors.ts';
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

/** What a leadership needs of its tab. */
export interface LeadingPorts {
  /** This tab's id. */
  readonly id: string;
  readonly clock: Clock;
  readonly pack: PackSegment;
  readonly recent: RecentRecords;
  post(message: LeaderMessage, to?: string): void;
  /** For the leader's own listeners, before other tabs are told. */
  onRecord(fed: FedRecord): void;
  /** The same for a record that changed a stream alone. */
  onStreamRecord(record: StreamRecord): void;
  /** For the leader's own listeners: {@link FeedSource.onMoved}. */
  onMoved(): void;
  /**
   * Called once. The writer can write no more: another tab owns the medium, or it must be reopened.
   */
  onRefused(): void;
  onError(error: unknown): void;
  isVisible(): boolean;
  /** Has no other tab ever sent a message? Then nothing is packed. */
  isAlone(): boolean;
}

// 5 s: a snapshot of a large workspace takes its time, and needn't be made again meanwhile.
const snapshotPatienceMs = 5000;

export class Leading {
  readonly writer: LeaderWriter;
  readonly #ports: LeadingPorts;
  readonly #admission = new Admission();
  /** Tabs that said hello, and when a snapshot was last begun for them. */
  readonly #followers = new Map<string, number>();
  readonly #packer: FeedPacker;
  readonly #listening: readonly (Disposable | undefined)[];
  #unsent: TabRecord[] = [];
  #reminder: Disposable | undefined;
  /** How many pieces of the present snapshot were read. */
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

  /** Tells one tab, or all, that this one leads. */
  announce(to?: string, next?: number): void {
    const isVisible = this.#ports.isVisible();
    const { epoch } = this;
    const { revision } = this.writer.state;
    this.#post({ type: 'leading', epoch, isVisible, info: this.info(), revision, next }, to);
  }

  get epoch(): number {
    return this.writer.epoch;
  }

  /** Takes what another tab sent; claims are the caller's affair. */
  receive(from: string, message: FollowerMessage): void {
    switch (message.type) {
      case 'hello':
        this.#welcome(from, message.revision, message.oldest);
        return;
      case 'commit': {
        // Sent to another leader: its sender retries here, if the commit is still open.
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
   * Commits for `client`. Rejects with `EFENCED` when the medium was lost, and `EBADF` when it was
   * given up: then the commit belongs to the next leader. So does every one that is refused when
   * this one leads no more.
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
      const isFenced =
        SdkError.isInstance(error) && error.code === 'EFENCED' && !isStreamFence(error);
      if ((isFenced || this.writer.refusal) && !this.#isRefused) {
        this.#isRefused = true;
        this.#ports.onRefused();
      }
      throw error;
    }
  }

  /** No more commits of other tabs are taken; those under way are answered. */
  pause(): void {
    this.#isPaused = true;
  }

  /** Stops listening to the writer. What it still acknowledges, the next leader finds in the log. */
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

  /** The record that has led to the present state. It is packed only if somebody may hear it. */
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
    // How far it has come, once more: a tab that has nothing to ask misses then what was lost.
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

  /** Segments that the tabs read will be removed: send them the new ones. */
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
      // The tab retries at whichever tab leads by then.
      this.#ports.onError(error);
    }
  }

  /**
   * The leader pauses before each piece but the first. Otherwise it would answer nobody until a large snapshot is done,
   * and other tabs would take it for frozen.
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

/** Is the commit one for the next leader? */
export function isLost(error: unknown): boolean {
  if (!SdkError.isInstance(error) || isStreamFence(error)) return false;
  return error.code === 'EFENCED' || error.code === 'EBADF';
}

/** A commit as it arrived. */
export interface SentCommit {
  readonly number: number;
  readonly oldest: number;
  readonly request: TabRequest;
}

interface Client {
  next: number;
  /** Came before their turn. */
  readonly held: Map<number, TabRequest>;
  /** Until the client says that it has them. */
  readonly answers: Map<number, TabAnswer>;
}

/** For one leader's term: a new leader asks the tabs again. */
class Admission {
  readonly #clients = new Map<string, Client>();

  /** The number that the client should send next, given that all below `oldest` are settled. */
  next(id: string, oldest: number): number {
    return this.#clientOf(id, oldest).next;
  }

  /** The commits that may go now, in order: none, this one, or this one and those that waited for it. */
  admit(id: string, { number, oldest, request }: SentCommit): [number, TabRequest][] {
    const client = this.#clientOf(id, oldest);
    // Security: a tab that sends arbitrary numbers must not fill the leader's memory.
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
