// Options of the edge that are missing where they are given: refused when something is made, with what to do.
import { expect, it } from 'vitest';
import { createGitProxy, createModelProxy, createObjectWire } from '../../../src/edge.ts';
import type { ModelProxyOptions } from '../../../src/edge.ts';

const proxy = { apiKey: 'k', models: ['m'], authenticate: () => 'me' };

it('a wire without authorize is refused when it is made', () => {
  expect(() => createObjectWire({} as never, {} as never)).toThrow(
    'createObjectWire needs authorize',
  );
});

it.each([undefined, {}, 'RATE'])(
  'a rate that is no binding is no limit that nobody misses: %j',
  (rate) => {
    const given = { ...proxy, rate } as unknown as ModelProxyOptions;
    expect(() => createModelProxy(given)).toThrow('"ratelimits": [{ "name": "RATE"');
    const hosts = ['git.example.org'];
    expect(() =>
      createGitProxy({ hosts, authenticate: proxy.authenticate, rate } as never),
    ).toThrow('Leave `rate` out for none.');
  },
);

it.each([
  [{ speed: 'fast' }, 'speed'],
  [{ inference_geo: 'us' }, 'inference_geo'],
])(
  'a proxy with a budget takes nothing whose surcharge it does not know: %j',
  async (extra, named) => {
    const sent: string[] = [];
    const make = (more: Partial<ModelProxyOptions>) =>
      createModelProxy({
        ...proxy,
        ...more,
        fetch: async (_url, { body }) => {
          sent.push(String(body));
          return Response.json({ usage: { input_tokens: 1, output_tokens: 1 } });
        },
      });
    const account = { reserve: async () => ({ id: 'r' }), settle: async () => undefined };
    const body = JSON.stringify({ model: 'm', max_tokens: 1, messages: [], ...extra });
    const ask = () => new Request('https://proxy.example/v1/messages', { method: 'POST', body });
    const refused = await make({ account })(ask());
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining(`takes no \`${named}\``),
    ]);
    expect(sent).toEqual([]);
    expect((await make({})(ask())).status).toBe(200);
  },
);
