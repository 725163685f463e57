// The flow control of the messages to one client. Files are sent only a window ahead of the
// client's acknowledgements, so that they wait here and not in its connection. Later messages wait
// behind them. Used by serve-session.ts.
import type { Clock } from '../core/tool/ports.ts';
import { SdkError } from '../core/errors.ts';
import type { WireFrame } from './pieces.ts';
import { takenBytes, windowBytes } from './protocol.ts';

/** Dispose it to drop waiting frames. */
export interface SendWindow extends Disposable {
  /** True if more may be sent ahead: nothing waits, and less than a window is unacknowledged. */
  readonly hasRoom: boolean;
  /**
   * The bytes that wait here. If above 0, a message may be partly sent, and another message would
   * corrupt it.
   */
  readonly waitingBytes: number;
  /**
   * Sends the frames of one message, in order. `isAhead`: they may wait for room. If frames wait,
   * later ones wait behind them.
   */
  send(frames: readonly WireFrame[], isAhead: boolean): void;
  /** Records that the client has acknowledged so many bytes. */
  take(bytes: number): void;
}

export interface SendWindowOptions {
  readonly clock: Clock;
  /** The most bytes that may be unacknowledged or waiting when another message comes. */
  readonly maxBytes: number;
  send(frame: WireFrame): void;
  /** Called when frames begin to wait, and when none waits any more. */
  onWaiting(isWaiting: boolean): void;
  /** Called once if the client acknowledges too little. Messages sent in it are delivered. */
  onStuck(error: SdkError): void;
}

/** 60 s per mebibyte: 17 kB per second. Data for a slower client uses memory that all share. */
const stuckMs = 60_000;

/** At first nothing was sent. */
export function createSendWindow(options: SendWindowOptions): SendWindow {
  const { clock, maxBytes, send, onWaiting, onStuck } = options;
  const waiting: WireFrame[] = [];
  let waitingBytes = 0;
  let untaken = 0;
  let isStuck = false;
  /** Runs while frames wait. In an object it also prevents the sleep that would lose them. */
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
