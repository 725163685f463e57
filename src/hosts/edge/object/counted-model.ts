// Counts the characters sent to a model and received from it. Clocks don't advance during
// computation, so the computing time of an event is estimated from them. A request uses the
// object's connection gate until its answer begins. Used by create-session-object.ts.
import type { ConnectionGate } from '../../../core/async/connection-gate.ts';
import type { Model } from '../../../model/model.ts';

/**
 * 20 000 characters per millisecond, for serializing a request, parsing its answer and recording
 * both. Benchmark `edge` measured 12 000 for long streamed answers and 60 000 for long
 * conversations, in workerd's processor time.
 */
export const charactersPerMs = 20_000;

/**
 * Wraps the model. `onCharacters`: called before each request and for each event of its answer.
 * Must not throw.
 */
export function createCountedModel(
  model: Model,
  onCharacters: (count: number) => void,
  gate?: ConnectionGate,
): Model {
  const stream: Model['stream'] = async function* (request, options) {
    onCharacters(countCharacters(request));
    const release = await gate?.connect(options.signal);
    try {
      for await (const event of model.stream(request, options)) {
        // Only connections that wait for their headers count for the limit.
        release?.();
        onCharacters(countCharacters(event));
        yield event;
      }
    } finally {
      release?.();
    }
  };
  // All other members are forwarded, because a class may have getters or private fields.
  return new Proxy(model, {
    get(target, key) {
      if (key === 'stream') return stream;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Counts the characters of all strings in a value. */
function countCharacters(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  for (const part of Object.values(value)) count += countCharacters(part);
  return count;
}
