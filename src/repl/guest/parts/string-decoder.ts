// Node's string_decoder: decodes bytes that arrive in chunks.
import type { Kernel } from '../kernel-type.ts';

/** Returns the module. */
export function addStringDecoder(kernel: Kernel) {
  /** Returns how many bytes at the end begin an incomplete character. */
  function countOpen(bytes: Uint8Array, encoding: string): number {
    const { length } = bytes;
    if (encoding === 'base64' || encoding === 'base64url') return length % 3;
    if (encoding === 'utf16le') {
      const odd = length % 2;
      const high = length - odd > 1 ? bytes[length - odd - 1] & 0xfc : 0;
      return odd + (high === 0xd8 ? 2 : 0);
    }
    if (encoding !== 'utf8') return 0;
    for (let back = 1; back <= Math.min(3, length); back += 1) {
      const byte = bytes[length - back];
      if ((byte & 0xc0) === 0x80) continue;
      const size = byte >= 0xf0 && byte < 0xf8 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
      return byte < 0xf8 && size > back ? back : 0;
    }
    return 0;
  }
  const canonical = { 'utf-8': 'utf8', ucs2: 'utf16le', 'ucs-2': 'utf16le', 'utf-16le': 'utf16le' };

  const open = Symbol('open');

  // A function and not a class, because old programs call it without `new`.
  function StringDecoder(this: any, encoding: unknown = 'utf8') {
    if (!(this instanceof StringDecoder)) return new (StringDecoder as any)(encoding);
    const name = String(encoding ?? 'utf8').toLowerCase();
    const known = canonical[name] ?? (name === 'binary' ? 'latin1' : name);
    if (!kernel.Buffer.isEncoding(known))
      throw kernel.coded(TypeError, 'ERR_UNKNOWN_ENCODING', 'Unknown encoding: ' + encoding);
    Object.assign(this, { encoding: known, [open]: kernel.Buffer.alloc(0) });
  }
  Object.assign(StringDecoder.prototype, {
    write(this: any, given: unknown): string {
      if (typeof given === 'string') return given;
      const bytes = kernel.plainBytes(given);
      if (bytes === undefined)
        throw kernel.invalidType('buf', 'an instance of Buffer, TypedArray, or DataView', given);
      const all = kernel.Buffer.concat([this[open], bytes]);
      const end = all.length - countOpen(all, this.encoding);
      this[open] = all.subarray(end);
      return all.toString(this.encoding, 0, end);
    },
    end(this: any, given?: unknown): string {
      const text = given === undefined ? '' : this.write(given);
      const rest = this[open];
      this[open] = kernel.Buffer.alloc(0);
      // An incomplete character becomes one replacement character, however many bytes are missing.
      return (
        text +
        (this.encoding === 'utf8' && rest.length > 0 ? '\ufffd' : rest.toString(this.encoding))
      );
    },
  });
  return { StringDecoder };
}
