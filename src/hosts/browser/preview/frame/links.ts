// Links and forms as a page without an address has them. What leads out of the document would replace it by an error
// page, and with it the code that answers the page around it. So that one opens the other pages.
import type { Report } from './console.ts';
import type { Link } from './link.ts';
import type { Rest } from './rest.ts';

// 2 000: the page around it hears no longer ones. What is longer is a picture or a mail, and leads nowhere.
const maxAddressChars = 2000;

/**
 * Follows links within the page, and asks the page around it for other pages. Tells of those that aren't opened, and
 * of forms that the app leaves to a server.
 */
export function keepInPage(host: Link, rest: Rest, report: Report): void {
  whenUnhandled('click', (event) => {
    const link = event.composedPath().find(isLink);
    const address = link?.getAttribute('href')?.trim() ?? '';
    if (!link || /^javascript:/i.test(address) || link.hasAttribute('download')) return;
    event.preventDefault();
    // By itself the browser would look for the place in the page around this one, whose address it is relative to.
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

/** Where the link that led here names a place of the page. */
export function beginAt(hash: string): void {
  if (hash === '') return;
  location.hash = hash;
  // What it names may not be there yet.
  window.addEventListener('load', () => {
    document.querySelector(`[id=${JSON.stringify(decode(hash.slice(1)))}]`)?.scrollIntoView();
  });
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    // No escapes: a lone percent sign, say.
    return name;
  }
}

/** After the app's own listeners, unless one of them has prevented the default or stopped the event. */
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
