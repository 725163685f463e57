/**
 * `npm run mcp:apps -- <folder>`: the demo with apps of the protocol's own example servers, light, dark and on a phone,
 * as pictures in that folder. Fails where one isn't drawn, complains, or what is around it isn't accessible. Needs the
 * network once, to install the servers.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import axe from 'axe-core';
import { chromium } from 'playwright';
import type { Browser, Page } from 'playwright';
import { toEvents } from '../src/model/to-events.ts';
import { startMessagesServer } from '../test/support/models/messages-server.ts';
import { assistantMessage, textEvents, toSse } from '../test/support/models/model-streams.ts';
import { findBrowser } from './find-browser.mjs';
import { serveBuiltPage } from './serve-built-page.ts';
import { findPort } from './wrangler.ts';

/** By its package's name, the tool whose app is shown, and what that shows when it is there. */
const servers = [
  { name: 'debug', tool: 'debug-tool', shows: 'Debug' },
  { name: 'basic-vanillajs', tool: 'get-time', shows: 'Server Time' },
  { name: 'budget-allocator', tool: 'get-budget-data', shows: 'Budget Allocator' },
] as const;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const directory = join(root, 'test', 'app-servers');
const [folder = join(root, 'node_modules', '.cache', 'apps')] = process.argv.slice(2);

function install(): void {
  if (existsSync(join(directory, 'node_modules'))) return;
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { status } = spawnSync('npm', args, { cwd: directory, stdio: 'inherit' });
  if (status !== 0) throw new Error('The servers could not be installed.');
}

/** Resolves when it says that it listens. */
async function startServer(name: string): Promise<Disposable & { readonly url: string }> {
  const port = await findPort();
  const main = join(directory, `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`);
  const child = spawn(process.execPath, [main], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await new Promise<void>((resolve, reject) => {
    const hear = (chunk: Buffer) => chunk.toString().includes('listening') && resolve();
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.on('exit', () => reject(new Error(`The server ${name} has ended.`)));
  });
  return { url: `http://127.0.0.1:${port}/mcp`, [Symbol.dispose]: () => void child.kill() };
}

async function show(
  browser: Browser,
  demoUrl: string,
  { name, tool, shows }: (typeof servers)[number],
): Promise<readonly string[]> {
  using server = await startServer(name);
  await using model = await startMessagesServer();
  const problems: string[] = [];
  const context = await browser.newContext({ colorScheme: 'light' });
  try {
    const page = await context.newPage();
    page.on('pageerror', (error) => problems.push(`${name}: ${error.message}`));
    const choice = { kind: 'server', baseUrl: model.url, apiKey: 'key-1', model: 'any' };
    await page.addInitScript((given) => {
      if (self.origin !== 'null') {
        localStorage.setItem('rockpool-demo:model', JSON.stringify(given));
      }
    }, choice);
    await page.goto(demoUrl);
    await page.getByRole('button', { name: 'MCP servers…' }).click();
    const dialog = page.getByRole('dialog', { name: 'MCP servers' });
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByLabel('Address').fill(server.url);
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByText('It is connected with the first prompt.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    const call = {
      type: 'tool_use',
      id: 'call',
      name: `mcp__${name}__${tool}`,
      input: {},
    } as const;
    const calling = toEvents(assistantMessage([call], { stop_reason: 'tool_use' }));
    model.answer(
      { type: 'stream', text: toSse(textEvents('Hello.')) },
      { type: 'stream', text: toSse([...calling]) },
      { type: 'stream', text: toSse(textEvents('There it is.')) },
    );
    const field = page.getByLabel('Message to the agent');
    await field.fill('Go.');
    await field.press('Enter');
    await page.getByText('Hello.').waitFor();
    await page.getByRole('button', { name: 'MCP servers…' }).click();
    await dialog.getByText('connected', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await field.fill('Show me.');
    await field.press('Enter');
    await page.getByRole('button', { name: 'Allow once' }).click();
    await page.getByText('There it is.').waitFor();
    const frame = page.locator('.rp-app-holder iframe').contentFrame().locator('iframe');
    await frame.contentFrame().getByText(shows).first().waitFor();
    await look(page, `${name}-light`, problems);
    await page.emulateMedia({ colorScheme: 'dark' });
    await look(page, `${name}-dark`, problems);
    await page.setViewportSize({ width: 390, height: 844 });
    await look(page, `${name}-phone`, problems);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'Full width' }).click();
    await look(page, `${name}-wide`, problems);
  } finally {
    await context.close();
  }
  return problems;
}

async function look(page: Page, name: string, problems: string[]): Promise<void> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(async () => {
    const { axe: onPage } = globalThis as unknown as { readonly axe: typeof axe };
    const { violations } = await onPage.run('.rp-app', { iframes: false });
    return violations.map(({ id }) => id);
  });
  problems.push(...found.map((id) => `${name}: ${id}`));
  await page.locator('.rp-app').scrollIntoViewIfNeeded();
  await page.screenshot({ path: join(folder, `${name}.png`) });
  console.log(`${name}: ${found.length === 0 ? 'shown' : found.join(', ')}`);
}

install();
mkdirSync(folder, { recursive: true });
const demo = await serveBuiltPage({ page: 'demo/index.html' });
const executablePath = findBrowser();
const browser = await chromium.launch({ ...(executablePath && { executablePath }) });
try {
  const problems: string[] = [];
  for (const server of servers) problems.push(...(await show(browser, demo.url, server)));
  for (const problem of problems) console.error(problem);
  console.log(`Pictures: ${folder}`);
  process.exitCode = problems.length > 0 ? 1 : 0;
} finally {
  await browser.close();
  await demo.close();
}
