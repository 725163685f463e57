// @ts-check
/**
 * Makes a fresh clone ready: dependencies, Node 24 for the toolchain and, with `--browser`, a
 * Chromium. Every npm script that a person calls runs this first; a machine that lacks nothing pays
 * a few milliseconds. It needs nothing but Node, and runs on Node 20 too.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findBrowser } from './find-browser.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = join(root, 'node_modules', '.bin');
const stampFile = join(root, 'node_modules', '.setup-stamp');
const isWindows = process.platform === 'win32';

try {
  installDependencies();
  checkNode();
  if (process.argv.includes('--browser')) provideBrowser();
} catch (error) {
  console.error(`setup: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}

/** Installs what the lockfile says, unless the tree was installed from this very lockfile. */
function installDependencies() {
  const stamp = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
  const wanted = stamp.digest('hex');
  const installed = existsSync(stampFile) ? readFileSync(stampFile, 'utf8').trim() : undefined;
  if (installed === wanted) return;

  say('installing dependencies from the lockfile (about half a minute)');
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  if (!run('npm', ['ci', ...quiet])) {
    // The `node` package fetches a binary in its install script and has none for some platforms.
    // Where the machine's own Node will do, the rest can be installed without scripts.
    if (majorOf(machineNode()) < majorOf(wantedNode())) {
      throw new Error('`npm ci` failed; its own message stands above.');
    }
    say(`npm ci failed; trying without install scripts, on the machine's Node ${machineNode()}`);
    if (!run('npm', ['ci', '--ignore-scripts', ...quiet])) {
      throw new Error('`npm ci` failed, with and without install scripts; see above.');
    }
  }
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, `${wanted}\n`);
}

/**
 * Scripts are TypeScript that Node 24 runs as it is. Where install scripts are switched off, the
 * `node` package has no binary and everything would quietly run on an older Node: so compare.
 */
function checkNode() {
  const wanted = wantedNode();
  if (toolchainNode() === wanted) return;
  if (toolchainNode() === undefined && majorOf(machineNode()) >= majorOf(wanted)) return;

  say(`installing Node ${wanted} for the toolchain`);
  run('npm', ['rebuild', 'node', '--ignore-scripts=false', '--loglevel=error']);
  if (toolchainNode() === wanted) return;
  throw new Error(
    `the toolchain needs Node ${wanted}, and npm could not install it (the machine has ` +
      `${machineNode()}). Install Node ${majorOf(wanted)} yourself, or run: ` +
      'npm rebuild node --ignore-scripts=false',
  );
}

/** Sees to it that there is a Chromium that starts: the machine's, Playwright's, or Debian's. */
function provideBrowser() {
  const found = findBrowser();
  if (found && starts(found)) return;
  if (found && process.env.CHROMIUM_PATH) {
    throw new Error(`CHROMIUM_PATH is ${found}, but it does not start (tried --version).`);
  }
  const reasons = found ? [`${found} does not start`] : ['no Chrome or Chromium is installed'];

  say("fetching Playwright's Chromium");
  // 10 s to connect: behind a firewall Playwright would otherwise try for minutes.
  const patience = { PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: '10000', ...process.env };
  if (!run(join(bin, 'playwright'), ['install', 'chromium', '--no-shell'], patience)) {
    reasons.push("Playwright's could not be downloaded");
  } else if (browserStarts()) {
    return;
  } else {
    reasons.push("Playwright's does not start (system libraries are missing?)");
  }

  const isRoot = process.getuid?.() === 0;
  if (isRoot && isInstalled('apt-get')) {
    say("installing Debian's headless Chromium");
    const quiet = { DEBIAN_FRONTEND: 'noninteractive', ...process.env };
    run('apt-get', ['update', '-qq'], quiet);
    const install = ['install', '-qq', '-y', '--no-install-recommends', 'chromium-headless-shell'];
    if (run('apt-get', install, quiet) && browserStarts()) return;
    reasons.push("Debian's package could not be installed");
  }
  throw new Error(
    `no browser: ${reasons.join('; ')}. Install Chrome or Chromium, or set CHROMIUM_PATH to one.`,
  );
}

function browserStarts() {
  const path = findBrowser();
  return path !== undefined && starts(path);
}

/**
 * Whether a browser can load its libraries. Not asked on Windows, where --version opens a window.
 *
 * @param {string} path
 */
function starts(path) {
  return isWindows || spawnSync(path, ['--version'], { timeout: 30_000 }).status === 0;
}

/** @param {string} command */
function isInstalled(command) {
  return spawnSync(command, ['--version']).status === 0;
}

function wantedNode() {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devDependencies.node;
}

/** The version in node_modules/.bin, or undefined where there is none. */
function toolchainNode() {
  return nodeVersion(join(bin, 'node'));
}

/** The version of the Node that the machine itself has, whatever this script runs on. */
function machineNode() {
  return nodeVersion('node') ?? '0';
}

/** @param {string} command */
function nodeVersion(command) {
  const { status, stdout } = spawnSync(command, ['--version'], {
    encoding: 'utf8',
    env: outsideEnvironment(process.env),
    shell: isWindows,
  });
  return status === 0 ? stdout.trim().replace(/^v/, '') : undefined;
}

/** @param {string} version */
function majorOf(version) {
  return Number(version.split('.')[0]);
}

/**
 * Runs a command with its output on stderr (stdout may belong to a script); true on success.
 *
 * @param {string} command
 * @param {string[]} args
 */
function run(command, args, environment = process.env) {
  const { status } = spawnSync(command, args, {
    cwd: root,
    env: outsideEnvironment(environment),
    stdio: ['ignore', 2, 2],
    shell: isWindows,
    // 10 min: a download that hangs must not hang a build for ever.
    timeout: 600_000,
  });
  return status === 0;
}

/**
 * The environment without our own node_modules/.bin: npm must not run on the Node it deletes.
 *
 * @param {NodeJS.ProcessEnv} environment
 */
function outsideEnvironment(environment) {
  const key = Object.keys(environment).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
  const folders = (environment[key] ?? '').split(delimiter);
  return { ...environment, [key]: folders.filter((folder) => folder !== bin).join(delimiter) };
}

/** @param {string} text */
function say(text) {
  console.error(`setup: ${text}`);
}
