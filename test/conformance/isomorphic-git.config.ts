// How isomorphic-git's own suite runs here: its sources and tests as they are, its way to a file system replaced by
// ours. scripts/git-conformance.ts runs it.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const suite = process.env['GIT_SUITE'] ?? '';
const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

// house-rule: no-default-export: vitest reads its settings from there
export default defineConfig({
  root: suite,
  resolve: {
    conditions: ['rockpool-source', 'module', 'node', 'development|production'],
    alias: [
      { find: /^.*\/FixtureFS\.js$/u, replacement: here('isomorphic-git-fixture.ts') },
      { find: /^isomorphic-git$/u, replacement: join(suite, 'src/index.js') },
      { find: /^isomorphic-git\/http$/u, replacement: join(suite, 'src/http/node/index.js') },
      { find: /^isomorphic-git\/(.+)$/u, replacement: `${join(suite, 'src')}/$1.js` },
      { find: '@jest/globals', replacement: here('isomorphic-git-jest.ts') },
      { find: '@isomorphic-git/pgp-plugin', replacement: here('isomorphic-git-jest.ts') },
    ],
  },
  test: {
    // It lies in node_modules, which vitest neither searches nor transforms.
    exclude: [],
    server: { deps: { inline: [/\/isomorphic-git-[0-9a-f]{8}\//u] } },
    globals: true,
    setupFiles: here('isomorphic-git-jest.ts'),
    globalSetup: here('isomorphic-git-server.ts'),
    include: ['__tests__/test-*.js', '__tests__/server-only.test-*.js'],
    testTimeout: 60_000,
    maxWorkers: 2,
    reporters: ['json'],
    outputFile: process.env['GIT_SUITE_REPORT'] ?? '',
  },
});
