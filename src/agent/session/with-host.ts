// Rejects a missing or invalid host. Used by check-query.ts, and by the functions on kept sessions.
import { SdkError } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';

export const howToHost =
  'Make a host: await createBrowserHost(…) of rockpool/browser in a page, await createEdgeHost(…) of rockpool/edge in an isolate, await createInlineHost() of rockpool/inline in Node and anywhere else.';

/**
 * The same options, after a check that they have a host, in whose workspace sessions are kept.
 * @throws SdkError `bad-usage`; the message says how to create a host
 */
export function withHost<Options extends { readonly host: object }>(options: Options): Options {
  const { host }: { readonly host?: unknown } = isRecord(options) ? options : {};
  if (isRecord(host) && isRecord(host['workspace'])) return options;
  return refuseHost(host, 'it says in whose workspace the sessions are');
}

/** `why`: the reason a host is needed, as the end of a sentence. */
export function refuseHost(host: unknown, why: string): never {
  const what = host === undefined ? 'options.host is missing' : 'options.host is no host';
  const message =
    host instanceof Promise
      ? 'options.host is a promise. Write host: await createInlineHost(), say.'
      : `${what}: ${why}. ${howToHost}`;
  throw new SdkError('bad-usage', message, { data: { option: 'host' } });
}
