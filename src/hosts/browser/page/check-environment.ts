// What a tab must have before anything is started, each named when it is missing. What only a worker
// can tell (sync file handles, locks, WebAssembly under its policy) the workers check when they boot.
import { SdkError } from '../../../core/errors.ts';

/** In the words of the error: "lacks `missing`", and then the remedy as a sentence. */
interface Need {
  readonly missing: string;
  readonly remedy: string;
  isThere(): boolean;
}

// In this order: an insecure page lacks the others too, and only the first has the cause in it.
const needs: readonly Need[] = [
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
  // Before the others: a framework that renders on its server runs there what is meant for the page.
  if (typeof document !== 'object') throw createNoPageError();
  const lacking = needs.find((need) => !need.isThere());
  if (!lacking) return;
  throw new SdkError(
    'unsupported-environment',
    `This page lacks ${lacking.missing}, which Rockpool needs. ${lacking.remedy}`,
    { data: { missing: lacking.missing } },
  );
}

function createNoPageError(): SdkError {
  return new SdkError(
    'unsupported-environment',
    'createBrowserHost runs in a page, and there is none here: this is a server or a worker. Call it in the page alone, ' +
      'in an effect of a component, say. On a server use createInlineHost of rockpool/inline.',
    { data: { missing: 'a page' } },
  );
}
