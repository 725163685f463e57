// Tabs of one workspace in one thread. They have a clock that is set by hand, a network that can
// lose, double and reorder, a lock, and one disk. A tab can be frozen, and killed.
import type { Clock } from '../../../src/core/tool/ports.ts';
import { createMemoryMedium } from '../../../src/workspace/drivers/memory.ts';
import { createFencedError } from '../../../src/workspace/drivers/refusals.ts';
import type { LogLimits } from '../../../src/workspace/log/log-limits.ts';
import type { AppendFile, LogMedium } from '../../../src/workspace/log/log-medium.ts';
import {
  openSharedWorkspace,
  type SharedWorkspace,
} from '../../../src/workspace/tabs/shared-workspace.ts';
import type { TabMessage } from '../../../src/workspace/tabs/tab-message.ts';
import type { HeldLock, TabChannel } from '../../../src/workspace/tabs/tab-ports.ts';
import type { Workspace } from '../../../src/workspace/workspace.ts';
import { createWriterWorkspace } from '../../../src/workspace/commit/writer-workspace.ts';
import { openWorkspaceWriter } from '../../../src/workspace/commit/writer.ts';

/** What a step of a tab's disk is called where a test wants to stop before it. */
export type DiskStep = 'append' | 'checkFence' | 'other';

/** How much of a record is in the file when its append fails; then it can't be cut off either. */
export type DiskFailure = 'none' | 'half' | 'all';

/** A message on its way. */
export interface Packet {
  readonly to: Tab;
  readonly message: TabMessage;
}

export class Tab {
  readonly id: string;
  readonly errors: unknown[] = [];
  isFrozen = false;
  isDead = false;
  /** Freezes itself before such a step. */
  freezeBefore: DiskStep | undefined;
  /** When set, its appends wait here until the test lets them go; messages come and go meanwhile. */
  heldAppends: (() => void)[] | undefined;
  receive: ((message: unknown) => void) | undefined;
  shared!: SharedWorkspace;
  workspace!: Workspace;
  #thawing: (() => void)[] = [];

  constructor(id: string) {
    this.id = id;
  }

  /** Runs it now, or when the tab is thawed; never when it is dead. */
  run(step: () => void): void {
    if (this.isDead) return;
    if (this.isFrozen) this.#thawing.push(() => this.run(step));
    else step();
  }

  async gate(step: DiskStep): Promise<void> {
    if (this.freezeBefore === step) {
      this.freezeBefore = undefined;
      this.isFrozen = true;
    }
    await new Promise<void>((resolve) => this.run(resolve));
  }

  thaw(): void {
    this.isFrozen = false;
    for (const step of this.#thawing.splice(0)) step();
  }
}

interface LockRequest {
  readonly tab: Tab;
  grant(): void;
}

interface Timer {
  readonly tab: Tab;
  readonly dueMs: number;
  readonly callback: () => void;
}

export class TabWorld {
  readonly tabs: Tab[] = [];
  /** Of live tabs, in the order of their sending. */
  packets: Packet[] = [];
  /** What {@link settle} does with packets; a test may drop some, or change their order. */
  onPacket: (packet: Packet) => readonly Packet[] = (packet) => [packet];
  /** Of tabs that are opened from now on: after so much they ask for a new snapshot. */
  maxRecordBytes: number | undefined;
  /** Each append of a record takes the next of them, if there is one. */
  failures: DiskFailure[] = [];
  /** While it is set, no tab can open the disk. */
  openingError: Error | undefined;
  /** Of logs that are opened from now on. */
  limits: Partial<LogLimits> = {};
  #disk: LogMedium;
  readonly #line: LockRequest[] = [];
  readonly #timers = new Set<Timer>();
  #holder: { readonly tab: Tab; readonly lose: () => void } | undefined;
  #owner: object | undefined;
  #nowMs = 1_700_000_000_000;

  constructor(disk: LogMedium = createMemoryMedium()) {
    this.#disk = disk;
  }

