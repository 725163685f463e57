// Opens the window in which a person logs in to an MCP server, and handles the page to which it
// returns. mcp/client/login/ has the protocol.
import { untilAborted } from '../../../core/async/abort.ts';
import { SdkError } from '../../../core/errors.ts';
import type { McpLogin } from '../../../core/mcp/mcp-login.ts';

const channelName = 'rockpool-mcp-login';

// 0.5 s: as soon as a person expects a reaction.
const lookMs = 500;

// 3 s: a window that was just closed may still have sent its answer.
const closedMs = 3_000;

/**
 * Opens a window for a login, and waits for its end. Pass the result to `query.completeMcpLogin`.
 * Call it in a click handler, or the browser blocks the window. Resolves to undefined if no login
 * is needed.
 *
 * @param begin - `() => query.loginMcpServer(name)`. Its rejection is passed on
 * @throws SdkError `unsupported-environment` if the browser blocks the window; `aborted` if
 * `signal` is aborted or the window was closed
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
  // Security: the opened page must not be able to navigate this one.
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
      // A server may isolate the window from this page. It then seems closed, but has the focus.
      const isGone = opened.closed && document.hasFocus();
      closedSince = isGone ? (closedSince ?? performance.now()) : undefined;
      if (closedSince === undefined || performance.now() - closedSince < closedMs) return;
      giveUp('The window of the login was closed.');
    }, lookMs);
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort);
  });
}

/**
 * Call this on the page to which logins return: it notifies the waiting page and closes the window.
 */
export function finishMcpLogin(): void {
  const channel = new BroadcastChannel(channelName);
  channel.postMessage(location.href);
  channel.close();
  window.close();
}
