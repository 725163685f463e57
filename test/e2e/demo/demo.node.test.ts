// What a person has who comes back, on a profile on disk as theirs is. In the demo, built and under
// its policy, the scripted agent mends the sample's bug. The tests show what outlives a killed
// browser.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseScript } from 'rockpool';
import script from '../../../demo/sample-script.json' with { type: 'json' };
import { serveBuiltPage } from '../../../scripts/serve-built-page.ts';
import { agentPageFile, openAgentTab } from '../tab/agent-tab.ts';
import { launchOnProfile, watchPage, type ProfileBrowser } from '../chromium.ts';
import { findBreaches } from './find-breaches.ts';

let profile: string;
let browser: ProfileBrowser;

beforeAll(async () => {
  profile = mkdtempSync(join(tmpdir(), 'rockpool-profile-'));
  browser = await launchOnProfile(profile);
});

afterAll(async () => {
  await browser.kill();
  rmSync(profile, { recursive: true, maxRetries: 5 });
});

/** The calls of the transcript, as their first lines have it. */
const call = (page: Page, text: string) => page.locator('.rp-call', { hasText: text });

/** What the editor shows of the file that is mended. */
async function readMendedFile(page: Page): Promise<string> {
  await page.getByRole('treeitem', { name: 'format.ts', exact: true }).click();
  await page.locator('.editor-state[data-kind=saved]').waitFor();
  return (await page.locator('.cm-line').allTextContents()).join('\n');
}

/** The sample's file with the script's own Edit applied. */
function mendedFile(): string {
  const path = new URL('../../../demo/sample/src/format.ts', import.meta.url);
  const blocks = parseScript(script).turns.flatMap((turn) => turn.blocks);
  const edits = blocks.filter((block) => block.type === 'tool_use' && block.name === 'Edit');
  const inputs = edits.map((block) => (block.type === 'tool_use' ? block.input : {}));
  return inputs.reduce(
    (text, input) => text.replace(String(input['old_string']), String(input['new_string'])),
    readFileSync(path, 'utf8'),
  );
}

it('mends the sample by an Edit that a person allows, and has it after a reload', async () => {
  const demo = await serveBuiltPage({ page: 'demo/index.html' });
  const page = await browser.context.newPage();
  const complaints = await watchPage(page);
  await page.goto(demo.url);
  await page.getByRole('button', { name: 'One test fails' }).click();

  const question = page.getByRole('alertdialog');
  await question.waitFor();
  const red = await call(page, "Run the project's tests").textContent();
  expect(red).toContain("AssertionError: expected '59m 60s' to be '1h'");
  expect(red).toMatch(/Tests {2}1 failed \| 22 passed \(23\)/);
  const heading = await question.getByRole('heading').textContent();
  expect(heading).toContain('Allow Edit: src/format.ts?');
  // The editor has opened the file, and shows what is proposed in its place.
  const proposed = page.locator('.cm-proposed-added');
  expect(await proposed.textContent()).toContain('// Rounded as a whole');
  expect(await page.locator('.cm-proposed-removed').first().textContent()).toContain('let rest');
  // A change by the person is shown there instead.
  await question.getByRole('button', { name: 'Change it…' }).click();
  const text = question.getByLabel('The new text');
  const asked = await text.inputValue();
  await text.fill(`  // A note of mine.\n${asked}`);
  await expect.poll(() => proposed.allTextContents().then(String)).toContain('A note of mine.');
  await page.getByText('Proposed, with your changes').waitFor();
  await text.fill(asked);
  await expect.poll(() => proposed.allTextContents().then(String)).not.toContain('A note of mine.');
  await question.getByRole('button', { name: 'Allow once' }).click();

  await page.locator('.rp-turn-end').waitFor();
  expect(await proposed.count()).toBe(0);
  const green = await call(page, 'Run the tests again').textContent();
  expect(green).toMatch(/Test Files {2}4 passed \(4\)\s+Tests {2}23 passed \(23\)/);
  expect(await page.locator('.rp-call[data-state=output-error]').count()).toBe(0);
  expect(await page.getByRole('log').textContent()).toContain('All 23 tests pass.');
  const meter = page.getByRole('meter', { name: 'Context' });
  await expect.poll(() => meter.getAttribute('title')).toMatch(/results of tools: about \d/);

  expect(await findBreaches(page)).toEqual([]);
  await page.reload();
  await meter.waitFor();
  expect(await readMendedFile(page)).toBe(mendedFile());
  expect(complaints).toEqual([]);
  await page.close();
  await demo.close();
});

it('has an acknowledged Edit after the browser was killed', async () => {
  const served = await serveBuiltPage({ page: agentPageFile });
  const path = '/workspace/format.ts';
  const edit = { file_path: path, old_string: 'broken', new_string: 'mended' };
  const calls = [
    { name: 'Read', input: { file_path: path } },
    { name: 'Edit', input: edit },
  ];
  const first = await openAgentTab(browser.context, served.url);
  expect(await first.open('killed')).toBeNull();
  const { answers, hashBefore, hashAfter } = await first.run({
    turns: [{ writes: { [path]: 'broken' }, calls }],
  });
  await browser.kill();
  expect(answers.map(({ isError }) => isError)).toEqual([false, false]);
  expect(hashAfter).not.toBe(hashBefore);

  browser = await launchOnProfile(profile);
  const second = await openAgentTab(browser.context, served.url);
  expect(await second.open('killed')).toBeNull();
  expect(await second.treeHash()).toBe(hashAfter);
  await served.close();
});
