// Node's Buffer, with which programs read and write files, hashes and binary formats.
import type { Kernel } from '../kernel-type.ts';

/** Defines Buffer, and adds toBuffer to the kernel. */
export function addBuffer(kernel: Kernel) {
  const { encode, decode } = kernel;
  const bytesTypes = 'an instance of Buffer or Uint8Array';

  function sizeOf(size: unknown): number {
    if (typeof size !== 'number') throw kernel.invalidType('size', 'of type number', size);
    if (!(size >= 0 && size <= Number.MAX_SAFE_INTEGER))
      throw kernel.outOfRange('size', '>= 0 && <= ' + Number.MAX_SAFE_INTEGER, size);
    return size;
  }
  const view = (bytes: Uint8Array) =>
    new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const wrap = (bytes: Uint8Array<ArrayBuffer>) =>
    new Buffer(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  function asBytes(value: unknown, name: string): Uint8Array {
    if (value instanceof Uint8Array) return value;
    throw kernel.invalidType(name, bytesTypes, value);
  }

  // These are functions, not private methods. Private methods are installed on each new Buffer,
  // which takes longer than the rest of its creation.
  function find(buffer: Buffer, value: unknown, from, encoding, step: number): number {
    const [start, text] = typeof from === 'string' ? [undefined, from] : [from, encoding];
    const bytes =
      typeof value === 'string'
        ? encode(value, text)
        : typeof value === 'number'
          ? [value & 255]
          : asBytes(value, 'value');
    const last = buffer.length - bytes.length;
    const begin = start ?? (step > 0 ? 0 : last);
    let at = begin < 0 ? begin + buffer.length : begin;
    if (step < 0) at = Math.min(at, last);
    else at = Math.max(0, at);
    for (; at >= 0 && at <= last; at += step) {
      let same = 0;
      while (same < bytes.length && buffer[at + same] === bytes[same]) same += 1;
      if (same === bytes.length) return at;
    }
    return -1;
  }
  function swap(buffer: Buffer, size: number): Buffer {
    if (buffer.length % size !== 0)
      throw kernel.coded(
        RangeError,
        'ERR_INVALID_BUFFER_SIZE',
        'Buffer size must be a multiple of ' + size * 8 + '-bits',
      );
    for (let at = 0; at < buffer.length; at += size) buffer.subarray(at, at + size).reverse();
    return buffer;
  }

  class Buffer extends Uint8Array {
    static override from(value, encodingOrOffset?, length?) {
      if (typeof value === 'string') return wrap(encode(value, encodingOrOffset || 'utf8'));
      if (value instanceof ArrayBuffer) return new Buffer(value, encodingOrOffset, length);
      if (typeof value === 'object' && value !== null) {
        if (value.type === 'Buffer' && Array.isArray(value.data)) return Buffer.from(value.data);
        const plain = value.valueOf();
        if (plain !== value && plain !== null && plain !== undefined)
          return Buffer.from(plain, encodingOrOffset, length);
        if (typeof value.length === 'number') return wrap(Uint8Array.from(value));
      }
      throw kernel.invalidType(
        'first argument',
        'of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object',
        value,
      );
    }
    static override of(...bytes: number[]) {
      return Buffer.from(bytes);
    }
    static alloc(size: unknown, fill?, encoding?) {
      const buffer = new Buffer(sizeOf(size));
      return fill === undefined ? buffer : buffer.fill(fill, 0, size, encoding);
    }
    // Memory is cleared in any case.
    static allocUnsafe(size: unknown) {
      return new Buffer(sizeOf(size));
    }
    static allocUnsafeSlow(size: unknown) {
      return new Buffer(sizeOf(size));
    }
    static copyBytesFrom(view, offset = 0, length?: number) {
      if (!ArrayBuffer.isView(view) || view instanceof DataView)
        throw kernel.invalidType('view', 'an instance of TypedArray', view);
      const part = (view as Uint8Array).subarray(offset, length && offset + length);
      return Buffer.from(kernel.plainBytes(part));
    }
    static isBuffer(value) {
      return value instanceof Buffer;
    }
    static isEncoding(encoding) {
      return typeof encoding === 'string' && kernel.codec(encoding) !== undefined;
    }
    static byteLength(value, encoding?: string) {
      return typeof value === 'string' ? encode(value, encoding).length : value.byteLength;
    }
    static concat(list, total?: number) {
      if (!Array.isArray(list)) throw kernel.invalidType('list', 'an instance of Array', list);
      list.forEach((item, at) => asBytes(item, 'list[' + at + ']'));
      const length = total ?? list.reduce((sum, item) => sum + item.length, 0);
      const joined = new Buffer(length);
      let at = 0;
      for (const item of list) {
        joined.set(item.subarray(0, Math.max(0, length - at)), at);
        at = Math.min(length, at + item.length);
      }
      return joined;
    }
    static compare(a: Uint8Array, b: Uint8Array): number {
      asBytes(a, 'buf1');
      asBytes(b, 'buf2');
      for (let at = 0; at < Math.min(a.length, b.length); at += 1) {
        if (a[at] !== b[at]) return a[at] < b[at] ? -1 : 1;
      }
      return Math.sign(a.length - b.length);
    }
    get parent() {
      return this.buffer;
    }
    get offset() {
      return this.byteOffset;
    }
    override toString(encoding = 'utf8', start = 0, end = this.length) {
      return decode(this.subarray(Math.max(0, start), Math.max(0, end)), encoding);
    }
    override toLocaleString(...args) {
      return this.toString(...args);
    }
    toJSON() {
      return { type: 'Buffer', data: [...this] };
    }
    equals(other) {
      return Buffer.compare(this, asBytes(other, 'otherBuffer')) === 0;
    }
    compare(target, targetStart = 0, targetEnd = target.length, start = 0, end = this.length) {
      return Buffer.compare(
        this.subarray(start, end),
        asBytes(target, 'target').subarray(targetStart, targetEnd),
      );
    }
    write(text: string, offset?, length?, encoding?: string): number {
      if (typeof offset === 'string') return this.write(text, 0, undefined, offset);
      if (typeof length === 'string') return this.write(text, offset, undefined, length);
      const start = offset ?? 0;
      const bytes = encode(text, encoding);
      let count = Math.min(bytes.length, length ?? Infinity, this.length - start);
      // Doesn't write part of a character.
      if (/^(?:utf-?8)?$/i.test(encoding ?? ''))
        while (count < bytes.length && count > 0 && (bytes[count] & 0xc0) === 0x80) count -= 1;
      this.set(bytes.subarray(0, count), start);
      return count;
    }
    copy(target: Uint8Array, targetStart = 0, start = 0, end = this.length) {
      const part = this.subarray(start, Math.min(end, start + target.length - targetStart));
      target.set(part, targetStart);
      return part.length;
    }
    // In Node, `slice` shares memory, unlike the method of Uint8Array.
    override slice(start?: number, end?: number) {
      return this.subarray(start, end);
    }
    override fill(value, start?, end?, encoding?: string) {
      if (typeof start === 'string') return this.fill(value, 0, this.length, start);
      if (typeof end === 'string') return this.fill(value, start, this.length, end);
      const bytes =
        typeof value === 'string'
          ? encode(value, encoding)
          : value instanceof Uint8Array
            ? value
            : [value & 255];
      const from = start ?? 0;
      const to = end ?? this.length;
      if (bytes.length < 2) return super.fill(bytes[0] ?? 0, from, to);
      for (let at = from; at < to; at += 1) this[at] = bytes[(at - from) % bytes.length];
      return this;
    }
    override indexOf(value: unknown, from?, encoding?) {
      return find(this, value, from, encoding, 1);
    }
    override lastIndexOf(value: unknown, from?, encoding?) {
      return find(this, value, from, encoding, -1);
    }
    override includes(value: unknown, from?, encoding?) {
      return this.indexOf(value, from, encoding) !== -1;
    }
    swap16() {
      return swap(this, 2);
    }
    swap32() {
      return swap(this, 4);
    }
    swap64() {
      return swap(this, 8);
    }
    [Symbol.for('nodejs.util.inspect.custom')]() {
      const shown = this.subarray(0, 50)
        .toHex()
        .replace(/..(?!$)/g, '$& ');
      const rest =
        this.length > 50
          ? ' ... ' + (this.length - 50) + ' more byte' + (this.length === 51 ? '' : 's')
          : '';
      return '<Buffer ' + shown + rest + '>';
    }
  }

  function checkOffset(buffer: Buffer, offset: unknown, size: number): asserts offset is number {
    if (typeof offset !== 'number') throw kernel.invalidType('offset', 'of type number', offset);
    const last = buffer.length - size;
    if (Number.isInteger(offset) && offset >= 0 && offset <= last) return;
    if (!Number.isInteger(offset)) throw kernel.outOfRange('offset', 'an integer', offset);
    if (last < 0)
      throw kernel.coded(
        RangeError,
        'ERR_BUFFER_OUT_OF_BOUNDS',
        'Attempt to access memory outside buffer bounds',
      );
    throw kernel.outOfRange('offset', '>= 0 and <= ' + last, offset);
  }
  function checkValue(value: number | bigint, low: number | bigint, high: number | bigint) {
    if (value < low || value > high)
      throw kernel.outOfRange('value', '>= ' + low + ' and <= ' + high, value);
  }
  function method(name: string, body: Function) {
    // Node accepts both spellings.
    for (const alias of new Set([name, name.replace('UInt', 'Uint')])) {
      Object.defineProperty(Buffer.prototype, alias, {
        value: body,
        writable: true,
        configurable: true,
      });
    }
  }
  // Node's name for a number type, DataView's name, its bytes, and the range that may be written.
  const numbers: [name: string, kind: string, size: number, ...bounds: (number | bigint)[]][] = [
    ['UInt8', 'Uint8', 1, 0, 255],
    ['Int8', 'Int8', 1, -128, 127],
    ['UInt16', 'Uint16', 2, 0, 65535],
    ['Int16', 'Int16', 2, -32768, 32767],
    ['UInt32', 'Uint32', 4, 0, 4294967295],
    ['Int32', 'Int32', 4, -2147483648, 2147483647],
    ['Float', 'Float32', 4],
    ['Double', 'Float64', 8],
    ['BigUInt64', 'BigUint64', 8, 0n, 2n ** 64n - 1n],
    ['BigInt64', 'BigInt64', 8, -(2n ** 63n), 2n ** 63n - 1n],
  ];
  for (const [name, kind, size, low, high] of numbers) {
    for (const order of size === 1 ? [''] : ['LE', 'BE']) {
      method('read' + name + order, function (this: Buffer, offset = 0) {
        checkOffset(this, offset, size);
        return view(this)['get' + kind](offset, order === 'LE');
      });
      method('write' + name + order, function (this: Buffer, value: number | bigint, offset = 0) {
        checkOffset(this, offset, size);
        if (low !== undefined) checkValue(value, low, high);
        view(this)['set' + kind](offset, value, order === 'LE');
        return offset + size;
      });
    }
  }
  // Integers of 1 to 6 bytes.
  for (const sign of ['UInt', 'Int']) {
    for (const order of ['LE', 'BE']) {
      const at = (offset, size, index) => offset + (order === 'LE' ? size - 1 - index : index);
      method('read' + sign + order, function (this: Buffer, offset: number, size: number) {
        checkOffset(this, offset, size);
        let value = 0;
        for (let index = 0; index < size; index += 1)
          value = value * 256 + this[at(offset, size, index)];
        return sign === 'Int' && value >= 2 ** (size * 8 - 1) ? value - 2 ** (size * 8) : value;
      });
      method(
        'write' + sign + order,
        function (this: Buffer, value: number, offset: number, size: number) {
          checkOffset(this, offset, size);
          const bound = 2 ** (sign === 'Int' ? size * 8 - 1 : size * 8);
          checkValue(value, sign === 'Int' ? -bound : 0, bound - 1);
          let rest = value < 0 ? value + 2 ** (size * 8) : value;
          for (let index = size - 1; index >= 0; index -= 1) {
            this[at(offset, size, index)] = rest % 256;
            rest = Math.floor(rest / 256);
          }
          return offset + size;
        },
      );
    }
  }

  // These methods are undocumented, but parsers use them.
  for (const encoding of ['ascii', 'base64', 'base64url', 'hex', 'latin1', 'ucs2', 'utf8']) {
    method(encoding + 'Slice', function (this: Buffer, start?: number, end?: number) {
      return this.toString(encoding, start, end);
    });
    method(encoding + 'Write', function (this: Buffer, text: string, at = 0, length?: number) {
      return this.write(text, at, length ?? this.length - at, encoding);
    });
  }

  /** The exported function. Old programs call it without `new`, with a string or a size. */
  const called = function Buffer(value, encodingOrOffset?, length?) {
    if (typeof value === 'number') return Class.alloc(value);
    return Class.from(value, encodingOrOffset, length);
  } as unknown as typeof Buffer;
  const Class = Buffer;
  Object.setPrototypeOf(called, Uint8Array);
  // Packages copy a Buffer's enumerable properties, so these are enumerable.
  for (const name of Object.getOwnPropertyNames(Class)) {
    const value = Class[name];
    if (typeof value !== 'function') continue;
    Object.defineProperty(called, name, {
      value,
      writable: true,
      configurable: true,
      enumerable: true,
    });
  }
  // Some programs call these with `new`, which works for Node's plain functions.
  for (const name of ['from', 'alloc', 'allocUnsafe', 'allocUnsafeSlow']) {
    const make = function (...args) {
      return Class[name](...args);
    };
    called[name] = Object.defineProperty(make, 'name', { value: name });
  }
  Object.assign(called, { poolSize: 8192 });
  called.prototype = Class.prototype;
  // The class with which parts and copies of a buffer are created.
  Object.defineProperty(called, Symbol.species, { value: Class, configurable: true });
  Class.prototype.constructor = called;
  kernel.toBuffer = wrap;
  kernel.Buffer = called;
}
