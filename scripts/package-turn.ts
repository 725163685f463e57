/**
 * Installs a packed tarball (the one argument) into strangers' projects and runs scripted turns in
 * each, in a real Chromium. Are the workers, the wasm, the stylesheet and what strips TypeScript
 * found under a strict policy? They are looked for in a fresh Vite app (dev and build) and in a
 * plain page of ES modules. They are looked for where the page gives the URLs of its own copies,
 * too. Does each have a worker entry of its own that serves a tool of its own? Is Anthropic's
 * client loaded? Called by check-package.ts.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser } from 'playwright';
import { findBrowser } from './find-browser.mjs';
import {
  installConsumer,
  serveCopiedAssets,
  servePlainPage,
  serveViteBuild,
  serveViteDev,
  type ServedPage,
} from './package-consumers.ts';

declare global {
  interface Window {
    /**
     * Set by the consumer's page. Resolves with the result's text, the file that it wrote, and a
     * token of the stylesheet as the page has it.
     */
    runTurn(
      assets: Record<string, string>,
    ): Promise<readonly [result: string, file: string, size: string]>;
    /**
     * Resolves with the text of a turn that calls a tool which the consumer's own worker entry serves.
     * `plainEntry` is its URL where no bundler makes one.
     */
    runOwnTool(assets: Record<string, string>, plainEntry: string | undefined): Promise<string>;
    /** Resolves with the text of a turn of Anthropic's client, which a server in the page answers. */
    askServer(assets: Record<string, string>): Promise<string>;
  }
}

/** The consumer's only module, as an embedder would write it. */
const pageModule = `
import { buildTool, createAnthropicModel, createBrowserHost, createScriptedModel, query } from 'rockpool/browser';
import * as z from 'zod';

const script = { turns: [
  { blocks: [{ type: 'tool_use', name: 'Write', input: { file_path: 'sum.ts', content: 'export const sum = (a: number, b: number) => a + b;' } }] },
  { blocks: [{ type: 'tool_use', name: 'Repl', id: 'run', input: { code: "const { sum } = await import('./sum.ts'); sum(40, 2)" } }] },
  { blocks: [{ type: 'text', text: 'The sum is {{run:/\\\\d+/}}.' }] },
] };

window.runTurn = async (assets) => {
  const host = await createBrowserHost({ workspace: 'consumer', assets });
  try {
    const options = { host, model: createScriptedModel({ script }), permissionMode: 'bypassPermissions' };
    let last;
    for await (const message of query({ prompt: 'Add 40 and 2.', options })) last = message;
    const text = await host.workspace.fs.readFile(host.cwd + '/sum.ts', 'utf8');
    const size = getComputedStyle(document.documentElement).getPropertyValue('--rp-size');
    return [last.result ?? JSON.stringify(last), text, size];
  } finally {
    await host.destroy();
  }
};

const countWords = buildTool({
  name: 'CountWords',
  runsIn: 'worker',
  inputSchema: z.strictObject({ file_path: z.string() }),
  description: async () => 'Counts the words of a file.',
  prompt: async () => 'Counts words.',
  isReadOnly: () => true,
  mapToolResultToToolResultBlockParam: (output, id) =>
    ({ type: 'tool_result', tool_use_id: id, content: output.words + ' words' }),
});
const ownScript = { turns: [
  { blocks: [
    { type: 'tool_use', name: 'CountWords', id: 'count', input: { file_path: 'a.txt' } },
    { type: 'tool_use', name: 'Read', id: 'read', input: { file_path: 'a.txt' } },
  ] },
  { blocks: [{ type: 'text', text: '{{count:/.*/}}: {{read:/one.*/}}' }] },
] };

window.runOwnTool = async (assets, plainEntry) => {
  const toolWorker = plainEntry ?? (await import('./tools.worker.js?worker&url')).default;
  const host = await createBrowserHost({ workspace: 'own-tool', assets: { ...assets, toolWorker } });
  try {
    await host.workspace.fs.writeFile(host.cwd + '/a.txt', 'one two three');
    const tools = [...(await host.loadTools()), countWords];
    const options = { host, tools, model: createScriptedModel({ script: ownScript }), permissionMode: 'bypassPermissions' };
    let last;
    for await (const message of query({ prompt: 'Count.', options })) last = message;
    return last.result ?? JSON.stringify(last);
  } finally {
    await host.destroy();
  }
};

const events = [
  { type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', model: 'claude-sonnet-5', content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'A server says hello.' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 5 } },
  { type: 'message_stop' },
];
const body = events.map((event) => 'event: ' + event.type + '\\ndata: ' + JSON.stringify(event) + '\\n\\n').join('');
const answer = async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } });

window.askServer = async (assets) => {
  const host = await createBrowserHost({ workspace: 'server', assets });
  try {
    const model = createAnthropicModel({ model: 'claude-sonnet-5', fetch: answer });
    let last;
    for await (const message of query({ prompt: 'Hello.', options: { host, model } })) last = message;
    return last.result ?? JSON.stringify(last);
  } finally {
    await host.destroy();
  }
};
`;

