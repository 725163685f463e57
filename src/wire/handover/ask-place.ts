// Sends requests to a remote place, for moveSession, bringBack and settleMove. Each is one HTTP
// request with its own ticket. All requests of a move are idempotent.
import { createAbortError } from '../../core/async/abort.ts';
import { SdkError, fromSerializedError, isSerializedError } from '../../core/errors.ts';
import { systemClock } from '../../core/async/system-clock.ts';
import type { Clock } from '../../core/tool/ports.ts';
import { moveBytesPerMs, moveType } from '../move-server.ts';
import { toRefusal } from '../to-refusal.ts';
import { toWireAddress } from '../wire-address.ts';
import { decodeFrame, encodeFrame } from './frames.ts';
import { moveProtocol } from './move-messages.ts';
import type { MoveMessages, MoveType } from './move-messages.ts';

/** The place's address and the caller's tickets. */
export interface PlaceOptions {
  /** Returns a ticket of the role owner for each request: `() => fetchTicket(url)`. */
  readonly ticket: () => string | Promise<string>;
  /** @defaultValue the global `fetch` */
  readonly fetch?: typeof fetch;
  readonly signal?: AbortSignal;
  /** The clock for waits between attempts and for answers. @defaultValue the system clock */
  readonly clock?: Clock;
}

/** The answer and its bytes. */
export type PlaceAnswer<Type extends MoveType> = MoveMessages[Type]['answer'] & {
  readonly blobs: readonly Uint8Array<ArrayBuffer>[];
};

/**
 * Rejects with the place's refusal, or with `worker-lost` if it hasn't answered: then it may or may
 * not have carried out the request.
 */
export type AskPlace = <Type extends MoveType>(
  type: Type,
  about: { readonly session: string; readonly move: string },
  fields: MoveMessages[Type]['ask'],
  blobs?: readonly Uint8Array[],
) => Promise<PlaceAnswer<Type>>;

interface Bounds {
  /** The waits before each further attempt, in milliseconds. */
  readonly waits: readonly number[];
  /** How long to wait for an attempt, in addition to the time for its bytes. */
  readonly silentMs: number;
}

const bounds: Bounds = {
  // After these waits a deploy, or the relocation of an object, is over.
  waits: [250, 500, 1_000, 2_000, 4_000],
  // 2 min: the time for an answer of 8 MB at half a megabit per second.
  silentMs: 120_000,
};

/** 10 s: the move was cancelled, and the caller waits. */
const lastBounds: Bounds = { waits: [250], silentMs: 10_000 };

/** `url`: the address of the session's wire, as for connectSession. */
export const askPlace = (url: string, options: PlaceOptions): AskPlace =>
  createAsking(url, options, () => bounds);

/**
 * Sends requests even after the signal is aborted, so that the place needn't wait for a caller that
 * is gone. Then, and if nothing depends on the answer (`isBrief`), it tries only twice with short
 * waits.
 */
export const askAnyway = (
  url: string,
  { signal, ...options }: PlaceOptions,
  isBrief = false,
): AskPlace => createAsking(url, options, () => (isBrief || signal?.aborted ? lastBounds : bounds));

function createAsking(url: string, options: PlaceOptions, toBounds: () => Bounds): AskPlace {
  const address = toMoveAddress(url);
  const { signal, clock = systemClock } = options;
  return async (type, about, fields, blobs = []) => {
    const body = await encodeFrame({ ...fields, ...about, protocol: moveProtocol, type }, blobs);
    for (let attempt = 0; ; attempt += 1) {
      if (signal?.aborted) throw createAbortError(signal.reason);
      const { waits, silentMs } = toBounds();
      const silence = new AbortController();
      const timer = clock.after(silentMs + body.length / moveBytesPerMs, () => silence.abort());
      try {
        const answer = await untilSilent(
          post(address, body, options, silence.signal),
          address,
          silence.signal,
        );
        return { ...answer.fields, blobs: answer.blobs } as PlaceAnswer<typeof type>;
      } catch (error) {
        const code = SdkError.isInstance(error) ? error.code : undefined;
        // A server that was restarted in between doesn't know its earlier tickets.
        if (code === 'permission-denied' && attempt === 0) continue;
        const wait = silence.signal.aborted ? undefined : waits[attempt];
        if (code !== 'worker-lost' || wait === undefined) throw error;
        await new Promise<void>((resolve) => clock.after(wait, resolve));
      } finally {
        timer[Symbol.dispose]();
      }
    }
  };
}

async function post(
  address: string,
  body: Uint8Array<ArrayBuffer>,
  { ticket, fetch: given = fetch, signal }: PlaceOptions,
  silence: AbortSignal,
) {
  const headers = { authorization: `Bearer ${await ticket()}`, 'content-type': moveType };
  const cookies = 'location' in globalThis ? ({ credentials: 'include' } as const) : {};
  let bytes: Uint8Array<ArrayBuffer>;
  let type: string | null;
  try {
    const ending = signal ? AbortSignal.any([signal, silence]) : silence;
    const init = { method: 'POST', headers, body, ...cookies, signal: ending };
    const response = await given(address, init);
    if (!response.ok) throw await toRefusal(response);
    type = response.headers.get('content-type');
    bytes = new Uint8Array(await response.arrayBuffer());
  } catch (error) {
    if (SdkError.isInstance(error)) throw error;
    if (signal?.aborted) throw createAbortError(signal.reason);
    throw isOutOfReach(address, error);
  }
  const answer = await decodeFrame(bytes).catch((error: unknown) => {
    throw type === moveType ? error : isNoPlace(address, error);
  });
  const { error } = answer.fields;
  // Security: it came from outside.
  if (isSerializedError(error)) throw fromSerializedError(error);
  if (error !== undefined) throw saysNothing(address);
  return answer;
}

/** Gives up even if the caller's `ticket` or `fetch` ignores the signal. */
async function untilSilent<Answer>(
  answer: Promise<Answer>,
  address: string,
  silence: AbortSignal,
): Promise<Answer> {
  const silent = new Promise<never>((_, reject) => {
    silence.addEventListener('abort', () => reject(isOutOfReach(address)), { once: true });
  });
  return Promise.race([answer, silent]);
}

function isNoPlace(url: string, cause: unknown): SdkError {
  return new SdkError(
    'invalid-input',
    `What answers at ${url} is no place that a session moves to: a page, maybe. Give the whole address of a session's wire, such as https://example.org/sessions/s1/wire.`,
    { data: { url }, cause },
  );
}

function saysNothing(url: string): SdkError {
  return new SdkError(
    'invalid-input',
    `The place at ${url} has answered with an error that says nothing. Look at what is served there.`,
    { data: { url } },
  );
}

const isOutOfReach = (address: string, cause?: unknown) =>
  new SdkError('worker-lost', `The place at ${address} is out of reach.`, {
    data: { url: address },
    cause,
  });

function toMoveAddress(url: string): string {
  if (URL.canParse(url) && /^(?:https?|wss?):/.test(url)) {
    return toWireAddress(url.replace(/^ws/, 'http'), '/move');
  }
  throw new SdkError(
    'bad-usage',
    `A session is moved to the whole address of a place's wire, such as https://example.org/sessions/s1/wire, not ${JSON.stringify(url)}.`,
    { data: { url } },
  );
}
