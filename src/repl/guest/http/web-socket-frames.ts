// WebSocket frames (RFC 6455, section 5). Frames are written for the client and read from the
// server.

export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 };

interface FrameListener {
  /** `opcode` is text or binary. The listener may keep the payload. */
  message(opcode: number, payload: Uint8Array<ArrayBuffer>): void;
  ping(payload: Uint8Array<ArrayBuffer>): void;
  close(payload: Uint8Array<ArrayBuffer>): void;
  /** Called on a protocol error. Nothing more is read. `code` is for the close frame. */
  fail(code: number, why: string): void;
}

interface Buffers {
  alloc(size: number): Uint8Array<ArrayBuffer>;
  concat(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer>;
}

/** Returns a frame for a whole message or a control message. */
export function makeFrame(opcode: number, payload: Uint8Array, mask: Uint8Array): Uint8Array {
  const { length } = payload;
  const lengthBytes = length < 126 ? 0 : length < 65_536 ? 2 : 8;
  const start = 2 + lengthBytes + 4;
  const frame = new Uint8Array(start + length);
  const view = new DataView(frame.buffer);
  frame[0] = 0x80 | opcode;
  frame[1] = 0x80 | (lengthBytes === 0 ? length : lengthBytes === 2 ? 126 : 127);
  if (lengthBytes === 2) view.setUint16(2, length);
  if (lengthBytes === 8) view.setBigUint64(2, BigInt(length));
  frame.set(mask, start - 4);
  frame.set(payload, start);
  for (let at = 0; at < length; at += 1) frame[start + at] ^= mask[at % 4] as number;
  return frame;
}

/** Returns a function that takes received bytes in pieces of any size. */
export function readFrames(buffers: Buffers, listener: FrameListener): (chunk: Uint8Array) => void {
  let waiting = buffers.alloc(0);
  let message: { readonly opcode: number; readonly pieces: Uint8Array[] } | undefined;
  let isOver = false;

  function fail(why: string): false {
    isOver = true;
    listener.fail(1002, why);
    return false;
  }

  /** Reads one frame from the buffered bytes. Returns false if it isn't complete. */
  function readFrame(): boolean {
    if (isOver || waiting.length < 2) return false;
    const [first = 0, second = 0] = waiting;
    const opcode = first & 15;
    const isLast = first >= 128;
    const isControl = opcode >= 8;
    if ((first & 0x70) !== 0) return fail('The server sent a frame of an extension.');
    if (!Object.values(opcodes).includes(opcode)) return fail('The server sent an unknown frame.');
    if (second >= 128) return fail('The server sent a masked frame.');
    if (isControl && (!isLast || second > 125))
      return fail('The server sent a control frame in parts, or one too long.');
    const lengthBytes = second === 126 ? 2 : second === 127 ? 8 : 0;
    const start = 2 + lengthBytes;
    if (waiting.length < start) return false;
    const view = new DataView(waiting.buffer, waiting.byteOffset);
    const length =
      lengthBytes === 2
        ? view.getUint16(2)
        : lengthBytes === 8
          ? Number(view.getBigUint64(2))
          : second;
    if (waiting.length < start + length) return false;
    const payload = waiting.subarray(start, start + length);
    waiting = waiting.subarray(start + length);
    if (opcode === opcodes.close) {
      isOver = true;
      listener.close(payload);
    } else if (opcode === opcodes.ping) listener.ping(payload);
    else if (!isControl) return readData(opcode, payload, isLast);
    return true;
  }

  function readData(opcode: number, payload: Uint8Array<ArrayBuffer>, isLast: boolean): boolean {
    const isNext = opcode === opcodes.continuation;
    if (isNext === (message === undefined))
      return fail('The server sent the parts of a message out of order.');
    message ??= { opcode, pieces: [] };
    message.pieces.push(payload);
    if (!isLast) return true;
    const whole = message;
    message = undefined;
    listener.message(whole.opcode, buffers.concat(whole.pieces));
    return true;
  }

  return (chunk) => {
    waiting = buffers.concat([waiting, chunk]);
    while (readFrame());
  };
}
