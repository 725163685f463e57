// Git in the demo, as a person uses it. A repository is cloned through the page's proxy, and the
// agent changes it. What is committed and pushed is there for real git.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import type { BrowserContext, Page } from 'playwright';
import { afterAll, afterEach, beforeEach, expect } from 'vitest';
import { toMiddleware } from '../../../scripts/git-proxy.ts';
import { serveBuiltPage, type BuiltPage } from '../../../scripts/serve-built-page.ts';
import { createGitProxy } from '../../../src/hosts/edge/proxy/create-git-proxy.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { startGitServer, type GitServer } from '../../support/git/git-server.ts';
import {
  startMessagesServer,
  type Answer,
  type MessagesServer,
} from '../../support/models/messages-server.ts';
import { assistantMessage, textEvents, toSse } from '../../support/models/model-streams.ts';
import { gitText, makeRepository } from '../../support/git/real-git.ts';
import { it, watchPage } from '../chromium.ts';
import { findBreaches } from './find-breaches.ts';

let demo: BuiltPage;
let directory: string;
let git: GitServer;
let hasProxy = true;
let server: MessagesServer;
let context: BrowserContext;
let page: Page;
let complaints: readonly string[];

it.beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'demo-git-'));
  makeRepository(join(directory, 'made'), 6);
  gitText(directory, 'clone', '-q', '--bare', 'made', 'tides.git');
  git = await startGitServer(directory);
  demo = await serveBuiltPage({ page: 'demo/index.html', handle: proxyBeside });
});

afterAll(async () => {
  await demo.close();
  await git[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, maxRetries: 5 });
});

let proxy: ReturnType<typeof toMiddleware> | undefined;

/** The git proxy of `npm start`, which may reach the server of this test. */
function proxyBeside(path: string, request: IncomingMessage, response: ServerResponse): boolean {
  if (!hasProxy || !path.startsWith('git-proxy/')) return false;
  const { url = '' } = request;
  const prefix = url.slice(0, url.indexOf('/git-proxy/') + '/git-proxy'.length);
  proxy ??= toMiddleware(
    createGitProxy({
      path: prefix,
      hosts: [`http://${new URL(git.url).host}`],
      authenticate: ({ headers }) =>
        headers.get('sec-fetch-site') === 'same-origin' ? 'demo' : null,
    }),
    prefix,
  );
  proxy(request, response, () => response.writeHead(404).end());
  return true;
}

beforeEach<{ browser: { newContext(options: object): Promise<BrowserContext> } }>(
  async ({ browser }) => {
    server = await startMessagesServer();
    context = await browser.newContext({ viewport: { width: 1280, height: 760 } });
    page = await context.newPage();
    complaints = await watchPage(page);
    const model = { kind: 'server', baseUrl: server.url, apiKey: '', model: 'any' };
    await page.addInitScript((choice) => {
      localStorage.setItem('rockpool-demo:model', JSON.stringify(choice));
    }, model);
    await page.goto(demo.url);
    await page.getByLabel('Message to the agent').waitFor();
  },
);

afterEach(async () => {
  git.authorize = undefined;
  git.intercept = undefined;
  hasProxy = true;
  await context.close();
  await server[Symbol.asyncDispose]();
});

