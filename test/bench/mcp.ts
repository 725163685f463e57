// `npm run bench -- mcp`: what a page has of MCP servers on another origin, beside the protocol's
// client alone in a worker. Runs in real Chromium and over loopback HTTP.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright';
import type { BenchResult } from '../../scripts/bench.ts';
import { buildLibrary } from '../../scripts/build.ts';
import { serveBuiltPage } from '../../scripts/serve-built-page.ts';
import { answerMcp, describeTool } from '../support/mcp/mcp-answers.ts';
import { startMcpServer, type TestMcpServer } from '../support/mcp/mcp-server.ts';
import { goals } from './mcp/goals.ts';
import type { McpTimes } from './pages/mcp/page.ts';
import { withTab } from './repl/bench-page.ts';
import { attempt, together, type Stage } from './repl/stage.ts';
import { measureDefinitions } from './tokens/measure-definitions.ts';
import { median } from './workspace/statistics.ts';

const pagePath = 'test/bench/pages/mcp.html';

const notes = [
  'connect_*: from the page’s call to a list of 500 tools of 600 bytes each, as tools of ours; bare: as the client gives ' +
    'it, in a worker of its own. Medians of 15, in turn, both workers warm.',
  'page_blocked_*: the longest time in which the page’s timer of 5 ms didn’t beat while it connected: to 500 tools, ' +
    'to a server that lists 10,000, and to one whose 150 schemas come to 9 MB. The first is the longest of them.',
  'call_overhead_ms: the median of a tool’s `call` on the page by that of the bare client’s, less; 200 each.',
  'mcp_worker_gz_kb: the worker’s file as the package has it, by gzip. without_servers_files: files of MCP’s that a page without servers fetches.',
];

export async function bench(): Promise<BenchResult> {
  const servers: TestMcpServer[] = [];
  const serve = async (tools: readonly object[]) => {
    const server = await startMcpServer();
    servers.push(server);
    const echo = describeTool('echo', { annotations: { readOnlyHint: true } });
    server.intercept(
      answerMcp({
        'tools/list': () => ({ tools: [echo, ...tools] }),
        'tools/call': () => ({ content: [{ type: 'text', text: 'Hello.' }] }),
      }),
    );
    return server.url;
  };
  const served = await serveBuiltPage({ page: pagePath });
  try {
    const found = await withTab(async (tab) => {
      await tab.goto(served.url);
      await tab.waitForFunction(() => window.mcp !== undefined);
      const files = await tab.evaluate(() => window.mcp!.open());
      const usual = await serve(Array.from({ length: 499 }, (_, at) => toTool(at, 400)));
      return together([
        { figures: { without_servers_files: files.filter(isOfMcp).length } },
        await attempt('connect', () => measureConnect(tab, usual)),
        await attempt('call', () => measureCalls(tab, usual)),
        await attempt('blocked', async () =>
          measureBlocked(tab, {
            500: usual,
            many: await serve(Array.from({ length: 10_000 }, (_, at) => toTool(at, 400))),
            schemas: await serve(Array.from({ length: 150 }, (_, at) => toTool(at, 60_000))),
          }),
        ),
        await attempt('size', measureSize),
        await attempt('tokens', measureTokens),
      ]);
    });
    return { metrics: found.figures, notes: [...notes, ...found.notes], goals };
  } finally {
    await served.close();
    await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
  }
}

// The page’s own file is named after it.
const isOfMcp = (url: string) => /mcp[.-]worker|remote-server/u.test(url);

function toTool(at: number, chars: number): object {
  return describeTool(`tool_${at}`, {
    description: 'Looks for what is asked in one of the places that this server knows of.',
    inputSchema: {
      type: 'object',
      properties: { query: { type: 'string', description: 'x'.repeat(chars) } },
    },
  });
}

async function measureConnect(tab: Page, url: string): Promise<Stage> {
  const { ours, bare }: McpTimes = await tab.evaluate(
    (given) => window.mcp!.connect(given, 15),
    url,
  );
  return {
    figures: {
      connect_list_500_vs_bare: median(ours) / median(bare),
      connect_ms: median(ours),
      bare_connect_ms: median(bare),
    },
  };
}

async function measureCalls(tab: Page, url: string): Promise<Stage> {
  const { ours, bare } = await tab.evaluate((given) => window.mcp!.call(given, 200), url);
  return {
    figures: {
      call_overhead_ms: median(ours) - median(bare),
      call_ms: median(ours),
      bare_call_ms: median(bare),
    },
  };
}

async function measureBlocked(
  tab: Page,
  urls: Readonly<Record<'500' | 'many' | 'schemas', string>>,
): Promise<Stage> {
  const figures: Record<string, number> = {};
  const said: string[] = [];
  for (const [name, url] of Object.entries(urls)) {
    const { ms, why } = await tab.evaluate((given) => window.mcp!.blocked(given), url);
    figures[`page_blocked_${name}_ms`] = ms;
    if (why !== '') said.push(`${name}: ${why}`);
  }
  return {
    figures: { page_blocked_ms: Math.max(...Object.values(figures)), ...figures },
    notes: said,
  };
}

async function measureSize(): Promise<Stage> {
  const dist = mkdtempSync(join(tmpdir(), 'rockpool-mcp-'));
  try {
    await buildLibrary(dist);
    const bytes = readFileSync(join(dist, 'mcp.worker.js'));
    return { figures: { mcp_worker_gz_kb: gzipSync(bytes).length / 1000 } };
  } finally {
    rmSync(dist, { recursive: true });
  }
}

async function measureTokens(): Promise<Stage> {
  const { deferred, inline } = await measureDefinitions();
  return { figures: { deferred_share_500: deferred / inline } };
}
