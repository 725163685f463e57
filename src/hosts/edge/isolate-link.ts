// One isolate as the session's own sees it: brings it what it hasn't of the workspace, and sends it
// calls. It may be started again at any time, and have forgotten everything: it says so.
import { throwIfAborted } from '../../core/async/abort.ts';
import { createSerialQueue } from '../../core/async/serial-queue.ts';
import { SdkError, messageOf } from '../../core/errors.ts';
import type { WorkRequest } from '../../core/tool/ports.ts';
import type { FeedPacker } from '../../workspace/feed/feed-packer.ts';
import type { FeedMessage } from '../../workspace/feed/feed.ts';
import { serveFeed, type FeedSource } from '../../workspace/feed/serve-feed.ts';
import { encodeFrame } from '../../core/bytes/frames.ts';
import { behindStatus, isolateHost, type CallIsolate, type ToIsolate } from './isolate-wire.ts';

/** The session's workspace, for all its links. */
export interface LinkedWorkspace {
  /** No other session's is called so. */
  readonly name: string;
  readonly source: FeedSource;
  readonly packer: FeedPacker;
}

// 4 MB: more than a turn writes, and little beside the snapshot that is sent instead.
const maxWaitingBytes = 4_194_304;
// As many as a conversation of a day makes; each weighs some hundred bytes.
const maxWaitingMessages = 1000;
// A snapshot, and another where so much was written meanwhile that the records don't hold it.
const maxTries = 3;

/**
 * Nothing is sent before the first call. Dispose it to follow the workspace no more: calls that wait
 * for it reject with `worker-lost`, those that were sent go on.
 */
export class IsolateLink implements Disposable {
  readonly #isolate: CallIsolate;
  readonly #workspace: LinkedWorkspace;
  #feed: Disposable | undefined;
  /** What has happened since the last of it was sent. */
  #waiting: FeedMessage[] = [];
  #waitingBytes = 0;
  /** The last record that the isolate has, as far as is known. */
  #toldSeq = -1;
  /** Of what is known of it: raised when that counts no more. */
  #epoch = 0;
  readonly #inTurn = createSerialQueue();

  constructor(isolate: CallIsolate, workspace: LinkedWorkspace) {
    this.#isolate = isolate;
    this.#workspace = workspace;
  }

  /**
   * Sends the call once the isolate has all that the call must see, and resolves with the response
   * when its headers are there. Aborting closes the request. Rejects with `worker-lost` for an isolate
   * that can't be reached or that keeps forgetting; `limit-exceeded`, `invalid-input` for what can't
   * cross.
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
      // Other calls may have found it out before, and have it told already.
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

  /** One after the other, so that what the first has sent the others need not. */
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

  /** Resolves once there is a snapshot to send. */
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
    // The next call has a snapshot sent.
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

/** For a status that no isolate of ours answers with. */
export function answerError(status: number): SdkError {
  return lostError(`It answered with status ${status}. Does serveCalls() serve it?`);
}

function lostError(reason: string, cause?: unknown): SdkError {
  return new SdkError('worker-lost', reason, { cause });
}
