// What holds for every kind of proxy, whatever it passes on: who asks, how often, how much, and which
// pages may read the answer. A kind of proxy words the refusals in the form that its clients know.
import { SdkError } from '../../../core/errors.ts';
import { readBytes } from '../../../core/bytes/read-bytes.ts';
import { checkOrigins } from '../../../wire/check-origins.ts';

/** A rate limit of the platform's, such as a Worker's binding of the type `ratelimit`. */
export interface RateBinding {
  /** Counts one more for the key. */
  limit(options: { readonly key: string }): Promise<{ readonly success: boolean }>;
}

/** Who may use a proxy, and how often. */
export interface GuardOptions {
  /** Who asks: a name that requests are counted by, or null to refuse. What is no text, or empty, is refused, too. */
  authenticate(request: Request): Promise<string | null> | string | null;
  /** Pages of other origins that may use it, such as `https://example.com`. @defaultValue none */
  readonly origins?: readonly string[];
  /** For each one who asks, counted in this process or isolate alone. @defaultValue 120 */
  readonly requestsPerMinute?: number;
  /** Holds besides `requestsPerMinute`. Cloudflare's counts for each of its locations. @defaultValue none */
  readonly rate?: RateBinding;
  /** Milliseconds since the epoch. @defaultValue `Date.now` */
  readonly now?: () => number;
}

/** A refusal before it has a form. */
export interface GuardRefusal {
  readonly status: 401 | 429 | 500;
  readonly reason: string;
}

/** Made once for a proxy; it keeps the counts. */
export interface RequestGuard {
  /** Who asks, or why the request isn't made. Counts it. Never rejects. */
  admit(request: Request): Promise<{ readonly asker: string } | GuardRefusal>;
  /** Is the request sent by a page of an origin that isn't on the list? */
  isForeign(request: Request): boolean;
  /** The answer with the headers by which a page of a listed origin may read it. */
  allowOrigin(answer: Response, request: Request, exposed: readonly string[]): Response;
}

const defaultRequestsPerMinute = 120;

// Security: an answer of another server stands at the address of this one. No browser may take it for a
// page, and none may keep it.
export const plainHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; sandbox",
  'x-content-type-options': 'nosniff',
} as const;

/**
 * @throws SdkError `bad-usage` without `authenticate`, for `origins` that no page has, for a `path` that no request has,
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
        // Security: what the types don't allow is nobody, too, such as the undefined of a look-up.
        if (typeof asker !== 'string' || asker === '')
          return { status: 401, reason: 'This proxy wants to know who asks.' };
        if (isOver(asker) || (rate && !(await rate.limit({ key: asker })).success)) {
          return { status: 429, reason: 'Too many requests. Try again in a minute.' };
        }
        return { asker };
      } catch {
        // Security: what was thrown may hold what the request was authenticated by.
        return { status: 500, reason: 'This proxy could not find out who asks. Try again.' };
      }
    },
    isForeign({ headers, url }) {
      const origin = headers.get('origin');
      const site = headers.get('sec-fetch-site');
      // Security: what reads without leave, such as an image, names no origin, and has the cookies of a sister site.
      if (origin === null) return site === 'cross-site' || site === 'same-site';
      if (origins.includes(origin)) return false;
      // Behind another server the request's own address may be another one than the page's.
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
 * The request's whole body; undefined for none. What is over the limit is not read to its end. Rejects where it breaks
 * off, and when `signal` is aborted.
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

/** The deadline of one request. Dispose it when the request has ended. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
}

/** At most {@link mostSeconds}. */
export function startDeadline(seconds: number): Deadline {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), seconds * 1000);
  return { signal: controller.signal, [Symbol.dispose]: () => clearTimeout(timer) };
}

// 24 days: a timer that is longer rings at once.
export const mostSeconds = 2_147_483;

// Who asked longest ago is forgotten first: names could be made up by the thousand.
const maxAskers = 10_000;

/** Counts requests of the last minute. */
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
