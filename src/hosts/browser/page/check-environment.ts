// Checks before anything is started that a tab has what the host needs, and names what is missing.
// What only a worker can find out (synchronous file handles, locks, WebAssembly under its policy)
// is checked when workers boot.
import { SdkError, hasCode } from '../../../core/errors.ts';

/** Texts of the error: "lacks `missing`", followed by the remedy as a sentence. */
interface Need {
  readonly missing: string;
  readonly remedy: string;
  isThere(): boolean;
}

// The order matters: a page without an origin or an insecure page lacks the later ones too, but the
// first names the cause.
const needs: readonly Need[] = [
  {
    missing: 'an origin of its own',
    remedy:
      'In an iframe with a sandbox attribute, add allow-same-origin to it. A file: page is to be served over http ' +
      'from localhost, or over https.',
    isThere: () => globalThis.origin !== 'null',
  },
  {
    missing: 'a secure context',
    remedy: 'Serve the page over https, or from localhost.',
    isThere: () => globalThis.isSecureContext,
  },
  {
    missing: 'Web Workers',
    remedy: 'createBrowserHost runs in a page of a current browser; elsewhere use another host.',
    isThere: () => typeof Worker === 'function',
  },
  {
    missing: 'crypto.randomUUID',
    remedy: 'Use a current browser.',
    isThere: () => typeof crypto === 'object' && typeof crypto.randomUUID === 'function',
  },
];

/** @throws SdkError `unsupported-environment` that names what is missing and what to do. */
export function checkEnvironment(): void {
  // Checked first: a framework with server-side rendering may run the page's code on its server.
  if (typeof document !== 'object') throw createNoPageError();
  const lacking = needs.find((need) => !need.isThere());
  if (!lacking) return;
  throw new SdkError(
    'unsupported-environment',
    `This page lacks ${lacking.missing}, which Rockpool needs. ${lacking.remedy}`,
    { data: { missing: lacking.missing } },
  );
}

/** Adds a remedy to an error of refused storage, if the page is in a frame that causes it. */
export function explainInFrame(error: unknown): unknown {
  if (!hasCode(error, 'unsupported-environment')) return error;
  // Only errors of drivers name an API.
  const isOfStorage = 'api' in error.data || 'reasons' in error.data;
  if (!isOfStorage || !isInForeignFrame()) return error;
  const remedy =
    'This page is in a frame of another site, for which browsers may refuse storage: open it in a tab of its own, allow ' +
    "this site third-party cookies, or pass driver: 'memory', which keeps nothing.";
  return new SdkError(error.code, `${error.message} ${remedy}`, { data: error.data, cause: error });
}

function isInForeignFrame(): boolean {
  try {
    // Throws if the topmost page has another origin.
    return window.top?.origin !== window.origin;
  } catch {
    return true;
  }
}

function createNoPageError(): SdkError {
  return new SdkError(
    'unsupported-environment',
    'createBrowserHost runs in a page, and there is none here: this is a server or a worker. Call it in the page alone, ' +
      'in an effect of a component, say. On a server use createInlineHost of rockpool/inline.',
    { data: { missing: 'a page' } },
  );
}
