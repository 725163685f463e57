// Rejects origins that no page can have. Without it, a browser would refuse the connection without
// a reason. Used for every list of allowed origins.
import { SdkError } from '../core/errors.ts';

/**
 * @throws SdkError `bad-usage` if the value isn't a list, or an origin isn't one that browsers send
 */
export function checkOrigins(origins: readonly string[] | undefined): void {
  if (origins === undefined) return;
  const given: unknown = origins;
  // Security: of a string instead of a list, each part would count as an origin.
  const wrong = Array.isArray(given) ? given.filter((one) => !isOrigin(one)) : [given];
  if (wrong.length === 0) return;
  throw new SdkError(
    'bad-usage',
    `\`origins\` lists each origin as browsers send it, such as "https://app.example.org": in small letters, without a path or a slash at its end, not ${JSON.stringify(wrong[0]) ?? 'undefined'}.`,
    { data: { option: 'origins', given: wrong[0] } },
  );
}

function isOrigin(origin: unknown): boolean {
  if (typeof origin !== 'string') return false;
  if (/^https?:/iu.test(origin)) return URL.canParse(origin) && new URL(origin).origin === origin;
  // `null` is the origin of a page from a file or in a sandbox. Apps have their own schemes.
  return origin === 'null' || /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s]+$/u.test(origin);
}
