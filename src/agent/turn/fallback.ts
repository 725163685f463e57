// Chooses the model of a turn's request: the session's, or one of `fallbackModel` after a refusal
// or an overload. The next prompt starts with the session's model again. Used by `loop.ts`.
import type { Model } from '../../model/model.ts';

/**
 * A turn's position in the list of fallback models. After `setModel` during the turn, the new model
 * is used instead.
 */
export interface FallbackPlace {
  readonly insteadOf: Model;
  readonly index: number;
}

/** The session's models. */
interface Choice {
  readonly model: Model;
  readonly fallbackModels: readonly Model[];
}

/** The model for the turn's next request. */
export function currentModel({ model, fallbackModels }: Choice, place?: FallbackPlace): Model {
  const fallback = place?.insteadOf === model ? fallbackModels[place.index] : undefined;
  return fallback ?? model;
}

/** The next position. Undefined at the end of the list. */
export function nextFallback(
  { model, fallbackModels }: Choice,
  place?: FallbackPlace,
): FallbackPlace | undefined {
  const index = place?.insteadOf === model ? place.index + 1 : 0;
  return index < fallbackModels.length ? { insteadOf: model, index } : undefined;
}
