// A server with an app. It has a tool whose calls it shows by a page, and a tool for that page
// alone. The page does all that an app may. For `startMcpServer`; Node only.
import type { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';

const weatherUri = 'ui://weather/app.html';

/** `page`: in the place of its own. */
export function addWeatherApp(server: McpServer, page: string = weatherPage): void {
  const toForecast = (city: string, degrees: number) => ({
    content: [{ type: 'text' as const, text: `${city}: ${degrees} degrees` }],
    structuredContent: { city, degrees },
  });
  server.registerTool(
    'forecast',
    {
      description: 'Shows the weather of a city.',
      inputSchema: z.object({ city: z.string() }),
      _meta: { ui: { resourceUri: weatherUri } },
    },
    ({ city }) => toForecast(city, 12),
  );
  server.registerTool(
    'refresh',
    {
      description: 'The weather as it is now.',
      inputSchema: z.object({ city: z.string() }),
      _meta: { ui: { visibility: ['app'] } },
    },
    ({ city }) => toForecast(city, 21),
  );
  server.registerTool(
    'listen',
    {
      description: 'How it sounds.',
      inputSchema: z.object({ city: z.string() }),
      _meta: { ui: { visibility: ['app'] } },
    },
    () => ({ content: [{ type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' }] }),
  );
  server.registerTool(
    'secret',
    {
      description: 'For the model alone.',
      inputSchema: z.object({}),
      _meta: { ui: { visibility: ['model'] } },
    },
    () => toForecast('Nowhere', 0),
  );
  server.registerResource(
    'app',
    weatherUri,
    { mimeType: 'text/html;profile=mcp-app' },
    ({ href }) => ({
      contents: [
        {
          uri: href,
          mimeType: 'text/html;profile=mcp-app',
          text: page,
          _meta: {
            ui: {
              csp: { connectDomains: ['https://api.weather.example', 'http://localhost:1'] },
              prefersBorder: true,
            },
          },
        },
      ],
    }),
  );
}

/** Speaks the protocol of apps by hand. */
export const weatherPage = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Weather</title>
<style>
  body { margin: 0; padding: 12px; font: 14px system-ui; color: var(--color-text-primary, CanvasText); }
  button { font: inherit; margin: 8px 8px 0 0; }
</style></head>
<body>
<main>
<h1 id="city">…</h1>
<p id="degrees"></p>
<p id="theme"></p>
<button id="refresh">Refresh</button><button id="say">Say</button><button id="tell">Tell</button>
<button id="link">Open</button><button id="wide">Wide</button><button id="other">Other</button>
<p id="answer" role="status"></p>
</main>
<script>
let next = 0;
const waiting = new Map();
const at = (id) => document.getElementById(id);
const send = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
const ask = (method, params = {}) => new Promise((resolve, reject) => {
  waiting.set(++next, { resolve, reject });
  send({ id: next, method, params });
});
const show = ({ city, degrees }) => {
  at('city').textContent = city;
  at('degrees').textContent = degrees + ' degrees';
};
const say = (what) => { at('answer').textContent = what; };
addEventListener('message', ({ source, data }) => {
  if (source !== parent) return;
  if (data.id !== undefined && data.method === undefined) {
    const { resolve, reject } = waiting.get(data.id);
    data.error ? reject(new Error(data.error.message)) : resolve(data.result);
  } else if (data.method === 'ui/notifications/tool-input') at('city').textContent = data.params.arguments.city;
  else if (data.method === 'ui/notifications/tool-result') show(data.params.structuredContent);
  else if (data.method === 'ui/notifications/host-context-changed') apply(data.params);
  else if (data.method === 'ui/resource-teardown') send({ id: data.id, result: {} });
});
const apply = ({ theme, styles }) => {
  if (theme) {
    document.documentElement.style.colorScheme = theme;
    at('theme').textContent = theme;
  }
  for (const [name, value] of Object.entries(styles?.variables ?? {}))
    document.documentElement.style.setProperty(name, value);
};
const on = (id, run) => at(id).addEventListener('click', () => run().catch((error) => say(error.message)));
on('refresh', async () => show((await ask('tools/call', { name: 'refresh', arguments: { city: at('city').textContent } })).structuredContent));
on('other', async () => ask('tools/call', { name: 'secret', arguments: {} }));
on('say', async () => { await ask('ui/message', { role: 'user', content: [{ type: 'text', text: 'Is it warm?' }] }); say('said'); });
on('tell', async () => { await ask('ui/update-model-context', { content: [{ type: 'text', text: 'The user looks at ' + at('city').textContent }] }); say('told'); });
on('link', async () => { const { isError } = await ask('ui/open-link', { url: 'https://weather.example/today' }); say(isError ? 'not opened' : 'opened'); });
on('wide', async () => { const { mode } = await ask('ui/request-display-mode', { mode: 'fullscreen' }); say('mode ' + mode); });
ask('ui/initialize', { appInfo: { name: 'weather', version: '1' }, appCapabilities: {}, protocolVersion: '2026-01-26' })
  .then(({ hostContext }) => {
    apply(hostContext);
    send({ method: 'ui/notifications/initialized', params: {} });
    new ResizeObserver(() => send({ method: 'ui/notifications/size-changed', params: { height: document.documentElement.scrollHeight } })).observe(document.body);
  });
</script>
</body></html>`;