const dialog = () => page.getByRole('dialog', { name: 'Open a git repository' });
const panel = () => page.getByRole('group', { name: 'Git', exact: true });
const branchButton = () => page.getByTitle('Changes, history and branches');
const basic = (token: string) =>
  `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;

async function askForClone(url: string, token = ''): Promise<void> {
  if (!(await dialog().isVisible())) {
    await page.getByTitle('Project').click();
    await page.getByRole('button', { name: 'Open a git repository…' }).click();
  }
  await dialog().getByLabel('Address').fill(url);
  await dialog().getByLabel('Token, if it isn’t public').fill(token);
  await dialog().getByLabel('Address').press('Enter');
}

/** The agent calls a tool, and a person allows it. */
async function letAgent(name: string, input: Record<string, unknown>): Promise<void> {
  const done: Answer = { type: 'stream', text: toSse(textEvents('Done.')) };
  const message = assistantMessage([{ type: 'tool_use', id: 'call', name, input }]);
  server.answer({ type: 'stream', text: toSse([...toEvents(message)]) }, done);
  const ends = await page.locator('.rp-turn-end').count();
  await page.getByLabel('Message to the agent').fill('Go.');
  await page.getByLabel('Message to the agent').press('Enter');
  await page.getByRole('button', { name: 'Allow once' }).click();
  await page.locator('.rp-turn-end').nth(ends).waitFor();
}

/** The zip that the project menu saves. */
async function saveZip(name: string): Promise<Record<string, Uint8Array>> {
  await page.getByTitle('Project').click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name }).click(),
  ]);
  return unzipSync(readFileSync(await download.path()));
}

it('clones, shows what the agent changes, commits and pushes; the token stays nowhere', async () => {
  const valid = new Set([basic('sesame-1')]);
  git.authorize = (authorization, request) => {
    // It runs out between the two requests of the push.
    if (request.method === 'POST' && request.url?.endsWith('/git-receive-pack')) {
      valid.delete(basic('sesame-1'));
    }
    return authorization !== undefined && valid.has(authorization);
  };
  await askForClone(`${git.url}/tides.git`, 'sesame-1');
  await page.getByRole('treeitem', { name: 'run.sh' }).waitFor();
  expect(await page.getByTitle('Project').textContent()).toContain('tides');
  await branchButton().getByText('main').waitFor();

  await letAgent('Write', { file_path: 'new.txt', content: 'high tide\n' });
  await branchButton().getByText('1 changed').waitFor();
  await branchButton().press('Enter');
  await panel()
    .getByRole('button', { name: /New.*new\.txt/ })
    .press('Enter');
  await panel().getByText('high tide').waitFor();
  expect(await findBreaches(page)).toEqual([]);

  await panel().getByLabel('Message', { exact: true }).fill('Tell the tide');
  await panel().getByLabel('Your name').fill('Ann');
  await panel().getByLabel('Your email').fill('ann@example.org');
  await panel().getByRole('button', { name: 'Commit all' }).press('Enter');
  await panel().getByText('Nothing has changed').waitFor();
  await panel().getByRole('button', { name: 'History' }).click();
  await panel()
    .getByRole('button', { name: /Tell the tide/ })
    .click();
  await panel().getByText('high tide').waitFor();

  valid.add(basic('sesame-2'));
  await panel().getByRole('button', { name: 'Push (1)' }).click();
  const question = page.getByRole('dialog', { name: /^Sign in to / });
  await question.getByText('It refused the last token').waitFor();
  await question.getByLabel(/Token for/).fill('sesame-2');
  await question.getByLabel(/Token for/).press('Enter');
  await panel().getByText('Pushed.').waitFor();
  const bare = join(directory, 'tides.git');
  expect(gitText(bare, 'log', '-1', '--format=%an <%ae> %s', 'main')).toBe(
    'Ann <ann@example.org> Tell the tide',
  );
  expect(gitText(bare, 'show', 'main:new.txt')).toBe('high tide');
  expect(gitText(bare, 'fsck', '--strict')).toBe('');

  // A branch of its own, back again, and both where the panel says it is.
  await panel().getByRole('button', { name: 'New branch' }).click();
  await page.keyboard.type('ebb');
  await page.keyboard.press('Enter');
  await branchButton().getByText('ebb').waitFor();
  await panel().getByLabel('Branch', { exact: true }).selectOption('main');
  await branchButton().getByText('main').waitFor();

  await panel().getByRole('button', { name: 'Back to the editor' }).click();
  const [files, plain] = [
    await saveZip('Save as a zip with .git'),
    await saveZip('Save as a zip All'),
  ];
  expect(Object.keys(files)).toContain('.git/HEAD');
  expect(Object.keys(plain).filter((name) => name.startsWith('.git'))).toEqual([]);
  const everything = [
    ...Object.entries(files).map(
      ([name, bytes]) => `${name} ${Buffer.from(bytes).toString('latin1')}`,
    ),
    await page.content(),
    await page.evaluate(() => JSON.stringify({ ...localStorage })),
    JSON.stringify([complaints, git.requests, server.requests]),
  ];
  for (const secret of ['sesame', basic('sesame-1').slice(6), basic('sesame-2').slice(6)]) {
    expect(everything.filter((text) => text.includes(secret))).toEqual([]);
  }

  // What this browser has of it isn't cloned over, unless a person says so.
  await page.getByTitle('Project').click();
  await page.getByRole('button', { name: 'Open the sample project' }).click();
  await page.getByRole('treeitem', { name: 'package.json' }).waitFor();
  await askForClone(`${git.url}/tides.git`);
  await dialog().getByRole('alert').getByText('This browser has a copy of tides').waitFor();
  await dialog().getByRole('button', { name: 'Open the copy' }).click();
  await page.getByRole('treeitem', { name: 'new.txt' }).waitFor();
  page.once('dialog', (asked) => void asked.accept());
  await page.getByTitle('Project').click();
  await page.getByRole('button', { name: 'Delete this copy' }).click();
  await page.getByRole('treeitem', { name: 'package.json' }).waitFor();
  await askForClone(`${git.url}/tides.git`);
  await page.getByRole('treeitem', { name: 'new.txt' }).waitFor();
  expect(complaints).toEqual([]);
});

/** Somebody else pushes a file to the server's repository. */
function pushFromElsewhere(name: string, text: string): void {
  const elsewhere = mkdtempSync(join(directory, 'elsewhere-'));
  gitText(directory, 'clone', '-q', 'tides.git', elsewhere);
  writeFileSync(join(elsewhere, name), text);
  gitText(elsewhere, 'add', '.');
  gitText(elsewhere, 'commit', '-qm', `${name} from elsewhere`);
  gitText(elsewhere, 'push', '-q', 'origin', 'main');
}

async function commitAll(message: string, button = 'Commit all'): Promise<void> {
  await panel().getByLabel('Message', { exact: true }).fill(message);
  if (await panel().getByLabel('Your name').isVisible()) {
    await panel().getByLabel('Your name').fill('Ann');
    await panel().getByLabel('Your email').fill('ann@example.org');
  }
  await panel().getByRole('button', { name: button }).click();
}

it('fetches and pulls what others pushed; a conflict is given up, or mended and pushed', async () => {
  await askForClone(`${git.url}/tides.git`);
  await branchButton().getByText('main').waitFor();
  await branchButton().click();
  const pull = (count = '') => panel().getByRole('button', { name: `Pull${count}`, exact: true });
  await panel().getByRole('button', { name: 'Fetch' }).click();
  await panel().getByText('There is nothing new on the server.').waitFor();
  pushFromElsewhere('ferry.txt', 'at six\n');
  await panel().getByRole('button', { name: 'Fetch' }).click();
  await pull(' (1)').click();
  await page.getByRole('treeitem', { name: 'ferry.txt' }).waitFor();
  await pull().waitFor();

  const code = `fs.writeFileSync('moon.txt', 'full\\n'); fs.renameSync('ferry.txt', 'boats.txt')`;
  await letAgent('Repl', { code });
  await panel().getByRole('button', { name: 'Stage all' }).click();
  const renamed = panel().getByText('ferry.txt → boats.txt');
  await renamed.waitFor();
  await commitAll('Full moon', 'Commit what is staged');
  await panel().getByText('Nothing has changed').waitFor();
  await panel().getByRole('button', { name: 'History' }).click();
  await panel().getByRole('button', { name: 'Full moon' }).click();
  await renamed.waitFor();
  expect(await findBreaches(page)).toEqual([]);
  await panel().getByRole('button', { name: 'Changes' }).click();
  pushFromElsewhere('moon.txt', 'new\n');
  const meet = async () => {
    await pull().or(pull(' (1)')).click();
    await panel().getByText('Both sides changed the same lines: moon.txt.').waitFor();
    await panel().getByText('A merge waits').waitFor();
    await panel()
      .getByRole('button', { name: /Conflict.*moon\.txt/ })
      .waitFor();
  };
  await meet();
  expect(await findBreaches(page)).toEqual([]);
  await panel().getByRole('button', { name: 'Abort merge' }).click();
  await panel().getByText('Nothing has changed').waitFor();

  await letAgent('Repl', { code: `await git.rebase('origin/main')` });
  await panel().getByText('A rebase waits').waitFor();
  await panel().getByRole('button', { name: 'Continue rebase' }).click();
  await panel().getByText('moon.txt is in conflict').waitFor();
  expect(await findBreaches(page)).toEqual([]);
  await panel().getByRole('button', { name: 'Abort rebase' }).click();
  await panel().getByText('Nothing has changed').waitFor();

  await meet();
  await letAgent('Repl', { code: `fs.writeFileSync('moon.txt', 'half\\n')` });
  await panel().getByRole('button', { name: 'Stage moon.txt', exact: true }).click();
  await commitAll('', 'Commit what is staged');
  await panel().getByText('Nothing has changed').waitFor();
  await panel().getByRole('button', { name: 'Push (2)' }).click();
  await panel().getByText('Pushed.').waitFor();
  const bare = join(directory, 'tides.git');
  expect(gitText(bare, 'show', 'main:moon.txt')).toBe('half');
  expect(gitText(bare, 'log', '-1', '--format=%s', 'main')).toContain('Merge remote-');
  expect(gitText(bare, 'log', '-1', '--format=%s', 'main^2')).toBe('moon.txt from elsewhere');
  expect(gitText(bare, 'fsck', '--strict')).toBe('');
  expect(complaints).toEqual([]);
});

it('says why a clone fails and lets it be stopped; the project stays', async () => {
  const alert = () => dialog().getByRole('alert');
  git.intercept = (_request, response) => {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('Not Found');
    return true;
  };
  await askForClone(`${git.url}/nothing.git`);
  await alert().getByText('has no repository there (404)').waitFor();
  git.intercept = undefined;

  git.authorize = () => false;
  await askForClone(`${git.url}/tides.git`);
  await page
    .getByRole('dialog', { name: /^Sign in to / })
    .getByRole('button', { name: 'Cancel' })
    .click();
  await alert().getByText('there are no credentials for it').waitFor();
  git.authorize = undefined;

  git.intercept = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in</p>');
    return true;
  };
  await askForClone(`${git.url}/tides.git`);
  await alert().getByText('something else than was asked for').waitFor();

  git.intercept = () => true;
  await askForClone(`${git.url}/tides.git`);
  await dialog().getByRole('button', { name: 'Stop' }).click();
  await alert().getByText('Stopped. Nothing of it was kept.').waitFor();
  git.intercept = undefined;

  hasProxy = false;
  await askForClone(`${git.url}/tides.git`);
  await alert().getByText('served without a git proxy').waitFor();
  hasProxy = true;
  expect(await findBreaches(page)).toEqual([]);
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  expect(await page.getByTitle('Project').textContent()).toContain('tidepool');
});

it('shows a folder of the disk itself: both sides see what the other one changes', async () => {
  // A directory of the private file system stands in for one that a person picks.
  await page.evaluate(async () => {
    const root = await navigator.storage.getDirectory();
    const harbour = await root.getDirectoryHandle('harbour', { create: true });
    const write = async (name: string, text: string) => {
      const file = await harbour.getFileHandle(name, { create: true });
      const writable = await file.createWritable();
      await writable.write(text);
      await writable.close();
    };
    await write('boats.txt', 'three\n');
    Object.assign(window, { showDirectoryPicker: async () => harbour, writeOutside: write });
  });
  const readOutside = (name: string) =>
    page.evaluate(async (wanted) => {
      const root = await navigator.storage.getDirectory();
      const harbour = await root.getDirectoryHandle('harbour');
      const names: string[] = [];
      for await (const name of harbour.keys()) names.push(name);
      if (!names.includes(wanted)) return null;
      return (await (await harbour.getFileHandle(wanted)).getFile()).text();
    }, name);
  const project = page.getByTitle('Project');
  const open = async () => {
    await project.click();
    await page.getByRole('button', { name: 'Open a folder from disk…' }).click();
    await page.getByText('On disk', { exact: true }).waitFor();
  };
  await open();
  expect(await project.textContent()).toBe('harbour');
  await page.getByRole('treeitem', { name: 'boats.txt' }).waitFor();

  await letAgent('Write', { file_path: 'piers.txt', content: 'two\n' });
  await expect.poll(() => readOutside('piers.txt')).toBe('two\n');
  await page.evaluate(() =>
    (window as unknown as { writeOutside(name: string, text: string): Promise<void> }).writeOutside(
      'buoys.txt',
      'five\n',
    ),
  );
  await page.getByRole('treeitem', { name: 'buoys.txt' }).waitFor();
  expect(await findBreaches(page)).toEqual([]);

  // It is known by its handle after a reload, and again when it was closed.
  await page.reload();
  await page.getByText('On disk', { exact: true }).waitFor();
  await project.click();
  await page.getByRole('button', { name: 'Close the folder harbour' }).click();
  await page.getByRole('treeitem', { name: 'package.json' }).waitFor();
  expect(await project.textContent()).toContain('tidepool');
  expect(await readOutside('boats.txt')).toBe('three\n');
  expect(complaints).toEqual([]);
});
