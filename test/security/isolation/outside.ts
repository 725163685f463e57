// The outside of one or more sandboxes: the server of their page, and the listeners.
import { serveBuiltPage } from '../../../scripts/serve-built-page.ts';
import { startListeners, type Listeners } from './listeners.ts';

export interface Outside extends AsyncDisposable {
  /** The page's. */
  readonly url: string;
  readonly listeners: Listeners;
}

export async function startOutside(): Promise<Outside> {
  const listeners = await startListeners();
  const served = await serveBuiltPage({
    page: 'test/security/isolation/page/isolation-page.html',
    // A page's policy would be a wall of its own: here there is none.
    policy: "default-src * data: blob: 'unsafe-inline' 'unsafe-eval'",
    handle(path, request, response) {
      listeners.hits.push(`own origin ${path} ${request.headers.cookie ?? ''}`);
      response.end();
      return true;
    },
  });
  return {
    url: served.url,
    listeners,
    async [Symbol.asyncDispose]() {
      await served.close();
      await listeners[Symbol.asyncDispose]();
    },
  };
}
