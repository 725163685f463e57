// What one client is sent. Files come a window ahead of what it has taken, so that they wait here
// and not in its connection. What is said after them comes after them. Used by serve-session.ts.
import type { Clock } from '../core/tool/ports.ts';
import { SdkError } from '../core/errors.ts';
import type { WireFrame } from './pieces.ts';
import { takenBytes, windowBytes } from './protocol.ts';

/** Dispose it to drop what waits. */
export interface SendWindow extends Disposable {
  /** More may be sent ahead: nothing waits, and less than a window wasn't taken. */
  readonly hasRoom: boolean;
  /** Bytes that wait here. Above 0 a message may be sent in part: another one would break it. */
  readonly waitingBytes: number;
  /** The frames of one message, in order. `isAhead`: they may wait for room. Whatever waits, the next ones wait behind it. */
  send(frames: readonly WireFrame[], isAhead: boolean): void;
  /** Notes that the client has acknowledged so many bytes. */
  take(bytes: number): void;
}

export interface SendWindowOptions {
  readonly clock: Clock;
  /** What may be untaken or wait when another message comes. */
  readonly maxBytes: number;
  send(frame: WireFrame): void;
  /** Something waits from here on, or nothing any more. */
  onWaiting(isWaiting: boolean): void;
  /** The client takes too little. Called once; what it is told of that is sent. */
  onStuck(error: SdkError): void;
}

/** 60 s for a mebibyte: 17 kB a second. What waits for who takes less is memory of all. */
const stuckMs = 60_000;

/** Nothing was sent yet. */
export function createSendWindow(options: SendWindowOptions): SendWindow {
  const { clock, maxBytes, send, onWaiting, onStuck } = options;
  const waiting: WireFrame[] = [];
  let waitingBytes = 0;
  let untaken = 0;
  let isStuck = false;
  /** Runs while something waits. In an object it also keeps off the sleep in which that would be lost. */
  let timer: Disposable | undefined;

  function fail(error: SdkError): void {
    if (isStuck) return;
    isStuck = true;
    onStuck(error);
  }

  function pass(frame: WireFrame): void {
    untaken += lengthOf(frame);
    send(frame);
  }

  function sendAhead(): void {
    while (untaken < windowBytes) {
      const frame = waiting.shift();
      if (frame === undefined) return;
      waitingBytes -= lengthOf(frame);
      pass(frame);
    }
  }

  function watch(wasWaiting: boolean, isTaken: boolean): void {
    const isWaiting = waiting.length > 0;
    if (isTaken || !isWaiting) {
      timer?.[Symbol.dispose]();
      timer = undefined;
    }
    if (isWaiting) timer ??= clock.after(stuckMs, () => fail(tooSlow()));
    if (isWaiting !== wasWaiting) onWaiting(isWaiting);
  }

  return {
    get hasRoom() {
      return waiting.length === 0 && untaken < windowBytes;
    },
    get waitingBytes() {
      return waitingBytes;
    },
    send(frames, isAhead) {
      if (!isStuck && untaken + waitingBytes > maxBytes) return fail(tooMuch(maxBytes));
      const wasWaiting = waiting.length > 0;
      if (!wasWaiting && !isAhead) {
        for (const frame of frames) pass(frame);
        return;
      }
      for (const frame of frames) {
        waiting.push(frame);
        waitingBytes += lengthOf(frame);
      }
      sendAhead();
      watch(wasWaiting, false);
    },
    take(bytes) {
      const wasWaiting = waiting.length > 0;
      untaken = Math.max(0, untaken - bytes);
      sendAhead();
      watch(wasWaiting, true);
    },
    [Symbol.dispose]() {
      timer?.[Symbol.dispose]();
      timer = undefined;
      waiting.length = 0;
      waitingBytes = 0;
    },
  };
}

const lengthOf = (frame: WireFrame): number =>
  typeof frame === 'string' ? frame.length : frame.byteLength;

function tooSlow(): SdkError {
  return new SdkError(
    'limit-exceeded',
    `This connection was closed: it has not taken ${takenBytes} bytes in ${stuckMs / 1000} seconds. Connect again.`,
    { data: { takenBytes, stuckMs } },
  );
}

function tooMuch(maxBytes: number): SdkError {
  return new SdkError(
    'limit-exceeded',
    `This connection was closed: more than ${maxBytes} bytes wait for it. Connect again, and read what comes.`,
    { data: { maxBytes } },
  );
}
