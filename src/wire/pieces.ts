// Converts messages to frames of a connection and back. Small plain data is one text frame of JSON.
// A message with bytes, or one that is too large for a frame, is split into binary frames. The
// first byte of each says whether more follow. Joined, they form a frame of core/bytes/frames.ts.
import { joinBytes } from '../core/bytes/join-bytes.ts';
import { SdkError } from '../core/errors.ts';
import { decodeFrame, encodeFrame } from '../core/bytes/frames.ts';

/** One frame of a connection. */
export type WireFrame = string | Uint8Array<ArrayBuffer>;

/** 1 MiB: the frame size that every version of Durable Objects accepts. */
export const maxFrameBytes = 1_048_576;

const more = 1;
const last = 0;

/**
 * Returns the frames in order. `hasBytes`: the message may have bytes, so it is never plain JSON.
 *
 * @throws SdkError like `encodeFrame`
 */
export function toFrames(message: object, hasBytes = false): WireFrame[] {
  if (!hasBytes) {
    const text = JSON.stringify(message);
    // A character has at most three bytes.
    if (text.length <= maxFrameBytes / 3) return [text];
  }
  const whole = encodeFrame(message);
  const frames: WireFrame[] = [];
  const step = maxFrameBytes - 1;
  for (let at = 0; at < whole.length; at += step) {
    const part = whole.subarray(at, at + step);
    const frame = new Uint8Array(part.length + 1);
    frame[0] = at + step < whole.length ? more : last;
    frame.set(part, 1);
    frames.push(frame);
  }
  return frames;
}

/** Joins the frames of one connection. */
export interface FrameJoiner {
  /**
   * Returns the message that this frame completes; undefined if more frames must follow.
   *
   * @throws SdkError `limit-exceeded` if a frame or message is too large, `invalid-input` if it is
   * malformed
   */
  take(frame: string | ArrayBuffer | Uint8Array): unknown;
}

/** `maxBytes`: the limit of a joined message. */
export function createFrameJoiner(maxBytes: number): FrameJoiner {
  let pieces: Uint8Array[] = [];
  let length = 0;

  function join(): Uint8Array {
    const whole = joinBytes(pieces);
    pieces = [];
    length = 0;
    return whole;
  }

  return {
    take(frame) {
      if (typeof frame === 'string') {
        if (frame.length > maxFrameBytes) throw tooLong('A frame', maxFrameBytes);
        if (pieces.length > 0) throw noMessage();
        return parse(frame);
      }
      const bytes = frame instanceof Uint8Array ? frame : new Uint8Array(frame);
      if (bytes.length > maxFrameBytes) throw tooLong('A frame', maxFrameBytes);
      const [flag] = bytes;
      if (flag !== more && flag !== last) throw noMessage();
      length += bytes.length - 1;
      if (length > maxBytes) throw tooLong('A message', maxBytes);
      pieces.push(bytes.subarray(1));
      return flag === more ? undefined : decodeFrame(join());
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw noMessage(error);
  }
}

function noMessage(cause?: unknown): SdkError {
  return new SdkError('invalid-input', 'What came over the connection is no message.', { cause });
}

function tooLong(what: string, maxBytes: number): SdkError {
  return new SdkError('limit-exceeded', `${what} of a connection has at most ${maxBytes} bytes.`, {
    data: { maxBytes },
  });
}
