// The ports that sharing between tabs needs: a channel, a lock, a clock, and a way to open the
// medium. hosts/browser/ provides them in a tab; tests script them.
import type { SdkError } from '../../core/errors.ts';
import type { Clock } from '../../core/tool/ports.ts';
import type { PackSegment } from '../feed/serve-feed.ts';
import type { AppliedStreamRecord } from '../commit/plan-group.ts';
import type { WriterPort } from '../commit/writer-port.ts';
import type { TabMessage } from './tab-message.ts';

/**
 * Reaches the other tabs of one workspace. Messages may be lost, duplicated or reordered; whatever
 * depends on one is requested again.
 */
export interface TabChannel extends Disposable {
  /** To one tab, or to all others. Throws where the message can't be cloned. */
  post(message: TabMessage, to?: string): void;
  /** Called once. Messages are untrusted until they are checked. */
  listen(receive: (message: unknown) => void): void;
}

/**
 * Decides which tab may open the medium. It is advisory; the medium's fencing stops tabs that
 * ignore it.
 */
export interface LeaderLock {
  /**
   * Queues for the lock, or steals it from its holder. Rejects when the signal aborts, unless the
   * lock was granted before.
   */
  acquire(options: { readonly steal: boolean; readonly signal: AbortSignal }): Promise<HeldLock>;
}

export interface HeldLock {
  /** Resolves once another tab has taken it, or it was released. */
  readonly lost: Promise<void>;
  /** Idempotent. */
  release(): void;
}

/** The writer of a medium that this tab owns. */
export interface LeaderWriter extends WriterPort {
  /** Which ownership of the medium it is: higher than every one before. */
  readonly epoch: number;
  /** Set once it can write no more: `EFENCED`, or `EIO` where only reopening the medium helps. */
  readonly refusal: SdkError | undefined;
  /**
   * Called for each record that changed a stream alone; `onRecord` is for the others. Both are told
   * in the order of the log.
   */
  onStreamRecord(listener: (applied: AppliedStreamRecord) => void): Disposable;
}

export interface TabPorts {
  /** This tab's id: no other tab ever has it. */
  readonly id: string;
  readonly channel: TabChannel;
  readonly lock: LeaderLock;
  readonly clock: Clock;
  /** How contents are packed for other tabs. */
  readonly pack: PackSegment;
  /**
   * Takes the medium over and recovers it. Called only while this tab has the lock; `takeOver`: from
   * an owner that may still hold it.
   */
  openWriter(options: { readonly takeOver: boolean }): Promise<LeaderWriter>;
  /** Reports a failure that isn't the answer to any request. */
  onError(error: unknown): void;
}