/** The consumer's own worker entry; what it serves is the same where a bundler finds the package and not. */
const toolsModule = (from: string) => `
import { serveTools, workers } from '${from}';

const inputSchema = {
  safeParse: (input) => typeof input?.file_path === 'string'
    ? { success: true, data: input }
    : { success: false, error: new Error('file_path is no text') },
};
const handler = async ({ file_path }, { fs }) =>
  ({ words: (await fs.readFile(file_path, 'utf8')).split(' ').length });

serveTools([...workers, { name: 'CountWords', load: async () => ({ inputSchema, handler }) }]);
`;
const modules = {
  'page.js': pageModule,
  'tools.worker.js': toolsModule('rockpool/serve-tools'),
  'plain-tools.worker.js': toolsModule('./node_modules/rockpool/dist/serve-tools.bundle.js'),
};
const plainEntry = '/plain-tools.worker.js';
const expectedOwn = '3 words: one two three';
const expectedSaid = 'A server says hello.';
const expected = ['The sum is 42.', 'export const sum = (a: number, b: number) => a + b;', '13px'];

/** Where serveCopiedAssets puts the files that `assets` can name. */
const given = {
  fsWorker: '/static/fs.worker.js',
  toolWorker: '/static/tool.worker.js',
  wasm: '/static/quickjs.wasm',
};

const consumers = [
  { name: 'Vite, dev', serve: serveViteDev, assets: {} },
  { name: 'Vite, built', serve: serveViteBuild, assets: {} },
  { name: 'plain page', serve: servePlainPage, assets: {}, plainEntry },
  {
    name: 'plain page that gives the URLs of its copies',
    serve: serveCopiedAssets,
    assets: given,
    plainEntry,
  },
];

/** Resolves with what went wrong in a page, or undefined when its turn ended as it should. */
async function tryTurn(
  browser: Browser,
  page: ServedPage,
  assets: Record<string, string>,
  ownEntry: string | undefined,
): Promise<string | undefined> {
  const tab = await browser.newPage();
  const complaints: string[] = [];
  tab.on('pageerror', (error) => complaints.push(error.message));
  tab.on('requestfailed', (request) => complaints.push(`not loaded: ${request.url()}`));
  try {
    await tab.goto(page.url);
    // 30 s: Vite's dev server may bundle dependencies anew and reload the page meanwhile.
    await tab.waitForFunction(() => 'runTurn' in window, undefined, { timeout: 30_000 });
    const answer = await tab.evaluate((urls) => window.runTurn(urls), assets);
    if (JSON.stringify(answer) !== JSON.stringify(expected)) {
      return `the turn ended with ${JSON.stringify(answer)}`;
    }
    const own = await tab.evaluate(([urls, entry]) => window.runOwnTool(urls, entry), [
      assets,
      ownEntry,
    ] as const);
    if (own !== expectedOwn) return `the turn with an own tool ended with ${own}`;
    const said = await tab.evaluate((urls) => window.askServer(urls), assets);
    return said === expectedSaid ? undefined : `the turn with a server ended with ${said}`;
  } catch (error) {
    return [error instanceof Error ? error.message : String(error), ...complaints].join('\n');
  } finally {
    await tab.close();
  }
}

const [tarball] = process.argv.slice(2);
if (!tarball) throw new Error('usage: node scripts/package-turn.ts <tarball>');
const executablePath = findBrowser();
const folder = mkdtempSync(join(tmpdir(), 'package-turn-'));
const browser = await chromium.launch({
  ...(executablePath && { executablePath }),
  args: ['--disable-gpu', '--disable-quic'],
});
try {
  installConsumer(folder, tarball, modules);
  for (const { name, serve, assets, plainEntry: ownEntry } of consumers) {
    const page = await serve(folder);
    const problem = await tryTurn(browser, page, assets, ownEntry);
    await page.close();
    console.log(problem === undefined ? `ok   ${name}` : `FAIL ${name}: ${problem}`);
    if (problem !== undefined) process.exitCode = 1;
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
