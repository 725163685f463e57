// The ports that sharing between tabs needs: a channel, a lock, a clock, and a way to open the
// medium. hosts/browser/ implements them for tabs; tests script them.
import type { SdkError } from '../../core/errors.ts';
import type { Clock } from '../../core/tool/ports.ts';
import type { PackSegment } from '../feed/serve-feed.ts';
import type { AppliedStreamRecord } from '../commit/plan-group.ts';
import type { WriterPort } from '../commit/writer-port.ts';
import type { TabMessage } from './tab-message.ts';

/**
 * Reaches the other tabs of one workspace. Messages may be lost, duplicated or reordered, so lost
 * data is requested again.
 */
export interface TabChannel extends Disposable {
  /** Sends to one tab, or to all others. Throws if the message can't be cloned. */
  post(message: TabMessage, to?: string): void;
  /** Called once. Messages are untrusted until they were validated. */
  listen(receive: (message: unknown) => void): void;
}

/**
 * Decides which tab may open the medium. It is advisory: the medium's fencing stops tabs that
 * ignore it.
 */
export interface LeaderLock {
  /**
   * Queues for the lock, or steals it from its holder. Rejects if the signal is aborted before the
   * lock was granted.
   */
  acquire(options: { readonly steal: boolean; readonly signal: AbortSignal }): Promise<HeldLock>;
}

export interface HeldLock {
  /** Resolves once another tab has taken the lock, or after it was released. */
  readonly lost: Promise<void>;
  /** Idempotent. */
  release(): void;
}

/** The writer of a medium that this tab owns. */
export interface LeaderWriter extends WriterPort {
  /** The epoch of this owner: higher than every earlier one. */
  readonly epoch: number;
  /** Set once it can't write any more: `EFENCED`, or `EIO` if only reopening the medium helps. */
  readonly refusal: SdkError | undefined;
  /**
   * Called for each record that only changed a stream; `onRecord` is for the others. Both are
   * called in the order of the log.
   */
  onStreamRecord(listener: (applied: AppliedStreamRecord) => void): Disposable;
}

export interface TabPorts {
  /** This tab's id, which is unique. */
  readonly id: string;
  readonly channel: TabChannel;
  readonly lock: LeaderLock;
  readonly clock: Clock;
  /** How contents are packed for other tabs. */
  readonly pack: PackSegment;
  /**
   * Takes over the medium and recovers it. Called only while this tab has the lock. `takeOver` is
   * true if a former owner may still hold the medium.
   */
  openWriter(options: { readonly takeOver: boolean }): Promise<LeaderWriter>;
  /** Reports a failure that isn't the answer to a request. */
  onError(error: unknown): void;
}
