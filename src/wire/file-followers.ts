// Sends the session's files to the clients that follow them. Each snapshot is a copy of all files
// in memory. So only one is created at a time, and none while much data waits to be sent. Used by
// serve-session.ts.
import { SdkError } from '../core/errors.ts';
import type { FeedMessage } from '../workspace/feed/feed.ts';
import { feedClient } from './feed-client.ts';
import type { ServedFiles } from './feed-client.ts';

/** Used instead of a record's number: the client waits for all files. */
export const allFiles = -1;

/** A client that follows the files. */
export interface FileFollower {
  /** True if more may be sent to it. */
  readonly hasRoom: boolean;
  /** The bytes that wait for it. */
  readonly waitingBytes: number;
  send(message: FeedMessage): void;
  /**
   * Stores the last record that the client was sent, or {@link allFiles}. Undefined: it doesn't
   * follow the files any more.
   */
  keep(seq: number | undefined): void;
  /** The files can't be followed, or no longer. */
  fail(error: unknown): void;
}

/** Dispose it to stop sending. */
export interface FileFollowers extends Disposable {
  has(client: FileFollower): boolean;
  /**
   * `seq`: the last record that the client has. Left out: the client is sent all files when there
   * is room.
   */
  follow(client: FileFollower, seq?: number): void;
  /** Call it when a client has received data, because there may be room for a waiting client. */
  goOn(): void;
  leave(client: FileFollower): void;
  /** Call it when another writer owns the files. */
  renew(): void;
}

interface Following {
  seq: number;
  isBegun: boolean;
  feed: Disposable | undefined;
}

/**
 * `maxBytes`: the limit of all contents, and of the data waiting for all clients before another one
 * is served.
 */
export function createFileFollowers(
  files: (() => Promise<ServedFiles>) | undefined,
  maxBytes: number,
): FileFollowers {
  return new Followers(files, maxBytes);
}

class Followers implements FileFollowers {
  readonly #files: (() => Promise<ServedFiles>) | undefined;
  readonly #maxBytes: number;
  readonly #all = new Map<FileFollower, Following>();
  /** The client for which a snapshot is being read. */
  #reading: Following | undefined;
  #isOver = false;

  constructor(files: (() => Promise<ServedFiles>) | undefined, maxBytes: number) {
    this.#files = files;
    this.#maxBytes = maxBytes;
  }

  has(client: FileFollower): boolean {
    return this.#all.has(client);
  }

  follow(client: FileFollower, seq = allFiles): void {
    // The client has asked again before the snapshot was sent: one snapshot answers both requests.
    if (seq === allFiles && this.#all.get(client)?.seq === allFiles) return;
    this.#end(client);
    this.#all.set(client, { seq, isBegun: false, feed: undefined });
    client.keep(seq);
    this.goOn();
  }

  goOn(): void {
    for (const [client, following] of this.#all) {
      if (this.#reading || this.#isOver) return;
      if (following.isBegun || !this.#hasRoom(client, following)) continue;
      void this.#begin(client, following);
    }
  }

  leave(client: FileFollower): void {
    this.#end(client);
    this.goOn();
  }

  renew(): void {
    for (const [client, { seq, feed }] of [...this.#all]) {
      if (!feed) continue;
      this.#end(client);
      this.follow(client, seq);
    }
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    for (const client of [...this.#all.keys()]) this.#end(client);
  }

  #end(client: FileFollower): void {
    const following = this.#all.get(client);
    this.#all.delete(client);
    following?.feed?.[Symbol.dispose]();
    if (this.#reading === following) this.#reading = undefined;
  }

  #hasRoom(client: FileFollower, { seq }: Following): boolean {
    // A client that lacks only the records after `seq` needs little data.
    if (seq !== allFiles) return true;
    let bytes = 0;
    for (const { waitingBytes } of this.#all.keys()) bytes += waitingBytes;
    return client.hasRoom && bytes < this.#maxBytes;
  }

  /** Never rejects. */
  async #begin(client: FileFollower, following: Following): Promise<void> {
    following.isBegun = true;
    this.#reading = following;
    const isOver = () => this.#all.get(client) !== following;
    try {
      if (!this.#files) throw noFiles();
      const served = await this.#files();
      if (isOver()) return;
      if (following.seq !== allFiles && following.seq !== served.state.seq) {
        // The client has the files of another log, so it is sent all files when there is room.
        following.seq = allFiles;
        following.isBegun = false;
        client.keep(allFiles);
        this.#wasRead(following);
        return;
      }
      const { seq } = following;
      following.feed = feedClient(served, {
        seq,
        maxBytes: this.#maxBytes,
        send: (message) => {
          following.seq = message.type === 'snapshot' ? message.state.seq : message.record.seq;
          client.send(message);
          if (isOver()) return;
          client.keep(following.seq);
          this.#wasRead(following);
        },
        onError: (error) => this.#fail(client, following, error),
      });
      if (seq === served.state.seq) this.#wasRead(following);
    } catch (error) {
      this.#fail(client, following, error);
    }
  }

  #wasRead(following: Following): void {
    if (this.#reading !== following) return;
    this.#reading = undefined;
    this.goOn();
  }

  #fail(client: FileFollower, following: Following, error: unknown): void {
    if (this.#all.get(client) !== following) return;
    this.#end(client);
    client.keep(undefined);
    client.fail(error);
    this.goOn();
  }
}

function noFiles(): SdkError {
  return new SdkError(
    'bad-usage',
    "This session's server doesn't give its files: pass files to it.",
  );
}
