// What the sharing of a workspace between tabs needs of its realm: a channel, a lock, a clock, and a
// way to open the medium. In a tab hosts/browser/ gives them; tests script them.
import type { SdkError } from '../../core/errors.ts';
import type { Clock } from '../../core/tool/ports.ts';
import type { PackSegment } from '../feed/serve-feed.ts';
import type { WriterPort } from '../commit/writer-port.ts';
import type { TabMessage } from './tab-message.ts';

/**
 * Reaches the other tabs of one workspace. Messages may be lost, doubled or out of order: what
 * depends on them is asked for again.
 */
export interface TabChannel extends Disposable {
  /** To one tab, or to all others. Throws where the message can't be cloned. */
  post(message: TabMessage, to?: string): void;
  /** Called once. What arrives is a stranger's until it was checked. */
  listen(receive: (message: unknown) => void): void;
}

/** Says which tab may open the medium. It keeps tabs apart that behave; the medium's fence the rest. */
export interface LeaderLock {
  /**
   * Waits in line for the lock, or takes it from whoever has it. Rejects when the signal aborts,
   * unless the lock was given before.
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
  /** Set once it can write no more: `EFENCED`, or `EIO` where only opening the medium anew helps. */
  readonly refusal: SdkError | undefined;
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
  /** Told what went wrong without being anybody's answer. */
  onError(error: unknown): void;
}
