// Counts the characters that go to a model and come from it: clocks stand still, so what an event has computed is
// estimated by them. A request takes its turn with others of the object until its answer begins. Used by
// create-session-object.ts.
import type { ConnectionGate } from '../../../core/async/connection-gate.ts';
import type { Model } from '../../../model/model.ts';

/**
 * 20 000 for a millisecond of writing a request as JSON, reading its answer and recording both. In workerd's processor
 * time (bench `edge`) there were 12 000 where long answers are streamed, 60 000 where a long conversation is sent.
 */
export const charactersPerMs = 20_000;

/** The same model. `onCharacters`: told before each request, and with each event of its answer. Must not throw. */
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
  // All other members stay the model's own, as a class may compute them, or have private ones.
  return new Proxy(model, {
    get(target, key) {
      if (key === 'stream') return stream;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** The characters of all texts in a value. */
function countCharacters(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  for (const part of Object.values(value)) count += countCharacters(part);
  return count;
}
