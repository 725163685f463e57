// Firefox for the slow lane, by WebDriver BiDi. Playwright drives only builds of its own, and the
// one to test is the one that users have.
import puppeteer, { type Browser } from 'puppeteer-core';
import { findFirefox } from '../../scripts/find-firefox.mjs';

export interface FirefoxOptions {
  /** By the names of `about:config`. */
  readonly preferences?: Readonly<Record<string, unknown>>;
}

/** Starts a headless Firefox on a throw-away profile. Throws with what to install where there is none. */
export function launchFirefox({ preferences = {} }: FirefoxOptions): Promise<Browser> {
  return puppeteer.launch({
    browser: 'firefox',
    executablePath: findFirefox(),
    headless: true,
    // 2 min: on a busy machine a new profile takes more than puppeteer's half.
    timeout: 120_000,
    extraPrefsFirefox: preferences,
    // What is killed must not leave a reporter behind.
    env: { ...process.env, MOZ_CRASHREPORTER_DISABLE: '1' },
  });
}
