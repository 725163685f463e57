/** The Worker that test/unit/hosts/git-proxy.node.test.ts runs: a git proxy. */
import { createGitProxy } from '../../../src/hosts/edge/proxy/create-git-proxy.ts';
import type { ProxyHandler } from '../../../src/hosts/edge/proxy/create-proxy.ts';

/** What the test binds. */
interface Bindings {
  readonly HOST: string;
}

let proxy: ProxyHandler | undefined;

// house-rule: no-default-export: a Worker's main module is its default export
export default {
  async fetch(request: Request, env: Bindings): Promise<Response> {
    proxy ??= createGitProxy({
      path: '/git',
      hosts: [env.HOST],
      authenticate: ({ headers }) => headers.get('x-user'),
    });
    return proxy(request);
  },
};
