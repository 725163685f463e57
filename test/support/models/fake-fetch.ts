// A `fetch` that answers from a list and records its requests, for tests of code that uses HTTP. Like the real one it
// rejects when its signal aborts. Portable.

export interface SentRequest {
  readonly url: string;
  readonly method: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly signal: AbortSignal | null;
}

export interface FakeFetch {
  readonly fetch: typeof globalThis.fetch;
  readonly requests: readonly SentRequest[];
}

/** Each request gets the next answer. If that is an Error, the request fails with it. */
export function createFakeFetch(...answers: readonly (Response | Error)[]): FakeFetch {
  const requests: SentRequest[] = [];
  const fetch = async (input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    const answer = answers[requests.length];
    requests.push({
      url: input instanceof Request ? input.url : String(input),
      method: init.method ?? 'GET',
      headers: Object.fromEntries(new Headers(init.headers).entries()),
      body: typeof init.body === 'string' ? (JSON.parse(init.body) as unknown) : init.body,
      signal: init.signal ?? null,
    });
    init.signal?.throwIfAborted();
    if (answer === undefined) throw new TypeError('the fake has no more answers');
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { fetch, requests };
}

/** A streamed answer. `chunks` left open ends only by an abort. */
export function streamResponse(
  chunks: readonly Uint8Array[],
  ending: 'close' | 'break' | 'stall' = 'close',
): Response & { readonly cancelled: () => boolean } {
  let cancelled = false;
  const rest = [...chunks];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = rest.shift();
      if (chunk) controller.enqueue(chunk);
      else if (ending === 'close') controller.close();
      else if (ending === 'break') controller.error(new TypeError('network lost'));
      else return new Promise(() => undefined);
      return undefined;
    },
    cancel() {
      cancelled = true;
    },
  });
  const response = new Response(body, {
    headers: { 'content-type': 'text/event-stream; charset=utf-8' },
  });
  return Object.assign(response, { cancelled: () => cancelled });
}

export function jsonResponse(
  body: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(typeof body === 'string' ? body : JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });
}
