// Gets a ticket from a session's server, for connectSession.
import { SdkError } from '../core/errors.ts';
import { isRecord } from '../core/values/is-record.ts';
import { toRefusal } from './to-refusal.ts';
import { toWireAddress } from './wire-address.ts';

/**
 * Gets a ticket for one connection to the session at that URL. The request has the page's cookies
 * and the given headers, by which the server's `authorize` identifies the person. Rejects with the
 * server's refusal, or with `worker-lost` if the server can't be reached.
 *
 * @example
 * ```ts
 * const session = await connectSession(url, { ticket: () => fetchTicket(url) });
 * ```
 */
export async function fetchTicket(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const address = toWireAddress(url.replace(/^ws/, 'http'), '/ticket');
  let response: Response;
  try {
    // Runtimes without cookies may reject this option.
    const cookies = 'location' in globalThis ? ({ credentials: 'include' } as const) : {};
    response = await fetch(address, { method: 'POST', headers, ...cookies });
  } catch (error) {
    throw new SdkError('worker-lost', `The session's server at ${address} is out of reach.`, {
      data: { url: address },
      cause: error,
    });
  }
  if (!response.ok) throw await toRefusal(response);
  const body: unknown = await response.json().catch(() => undefined);
  if (isRecord(body) && typeof body['ticket'] === 'string') return body['ticket'];
  throw new SdkError('invalid-input', `${address} has answered with no ticket.`);
}
