// A stream by which a server of 2026-07-28 tells of changes. A server that restarts ends it, and so does a proxy that cuts
// silent connections: it is opened again. connect-server.ts has one for lists, server-requests.ts one for resources.
import type { Client, McpSubscription } from '@modelcontextprotocol/client';
import { systemClock } from '../../core/async/system-clock.ts';

// After 1 s, then after twice the time before, five times in a row: a server that restarts is back by then.
const firstDelayMs = 1_000;
const maxTries = 5;
// Half a minute: a stream that has lasted as long is no failed try. Proxies cut what is silent for a minute.
const steadyMs = 30_000;

/** At most one stream at a time. It ends with its client. */
export interface ChangeStream {
  /** Takes the place of the stream before, which is closed. Undefined: nothing is listened to any more. */
  replace(next: McpSubscription | undefined): Promise<void>;
}

/** `onReopened` is called when the stream is open again: what changed meanwhile was not told. */
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
      // The server may be back at the next try. Calls say what is wrong with it.
      openLater(lost);
      return;
    }
    onReopened();
  }

  /** No other stream has taken its place, and the client is open. */
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
