// The demo as a person has it: built, under its policy, in a browser with a fresh profile. The
// scripted agent mends the sample's bug, and what it wrote outlives a reload and a killed browser.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseScript } from 'rockpool';
import script from '../../demo/sample-script.json' with { type: 'json' };
import { serveBuiltPage, type BuiltPage } from '../../scripts/serve-built-page.ts';
import { launchOnProfile, watchPage, type ProfileBrowser } from './chromium.ts';

let demo: BuiltPage;
let profile: string;
const browsers: ProfileBrowser[] = [];
const profiles: string[] = [];

beforeAll(async () => {
  demo = await serveBuiltPage({ page: 'demo/index.html' });
});

afterEach(async () => {
  for (const browser of browsers.splice(0)) await browser.kill();
});

afterAll(async () => {
  await demo.close();
  for (const folder of profiles) rmSync(folder, { recursive: true, maxRetries: 5 });
});

function freshProfile(): void {
  profile = mkdtempSync(join(tmpdir(), 'rockpool-profile-'));
  profiles.push(profile);
}

async function openDemo() {
  const browser = await launchOnProfile(profile);
  browsers.push(browser);
  const page = await browser.context.newPage();
  const complaints = await watchPage(page);
  await page.goto(demo.url);
  return { page, complaints, kill: browser.kill };
}

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
  const path = new URL('../../demo/sample/src/format.ts', import.meta.url);
  const blocks = parseScript(script).turns.flatMap((turn) => turn.blocks);
  const edits = blocks.filter((block) => block.type === 'tool_use' && block.name === 'Edit');
  const inputs = edits.map((block) => (block.type === 'tool_use' ? block.input : {}));
  return inputs.reduce(
    (text, input) => text.replace(String(input['old_string']), String(input['new_string'])),
    readFileSync(path, 'utf8'),
  );
}

describe('the demo', () => {
  it('mends the sample by an Edit that a person allows, and has it after a reload', async () => {
    freshProfile();
    const { page, complaints } = await openDemo();
    await page.getByRole('button', { name: 'One test fails' }).click();

    const question = page.getByRole('alertdialog');
    await question.waitFor();
    const red = await call(page, "Run the project's tests").textContent();
    expect(red).toContain("AssertionError: expected '59m 60s' to be '1h'");
    expect(red).toMatch(/Tests {2}1 failed \| 22 passed \(23\)/);
    expect(await question.getByRole('heading').textContent()).toContain(
      'Allow Edit: src/format.ts?',
    );
    await question.getByRole('button', { name: 'Allow once' }).click();

    await page.locator('.rp-turn-end').waitFor();
    const green = await call(page, 'Run the tests again').textContent();
    expect(green).toMatch(/Test Files {2}4 passed \(4\)\s+Tests {2}23 passed \(23\)/);
    expect(await page.locator('.rp-call[data-state=output-error]').count()).toBe(0);
    expect(await page.getByRole('log').textContent()).toContain('All 23 tests pass.');

    await page.reload();
    expect(await readMendedFile(page)).toBe(mendedFile());
    expect(complaints).toEqual([]);
  });

  it('has an acknowledged Edit after its browser was killed', async () => {
    freshProfile();
    const first = await openDemo();
    await first.page.getByLabel('When the agent asks').selectOption('Accept edits');
    await first.page.getByRole('button', { name: 'One test fails' }).click();
    await call(first.page, 'Edited').and(first.page.locator('[data-state^=output]')).waitFor();
    await first.kill();

    const second = await openDemo();
    expect(await readMendedFile(second.page)).toBe(mendedFile());
    expect([...first.complaints, ...second.complaints]).toEqual([]);
  });
});
