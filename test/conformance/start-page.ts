// A page in Chromium that plays the conformance suite's scenarios: page-client.ts hands them to it. Node only.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { toMiddleware } from '../../scripts/git-proxy.ts';
import { randomUUID } from 'node:crypto';
import { contentSecurityPolicy } from '../../demo/content-security-policy.ts';
import { serveBuiltPage } from '../../scripts/serve-built-page.ts';
import { createMcpProxy } from '../../src/hosts/edge/proxy/create-mcp-proxy.ts';
import { withTab } from '../bench/repl/bench-page.ts';
import { approve } from './read-scenario.ts';
import type { Scenario } from './play-scenario.ts';

/** Runs the work, which is given where scenarios are posted to. */
export async function withPage<Result>(
  work: (address: string) => Promise<Result>,
): Promise<Result> {
  let play = (_scenario: Scenario): Promise<string> => Promise.reject(new Error('No page yet.'));
  const served = await serveBuiltPage({
    page: 'test/conformance/page.html',
    policy: contentSecurityPolicy.replace('connect-src', 'connect-src http://*.localhost:*'),
    handle(path, request, response) {
      if (path === 'play') void answer(request, response);
      else if (path.startsWith('relay/')) relay(request, response);
      else return false;
      return true;
    },
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const scenario = JSON.parse(await text(request)) as Scenario;
    response.end(await play(scenario).catch(String));
  }

  /** The suite's servers have a port of their own each, so the list is of the one that is asked for. */
  function relay(request: IncomingMessage, response: ServerResponse): void {
    const path = new URL(at('relay')).pathname;
    const [host = ''] = (request.url ?? '').slice(path.length + 1).split('/');
    const proxy = createMcpProxy({
      path,
      servers: [`http://${host}`],
      authenticate: () => 'the suite',
      origins: [new URL(served.url).origin],
      requestsPerMinute: 100_000,
    });
    toMiddleware(proxy, path)(request, response, () => response.writeHead(404).end());
  }

  const at = (name: string) => new URL(name, served.url).href;
  try {
    return await withTab(async (tab) => {
      await tab.exposeFunction('approve', approve);
      await tab.goto(served.url);
      await tab.waitForFunction(() => window.play !== undefined);
      play = (scenario) =>
        tab.evaluate(([given, proxy]) => window.play!(given, proxy), [
          scenario,
          toOwnOrigin(at('relay')),
        ] as const);
      return work(at('play'));
    });
  } finally {
    await served.close();
  }
}

/** The same place under a name of its own: a browser keeps few streams open with one origin. */
function toOwnOrigin(address: string): string {
  const url = new URL(address);
  url.hostname = `${randomUUID()}.localhost`;
  return url.href;
}
