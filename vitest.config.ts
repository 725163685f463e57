/**
 * The three runtimes that the tests run in, and the slow lane in Firefox. Portable tests (test/unit)
 * run in all of them, but for what scripts/sampled-files.ts leaves out of the ordinary run. A test
 * that needs one runtime says so by its folder or its file's suffix.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cloudflareTest } from '@cloudflare/vitest-plugin';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';
import type { BrowserProviderOption } from 'vitest/node';
import manifest from './package.json' with { type: 'json' };
import { appFrame } from './scripts/app-frame.ts';
import { findBrowser } from './scripts/find-browser.mjs';
import { refreshGuestCode } from './scripts/guest.ts';
import { listUnsampled } from './scripts/sampled-files.ts';
import { bundledWorkers } from './test/support/browser/bundled-workers.ts';
import { loginServerBeside, loginsForIsolates } from './test/support/mcp/login-server.ts';
import { gitForIsolates, gitServerBeside } from './test/support/git/git-server-beside.ts';
import { everythingBeside, everythingForIsolates } from './test/support/mcp/everything-server.ts';
import { mcpServerBeside } from './test/support/mcp/mcp-server.ts';
import { sessionServerBeside } from './test/support/wire/session-server.ts';
import { silentServer } from './test/support/browser/silent-server.ts';
import { puppeteerFirefox } from './test/firefox/vitest-provider.ts';
import { driverWebKit } from './test/webkit/vitest-provider.ts';

// The two switches keep workerd's tooling from calling out; nothing here needs the network.
process.env['CLOUDFLARE_CF_FETCH_ENABLED'] ??= 'false';
process.env['WRANGLER_SEND_METRICS'] ??= 'false';

// Tests see the guest's files as they are now.
await refreshGuestCode();

// Undefined leaves the choice, and the complaint, to Playwright.
const executablePath = findBrowser();

const portable = 'test/unit/**/*.test.ts';

/**
 * What a test may take. It is there for those that hang. Tests of a few seconds came to 200 s on a
 * slow machine, where others had it at the same time.
 */
const patientMs = 600_000;

/** What is polled for may take that, too: by default it is a second. */
const patient = { poll: { timeout: 240_000 } };

/**
 * Test files share a realm: a fresh one for each, workerd's above all, took longer than the tests.
 * So a file that changes a global puts it back.
 */
const isolate = false;

/**
 * How often the ordinary run kills something, or takes it away: a sample, one kill of each kind at least. KILLS=100
 * (or any number) is what every test of kills takes instead of its sample.
 */
const kills = (sample: number) => Number(process.env['KILLS'] ?? sample);

const pageTests = globSync('test/browser/**/*.browser.test.*', { cwd: import.meta.dirname });
const naming = (names: RegExp) =>
  pageTests.filter((file) => names.test(readFileSync(join(import.meta.dirname, file), 'utf8')));

/** They find and press by Playwright, or ask Chromium's debugger. */
const byPlaywright = naming(
  /import \{[^}]*\b(?:cdp|page|userEvent)\b[^}]*\} from 'vitest\/browser'/u,
);

/**
 * What WebKitGTK can't do: open handles and folders of OPFS, open a window without a click, and tell a worker which
 * modules it has fetched.
 */
const beyondWebKit = [
  'examples/projects',
  'examples/workspace',
  'git/kills',
  'host/fs-worker',
  'host/import',
  'host/saved-index',
  'mcp/login',
  'mounts/mounts',
  'repl/early-loads',
  'storage/opfs-*',
].map((name) => `test/browser/${name}.browser.test.*`);

/** Its RegExp has other members than the language says in sets of differences, and there it is what the test asks. */
const setsOfWebKit = 'test/unit/search/ascii-members.test.ts';

/** What all projects draw at random by, but for kills in Firefox: test/support/seeded-draws.ts. */
const setupFiles = ['test/support/seeded-draws.ts'];
const seed = Number(process.env['SEED'] ?? 1);

/** `npm test` without a part asks for a sample; RUNTIMES=all for every portable test in all three runtimes. */
const isOrdinary = process.env['RUNTIMES'] === 'sample';

const unsampled = (turn: number) =>
  isOrdinary ? listUnsampled(fileURLToPath(new URL('.', import.meta.url)), { seed, turn }) : [];

/** What it loads, and when, is what its test is about. */
const loadsParts = (worker: string) => worker.endsWith('/repl/early-loads.worker.ts');

/**
 * One page for all files. The pages of two would be through at half of the run, and leave the cores half idle to what
 * waits in Node.
 */
