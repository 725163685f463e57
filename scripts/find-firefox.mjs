// @ts-check
/**
 * Finds a Firefox for the slow lane (`npm test -- --project firefox`), which nothing installs by
 * itself: the ordinary tests do without one.
 */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

// Debian's long-term one first: what continuous integration installs.
const NAMES = ['firefox-esr', 'firefox', 'firefox.exe'];

const USUAL_PLACES = [
  '/Applications/Firefox.app/Contents/MacOS/firefox',
  'C:\\Program Files\\Mozilla Firefox\\firefox.exe',
];

/**
 * FIREFOX_PATH, else the first on PATH or in a usual place.
 *
 * @param {NodeJS.ProcessEnv} [environment]
 * @returns {string}
 * @throws with a sentence that says what to install: who asks for Firefox must not get less.
 */
export function findFirefox(environment = process.env) {
  const wanted = environment.FIREFOX_PATH;
  const onPath = (environment.PATH ?? '')
    .split(delimiter)
    .flatMap((folder) => (folder === '' ? [] : NAMES.map((name) => join(folder, name))));
  const found = (wanted ? [wanted] : [...onPath, ...USUAL_PLACES]).find((path) => existsSync(path));
  if (found) return found;
  throw new Error(
    wanted
      ? `FIREFOX_PATH is ${wanted}, but no program is there. Correct it, or unset it.`
      : 'No Firefox is installed. Install it (on Debian: apt-get install firefox-esr), or set ' +
          'FIREFOX_PATH to one.',
  );
}
