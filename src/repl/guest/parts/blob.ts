// Blob, File and FormData. Their data is held in the guest.
import type { Kernel } from '../kernel-type.ts';

interface BlobOptions {
  readonly type?: unknown;
}

/** Returns the classes. */
export function addBlob(kernel: Kernel) {
  const { host } = kernel;
  const show = Symbol.for('nodejs.util.inspect.custom');

  class Blob {
    readonly #bytes: Uint8Array<ArrayBuffer>;
    readonly #type: string;
    constructor(pieces: Iterable<unknown> = [], options: BlobOptions = {}) {
      if (typeof pieces !== 'object' || pieces === null)
        throw kernel.invalidType('sources', 'a sequence', pieces);
      const parts = [...pieces].map((piece) =>
        piece instanceof Blob
          ? piece.#bytes
          : (kernel.plainBytes(piece) ?? host.encodeText(String(piece))),
      );
      this.#bytes = new Uint8Array(kernel.Buffer.concat(parts));
      const type = String(options.type ?? '');
      this.#type = /[^\x20-\x7e]/.test(type) ? '' : type.toLowerCase();
    }
    static bytesOf(blob: Blob): Uint8Array<ArrayBuffer> {
      return blob.#bytes;
    }
    get size() {
      return this.#bytes.length;
    }
    get type() {
      return this.#type;
    }
    slice(from = 0, to = this.size, type: unknown = '') {
      return new Blob([this.#bytes.slice(from, to)], { type });
    }
    async arrayBuffer() {
      return this.#bytes.slice().buffer;
    }
    async bytes() {
      return this.#bytes.slice();
    }
    async text() {
      return host.decodeText(this.#bytes, false, false);
    }
    stream() {
      const { ReadableStream } = kernel.part('web-streams');
      return ReadableStream.from(this.size > 0 ? [this.#bytes.slice()] : []);
    }
    get [Symbol.toStringTag]() {
      return 'Blob';
    }
    [show]() {
      return this.constructor.name + ' ' + kernel.inspect({ size: this.size, type: this.type });
    }
  }

  class File extends Blob {
    readonly name: string;
    readonly lastModified: number;
    constructor(
      pieces: Iterable<unknown>,
      name: unknown,
      options: BlobOptions & { readonly lastModified?: unknown } = {},
    ) {
      super(pieces, options);
      this.name = String(name);
      this.lastModified = Number(options.lastModified ?? Date.now());
    }
    override get [Symbol.toStringTag]() {
      return 'File';
    }
    override [show]() {
      const { size, type, name, lastModified } = this;
      return 'File ' + kernel.inspect({ size, type, name, lastModified });
    }
  }

  function entryOf(value: unknown, name?: unknown): string | File {
    if (!(value instanceof Blob)) return String(value);
    if (value instanceof File && name === undefined) return value;
    return new File([value], name ?? 'blob', { type: value.type });
  }

  class FormData {
    #entries: [name: string, value: string | File][] = [];
    append(name: unknown, value: unknown, fileName?: unknown) {
      this.#entries.push([String(name), entryOf(value, fileName)]);
    }
    set(name: unknown, value: unknown, fileName?: unknown) {
      const at = this.#entries.findIndex(([known]) => known === String(name));
      const rest = this.#entries.filter(([known]) => known !== String(name));
      rest.splice(at < 0 ? rest.length : at, 0, [String(name), entryOf(value, fileName)]);
      this.#entries = rest;
    }
    get(name: unknown) {
      return this.#entries.find(([known]) => known === String(name))?.[1] ?? null;
    }
    getAll(name: unknown) {
      return this.#entries.filter(([known]) => known === String(name)).map(([, value]) => value);
    }
    has(name: unknown) {
      return this.#entries.some(([known]) => known === String(name));
    }
    delete(name: unknown) {
      this.#entries = this.#entries.filter(([known]) => known !== String(name));
    }
    forEach(callback: (value: string | File, name: string, form: FormData) => void) {
      for (const [name, value] of this.#pairs()) callback(value, name, this);
    }
    // The methods share this private one, because a subclass may override any public method.
    *#pairs() {
      yield* this.#entries.map(([name, value]) => [name, value] as const);
    }
    entries() {
      return this.#pairs();
    }
    *keys() {
      for (const [name] of this.#pairs()) yield name;
    }
    *values() {
      for (const [, value] of this.#pairs()) yield value;
    }
    [Symbol.iterator]() {
      return this.#pairs();
    }
    get [Symbol.toStringTag]() {
      return 'FormData';
    }
    [show]() {
      const shown: Record<string, unknown> = {};
      for (const [name, value] of this.#entries)
        shown[name] = name in shown ? [shown[name], value].flat() : value;
      return 'FormData ' + kernel.inspect(shown);
    }
  }

  /** Encodes a form as multipart/form-data (RFC 7578). */
  function toMultipart(form: FormData): { bytes: Uint8Array<ArrayBuffer>; type: string } {
    const boundary = '----formdata-' + (kernel.crypto as { randomUUID(): string }).randomUUID();
    const escape = (text: string) =>
      text.replace(/\n/g, '%0A').replace(/\r/g, '%0D').replace(/"/g, '%22');
    const parts: Uint8Array[] = [];
    for (const [name, value] of form) {
      const isFile = typeof value !== 'string';
      const file = isFile ? '; filename="' + escape(value.name) + '"' : '';
      const type = isFile ? '\r\nContent-Type: ' + (value.type || 'application/octet-stream') : '';
      const head =
        '--' +
        boundary +
        '\r\nContent-Disposition: form-data; name="' +
        escape(name) +
        '"' +
        file +
        type +
        '\r\n\r\n';
      const body = isFile ? Blob.bytesOf(value) : host.encodeText(value.replace(/\r?\n/g, '\r\n'));
      parts.push(host.encodeText(head), body, host.encodeText('\r\n'));
    }
    parts.push(host.encodeText('--' + boundary + '--\r\n'));
    const bytes = new Uint8Array(kernel.Buffer.concat(parts));
    return { bytes, type: 'multipart/form-data; boundary=' + boundary };
  }

  /**
   * Parses a form. Inverse of toMultipart; also accepts URL-encoded forms. Throws for any other
   * body.
   */
  function readForm(bytes: Uint8Array, type: string): FormData {
    const form = new FormData();
    const textOf = (part: Uint8Array) => host.decodeText(part, false, false);
    if (/^application\/x-www-form-urlencoded\b/i.test(type)) {
      const pairs = Reflect.construct(kernel.URLSearchParams, [textOf(bytes)]);
      for (const [name, value] of pairs) form.append(name, value);
      return form;
    }
    const [, quoted, plain] =
      /^multipart\/form-data\b[^]*?;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(type) ?? [];
    const boundary = '--' + (quoted ?? plain);
    if (boundary === '--undefined')
      throw new TypeError('The body is no form by its content type: ' + kernel.inspect(type));
    // Decodes to one character for each byte, so that offsets in the text are offsets in the bytes.
    const text = kernel.decode(bytes, 'latin1');
    const unescape = (part: string) =>
      part.replace(/%0A/gi, '\n').replace(/%0D/gi, '\r').replace(/%22/g, '"');
    for (let at = text.indexOf(boundary); ;) {
      const start = at + boundary.length;
      if (at >= 0 && text.startsWith('--', start)) return form;
      const headEnd = text.indexOf('\r\n\r\n', start);
      const end = text.indexOf('\r\n' + boundary, headEnd + 4);
      const head = textOf(bytes.subarray(start, headEnd));
      const name = /;\s*name="([^"]*)"/i.exec(head)?.[1];
      if (at < 0 || headEnd < 0 || end < 0 || name === undefined)
        throw new TypeError('The body is no form: a part of it has no name or no end.');
      const file = /;\s*filename="([^"]*)"/i.exec(head)?.[1];
      const content = bytes.subarray(headEnd + 4, end);
      const kind = /^content-type:\s*(.+?)\s*$/im.exec(head)?.[1] ?? 'text/plain';
      form.append(
        unescape(name),
        file === undefined
          ? textOf(content)
          : new File([content.slice()], unescape(file), { type: kind }),
      );
      at = end + 2;
    }
  }

  return { Blob, File, FormData, readForm, toMultipart };
}
