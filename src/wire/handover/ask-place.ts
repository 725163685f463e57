// Asks the place that can be reached, for moveSession, bringBack and settleMove: one request of HTTP each, with a ticket
// of its own. All requests of a move may be sent twice.
import { createAbortError } from '../../core/abort.ts';
import { SdkError, fromSerializedError } from '../../core/errors.ts';
import type { SerializedError } from '../../core/errors.ts';
import { isRecord } from '../../core/is-record.ts';
import { systemClock } from '../../core/system-clock.ts';
import type { Clock } from '../../core/tool/ports.ts';
import { moveType } from '../move-server.ts';
import { toRefusal } from '../to-refusal.ts';
import { decodeFrame, encodeFrame } from './frames.ts';
import { moveProtocol } from './move-messages.ts';
import type { MoveMessages, MoveType } from './move-messages.ts';

/** Where the place is, and who asks. */
export interface PlaceOptions {
  /** One for each request, of the role owner: `() => fetchTicket(url)`. */
  readonly ticket: () => string | Promise<string>;
  /** @defaultValue the global one */
  readonly fetch?: typeof fetch;
  readonly signal?: AbortSignal;
  /** Waits between attempts. @defaultValue the system's */
  readonly clock?: Clock;
}

/** The answer, and the bytes that it bears. */
export type PlaceAnswer<Type extends MoveType> = MoveMessages[Type]['answer'] & {
  readonly blobs: readonly Uint8Array<ArrayBuffer>[];
};

/**
 * Rejects with what the place refuses, and with `worker-lost` where it has not answered: then it may have done it or
 * not.
 */
export type AskPlace = <Type extends MoveType>(
  type: Type,
  about: { readonly session: string; readonly move: string },
  fields: MoveMessages[Type]['ask'],
  blobs?: readonly Uint8Array[],
) => Promise<PlaceAnswer<Type>>;

/** 0.25, 0.5, 1, 2 and 4 s: a deploy, or an object that is moved, is over by then. */
const waits = [250, 500, 1_000, 2_000, 4_000];

/** `url`: that of the session's wire, as for connectSession. */
export const askPlace = (url: string, options: PlaceOptions): AskPlace =>
  createAsking(url, options, () => waits);

/**
 * For what is to be said also once the signal is aborted, so that the place needn't wait for who has gone. Then it is
 * tried twice.
 */
export const askAnyway = (url: string, { signal, ...options }: PlaceOptions): AskPlace =>
  createAsking(url, options, () => (signal?.aborted ? waits.slice(0, 1) : waits));

function createAsking(
  url: string,
  options: PlaceOptions,
  toWaits: () => readonly number[],
): AskPlace {
  const address = toMoveAddress(url);
  const { signal, clock = systemClock } = options;
  return async (type, about, fields, blobs = []) => {
    const body = await encodeFrame({ ...fields, ...about, protocol: moveProtocol, type }, blobs);
    for (let attempt = 0; ; attempt += 1) {
      if (signal?.aborted) throw createAbortError(signal.reason);
      try {
        const answer = await post(address, body, options);
        return { ...answer.fields, blobs: answer.blobs } as PlaceAnswer<typeof type>;
      } catch (error) {
        const isLost = SdkError.isInstance(error) && error.code === 'worker-lost';
        const wait = toWaits()[attempt];
        if (!isLost || wait === undefined) throw error;
        await new Promise<void>((resolve) => clock.after(wait, resolve));
      }
    }
  };
}

async function post(
  address: string,
  body: Uint8Array<ArrayBuffer>,
  { ticket, fetch: given = fetch, signal }: PlaceOptions,
) {
  const headers = { authorization: `Bearer ${await ticket()}`, 'content-type': moveType };
  const cookies = 'location' in globalThis ? ({ credentials: 'include' } as const) : {};
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    const init = { method: 'POST', headers, body, ...cookies, ...(signal && { signal }) };
    const response = await given(address, init);
    if (!response.ok) throw await toRefusal(response);
    bytes = new Uint8Array(await response.arrayBuffer());
  } catch (error) {
    if (SdkError.isInstance(error)) throw error;
    if (signal?.aborted) throw createAbortError(signal.reason);
    throw new SdkError('worker-lost', `The place at ${address} is out of reach.`, {
      data: { url: address },
      cause: error,
    });
  }
  const answer = await decodeFrame(bytes);
  const { error } = answer.fields;
  if (isRecord(error)) throw fromSerializedError(error as unknown as SerializedError);
  return answer;
}

function toMoveAddress(url: string): string {
  if (URL.canParse(url) && /^(?:https?|wss?):/.test(url)) {
    return `${url.replace(/^ws/, 'http').replace(/\/$/, '')}/move`;
  }
  throw new SdkError(
    'bad-usage',
    `A session is moved to the whole address of a place's wire, such as https://example.org/sessions/s1/wire, not ${JSON.stringify(url)}.`,
    { data: { url } },
  );
}
