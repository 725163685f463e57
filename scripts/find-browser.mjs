// @ts-check
/**
 * Finds a Chromium to run tests, benches and the headless agent in. Called by the setup (on any
 * Node, perhaps before dependencies are there), by vitest.config.ts and by the scripts.
 * It only looks: what to do when there is none is the setup's affair (see setup.mjs).
 */
import { accessSync, constants, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';

/**
 * What Chrome, Chromium and Edge are called on PATH. The first are the engine without Chrome's own windows: a page costs
 * them a second of the processor less. Then those most like users' browsers.
 */
const NAMES = [
  'chrome-headless-shell',
  'chromium-headless-shell',
  'google-chrome-stable',
  'google-chrome',
  'chromium',
  'chromium-browser',
  'chrome',
  'microsoft-edge-stable',
  'microsoft-edge',
];

/**
 * Where installers put them without adding to PATH.
 *
 * @type {Partial<Record<NodeJS.Platform, string[]>>}
 */
const USUAL_PLACES = {
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  ],
  win32: ['ProgramFiles', 'ProgramFiles(x86)', 'LocalAppData'].flatMap((variable) => {
    const folder = process.env[variable];
    if (!folder) return [];
    return [
      join(folder, 'Google/Chrome/Application/chrome.exe'),
      join(folder, 'Microsoft/Edge/Application/msedge.exe'),
    ];
  }),
  linux: ['/opt/google/chrome/chrome', '/snap/bin/chromium'],
};

/**
 * The path of a Chromium, or undefined where there is none: CHROMIUM_PATH, else an installed headless shell,
 * Chrome or Chromium, else the one that Playwright downloaded.
 *
 * @param {NodeJS.ProcessEnv} [environment]
 * @returns {string | undefined}
 * @throws if CHROMIUM_PATH names something that can't be run: guessing past an explicit wish would
 *   test another browser than the one that was asked for.
 */
export function findBrowser(environment = process.env) {
  const wanted = environment.CHROMIUM_PATH;
  if (wanted) {
    if (isExecutable(wanted)) return wanted;
    throw new Error(
      `CHROMIUM_PATH is ${wanted}, but no program is there. Correct it, or unset it to let the ` +
        'setup look for a browser.',
    );
  }
  return (
    onPath(environment) ?? USUAL_PLACES[process.platform]?.find(isExecutable) ?? ofPlaywright()
  );
}

/** @param {NodeJS.ProcessEnv} environment */
function onPath(environment) {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  for (const name of NAMES) {
    for (const folder of (environment.PATH ?? '').split(delimiter)) {
      const path = join(folder, name + suffix);
      if (folder !== '' && isExecutable(path)) return path;
    }
  }
  return undefined;
}

function ofPlaywright() {
  const require = createRequire(import.meta.url);
  try {
    const path = require('playwright').chromium.executablePath();
    return existsSync(path) ? path : undefined;
  } catch (error) {
    // Dependencies aren't installed yet; any other failure must be seen.
    if (Object(error).code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
