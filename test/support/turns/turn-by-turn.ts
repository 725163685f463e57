// Prompts that depend on what the turn before has done. A query reads its iterable while a turn runs.
import { createDeferred } from '../../../src/core/async/deferred.ts';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';

/**
 * Gives a prompt, and goes on in `prompts` only when the turn of that prompt has ended. Pass each
 * message of the query to `hear`.
 */
export function turnByTurn<T>(prompts: AsyncIterable<T>) {
  let ended = createDeferred();
  async function* inTurn() {
    for await (const prompt of prompts) {
      yield prompt;
      await ended.promise;
      ended = createDeferred();
    }
  }
  return {
    prompt: inTurn(),
    hear(message: SDKMessage): void {
      if (message.type === 'result') ended.resolve();
    },
  };
}
