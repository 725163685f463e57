// The stream by which a server of 2026-07-28 reports changes. It is opened again when a restarting
// server or a proxy closes it. connect-server.ts has one for lists, server-requests.ts one for
// resources.
import type { Client, McpSubscription } from '@modelcontextprotocol/client';
import { systemClock } from '../../core/async/system-clock.ts';

// Retries after 1 s and then twice the previous wait, five times in a row: a restarting server is
// ready by then.
const firstDelayMs = 1_000;
const maxTries = 5;
// Half a minute: after a stream of this duration, the retries start again. Proxies close idle
// streams after a minute.
const steadyMs = 30_000;

/** Has at most one stream. It ends with its client. */
export interface ChangeStream {
  /** Replaces the previous stream, which is closed. Undefined: there is no stream any more. */
  replace(next: McpSubscription | undefined): Promise<void>;
}

/**
 * `onReopened` is called when the stream is open again, because changes in between weren't
 * reported.
 */
export function createChangeStream(
  client: Client,
  onReopened: () => void = () => undefined,
): ChangeStream {
  let stream: McpSubscription | undefined;
  let tries = 0;

  function follow(opened: McpSubscription): void {
    stream = opened;
    const openedAt = systemClock.now();
    void opened.closed.then((why) => {
      if (systemClock.now() - openedAt >= steadyMs) tries = 0;
      if (why === 'remote') openLater(opened);
    });
  }

  function openLater(lost: McpSubscription): void {
    if (tries === maxTries || !isWanted(lost)) return;
    systemClock.after(firstDelayMs * 2 ** tries, () => void openAgain(lost));
    tries += 1;
  }

  async function openAgain(lost: McpSubscription): Promise<void> {
    if (!isWanted(lost)) return;
    try {
      const opened = await client.listen(lost.honoredFilter);
      if (!isWanted(lost)) {
        await opened.close();
        return;
      }
      follow(opened);
    } catch {
      // The next try may reach the server. Calls report its errors.
      openLater(lost);
      return;
    }
    onReopened();
  }

  /** True if no other stream has replaced it, and the client is open. */
  const isWanted = (lost: McpSubscription) => stream === lost && client.transport !== undefined;

  return {
    async replace(next) {
      const before = stream;
      stream = undefined;
      tries = 0;
      if (next) follow(next);
      await before?.close();
    },
  };
}
