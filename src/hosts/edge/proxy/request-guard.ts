// The common checks of all proxies: authentication, rate, size, and which pages may read the
// answer. Each kind of proxy formats the refusals for its clients.
import { SdkError } from '../../../core/errors.ts';
import { readBytes } from '../../../core/bytes/read-bytes.ts';
import { checkOrigins } from '../../../wire/check-origins.ts';

/** A rate limit of the platform, such as a Worker's binding of the type `ratelimit`. */
export interface RateBinding {
  /** Counts one request for the key. */
  limit(options: { readonly key: string }): Promise<{ readonly success: boolean }>;
}

/** Who may use a proxy, and how often. */
export interface GuardOptions {
  /**
   * Returns the caller's name, by which requests are counted, or null to refuse. An empty name or a
   * value that isn't a string is refused, too.
   */
  authenticate(request: Request): Promise<string | null> | string | null;
  /** Pages of other origins that may use it, such as `https://example.com`. @defaultValue none */
  readonly origins?: readonly string[];
  /** The limit per caller, counted only in this process or isolate. @defaultValue 120 */
  readonly requestsPerMinute?: number;
  /**
   * Applies in addition to `requestsPerMinute`. Cloudflare counts separately in each location.
   * @defaultValue none
   */
  readonly rate?: RateBinding;
  /** Milliseconds since the epoch. @defaultValue `Date.now` */
  readonly now?: () => number;
}

/** A refusal that isn't formatted yet. */
export interface GuardRefusal {
  readonly status: 401 | 429 | 500;
  readonly reason: string;
}

/** Created once per proxy; it keeps the counts. */
export interface RequestGuard {
  /** Counts the request. Resolves to the caller, or to a refusal. Never rejects. */
  admit(request: Request): Promise<{ readonly asker: string } | GuardRefusal>;
  /** True if the request was sent by a page of an origin that isn't listed. */
  isForeign(request: Request): boolean;
  /** Adds the headers that let a page of a listed origin read the answer. */
  allowOrigin(answer: Response, request: Request, exposed: readonly string[]): Response;
}

const defaultRequestsPerMinute = 120;

// Security: the answer of another server is served from this origin. No browser may show it as a
// page or cache it.
export const plainHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; sandbox",
  'x-content-type-options': 'nosniff',
} as const;

/**
 * @throws SdkError `bad-usage` without `authenticate`, for invalid `origins`, for a `path` that no request can have,
 * and for a `rate` whose binding is missing
 */
export function createRequestGuard(
  options: GuardOptions & { readonly path?: string },
): RequestGuard {
  if (typeof (options as Partial<GuardOptions>).authenticate !== 'function') {
    throw new SdkError(
      'bad-usage',
      'A proxy needs `authenticate`: without it everybody sends requests in your name.',
    );
  }
  const { origins = [], rate, path = '/' } = options;
  checkOrigins(options.origins);
  if (path !== '' && !path.startsWith('/')) {
    const message = `A proxy's \`path\` is that of its address alone, such as "/proxy", not ${JSON.stringify(path)}.`;
    throw new SdkError('bad-usage', message, { data: { option: 'path', given: path } });
  }
  if ('rate' in options) checkRate(rate);
  const isOver = createRateLimit(
    options.requestsPerMinute ?? defaultRequestsPerMinute,
    options.now ?? Date.now,
  );
  return {
    async admit(request) {
      try {
        const asker = await options.authenticate(request);
        // Security: values outside the types are refused too, such as the undefined of a failed
        // look-up.
        if (typeof asker !== 'string' || asker === '')
          return { status: 401, reason: 'This proxy wants to know who asks.' };
        if (isOver(asker) || (rate && !(await rate.limit({ key: asker })).success)) {
          return { status: 429, reason: 'Too many requests. Try again in a minute.' };
        }
        return { asker };
      } catch {
        // Security: the thrown value may contain the caller's credentials.
        return { status: 500, reason: 'This proxy could not find out who asks. Try again.' };
      }
    },
    isForeign({ headers, url }) {
      const origin = headers.get('origin');
      const site = headers.get('sec-fetch-site');
      // Security: a request without CORS, such as an image's, has no Origin header, but has the
      // cookies of a sibling site.
      if (origin === null) return site === 'cross-site' || site === 'same-site';
      if (origins.includes(origin)) return false;
      // Behind another server the request's own address may differ from the page's origin.
      return site !== 'same-origin' && origin !== new URL(url).origin;
    },
    allowOrigin(answer, request, exposed) {
      const origin = request.headers.get('origin');
      if (origin === null || !origins.includes(origin)) return answer;
      const { headers } = answer;
      headers.set('access-control-allow-origin', origin);
      headers.set('access-control-expose-headers', exposed.join(', '));
      headers.append('vary', 'origin');
      if (request.method === 'OPTIONS') {
        headers.set('access-control-allow-methods', 'GET, POST, DELETE');
        const asked = request.headers.get('access-control-request-headers');
        if (asked !== null) headers.set('access-control-allow-headers', asked);
        headers.set('access-control-max-age', '600');
      }
      return answer;
    },
  };
}

/** Security: with a binding that is missing there would be no limit, and nobody would know. */
function checkRate(rate: unknown): void {
  if (typeof (rate as Partial<RateBinding> | undefined)?.limit === 'function') return;
  throw new SdkError(
    'bad-usage',
    'A proxy was given a `rate` that is no binding: name one in wrangler.jsonc, "ratelimits": [{ "name": "RATE", "namespace_id": "1001", "simple": { "limit": 300, "period": 60 } }], and give env.RATE. Leave `rate` out for none.',
    { data: { option: 'rate', given: typeof rate } },
  );
}

/**
 * Resolves to the request's whole body; undefined if it has none. A body over the limit isn't read
 * to its end. Rejects if it breaks off or `signal` is aborted.
 */
export async function readBody(
  request: Request,
  limit: number,
  signal?: AbortSignal,
): Promise<Uint8Array<ArrayBuffer> | 'too large' | undefined> {
  if (!request.body) return undefined;
  if (Number(request.headers.get('content-length') ?? 0) > limit) return 'too large';
  return (await readBytes(request.body, limit, signal)) ?? 'too large';
}

/** The time limit of one request. Dispose it when the request has ended. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
}

/** At most {@link mostSeconds}. */
export function startDeadline(seconds: number): Deadline {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), seconds * 1000);
  return { signal: controller.signal, [Symbol.dispose]: () => clearTimeout(timer) };
}

// 24 days: a longer timer fires at once.
export const mostSeconds = 2_147_483;

// The caller of the oldest request is forgotten first, because names can be invented by the
// thousand.
const maxAskers = 10_000;

/** Counts the requests of the last minute. */
function createRateLimit(perMinute: number, now: () => number): (asker: string) => boolean {
  const counts = new Map<string, { begun: number; count: number }>();
  return (asker) => {
    const time = now();
    const known = counts.get(asker);
    const current = known && time - known.begun < 60_000 ? known : { begun: time, count: 0 };
    current.count += 1;
    counts.delete(asker);
    counts.set(asker, current);
    for (const oldest of counts.keys()) {
      if (counts.size <= maxAskers) break;
      counts.delete(oldest);
    }
    return current.count > perMinute;
  };
}
