// Moves a conversation from this tab into the cloud, and back. It reports progress, can be stopped, and settles a
// move whose answer was lost.
import { SdkError } from 'rockpool/browser';
import type { BrowserHost } from 'rockpool/browser';
import type { Cloud } from './cloud.ts';

export interface MoveOptions {
  readonly host: BrowserHost;
  readonly cloud: Cloud;
  /** Stops the move: the conversation stays where it was, unless it has arrived already. */
  readonly signal: AbortSignal;
  /** The bytes sent in both directions so far. The total isn't known in advance. */
  readonly onProgress: (bytes: number) => void;
}

/**
 * Resolves when the conversation runs in the cloud. It is then closed here; if this rejects, it may be closed, too.
 */
export async function goOnInCloud(
  { id, title }: { readonly id: string; readonly title: string },
  { host, cloud, signal, onProgress }: MoveOptions,
): Promise<void> {
  const { moveSession, settleMove } = await import('rockpool/wire');
  // Saves the text in the editor, so that it moves, too.
  await host.documents.flush();
  await cloud.add(id, title);
  const url = cloud.toUrl(id);
  const how = { host, ticket: () => cloud.ticket(url), fetch: countingFetch(onProgress) };
  try {
    await moveSession(id, url, { ...how, signal });
  } catch (error) {
    if (!isUnsure(error)) throw error;
    const { isHere } = await settleMove(id, how);
    if (isHere) throw signal.aborted ? error : new Error(cutShort);
  }
}

/** Resolves with the session's id, once it may be opened here. */
export async function bringToTab(
  url: string,
  { host, cloud, signal, onProgress }: MoveOptions,
): Promise<string> {
  const { bringBack } = await import('rockpool/wire');
  const how = { host, ticket: () => cloud.ticket(url), fetch: countingFetch(onProgress) };
  try {
    return (await bringBack(url, { ...how, signal })).sessionId;
  } catch (error) {
    if (!isUnsure(error)) throw error;
    return (await bringBack(url, how)).sessionId;
  }
}

const cutShort = 'The connection broke off, and the move came to nothing.';

function isUnsure(error: unknown): boolean {
  return SdkError.isInstance(error) && error.data['isUnsure'] === true;
}

function countingFetch(onProgress: (bytes: number) => void): typeof fetch {
  let bytes = 0;
  return async (input, init) => {
    const response = await fetch(input, init);
    const body = await response.arrayBuffer();
    bytes += body.byteLength + (init?.body instanceof Uint8Array ? init.body.byteLength : 0);
    onProgress(bytes);
    return new Response(body, response);
  };
}
