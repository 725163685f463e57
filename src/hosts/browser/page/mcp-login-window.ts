// The window in which a person logs in to an MCP server, and what the page that it comes back to does. The page calls
// them; what the servers say is mcp/client/login/'s.
import { untilAborted } from '../../../core/async/abort.ts';
import { SdkError } from '../../../core/errors.ts';
import type { McpLogin } from '../../../core/mcp/mcp-login.ts';

const channelName = 'rockpool-mcp-login';

// Twice a second: as soon as a person expects to be told.
const lookMs = 500;

// 3 s: a window that was just closed may have sent its answer.
const closedMs = 3_000;

/**
 * Opens a window for a login, and waits until it comes back: give what this resolves with to
 * `query.completeMcpLogin`. Call it in a click, or the browser opens no window. Resolves with undefined where
 * nobody has to log in.
 *
 * @param begin - `() => query.loginMcpServer(name)`. What it rejects with is passed on.
 * @throws SdkError `unsupported-environment` where the browser blocks the window; `aborted` when `signal` is, or the
 *   window was closed.
 */
export async function openMcpLogin(
  begin: () => Promise<McpLogin>,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<string | undefined> {
  const opened = window.open('about:blank', '_blank', 'popup,width=520,height=720');
  if (!opened) {
    throw new SdkError(
      'unsupported-environment',
      'The browser opened no window for the login. Allow windows for this page, and try again by a click.',
    );
  }
  // Security: what is opened must not lead this page elsewhere.
  opened.opener = null;
  try {
    const { url } = await untilAborted(begin(), signal);
    if (url === undefined) return undefined;
    opened.location.replace(url);
    return await waitForAnswer(opened, new URL(url).searchParams.get('state') ?? '', signal);
  } finally {
    opened.close();
  }
}

function waitForAnswer(
  opened: Window,
  state: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const channel = new BroadcastChannel(channelName);
  return new Promise<string>((resolve, reject) => {
    let closedSince: number | undefined;
    const settle = () => {
      clearInterval(looking);
      channel.close();
      signal?.removeEventListener('abort', abort);
    };
    const giveUp = (why: string) => {
      settle();
      reject(new SdkError('aborted', why));
    };
    const abort = () => giveUp('The login was given up.');
    channel.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (typeof data !== 'string' || URL.parse(data)?.searchParams.get('state') !== state) return;
      settle();
      resolve(data);
    };
    const looking = setInterval(() => {
      // A server may cut the window off from this page: then it reads as closed, and has the focus.
      const isGone = opened.closed && document.hasFocus();
      closedSince = isGone ? (closedSince ?? performance.now()) : undefined;
      if (closedSince === undefined || performance.now() - closedSince < closedMs) return;
      giveUp('The window of the login was closed.');
    }, lookMs);
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort);
  });
}

/** For the page that logins come back to: tells the one that waits, and closes the window. */
export function finishMcpLogin(): void {
  const channel = new BroadcastChannel(channelName);
  channel.postMessage(location.href);
  channel.close();
  window.close();
}
