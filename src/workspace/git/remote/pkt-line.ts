// Git's pkt-line frames: four hexadecimal digits of length, then the data. The length includes the
// digits. The lengths 0 to 2 are special markers.
import { decodeLatin1 } from '../../../core/bytes/latin1.ts';
import { SdkError } from '../../../core/errors.ts';
import { joinBytes } from '../../../core/bytes/join-bytes.ts';

/** A frame's bytes, or null for a marker. */
export type PktLine = Uint8Array | null;

/** Splits received data into frames. */
export class PktLineReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array();
  #at = 0;

  constructor(source: AsyncIterator<Uint8Array>) {
    this.#source = source;
  }

  /**
   * Returns the next frame, or undefined at the end. @throws SdkError `EIO` for a truncated or
   * invalid frame
   */
  async next(): Promise<PktLine | undefined> {
    const head = await this.#take(4);
    if (!head) return undefined;
    const text = decodeLatin1(head);
    const length = /^[0-9a-f]{4}$/iu.test(text) ? Number.parseInt(text, 16) : NaN;
    if (length < 3) return null;
    if (!(length >= 4)) {
      throw new SdkError(
        'EIO',
        'EIO: the server answered by something else than git, or something on the way changed it.',
      );
    }
    return (await this.#take(length - 4)) ?? cutOff();
  }

  /** Reads `count` bytes. Returns undefined at the end. */
  async #take(count: number): Promise<Uint8Array | undefined> {
    if (this.#rest.length - this.#at >= count) return this.#slice(count);
    const parts = [this.#rest.subarray(this.#at)];
    let held = this.#rest.length - this.#at;
    while (held < count) {
      const { done, value } = await this.#source.next();
      if (done) {
        if (held === 0) return undefined;
        return cutOff();
      }
      parts.push(value);
      held += value.length;
    }
    this.#rest = joinBytes(parts);
    this.#at = 0;
    return this.#slice(count);
  }

  #slice(count: number): Uint8Array {
    this.#at += count;
    return this.#rest.subarray(this.#at - count, this.#at);
  }
}

/** Inverse of {@link PktLineReader}: one frame. */
export function toPktLine(bytes: Uint8Array): Uint8Array {
  const head = new TextEncoder().encode((bytes.length + 4).toString(16).padStart(4, '0'));
  return joinBytes([head, bytes]);
}

function cutOff(): never {
  throw new SdkError('EIO', 'EIO: the answer of the server is cut off. Try again.');
}
