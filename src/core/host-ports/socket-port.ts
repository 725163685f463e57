// The port by which a tool's `call` receives messages of a server: the realm's WebSocket. agent/calls/call-sockets.ts
// first decides which host a call may reach.
import { createAbortError } from '../async/abort.ts';
import { describeThrown, SdkError } from '../errors.ts';

/** A socket to open, and its listeners. */
export interface SocketRequest {
  /** `ws:` or `wss:`. */
  readonly url: string;
  readonly protocols?: readonly string[];
  /** Called with each text frame. Binary frames are left out. */
  onText(text: string): void;
  /** Called once with the reason if an open socket closes without being disposed. */
  onClose(why: string): void;
}

/**
 * Resolves when the socket is open. Dispose the result to close the socket. `signal` ends only the opening.
 *
 * Rejects with an SdkError: `permission-denied` if the call may not reach the host, `tool-failed` if the server can't
 * be reached, or `aborted`.
 */
export type OpenSocket = (
  request: SocketRequest,
  options: { readonly signal: AbortSignal },
) => Promise<Disposable>;

/** The port that a host provides. */
export interface SocketPort {
  readonly open: OpenSocket;
  /** Names of the host itself, as in URLs. Such a name is reachable only if a rule names it. */
  readonly ownHosts: readonly string[];
}

/** Creates the port from the realm's WebSocket. */
export function createSocketPort(ownHosts: readonly string[] = []): SocketPort {
  return { ownHosts, open };
}

const open: OpenSocket = ({ url, protocols = [], onText, onClose }, { signal }) =>
  new Promise((resolve, reject) => {
    if (signal.aborted) throw createAbortError(signal.reason);
    const socket = connect(url, protocols);
    let state: 'opening' | 'open' | 'over' = 'opening';
    const end = () => {
      state = 'over';
      signal.removeEventListener('abort', abort);
      socket.close();
    };
    const abort = () => {
      end();
      reject(createAbortError(signal.reason));
    };
    signal.addEventListener('abort', abort, { once: true });
    socket.addEventListener('open', () => {
      if (state !== 'opening') return;
      state = 'open';
      signal.removeEventListener('abort', abort);
      resolve({ [Symbol.dispose]: end });
    });
    socket.addEventListener('message', ({ data }: { readonly data: unknown }) => {
      if (state === 'open' && typeof data === 'string') onText(data);
    });
    // After an error `close` follows, and the error event has no more information.
    socket.addEventListener('close', ({ code, reason }) => {
      const before = state;
      if (before === 'over') return;
      end();
      const why = `code ${code}${reason === '' ? '' : `, ${reason}`}`;
      if (before === 'open') onClose(why);
      else reject(failed(url, `it can't be reached, or takes no such socket (${why})`));
    });
  });

/** @throws SdkError if the realm refuses the address at once, for example an insecure address in a secure page */
function connect(url: string, protocols: readonly string[]): WebSocket {
  try {
    return new WebSocket(url, [...protocols]);
  } catch (cause) {
    throw failed(url, describeThrown(cause), cause);
  }
}

function failed(url: string, why: string, cause?: unknown): SdkError {
  // Without the query, which may contain a secret.
  const [place = ''] = url.split('?', 1);
  return new SdkError('tool-failed', `No socket to ${place}: ${why}.`, {
    data: { url: place },
    ...(cause !== undefined && { cause }),
  });
}
