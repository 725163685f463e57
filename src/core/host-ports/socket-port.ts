// The port through which a tool's own `call` hears a server: the realm's WebSocket. agent/calls/call-sockets.ts decides
// first who may reach what.
import { createAbortError } from '../async/abort.ts';
import { describeThrown, SdkError } from '../errors.ts';

/** What is to be heard. */
export interface SocketRequest {
  /** `ws:` or `wss:`. */
  readonly url: string;
  readonly protocols?: readonly string[];
  /** Called with each text frame. Binary frames are left out. */
  onText(text: string): void;
  /** Called once, with why, where the socket closes that was open and wasn't disposed. */
  onClose(why: string): void;
}

/**
 * Resolves when the socket is open; dispose what it gives to close it. `signal` ends the opening alone.
 *
 * Rejects with an SdkError: `permission-denied` where the call may not go, `tool-failed` where the server can't be
 * reached, `aborted`.
 */
export type OpenSocket = (
  request: SocketRequest,
  options: { readonly signal: AbortSignal },
) => Promise<Disposable>;

/** What a host gives. */
export interface SocketPort {
  readonly open: OpenSocket;
  /** Names of the host itself, as URLs have them: reachable only by a rule that names one. */
  readonly ownHosts: readonly string[];
}

/** Makes the port over the realm's own WebSocket. */
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
    // A failure is followed by it, too, and says no more.
    socket.addEventListener('close', ({ code, reason }) => {
      const before = state;
      if (before === 'over') return;
      end();
      const why = `code ${code}${reason === '' ? '' : `, ${reason}`}`;
      if (before === 'open') onClose(why);
      else reject(failed(url, `it can't be reached, or takes no such socket (${why})`));
    });
  });

/** @throws SdkError where the realm refuses the address at once, as a secure page does an insecure one. */
function connect(url: string, protocols: readonly string[]): WebSocket {
  try {
    return new WebSocket(url, [...protocols]);
  } catch (cause) {
    throw failed(url, describeThrown(cause), cause);
  }
}

function failed(url: string, why: string, cause?: unknown): SdkError {
  // Without the query, which may bear a secret.
  const [place = ''] = url.split('?', 1);
  return new SdkError('tool-failed', `No socket to ${place}: ${why}.`, {
    data: { url: place },
    ...(cause !== undefined && { cause }),
  });
}
