// The remote client of an owner's directory, for a session's object, a Worker or a model proxy.
// serve-directory.ts is the server.
import {
  describeThrown,
  fromSerializedError,
  SdkError,
  type SerializedError,
} from '../../../core/errors.ts';
import { asSentence } from '../../../core/text/as-sentence.ts';
import { directoryUrl } from './serve-directory.ts';
import type { DirectoryEntry, SessionDirectory } from './session-directory.ts';

/** The stub of the owner's object, of which only `fetch` is used. */
export interface DirectoryStub {
  fetch(request: Request): Promise<Response>;
}

/**
 * Creates a client of the directory behind `stubOf`.
 *
 * All requests are idempotent, so a request that is lost is sent once more. Rejects with the
 * directory's errors, with `worker-lost` if it can't be reached, and with `bad-usage` if `stubOf`
 * throws.
 *
 * @param stubOf - called for each request, because a stub is dead once its object was reset
 *
 * @example
 * ```ts
 * const directory = connectDirectory(() => env.OWNERS.getByName(owner));
 * await directory.list();
 * ```
 */
export function connectDirectory(stubOf: () => DirectoryStub): SessionDirectory {
  return {
    register: (session) => ask('register', session),
    beginTurn: (turn) => ask('beginTurn', turn),
    endTurn: (report) => ask('endTurn', report),
    list: (options = {}) => ask('list', options),
    find: async (id) => (await ask<DirectoryEntry | null>('find', id)) ?? undefined,
    rename: (id, title) => ask('rename', id, title),
    archive: (id) => ask('archive', id),
    restore: (id) => ask('restore', id),
    delete: (id) => ask('delete', id),
    spending: () => ask('spending'),
    // The id is created here, so a retry makes the same reservation.
    reserve: (request) => ask('reserve', { id: crypto.randomUUID(), ...request }),
    settle: (settlement) => ask('settle', settlement),
  };

  async function ask<Value>(method: keyof SessionDirectory, ...values: unknown[]): Promise<Value> {
    const answer = await send(method, values)
      .catch((cause: unknown) => {
        // A retry can't fix a missing binding.
        if (SdkError.isInstance(cause)) throw cause;
        return send(method, values);
      })
      .catch((cause: unknown) => {
        if (SdkError.isInstance(cause)) throw cause;
        throw new SdkError(
          'worker-lost',
          "The owner's directory can't be reached. Try again in a while.",
          { cause },
        );
      });
    if (answer.error) throw fromSerializedError(answer.error);
    return answer.value as Value;
  }

  function openStub(): DirectoryStub {
    try {
      return stubOf();
    } catch (cause) {
      const message = `The owner's directory isn't there: ${asSentence(describeThrown(cause))} Bind its class in wrangler.jsonc, as docs/edge.md has it.`;
      throw new SdkError('bad-usage', message, { cause });
    }
  }

  async function send(method: string, values: readonly unknown[]): Promise<DirectoryAnswer> {
    const request = new Request(directoryUrl + method, {
      method: 'POST',
      body: JSON.stringify(values),
    });
    const response = await openStub().fetch(request);
    return (await response.json()) as DirectoryAnswer;
  }
}

interface DirectoryAnswer {
  readonly value?: unknown;
  readonly error?: SerializedError;
}
