// Chromium, and the network profile that its pages are measured on.
import { launch, type Browser, type Page } from 'puppeteer-core';
import { findBrowser } from '../../../scripts/find-browser.mjs';

// "Fast 4G" of Chromium's own developer tools: 8.1 Mbit/s down, 1.35 up, 165 ms until a reply begins.
const profile = {
  offline: false,
  downloadThroughput: (9_000_000 / 8) * 0.9,
  uploadThroughput: (1_500_000 / 8) * 0.9,
  latency: 60 * 2.75,
};

export async function launchBrowser(): Promise<Browser> {
  const executablePath = findBrowser();
  if (!executablePath)
    throw new Error('There is no Chromium. Run npm run bench, which installs one.');
  return launch({
    executablePath,
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-sync',
      '--disable-background-networking',
      '--disable-component-update',
    ],
  });
}

/** All that the page and its workers load comes by the profile: a worker has its page's. */
export async function throttle(page: Page): Promise<void> {
  const session = await page.createCDPSession();
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', profile);
}