const inOnePage = (browser: BrowserProviderOption): BrowserProviderOption => ({
  ...browser,
  providerFactory: (project) =>
    Object.assign(browser.providerFactory(project), { supportsParallelism: false }),
});

const chromium = playwright({
  launchOptions: {
    ...(executablePath && { executablePath }),
    args: ['--disable-gpu', '--disable-quic', '--no-first-run'],
  },
});

/** Each runtime loads wasm in its own way: test/support/repl/quickjs-wasm.d.ts. */
const alias = (project: string) => ({
  '#quickjs-wasm': fileURLToPath(
    new URL(`./test/support/repl/quickjs-wasm.${project}.ts`, import.meta.url),
  ),
});

/** Tests import the package by its name and get its source. */
const resolve = { conditions: ['rockpool-source', 'module', 'browser', 'development|production'] };

/** Workers in one file each, and what a page asks of servers. */
const besidePages = () => [
  appFrame,
  bundledWorkers({ ...resolve, alias: alias('browser') }, loadsParts),
  silentServer(),
  loginServerBeside(),
  mcpServerBeside(),
  everythingBeside(),
  gitServerBeside(),
  sessionServerBeside(),
];

const optimizeDeps = {
  // All at the start: a late find would reload the page under a running test.
  include: [
    // One of them has nothing at its root.
    ...Object.keys(manifest.dependencies).map((name) => name.replace(/\/ext-tasks$/u, '$&/client')),
    // By `#pdf-reader`.
    'unpdf/pdfjs',
    'react',
    'react/jsx-runtime',
    'react/jsx-dev-runtime',
    'react-dom/client',
    'axe-core',
    'fast-check',
  ],
};

/** A part of the slow lane. The ordinary run leaves these projects out: scripts/test.ts. */
const firefox = ({ name, include, exclude = [], preferences }: FirefoxProject) => ({
  resolve: { ...resolve, alias: alias('browser') },
  plugins: besidePages(),
  optimizeDeps,
  test: {
    name,
    isolate,
    setupFiles,
    include,
    exclude: ['**/*.node.test.ts', '**/*.workerd.test.ts', ...exclude],
    provide: { seed, cellKills: kills(5) },
    testTimeout: patientMs,
    hookTimeout: patientMs,
    expect: patient,
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      instances: [{ browser: 'firefox' as const }],
      provider: puppeteerFirefox({ ...(preferences && { preferences }) }),
    },
  },
});

interface FirefoxProject {
  readonly name: string;
  readonly include: string[];
  readonly exclude?: string[];
  readonly preferences?: Readonly<Record<string, unknown>>;
}

