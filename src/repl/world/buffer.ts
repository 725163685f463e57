// Guest source. TextEncoder, TextDecoder and as much of Node's Buffer as files and hashes need: so
// that readFileSync(path).toString() says what a program expects of it.

/** A function of the kernel that makes the encoders and Buffer. */
export const bufferSource = String.raw`
(function (kernel) {
  'use strict';
  const { host } = kernel;

  function toBytes(value) {
    if (value instanceof Uint8Array) return value;
    if (value instanceof ArrayBuffer) return new Uint8Array(value);
    if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    return undefined;
  }
  // What leaves the sandbox is a plain Uint8Array; a subclass is copied into one.
  kernel.plainBytes = (value) => {
    const bytes = toBytes(value);
    if (bytes === undefined) return undefined;
    return Object.getPrototypeOf(bytes) === Uint8Array.prototype ? bytes : new Uint8Array(bytes);
  };

  class TextEncoder {
    get encoding() { return 'utf-8'; }
    encode(text = '') { return host.encodeText(String(text)); }
    encodeInto(text, target) {
      const bytes = host.encodeText(String(text));
      let length = Math.min(bytes.length, target.length);
      while (length > 0 && length < bytes.length && (bytes[length] & 0xc0) === 0x80) length -= 1;
      target.set(bytes.subarray(0, length));
      return { read: host.decodeText(bytes.subarray(0, length).slice(), false, true).length, written: length };
    }
  }
  class TextDecoder {
    #label; #fatal; #ignoreBOM;
    constructor(label = 'utf-8', options = {}) {
      this.#label = String(label).toLowerCase();
      if (this.#label === 'utf8') this.#label = 'utf-8';
      if (this.#label === 'utf-16') this.#label = 'utf-16le';
      if (!['utf-8', 'utf-16le', 'utf-16be', 'latin1', 'ascii'].includes(this.#label)) {
        throw new RangeError('The "' + label + '" encoding is not supported here: utf-8, utf-16le, utf-16be and latin1 are.');
      }
      this.#fatal = options.fatal === true;
      this.#ignoreBOM = options.ignoreBOM === true;
    }
    get encoding() { return this.#label; }
    get fatal() { return this.#fatal; }
    get ignoreBOM() { return this.#ignoreBOM; }
    decode(input, options = {}) {
      if (input === undefined) return '';
      if (options.stream) throw new RangeError('Decoding a stream is not supported here: decode all bytes at once.');
      const bytes = kernel.plainBytes(input);
      if (bytes === undefined) throw new TypeError('The "input" argument must be an ArrayBuffer or a view of one.');
      if (this.#label === 'latin1' || this.#label === 'ascii') return latin1(bytes);
      return host.decodeText(bytes, this.#fatal, this.#ignoreBOM, this.#label);
    }
  }

  function latin1(bytes) {
    let text = '';
    for (let at = 0; at < bytes.length; at += 8192) {
      text += String.fromCharCode(...bytes.subarray(at, at + 8192));
    }
    return text;
  }
  function fromHex(text) {
    const bytes = new Uint8Array(text.length >> 1);
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = Number.parseInt(text.slice(at * 2, at * 2 + 2), 16);
      if (Number.isNaN(byte)) return bytes.subarray(0, at);
      bytes[at] = byte;
    }
    return bytes;
  }
  function encode(text, encoding = 'utf8') {
    switch (String(encoding).toLowerCase()) {
      case 'utf8': case 'utf-8': return host.encodeText(text);
      case 'hex': return fromHex(text);
      case 'base64': case 'base64url':
        return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/').replace(/[^A-Za-z0-9+/]/g, '')), (char) => char.charCodeAt(0));
      case 'latin1': case 'binary': case 'ascii':
        return Uint8Array.from(text, (char) => char.charCodeAt(0));
      case 'utf16le': case 'utf-16le': case 'ucs2': {
        const bytes = new Uint8Array(text.length * 2);
        for (let at = 0; at < text.length; at += 1) {
          bytes[at * 2] = text.charCodeAt(at) & 255;
          bytes[at * 2 + 1] = text.charCodeAt(at) >> 8;
        }
        return bytes;
      }
      default: throw unknownEncoding(encoding);
    }
  }
  function decode(bytes, encoding = 'utf8') {
    switch (String(encoding).toLowerCase()) {
      case 'utf8': case 'utf-8': return host.decodeText(kernel.plainBytes(bytes), false, true);
      case 'hex': return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
      case 'base64': return btoa(latin1(bytes));
      case 'base64url': return btoa(latin1(bytes)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
      case 'latin1': case 'binary': return latin1(bytes);
      case 'ascii': return latin1(bytes.map((byte) => byte & 127));
      case 'utf16le': case 'utf-16le': case 'ucs2': {
        let text = '';
        for (let at = 0; at + 1 < bytes.length; at += 2) text += String.fromCharCode(bytes[at] | (bytes[at + 1] << 8));
        return text;
      }
      default: throw unknownEncoding(encoding);
    }
  }
  function unknownEncoding(encoding) {
    const failure = new TypeError('Unknown encoding: ' + encoding);
    failure.code = 'ERR_UNKNOWN_ENCODING';
    return failure;
  }
  kernel.encode = encode;
  kernel.decode = decode;

  class Buffer extends Uint8Array {
    static from(value, encodingOrOffset, length) {
      if (typeof value === 'string') return wrap(encode(value, encodingOrOffset));
      if (value instanceof ArrayBuffer) return new Buffer(value, encodingOrOffset, length);
      if (value?.type === 'Buffer' && Array.isArray(value.data)) return Buffer.from(value.data);
      return wrap(Uint8Array.from(value));
    }
    static alloc(size, fill, encoding) {
      const buffer = new Buffer(size);
      return fill === undefined ? buffer : buffer.fill(fill, 0, size, encoding);
    }
    static allocUnsafe(size) { return new Buffer(size); }
    static isBuffer(value) { return value instanceof Buffer; }
    static isEncoding(encoding) {
      try { encode('', encoding); return true; } catch { return false; }
    }
    static byteLength(value, encoding) {
      return typeof value === 'string' ? encode(value, encoding).length : value.byteLength;
    }
    static concat(list, total) {
      const length = total ?? list.reduce((sum, item) => sum + item.length, 0);
      const joined = new Buffer(length);
      let at = 0;
      for (const item of list) {
        joined.set(item.subarray(0, Math.max(0, length - at)), at);
        at = Math.min(length, at + item.length);
      }
      return joined;
    }
    static compare(a, b) {
      for (let at = 0; at < Math.min(a.length, b.length); at += 1) {
        if (a[at] !== b[at]) return a[at] < b[at] ? -1 : 1;
      }
      return Math.sign(a.length - b.length);
    }
    toString(encoding, start = 0, end = this.length) { return decode(this.subarray(start, end), encoding); }
    toJSON() { return { type: 'Buffer', data: [...this] }; }
    equals(other) { return Buffer.compare(this, other) === 0; }
    compare(other) { return Buffer.compare(this, other); }
    write(text, offset = 0, length = this.length - offset, encoding = 'utf8') {
      const bytes = encode(text, encoding).subarray(0, length);
      this.set(bytes, offset);
      return bytes.length;
    }
    copy(target, targetStart = 0, start = 0, end = this.length) {
      const part = this.subarray(start, Math.min(end, start + target.length - targetStart));
      target.set(part, targetStart);
      return part.length;
    }
    // Node's slice shares memory, unlike Uint8Array's.
    slice(start, end) { return this.subarray(start, end); }
    fill(value, start, end, encoding) {
      if (typeof value !== 'string') return super.fill(value, start, end);
      const bytes = encode(value, encoding);
      for (let at = start ?? 0; at < (end ?? this.length); at += 1) this[at] = bytes[at % bytes.length];
      return this;
    }
    indexOf(value, from, encoding) {
      if (typeof value === 'number') return super.indexOf(value, from);
      const bytes = typeof value === 'string' ? encode(value, encoding) : value;
      for (let at = from ?? 0; at <= this.length - bytes.length; at += 1) {
        if (bytes.every((byte, offset) => this[at + offset] === byte)) return at;
      }
      return -1;
    }
    includes(value, from, encoding) { return this.indexOf(value, from, encoding) !== -1; }
    readUInt8(at = 0) { return this[at]; }
    readUInt16LE(at = 0) { return view(this).getUint16(at, true); }
    readUInt16BE(at = 0) { return view(this).getUint16(at); }
    readUInt32LE(at = 0) { return view(this).getUint32(at, true); }
    readUInt32BE(at = 0) { return view(this).getUint32(at); }
    readInt32LE(at = 0) { return view(this).getInt32(at, true); }
    readInt32BE(at = 0) { return view(this).getInt32(at); }
    writeUInt8(value, at = 0) { this[at] = value; return at + 1; }
    writeUInt16LE(value, at = 0) { view(this).setUint16(at, value, true); return at + 2; }
    writeUInt32LE(value, at = 0) { view(this).setUint32(at, value, true); return at + 4; }
    writeUInt32BE(value, at = 0) { view(this).setUint32(at, value); return at + 4; }
    [Symbol.for('nodejs.util.inspect.custom')]() {
      const shown = Array.from(this.subarray(0, 50), (byte) => byte.toString(16).padStart(2, '0')).join(' ');
      const rest = this.length > 50 ? ' ... ' + (this.length - 50) + ' more bytes' : '';
      return '<Buffer' + (shown === '' ? '' : ' ' + shown) + rest + '>';
    }
  }
  function view(bytes) { return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength); }
  function wrap(bytes) { return new Buffer(bytes.buffer, bytes.byteOffset, bytes.byteLength); }
  kernel.toBuffer = wrap;
  kernel.Buffer = Buffer;
  kernel.defineGlobal('TextEncoder', TextEncoder);
  kernel.defineGlobal('TextDecoder', TextDecoder);
  kernel.defineGlobal('Buffer', Buffer);
  kernel.defineModule(['buffer'], () => ({ Buffer, atob, btoa, constants: { MAX_LENGTH: 2 ** 31 - 1 } }));
})`;
