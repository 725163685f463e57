// The port by which a model proxy keeps a budget. A request's maximal cost is reserved before it is sent, and settled by
// the usage that the server reports. An owner's object implements it.
import type { Usage } from '../../../core/messages/messages.ts';

/** A request that is about to be made. */
export interface ModelReservation {
  /** Names the reservation, so that asking twice reserves once. @defaultValue a new one */
  readonly id?: string;
  /** What `authenticate` named. */
  readonly asker: string;
  readonly model: string;
  /** Estimated from the request's characters, images and documents; rather too many than too few. */
  readonly inputTokens: number;
  /** The most that the request lets the model answer. */
  readonly maxTokens: number;
}

/** What a request came to. */
export interface ModelSettlement {
  readonly asker: string;
  /** What `reserve` gave. */
  readonly id: string;
  readonly model: string;
  /** Nothing but zeros where the server refused the request. */
  readonly usage: Usage;
  /** Was the answer cut, so that a part of `usage` is estimated from its characters? */
  readonly isEstimated: boolean;
}

/** A budget. What is reserved counts as spent until it is settled, or lapses as the account decides. */
export interface ModelAccount {
  /**
   * Called before each request for a message. A refusal is a sentence, which is passed on. Where it
   * rejects, no request is made.
   */
  reserve(
    request: ModelReservation,
  ): Promise<{ readonly id: string } | { readonly refused: string }>;
  /** Called once for each reservation; twice with the same id must change nothing. */
  settle(settlement: ModelSettlement): Promise<void>;
}
