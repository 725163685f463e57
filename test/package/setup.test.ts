/**
 * The setup on machines that lack things. It runs in an empty project, on a PATH that holds nothing
 * but stand-ins for npm and apt-get. These write down how they were called.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findBrowser } from '../../scripts/find-browser.mjs';

const repository = fileURLToPath(new URL('../..', import.meta.url));
/** A browser in a usual place would be found whatever PATH says. */
const browserInUsualPlace = findBrowser({ PATH: '' })?.startsWith('/opt/') ?? false;
const isRoot = process.getuid?.() === 0;

let project: string;
let path: string;

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'setup-'));
  path = join(project, 'path');
  mkdirSync(path);
  mkdirSync(join(project, 'scripts'));
  for (const name of ['setup.mjs', 'find-browser.mjs']) {
    cpSync(join(repository, 'scripts', name), join(project, 'scripts', name));
  }
  writeFileSync(join(project, 'package.json'), '{ "devDependencies": { "node": "24.1.2" } }');
  writeFileSync(join(project, 'package-lock.json'), '{}');
  // What the stand-ins themselves call.
  for (const tool of ['sh', 'mkdir', 'cp']) {
    const place = ['/bin', '/usr/bin'].map((folder) => join(folder, tool)).find(existsSync);
    symlinkSync(place ?? `/bin/${tool}`, join(path, tool));
  }
});

afterEach(() => rmSync(project, { recursive: true, maxRetries: 5 }));

/** Puts a shell script on the stand-in PATH; every call of it is written to the log. */
function standIn(file: string, body: string): void {
  const target = join(path, file);
  writeFileSync(target, `#!/bin/sh\necho "${file} $*" >> "${project}/log"\n${body}\n`);
  chmodSync(target, 0o755);
}

/** npm as it should be: `ci` brings a Node of the version that is asked for. */
function workingNpm(version = '24.1.2'): string {
  const bin = '"$PWD/node_modules/.bin"';
  return `mkdir -p ${bin}; printf '#!/bin/sh\\necho v${version}\\n' > node_modules/.bin/node; /bin/chmod +x node_modules/.bin/node`;
}

function setup(args: string[] = [], environment: Record<string, string> = {}) {
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    [join(project, 'scripts/setup.mjs'), ...args],
    { env: { PATH: path, ...environment }, encoding: 'utf8' },
  );
  const log = join(project, 'log');
  const calls = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
  return { status, stdout, stderr: stderr.trim().split('\n'), calls };
}

describe.skipIf(process.platform === 'win32')('setup', () => {
  it('installs from the lockfile, and again only when the lockfile changed', () => {
    standIn('npm', workingNpm());
    const install = 'npm ci --no-audit --no-fund --loglevel=error';
    expect(setup()).toMatchObject({ status: 0, calls: [install] });
    expect(setup()).toEqual({ status: 0, stdout: '', stderr: [''], calls: [install] });

    writeFileSync(join(project, 'package-lock.json'), '{ "changed": true }');
    expect(setup()).toMatchObject({ status: 0, calls: [install, install] });
  });

  it('repairs a Node that the install left out', () => {
    standIn('npm', `[ "$1" = rebuild ] && { ${workingNpm()}; } || mkdir -p node_modules`);
    expect(setup()).toMatchObject({
      status: 0,
      calls: [
        'npm ci --no-audit --no-fund --loglevel=error',
        'npm rebuild node --ignore-scripts=false --loglevel=error',
      ],
    });
  });

  it('refuses an older Node instead of running everything on it', () => {
    standIn('npm', workingNpm('20.1.0'));
    standIn('node', 'echo v20.1.0');
    const { status, stderr } = setup();
    expect(status).toBe(1);
    expect(stderr.at(-1)).toBe(
      'setup: the toolchain needs Node 24.1.2, and npm could not install it (the machine has ' +
        '20.1.0). Install Node 24 yourself, or run: npm rebuild node --ignore-scripts=false',
    );
  });

  it("takes the machine's own Node where the package has none, if it is new enough", () => {
    standIn('npm', 'case "$*" in *--ignore-scripts*) mkdir -p node_modules;; *) exit 1;; esac');
    standIn('node', 'echo v25.0.0');
    const { status, calls } = setup();
    expect([status, ...calls.filter((call) => call.startsWith('npm'))]).toEqual([
      0,
      'npm ci --no-audit --no-fund --loglevel=error',
      'npm ci --ignore-scripts --no-audit --no-fund --loglevel=error',
    ]);
  });

  it('says so when the dependencies cannot be installed', () => {
    standIn('npm', 'exit 1');
    standIn('node', 'echo v20.1.0');
    const { status, stderr } = setup();
    expect([status, stderr.at(-1)]).toEqual([
      1,
      'setup: `npm ci` failed; its own message stands above.',
    ]);
  });

  it('takes CHROMIUM_PATH, and refuses one that is not there or does not start', () => {
    standIn('npm', workingNpm());
    standIn('good', 'exit 0');
    standIn('bad', 'exit 127');
    const withPath = (CHROMIUM_PATH: string) => setup(['--browser'], { CHROMIUM_PATH });
    expect(withPath(join(path, 'good')).status).toBe(0);
    expect(withPath(join(path, 'bad')).stderr.at(-1)).toBe(
      `setup: CHROMIUM_PATH is ${path}/bad, but it does not start (tried --version).`,
    );
    expect(withPath(join(path, 'none')).stderr.at(-1)).toBe(
      `setup: CHROMIUM_PATH is ${path}/none, but no program is there. Correct it, or unset it to ` +
        'let the setup look for a browser.',
    );
  });

  it('takes an installed browser without fetching anything', () => {
    standIn('npm', workingNpm());
    standIn('chromium', 'exit 0');
    expect(setup(['--browser'])).toMatchObject({
      status: 0,
      calls: ['npm ci --no-audit --no-fund --loglevel=error', 'chromium --version'],
    });
  });

  it('takes a headless shell where Chrome is there, too', () => {
    standIn('npm', workingNpm());
    standIn('chromium', 'exit 0');
    standIn('chromium-headless-shell', 'exit 0');
    expect(setup(['--browser']).calls.at(-1)).toBe('chromium-headless-shell --version');
  });

  it.skipIf(browserInUsualPlace)("fetches Playwright's, and says why there is no browser", () => {
    standIn('playwright', 'exit 1');
    standIn('npm', `${workingNpm()}; cp "${path}/playwright" node_modules/.bin/playwright`);
    const { status, stderr, calls } = setup(['--browser']);
    expect(status).toBe(1);
    expect(calls.slice(1)).toEqual(['playwright install chromium --no-shell']);
    expect(stderr.at(-1)).toBe(
      "setup: no browser: no Chrome or Chromium is installed; Playwright's could not be " +
        'downloaded. Install Chrome or Chromium, or set CHROMIUM_PATH to one.',
    );
  });

  it.skipIf(browserInUsualPlace || !isRoot)("installs Debian's browser as root", () => {
    standIn('playwright', 'exit 1');
    standIn('npm', `${workingNpm()}; cp "${path}/playwright" node_modules/.bin/playwright`);
    standIn('browser', 'exit 0');
    const name = 'chromium-headless-shell';
    standIn('apt-get', `case "$*" in *" ${name}") cp "${path}/browser" "${path}/${name}";; esac`);
    const { status, calls } = setup(['--browser']);
    expect(status).toBe(0);
    expect(calls.slice(2)).toEqual([
      'apt-get --version',
      'apt-get update -qq',
      'apt-get install -qq -y --no-install-recommends chromium-headless-shell',
      'browser --version',
    ]);
  });
});
