// Conversion between text and bytes: TextEncoder, TextDecoder, and Node's names of encodings.
import type { Codec, Kernel } from '../kernel-type.ts';

interface DecoderOptions {
  readonly fatal?: unknown;
  readonly ignoreBOM?: unknown;
}

/** Defines the encoders, and adds encode, decode and plainBytes to the kernel. */
export function addEncoding(kernel: Kernel) {
  const { host } = kernel;

  /**
   * Returns the bytes of a view or buffer without a copy. They may be passed to the host. Undefined
   * for any other value.
   */
  kernel.plainBytes = (value) => {
    if (ArrayBuffer.isView(value)) {
      return new Uint8Array(value.buffer as ArrayBuffer, value.byteOffset, value.byteLength);
    }
    return value instanceof ArrayBuffer ? new Uint8Array(value) : undefined;
  };

  class TextEncoder {
    get encoding() {
      return 'utf-8';
    }
    encode(text: unknown = '') {
      return host.encodeText(String(text));
    }
    encodeInto(text: unknown, target: Uint8Array) {
      const bytes = host.encodeText(String(text));
      let length = Math.min(bytes.length, target.length);
      while (length > 0 && length < bytes.length && (bytes[length] & 0xc0) === 0x80) length -= 1;
      target.set(bytes.subarray(0, length));
      return {
        read: host.decodeText(bytes.subarray(0, length), false, true).length,
        written: length,
      };
    }
  }

  // By the WHATWG standard, latin1 and ascii mean this code page.
  const labels: Record<string, string> = {
    utf8: 'utf-8',
    'unicode-1-1-utf-8': 'utf-8',
    'utf-16': 'utf-16le',
    'ucs-2': 'utf-16le',
    latin1: 'windows-1252',
    'iso-8859-1': 'windows-1252',
    ascii: 'windows-1252',
    'us-ascii': 'windows-1252',
  };
  const upper = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';
  class TextDecoder {
    #label: string;
    #fatal: boolean;
    #ignoreBOM: boolean;
    #rest = new Uint8Array();
    constructor(label: unknown = 'utf-8', options: DecoderOptions = {}) {
      const name = String(label).trim().toLowerCase();
      this.#label = labels[name] ?? name;
      if (!['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'].includes(this.#label)) {
        throw kernel.coded(
          RangeError,
          'ERR_ENCODING_NOT_SUPPORTED',
          'The "' + label + '" encoding is not supported',
        );
      }
      this.#fatal = options.fatal === true;
      this.#ignoreBOM = options.ignoreBOM === true;
    }
    get encoding() {
      return this.#label;
    }
    get fatal() {
      return this.#fatal;
    }
    get ignoreBOM() {
      return this.#ignoreBOM;
    }
    decode(input?: unknown, options: { stream?: unknown } = {}) {
      let bytes = input === undefined ? new Uint8Array() : kernel.plainBytes(input);
      if (bytes === undefined)
        throw kernel.invalidType('list', 'an instance of ArrayBuffer or ArrayBufferView', input);
      if (this.#label === 'windows-1252') {
        return latin1(bytes).replace(/[\x80-\x9f]/g, (char) => upper[char.charCodeAt(0) - 128]);
      }
      if (this.#rest.length > 0) bytes = joined(this.#rest, bytes);
      const end = options.stream ? bytes.length - unfinished(bytes, this.#label) : bytes.length;
      this.#rest = bytes.slice(end);
      try {
        return host.decodeText(bytes.subarray(0, end), this.#fatal, this.#ignoreBOM, this.#label);
      } catch (error) {
        if (error instanceof TypeError) error.code = 'ERR_ENCODING_INVALID_ENCODED_DATA';
        throw error;
      }
    }
  }
  function joined(first: Uint8Array, second: Uint8Array) {
    const bytes = new Uint8Array(first.length + second.length);
    bytes.set(first);
    bytes.set(second, first.length);
    return bytes;
  }
  /** Returns how many bytes at the end begin an incomplete character. */
  function unfinished(bytes: Uint8Array, label: string): number {
    if (label !== 'utf-8') return bytes.length % 2;
    for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
      const byte = bytes[bytes.length - back];
      if ((byte & 0xc0) === 0x80) continue;
      return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1) > back ? back : 0;
    }
    return 0;
  }

  function latin1(bytes: Uint8Array): string {
    let text = '';
    for (let at = 0; at < bytes.length; at += 8192) {
      text += String.fromCharCode(...bytes.subarray(at, at + 8192));
    }
    return text;
  }
  function fromBase64(text: string) {
    const letters = text
      .replace(/=[^]*$/, '')
      .replaceAll('-', '+')
      .replaceAll('_', '/')
      .replace(/[^A-Za-z0-9+/]/g, '');
    return Uint8Array.fromBase64(letters.length % 4 === 1 ? letters.slice(0, -1) : letters);
  }
  function fromUtf16(text: string) {
    const bytes = new Uint8Array(text.length * 2);
    for (let at = 0; at < text.length; at += 1) {
      bytes[at * 2] = text.charCodeAt(at) & 255;
      bytes[at * 2 + 1] = text.charCodeAt(at) >> 8;
    }
    return bytes;
  }
  function toUtf16(bytes: Uint8Array): string {
    let text = '';
    for (let at = 0; at + 1 < bytes.length; at += 2)
      text += String.fromCharCode(bytes[at] | (bytes[at + 1] << 8));
    return text;
  }
  const fromLatin1 = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));
  const codecs: Record<string, Codec> = {
    utf8: { encode: host.encodeText, decode: (bytes) => host.decodeText(bytes, false, true) },
    // As in Node, decoding stops at the first character that isn't part of a hexadecimal pair.
    hex: {
      encode: (text) => Uint8Array.fromHex(/^(?:[0-9a-f]{2})*/i.exec(text)?.[0] ?? ''),
      decode: (bytes) => bytes.toHex(),
    },
    base64: { encode: fromBase64, decode: (bytes) => bytes.toBase64() },
    base64url: {
      encode: fromBase64,
      decode: (bytes) => bytes.toBase64({ alphabet: 'base64url', omitPadding: true }),
    },
    latin1: { encode: fromLatin1, decode: latin1 },
    ascii: { encode: fromLatin1, decode: (bytes) => latin1(bytes.map((byte) => byte & 127)) },
    utf16le: { encode: fromUtf16, decode: toUtf16 },
  };
  Object.assign(codecs, {
    'utf-8': codecs.utf8,
    binary: codecs.latin1,
    'utf-16le': codecs.utf16le,
    ucs2: codecs.utf16le,
    'ucs-2': codecs.utf16le,
  });
  /** Finds a codec by Node's name of the encoding. Undefined for any other name. */
  kernel.codec = (encoding) => {
    const name = String(encoding).toLowerCase();
    return Object.hasOwn(codecs, name) ? codecs[name] : undefined;
  };
  function codecFor(encoding: string): Codec {
    const codec = kernel.codec(encoding);
    if (codec === undefined)
      throw kernel.coded(TypeError, 'ERR_UNKNOWN_ENCODING', 'Unknown encoding: ' + encoding);
    return codec;
  }
  kernel.encode = (text, encoding = 'utf8') => codecFor(encoding).encode(text);
  kernel.decode = (bytes, encoding = 'utf8') =>
    codecFor(encoding).decode(kernel.plainBytes(bytes) as Uint8Array);
  Object.assign(kernel, { TextEncoder, TextDecoder });
}
