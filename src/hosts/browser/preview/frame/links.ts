// Handles links and forms. The document has no URL, so leaving it would replace it, and the code
// that answers the host page, by an error page. The host page therefore opens other pages.
import type { Report } from './console.ts';
import type { Link } from './link.ts';
import type { Rest } from './rest.ts';

// 2 000: the host page refuses longer addresses. A longer one is a `data:` URL or a mail address.
const maxAddressChars = 2000;

/**
 * Follows links within the page, and asks the host page to open others. Reports links that aren't
 * opened, and forms that the app leaves to a server.
 */
export function keepInPage(host: Link, rest: Rest, report: Report): void {
  whenUnhandled('click', (event) => {
    const link = event.composedPath().find(isLink);
    const address = link?.getAttribute('href')?.trim() ?? '';
    if (!link || /^javascript:/i.test(address) || link.hasAttribute('download')) return;
    event.preventDefault();
    // The browser itself would resolve the fragment against the outer page's URL.
    if (address.startsWith('#')) location.hash = address;
    else {
      const told = address.slice(0, maxAddressChars);
      const following = rest.whileBusy(() => host.follow(told, event.isTrusted));
      void following.then((message) => report('request', message));
    }
  });
  whenUnhandled('submit', (event) => {
    const { target, submitter } = event as SubmitEvent;
    if (!(target instanceof HTMLFormElement)) return;
    const method = submitter?.getAttribute('formmethod') ?? target.getAttribute('method') ?? '';
    if (method.toLowerCase() === 'dialog') return;
    event.preventDefault();
    const address = submitter?.getAttribute('formaction') ?? target.getAttribute('action') ?? '';
    report(
      'request',
      `The form wasn't sent to ${address || 'its page'}: a preview has no server. Handle its submit event, and prevent the default.`,
    );
  });
}

/** Scrolls to the fragment of the link that led here. */
export function beginAt(hash: string): void {
  if (hash === '') return;
  location.hash = hash;
  // The element may not exist yet.
  window.addEventListener('load', () => {
    document.querySelector(`[id=${JSON.stringify(decode(hash.slice(1)))}]`)?.scrollIntoView();
  });
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    // Invalid escapes, such as a lone percent sign.
    return name;
  }
}

/**
 * Runs after the app's own listeners, unless one has prevented the default or stopped the event.
 */
function whenUnhandled(type: string, handle: (event: Event) => void): void {
  const last = (event: Event) => {
    if (!event.defaultPrevented) handle(event);
  };
  const putLast = () => {
    window.removeEventListener(type, last);
    window.addEventListener(type, last);
  };
  window.addEventListener(type, putLast, true);
}

function isLink(target: EventTarget): target is Element {
  return target instanceof Element && target.matches('a[href], area[href]');
}
