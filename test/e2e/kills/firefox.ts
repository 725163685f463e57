// Firefox on a profile of its own that can be killed as a crash or a power cut would.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import puppeteer, { type Page } from 'puppeteer-core';
import { findFirefox } from '../../../scripts/find-firefox.mjs';
import { killGroup, readEndpoint, type KillableBrowser, type Tab } from '../killable-browser.ts';

// It neither calls home nor asks anybody anything after a crash.
const preferences = {
  'app.update.disabledForTesting': true,
  'browser.sessionstore.resume_from_crash': false,
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'services.settings.server': 'data:,',
  'toolkit.startup.max_resumed_crashes': -1,
  'toolkit.telemetry.server': 'data:,',
};

/**
 * Starts Firefox on a profile's folder, new or used before.
 *
 * Spawned by us and not by puppeteer, which tidies a profile up when its browser has ended: the next
 * one is on it by then.
 */
export async function launchFirefoxOnProfile(profile: string): Promise<KillableBrowser> {
  const lines = Object.entries(preferences).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
  );
  writeFileSync(join(profile, 'user.js'), lines.join(''));
  const child = spawn(
    findFirefox(),
    ['--headless', '--no-remote', '--remote-debugging-port=0', '--profile', profile],
    {
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, MOZ_CRASHREPORTER_DISABLE: '1' },
    },
  );
  try {
    const endpoint = await readEndpoint(child, /WebDriver BiDi listening on (ws:\S+)/);
    const browser = await puppeteer.connect({
      browserWSEndpoint: `${endpoint}/session`,
      protocol: 'webDriverBiDi',
    });
    return {
      newTab: async () => toTab(await browser.newPage()),
      kill: () => killGroup(child),
    };
  } catch (error) {
    await killGroup(child);
    throw error;
  }
}

function toTab(page: Page): Tab {
  return {
    expose: (name, listener) => page.exposeFunction(name, listener),
    open: async (url) => void (await page.goto(url)),
    evaluate: (run, argument) => page.evaluate(run as never, argument as never),
  };
}