export default defineConfig({
  test: {
    // For 2 cores. A file in Node or workerd waits for a third of its time. So the ordinary run has three of them at
    // work, and one in Chromium, from its beginning to its end.
    maxWorkers: isOrdinary ? 3 : 2,
    projects: [
      {
        resolve: { ...resolve, alias: alias('node') },
        ssr: {
          resolve: { conditions: ['rockpool-source', 'module', 'node', 'development|production'] },
        },
        test: {
          name: 'node',
          isolate,
          setupFiles,
          provide: {
            seed,
            // Each place once.
            kills: { browser: 'chromium', count: kills(6) },
            sessionKills: { session: kills(3), agents: kills(2) },
            // Each way once.
            objectLosses: kills(3),
            // One, because each moves 10 MB about.
            bucketRounds: kills(1),
            // SESSIONS=1000 (or any number) makes it a slow lane.
            loadedSessions: Number(process.env['SESSIONS'] ?? 200),
            cutsInARow: kills(5),
            // Of some two hundred entries or writes each 32nd one, beginning by the seed.
            cutStride: process.env['KILLS'] === undefined ? 32 : 1,
          },
          include: [
            portable,
            'test/tools/**/*.test.ts',
            'test/views/**/*.test.tsx',
            'test/security/**/*.test.ts',
            'test/package/**/*.test.ts',
            'test/e2e/**/*.test.ts',
          ],
          exclude: ['**/*.browser.test.*', '**/*.workerd.test.ts'],
          // End-to-end tests start a browser and a server.
          testTimeout: patientMs,
          hookTimeout: patientMs,
          expect: patient,
        },
      },
      {
        resolve: { ...resolve, alias: alias('browser') },
        plugins: besidePages(),
        // No COOP and COEP headers: the product must not need them.
        optimizeDeps,
        test: {
          name: 'browser',
          isolate,
          include: [portable, 'test/browser/**/*.browser.test.{ts,tsx}'],
          exclude: ['**/*.node.test.ts', '**/*.workerd.test.ts', ...unsampled(0)],
          setupFiles,
          provide: { seed, cellKills: kills(5) },
          // The first of a file may wait for its workers' code to be built.
          testTimeout: patientMs,
          hookTimeout: patientMs,
          expect: patient,
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            instances: [{ browser: 'chromium' }],
            provider: isOrdinary ? inOnePage(chromium) : chromium,
          },
        },
      },
      firefox({
        name: 'firefox',
        include: [portable, 'test/browser/**/*.browser.test.{ts,tsx}'],
        // Isolates and proxies read Request.body, which Firefox doesn't have; no page is one.
        exclude: [
          ...byPlaywright,
          'test/unit/hosts/edge-options.test.ts',
          'test/unit/hosts/fan-out.test.ts',
        ],
      }),
      {
        resolve: { ...resolve, alias: alias('node') },
        test: {
          name: 'firefox-kills',
          isolate,
          provide: { kills: { browser: 'firefox', count: kills(20) } },
          include: ['test/e2e/kills/kills.node.test.ts'],
          testTimeout: patientMs,
          hookTimeout: patientMs,
          expect: patient,
        },
      },
      firefox({
        name: 'firefox-full-disk',
        include: ['test/firefox/full-disk.browser.test.ts'],
        // In KB. An origin may have a fifth of it: 100 MB.
        preferences: { 'dom.quotaManager.temporaryStorage.fixedLimit': 500_000 },
      }),
      {
        resolve: { ...resolve, alias: alias('browser') },
        // What it doesn't know yet, tests write: `using`.
        oxc: { target: 'es2024' },
        plugins: besidePages(),
        optimizeDeps,
        test: {
          name: 'webkit',
          isolate,
          setupFiles: ['src/core/symbol-dispose.ts', ...setupFiles],
          include: [portable, 'test/browser/**/*.browser.test.{ts,tsx}'],
          exclude: [
            '**/*.node.test.ts',
            '**/*.workerd.test.ts',
            ...byPlaywright,
            ...beyondWebKit,
            setsOfWebKit,
          ],
          provide: { seed, cellKills: kills(5) },
          testTimeout: patientMs,
          hookTimeout: patientMs,
          expect: patient,
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            instances: [{ browser: 'webkit' as const }],
            provider: driverWebKit(),
          },
        },
      },
      {
        resolve: { ...resolve, alias: alias('node') },
        test: {
          name: 'webkit-demo',
          isolate,
          include: ['test/webkit/demo.node.test.ts'],
          testTimeout: patientMs,
          hookTimeout: patientMs,
          expect: patient,
        },
      },
      {
        resolve: { conditions: ['rockpool-source'], alias: alias('workerd') },
        plugins: [
          cloudflareTest({
            main: './test/edge/durable-objects.ts',
            // Pinned: from 2026-08-04 on node compatibility is a default, and dates change globals.
            miniflare: {
              compatibilityDate: '2026-10-15',
              cf: false,
              durableObjects: {
                STORE: { className: 'StoreObject', useSQLite: true },
                KEY_VALUE: { className: 'KeyValueObject' },
                CALLS: { className: 'CallsObject', useSQLite: true },
                OWNERS: { className: 'OwnerObject', useSQLite: true },
                TURNS: { className: 'TurnsObject', useSQLite: true },
                WIRE: { className: 'WireObject', useSQLite: true },
              },
              serviceBindings: {
                EVERYTHING: everythingForIsolates(),
                LOGINS: loginsForIsolates(),
                GIT: gitForIsolates(),
              },
              r2Buckets: ['ARCHIVE', 'CONTENTS'],
              modulesRules: [{ type: 'CompiledWasm', include: ['**/*.wasm'] }],
            },
          }),
        ],
        test: {
          name: 'workerd',
          isolate,
          setupFiles: [...setupFiles, 'test/support/edge/load-sources.ts'],
          provide: { seed },
          include: [portable, 'test/edge/**/*.workerd.test.ts'],
          exclude: ['**/*.node.test.ts', '**/*.browser.test.*', ...unsampled(1)],
          testTimeout: patientMs,
          hookTimeout: patientMs,
          expect: patient,
          // Unbundled, importing the Anthropic client alone takes longer than a test may.
          deps: { optimizer: { ssr: { enabled: true, include: ['@anthropic-ai/sdk'] } } },
        },
      },
    ],
  },
});
