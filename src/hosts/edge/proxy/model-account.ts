// The port by which a model proxy keeps a budget. A request's maximal cost is reserved before it is sent, and settled
// by the usage that the server reports. An owner's object implements it.
import type { Usage } from '../../../core/messages/messages.ts';

/** A request that is about to be sent. */
export interface ModelReservation {
  /** Names the reservation, so that asking twice reserves once. @defaultValue a new one */
  readonly id?: string;
  /** The name that `authenticate` has returned. */
  readonly asker: string;
  readonly model: string;
  /**
   * An estimate from the request's characters, images and documents, rather too high than too low.
   */
  readonly inputTokens: number;
  /** The most tokens that the request allows as the answer. */
  readonly maxTokens: number;
}

/** The usage of a finished request. */
export interface ModelSettlement {
  readonly asker: string;
  /** The id that `reserve` has returned. */
  readonly id: string;
  readonly model: string;
  /** All zeros if the server has refused the request. */
  readonly usage: Usage;
  /** Whether the answer was incomplete, so a part of `usage` is estimated from its characters. */
  readonly isEstimated: boolean;
}

/**
 * A budget. A reservation counts as spent until it is settled, or until the account lets it expire.
 */
export interface ModelAccount {
  /**
   * Called before each model request. The reason of a refusal is passed to the client. If it
   * rejects, no request is sent.
   */
  reserve(
    request: ModelReservation,
  ): Promise<{ readonly id: string } | { readonly refused: string }>;
  /** Called once for each reservation. A second call with the same id must have no effect. */
  settle(settlement: ModelSettlement): Promise<void>;
}
