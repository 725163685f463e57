// XMLHttpRequest for the workspace's files, since libraries that load assets and data still use it. A request to
// another host goes to the browser's own, which the page's policy refuses.
import { toOwn } from './address.ts';
import type { Report } from './console.ts';
import type { LoadFile } from './files.ts';
import type { LoadedFile } from './link.ts';

/** A request for a file. A new one is made by each `open`. */
interface FileRequest {
  readonly method: string;
  readonly url: string;
  state: number;
  file: LoadedFile;
  status: number;
}

const { OPENED, HEADERS_RECEIVED, LOADING, DONE, UNSENT } = XMLHttpRequest;

export function answerXmlHttpRequest(load: LoadFile, report: Report): void {
  window.XMLHttpRequest = class extends XMLHttpRequest {
    /** Undefined for a request to another host. */
    #request: FileRequest | undefined;
    #mediaType: string | undefined;
    #response: unknown;

    override get readyState(): number {
      return this.#request?.state ?? super.readyState;
    }

    override get status(): number {
      return this.#request?.status ?? super.status;
    }

    override get statusText(): string {
      if (!this.#request) return super.statusText;
      return { 200: 'OK', 404: 'Not Found' }[this.#request.status] ?? '';
    }

    override get responseURL(): string {
      if (!this.#request) return super.responseURL;
      return this.#request.status === 0 ? '' : this.#request.url;
    }

    override get response(): unknown {
      const request = this.#request;
      if (!request) return super.response;
      const isText = this.responseType === '' || this.responseType === 'text';
      if (request.state !== DONE || request.status === 0) return isText ? '' : null;
      return (this.#response ??= this.#read(request.method === 'HEAD' ? undefined : request.file));
    }

    override get responseText(): string {
      if (!this.#request) return super.responseText;
      if (this.responseType === '' || this.responseType === 'text') return String(this.response);
      throw new DOMException(
        `responseText is there with the responseType 'text', not '${this.responseType}'.`,
        'InvalidStateError',
      );
    }

    override get responseXML(): Document | null {
      const request = this.#request;
      if (!request) return super.responseXML;
      if (this.responseType === 'document') return this.response as Document | null;
      return request.state === DONE && request.file ? this.#parse(request.file) : null;
    }

    override open(method: string, url: string | URL, isAsync = true, ...login: string[]): void {
      const address = toOwn(String(url));
      this.#request = undefined;
      this.#response = undefined;
      if (address === undefined) {
        super.open(method, url, isAsync, ...login);
        return;
      }
      if (!isAsync) {
        const message = `${address} can't be loaded: a preview answers no synchronous XMLHttpRequest. Open it with async.`;
        report('request', message);
        throw new DOMException(message, 'InvalidAccessError');
      }
      const request = { method: method.toUpperCase(), url: address };
      this.#request = { ...request, state: UNSENT, file: undefined, status: 0 };
      this.#become(this.#request, OPENED);
    }

    override setRequestHeader(name: string, value: string): void {
      // Nobody reads the headers of a request for a file.
      if (!this.#request) super.setRequestHeader(name, value);
    }

    override overrideMimeType(mime: string): void {
      this.#mediaType = mime;
      if (!this.#request) super.overrideMimeType(mime);
    }

    override send(body?: Document | XMLHttpRequestBodyInit | null): void {
      const request = this.#request;
      if (request) void this.#load(request);
      else super.send(body);
    }

    override abort(): void {
      const request = this.#request;
      if (!request) {
        super.abort();
        return;
      }
      const wasUnderWay = request.state !== DONE && request.state !== UNSENT;
      this.#request = { ...request, state: UNSENT, file: undefined, status: 0 };
      if (wasUnderWay) this.#end('abort');
    }

    override getResponseHeader(name: string): string | null {
      const request = this.#request;
      if (!request) return super.getResponseHeader(name);
      if (!request.file) return null;
      const known = name.toLowerCase();
      if (known === 'content-type') return request.file.mediaType;
      return known === 'content-length' ? String(request.file.bytes.byteLength) : null;
    }

    override getAllResponseHeaders(): string {
      if (!this.#request) return super.getAllResponseHeaders();
      return ['content-length', 'content-type']
        .map((name) => [name, this.getResponseHeader(name)] as const)
        .map(([name, value]) => (value === null ? '' : `${name}: ${value}\r\n`))
        .join('');
    }

    async #load(request: FileRequest): Promise<void> {
      const { method, url } = request;
      const isOver = () => this.#request !== request;
      this.dispatchEvent(new ProgressEvent('loadstart'));
      if (method !== 'GET' && method !== 'HEAD') {
        report(
          'request',
          `${method} ${url} failed: a preview has no server. It can only get files.`,
        );
        // An app sees the failure later, as from a server.
        await Promise.resolve();
        if (isOver()) return;
        this.#become(request, DONE);
        this.#end('error');
        return;
      }
      const file = await load(url);
      if (isOver()) return;
      request.status = file ? 200 : 404;
      request.file = file ?? undefined;
      for (const state of [HEADERS_RECEIVED, LOADING]) {
        this.#become(request, state);
        if (isOver()) return;
      }
      this.#progress('progress', request);
      if (isOver()) return;
      this.#become(request, DONE);
      if (isOver()) return;
      this.#progress('load', request);
      this.#progress('loadend', request);
    }

    #become(request: FileRequest, state: number): void {
      request.state = state;
      this.dispatchEvent(new Event('readystatechange'));
    }

    #progress(type: string, { file }: FileRequest): void {
      const size = file?.bytes.byteLength ?? 0;
      this.dispatchEvent(
        new ProgressEvent(type, { lengthComputable: true, loaded: size, total: size }),
      );
    }

    #end(type: 'abort' | 'error'): void {
      this.dispatchEvent(new ProgressEvent(type));
      this.dispatchEvent(new ProgressEvent('loadend'));
    }

    #read(file: FileRequest['file']): unknown {
      const bytes = file?.bytes ?? new Uint8Array();
      switch (this.responseType) {
        case 'arraybuffer':
          return bytes.slice().buffer;
        case 'blob':
          return new Blob([bytes], { type: this.#mediaType ?? file?.mediaType ?? '' });
        case 'document':
          return file ? this.#parse(file) : null;
        case 'json':
          return parseOrNull(new TextDecoder().decode(bytes));
        default:
          return this.#decode(bytes);
      }
    }

    /** By the encoding that the app names. */
    #decode(bytes: Uint8Array): string {
      const [, charset = 'utf-8'] = /charset=["']?([^"';\s]+)/i.exec(this.#mediaType ?? '') ?? [];
      try {
        return new TextDecoder(charset).decode(bytes);
      } catch {
        // The browser's own takes UTF-8 for a name that it doesn't know, too.
        return new TextDecoder().decode(bytes);
      }
    }

    #parse({ bytes, mediaType }: NonNullable<LoadedFile>): Document | null {
      const [type = ''] = (this.#mediaType ?? mediaType).split(';');
      const isHtml = type === 'text/html' && this.responseType === 'document';
      if (!isHtml && !/[/+]xml$/.test(type)) return null;
      const document = new DOMParser().parseFromString(
        this.#decode(bytes),
        isHtml ? 'text/html' : 'application/xml',
      );
      return document.querySelector('parsererror') ? null : document;
    }
  };
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
