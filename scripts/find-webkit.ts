/**
 * Finds WebKitGTK, its driver and a display for the slow lane (`npm test -- --project 'webkit*'`).
 * Nothing installs them by itself, as the ordinary tests do without them.
 */
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export interface WebKitPrograms {
  readonly driver: string;
  readonly display: string;
  readonly browser: string;
}

/** Throws with a sentence that says what to install: who asks for WebKit must not get less. */
export function findWebKit(environment = process.env): WebKitPrograms {
  const [driver, display] = ['WebKitWebDriver', 'Xvfb'].map((name) =>
    findOnPath(name, environment),
  );
  const browser = findMiniBrowser();
  if (driver && display && browser) return { driver, display, browser };
  throw new Error(
    'WebKitGTK, its driver or Xvfb is missing. On Debian: ' +
      'apt-get install --no-install-recommends webkit2gtk-driver xvfb.',
  );
}

const findOnPath = (name: string, environment: NodeJS.ProcessEnv) =>
  (environment['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));

/** Distributions keep it with the library's own programs: /usr/lib/<machine>/webkit2gtk-4.1. */
function findMiniBrowser(): string | undefined {
  const machines = existsSync('/usr/lib') ? readdirSync('/usr/lib') : [];
  return ['/usr/lib', '/usr/libexec', ...machines.map((name) => `/usr/lib/${name}`)]
    .map((folder) => join(folder, 'webkit2gtk-4.1/MiniBrowser'))
    .find((path) => existsSync(path));
}
