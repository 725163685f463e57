// The session's connection to one isolate. It sends the isolate the missing part of the workspace,
// and calls. An isolate may restart at any time and lose its state; its answer then says so.
import { throwIfAborted } from '../../core/async/abort.ts';
import { createSerialQueue } from '../../core/async/serial-queue.ts';
import { SdkError, messageOf } from '../../core/errors.ts';
import type { WorkRequest } from '../../core/tool/ports.ts';
import type { FeedPacker } from '../../workspace/feed/feed-packer.ts';
import type { FeedMessage } from '../../workspace/feed/feed.ts';
import { serveFeed, type FeedSource } from '../../workspace/feed/serve-feed.ts';
import { encodeFrame } from '../../core/bytes/frames.ts';
import { behindStatus, isolateHost, type CallIsolate, type ToIsolate } from './isolate-wire.ts';

/** The session's workspace, shared by all its links. */
export interface LinkedWorkspace {
  /** A name that no other session has. */
  readonly name: string;
  readonly source: FeedSource;
  readonly packer: FeedPacker;
}

// 4 MB: more than a turn writes, and small compared to the snapshot that is sent instead.
const maxWaitingBytes = 4_194_304;
// 1000: as many as a day's conversation creates. Each has some hundred bytes.
const maxWaitingMessages = 1000;
// 3: a snapshot, and further ones if too much was written meanwhile for the kept records.
const maxTries = 3;

/**
 * Sends nothing before the first call. Dispose it to stop following the workspace. Calls that wait
 * for it then reject with `worker-lost`; calls already sent continue.
 */
export class IsolateLink implements Disposable {
  readonly #isolate: CallIsolate;
  readonly #workspace: LinkedWorkspace;
  #feed: Disposable | undefined;
  /** The feed messages that weren't sent yet. */
  #waiting: FeedMessage[] = [];
  #waitingBytes = 0;
  /** The sequence number of the last record that the isolate is known to have. */
  #toldSeq = -1;
  /** Incremented whenever the knowledge about the isolate becomes invalid. */
  #epoch = 0;
  readonly #inTurn = createSerialQueue();

  constructor(isolate: CallIsolate, workspace: LinkedWorkspace) {
    this.#isolate = isolate;
    this.#workspace = workspace;
  }

  /**
   * Sends the call once the isolate has the part of the workspace that the call must see. Resolves
   * to the response when its headers have arrived. Aborting closes the request. Rejects with
   * `worker-lost` if the isolate can't be reached or keeps losing its state, `limit-exceeded` or
   * `invalid-input` if the request can't be sent.
   */
  async call(request: WorkRequest, signal: AbortSignal): Promise<Response> {
    for (let tries = 1; tries <= maxTries; tries += 1) {
      await this.#bring(request.address.minSeq);
      throwIfAborted(signal);
      const epoch = this.#epoch;
      const { name } = this.#workspace;
      const response = await this.#post({ type: 'call', workspace: name, request }, signal);
      if (response.status !== behindStatus) return response;
      await response.body?.cancel();
      // Another call may have noticed it earlier and sent the snapshot already.
      if (epoch === this.#epoch) this.#reset();
    }
    throw new SdkError(
      'worker-lost',
      `The isolate forgot the workspace ${maxTries} times as soon as it had it.`,
    );
  }

  [Symbol.dispose](): void {
    this.#reset();
  }

  /** Runs one at a time, so later calls don't send the same records again. */
  #bring(minSeq: number): Promise<void> {
    return this.#inTurn(() => this.#sendFeed(minSeq));
  }

  async #sendFeed(minSeq: number): Promise<void> {
    for (let tries = 1; this.#toldSeq < minSeq; tries += 1) {
      if (tries > maxTries) throw lostError('It does not take up the workspace.');
      if (!this.#feed) await this.#follow();
      const epoch = this.#epoch;
      const messages = this.#waiting;
      this.#waiting = [];
      this.#waitingBytes = 0;
      const { name } = this.#workspace;
      try {
        const response = await this.#post({ type: 'feed', workspace: name, messages });
        await response.body?.cancel();
        if (!response.ok && response.status !== behindStatus) throw answerError(response.status);
        if (epoch !== this.#epoch) continue;
        if (response.ok) this.#toldSeq = Math.max(this.#toldSeq, ...messages.map(seqOf));
        else this.#reset();
      } catch (error) {
        this.#reset();
        throw error;
      }
    }
  }

  /** Resolves when a snapshot is ready to be sent. */
  #follow(): Promise<void> {
    const { source, packer } = this.#workspace;
    return new Promise((resolve, reject) => {
      const feed = serveFeed(source, {
        packer,
        send: (message) => {
          resolve();
          this.#note(message);
        },
        onError: (error) => {
          reject(error);
          this.#reset();
        },
      });
      this.#feed = {
        [Symbol.dispose]() {
          feed[Symbol.dispose]();
          reject(lostError('Another call has lost it.'));
        },
      };
    });
  }

  #note(message: FeedMessage): void {
    this.#waiting.push(message);
    if (message.type === 'snapshot') return;
    const { segment, isPending } = message;
    this.#waitingBytes += segment?.data instanceof Uint8Array ? segment.data.length : 0;
    const isMuch =
      this.#waitingBytes > maxWaitingBytes || this.#waiting.length > maxWaitingMessages;
    // The next call sends a snapshot.
    if (isPending || isMuch) this.#reset();
  }

  #reset(): void {
    this.#feed?.[Symbol.dispose]();
    this.#feed = undefined;
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#toldSeq = -1;
    this.#epoch += 1;
  }

  async #post(message: ToIsolate, signal = new AbortController().signal): Promise<Response> {
    const body = encodeFrame(message);
    try {
      return await this.#isolate.fetch(`https://${isolateHost}/`, { method: 'POST', body, signal });
    } catch (error) {
      throwIfAborted(signal);
      throw lostError(messageOf(error), error);
    }
  }
}

function seqOf(message: FeedMessage): number {
  return message.type === 'snapshot' ? message.state.seq : message.record.seq;
}

/** The error for a status that our isolates never send. */
export function answerError(status: number): SdkError {
  return lostError(`It answered with status ${status}. Does serveCalls() serve it?`);
}

function lostError(reason: string, cause?: unknown): SdkError {
  return new SdkError('worker-lost', reason, { cause });
}
