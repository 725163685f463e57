// Refuses origins that no page can have, so that whoever names one is told before a browser says nothing but no. Used by
// whatever lets pages of other origins in.
import { SdkError } from '../core/errors.ts';

/** @throws SdkError `bad-usage` for what is no list, and for one in it that no browser sends. */
export function checkOrigins(origins: readonly string[] | undefined): void {
  if (origins === undefined) return;
  const given: unknown = origins;
  // Security: in a text instead of a list each part would count as an origin.
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
  // `null` is a page of a file, or one in a sandbox. Apps have schemes of their own.
  return origin === 'null' || /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s]+$/u.test(origin);
}
