// Feeds the session's files to one client: a snapshot and every record after it, or only the
// records if the client has the rest. Used by serve-session.ts.
import { SdkError } from '../core/errors.ts';
import type { WriterPort } from '../workspace/commit/writer-port.ts';
import { FeedPacker } from '../workspace/feed/feed-packer.ts';
import type { FeedMessage } from '../workspace/feed/feed.ts';
import { serveFeed } from '../workspace/feed/serve-feed.ts';
import type { FeedSource } from '../workspace/feed/serve-feed.ts';
import { liveContents } from '../workspace/state/live-contents.ts';

/** The workspace's writer: its feed and its commits. */
export type ServedFiles = FeedSource & Pick<WriterPort, 'commit'>;

export interface FeedClientOptions {
  /** The last record that the client has. Left out: none. */
  readonly seq?: number | undefined;
  readonly maxBytes: number;
  send(message: FeedMessage): void;
  /** Called when the feed has ended. */
  onError(error: unknown): void;
}

/**
 * Dispose it to stop.
 *
 * @throws SdkError `limit-exceeded` if the files are too large
 */
export function feedClient(files: ServedFiles, options: FeedClientOptions): Disposable {
  const { seq, maxBytes, send, onError } = options;
  if (seq === files.state.seq) return sendRecords(files, options);
  let bytes = 0;
  for (const size of liveContents(files.state).values()) bytes += size;
  if (bytes > maxBytes) throw tooLarge(bytes, maxBytes);
  return serveFeed(files, { send, onError });
}

/**
 * Sends only records, because contents keep their ids in a log. If the log was replaced, all files
 * are sent.
 */
function sendRecords(files: ServedFiles, options: FeedClientOptions): Disposable {
  const packer = new FeedPacker(files, (bytes) => bytes.slice());
  let instead: Disposable | undefined;
  const listening = files.onRecord((fed) => options.send(packer.record(fed)));
  const restart = () => {
    stop();
    try {
      instead = feedClient(files, { ...options, seq: undefined });
    } catch (error) {
      options.onError(error);
    }
  };
  const jumping = files.onJump?.(restart);
  function stop(): void {
    listening[Symbol.dispose]();
    jumping?.[Symbol.dispose]();
    packer[Symbol.dispose]();
  }
  return {
    [Symbol.dispose]() {
      stop();
      instead?.[Symbol.dispose]();
    },
  };
}

function tooLarge(bytes: number, maxBytes: number): SdkError {
  return new SdkError(
    'limit-exceeded',
    `The files of this session come to ${bytes} bytes; at most ${maxBytes} are followed over a connection. Read them by the agent, or raise filesBytes.`,
    { data: { bytes, maxBytes } },
  );
}
