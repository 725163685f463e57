/** The Worker that test/unit/hosts/model-proxy.node.test.ts runs: a model proxy, and what it settled. */
import {
  createModelProxy,
  type ModelProxyHandler,
} from '../../../src/hosts/edge/proxy/create-model-proxy.ts';
import type { ModelSettlement } from '../../../src/hosts/edge/proxy/model-account.ts';

/** What the test binds. */
interface Bindings {
  readonly KEY: string;
  readonly UPSTREAM: string;
}

const settled: ModelSettlement[] = [];
let proxy: ModelProxyHandler | undefined;

// house-rule: no-default-export: a Worker's main module is its default export
export default {
  async fetch(
    request: Request,
    env: Bindings,
    context: Parameters<ModelProxyHandler>[2],
  ): Promise<Response> {
    if (new URL(request.url).pathname === '/settled') return Response.json(settled);
    proxy ??= createModelProxy({
      path: '/anthropic',
      apiKey: env.KEY,
      baseURL: env.UPSTREAM,
      models: ['claude-test'],
      authenticate: ({ headers }) => headers.get('authorization'),
      account: {
        reserve: async () => ({ id: 'r' }),
        settle: async (one) => void settled.push(one),
      },
    });
    return proxy(request, env, context);
  },
};