  /** A tab that has begun to join; `joined` tells how it ends. */
  open(id: string, { isVisible = true } = {}): { tab: Tab; joined: Promise<Tab> } {
    const tab = new Tab(id);
    this.tabs.push(tab);
    const opening = openSharedWorkspace(
      {
        id,
        channel: this.#channelOf(tab),
        lock: { acquire: (options) => this.#acquire(tab, options) },
        clock: this.#clockOf(tab),
        pack: (bytes) => bytes,
        openWriter: async () => {
          const { limits } = this;
          return openWorkspaceWriter(await this.#openMedium(tab), { name: 'world', limits });
        },
        onError: (error) => tab.errors.push(error),
      },
      { isVisible, ...(this.maxRecordBytes && { maxRecordBytes: this.maxRecordBytes }) },
    );
    const joined = opening.then((shared) => {
      tab.shared = shared;
      tab.workspace = createWriterWorkspace(shared);
      return tab;
    });
    joined.catch(() => {});
    return { tab, joined };
  }

  /** A tab that has joined. */
  async join(id: string, options: { readonly isVisible?: boolean } = {}): Promise<Tab> {
    const { joined } = this.open(id, options);
    await this.settle();
    return joined;
  }

  /** Delivers all that is on its way, and what comes of it, until nothing happens any more. */
  async settle(): Promise<void> {
    let rounds = 0;
    do {
      // Tabs that talk for ever without time passing would be a mistake of theirs.
      if ((rounds += 1) > 500) throw new Error('The tabs come to no rest.');
      const packets = this.packets.splice(0).flatMap((packet) => this.onPacket(packet));
      for (const packet of packets) this.deliver(packet);
      await this.turn();
    } while (this.packets.length > 0);
  }

  /** Lets everything run that needs no message and no time: no step here is longer than that. */
  async turn(): Promise<void> {
    for (let hops = 0; hops < 1000; hops += 1) await undefined;
  }

  deliver({ to, message }: Packet): void {
    to.run(() => to.receive?.(structuredClone(message)));
  }

  /** Lets time pass, in steps, with all that happens in it. */
  async pass(durationMs: number): Promise<void> {
    const end = this.#nowMs + durationMs;
    for (;;) {
      await this.settle();
      const next = Math.min(...[...this.#timers].map(({ dueMs }) => dueMs));
      if (next > end) break;
      this.#nowMs = Math.max(this.#nowMs, next);
      for (const timer of [...this.#timers].filter(({ dueMs }) => dueMs <= this.#nowMs)) {
        this.#timers.delete(timer);
        timer.tab.run(timer.callback);
      }
    }
    this.#nowMs = end;
  }

  /** Whoever has the medium open has it no more, and is told so by it alone. */
  fence(): void {
    this.#owner = undefined;
  }

  /** As when a person clears the site's data. Who has a file open writes on, to nowhere. */
  clear(): void {
    this.#disk = createMemoryMedium();
  }

  /** As when the browser ends it: nothing more comes of it, and its lock is free. */
  kill(tab: Tab): void {
    tab.isDead = true;
    for (const timer of this.#timers) if (timer.tab === tab) this.#timers.delete(timer);
    if (this.#holder?.tab === tab) this.#release(this.#holder);
  }

  #channelOf(tab: Tab): TabChannel {
    return {
      post: (message, to) => {
        if (tab.isDead) return;
        const clone = structuredClone(message);
        for (const other of this.tabs) {
          const isMeant = other !== tab && (to === undefined || other.id === to);
          if (isMeant && !other.isDead) this.packets.push({ to: other, message: clone });
        }
      },
      listen: (receive) => {
        tab.receive = receive;
      },
      [Symbol.dispose]: () => {
        tab.receive = undefined;
      },
    };
  }

  #clockOf(tab: Tab): Clock {
    return {
      now: () => this.#nowMs,
      after: (delayMs, callback) => {
        const timer = { tab, dueMs: this.#nowMs + delayMs, callback };
        if (!tab.isDead) this.#timers.add(timer);
        return { [Symbol.dispose]: () => void this.#timers.delete(timer) };
      },
    };
  }

  #acquire(
    tab: Tab,
    { steal, signal }: { readonly steal: boolean; readonly signal: AbortSignal },
  ): Promise<HeldLock> {
    return new Promise((resolve, reject) => {
      if (signal.aborted || tab.isDead) return;
      const request: LockRequest = {
        tab,
        grant: () => {
          const lost = new Promise<void>((lose) => {
            this.#holder = { tab, lose: () => tab.run(lose) };
          });
          const holder = this.#holder;
          tab.run(() => resolve({ lost, release: () => holder && this.#release(holder) }));
        },
      };
      signal.addEventListener('abort', () => {
        const at = this.#line.indexOf(request);
        if (at >= 0) this.#line.splice(at, 1);
        reject(new Error('The request for the lock was given up.'));
      });
      if (steal) {
        this.#holder?.lose();
        request.grant();
      } else {
        this.#line.push(request);
        this.#grantNext();
      }
    });
  }

  #release(holder: { readonly lose: () => void }): void {
    if (this.#holder !== holder) return;
    this.#holder = undefined;
    holder.lose();
    this.#grantNext();
  }

  #grantNext(): void {
    if (this.#holder) return;
    let next = this.#line.shift();
    while (next?.tab.isDead) next = this.#line.shift();
    next?.grant();
  }

  async #openMedium(tab: Tab): Promise<LogMedium> {
    await tab.gate('other');
    if (this.openingError) throw this.openingError;
    const token = {};
    this.#owner = token;
    const disk = this.#disk;
    const gated = (file: AppendFile): AppendFile => {
      let hasFailed = false;
      return {
        ...file,
        append: async (bytes, durability) => {
          await tab.gate('append');
          const { heldAppends } = tab;
          if (heldAppends) await new Promise<void>((resolve) => heldAppends.push(resolve));
          // A segment's header is no record.
          const failure = file.length() === 0 ? undefined : this.failures.shift();
          const kept = { none: 0, half: bytes.length >> 1, all: bytes.length };
          await file.append(failure ? bytes.slice(0, kept[failure]) : bytes, durability);
          hasFailed = failure !== undefined;
          if (hasFailed) throw new Error('The disk failed.');
        },
        async truncate(length) {
          await tab.gate('other');
          if (hasFailed) throw new Error('The disk failed again.');
          await file.truncate(length);
        },
      };
    };
    return {
      ...disk,
      list: async () => (await tab.gate('other'), disk.list()),
      create: async (name) => {
        await tab.gate('other');
        const isThere = (await disk.list()).some((file) => file.name === name);
        if (isThere && this.#owner !== token) throw createFencedError();
        return gated(await disk.create(name));
      },
      remove: async (name) => (await tab.gate('other'), disk.remove(name)),
      checkFence: async () => {
        await tab.gate('checkFence');
        if (this.#owner !== token) throw createFencedError();
      },
    };
  }

  /** The log as whoever opens it next will find it. */
  async reopen(): Promise<Workspace> {
    const { joined } = this.open(`reader-${this.tabs.length}`);
    await this.settle();
    return (await joined).workspace;
  }
}
