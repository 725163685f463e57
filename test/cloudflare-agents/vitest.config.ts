/** The lane's own: scripts/cloudflare-agents.ts runs it. */
import { defineConfig } from 'vitest/config';

// house-rule: no-default-export: Vitest reads a configuration by its default export
export default defineConfig({
  resolve: { conditions: ['rockpool-source', 'module', 'node', 'development|production'] },
  ssr: { resolve: { conditions: ['rockpool-source', 'module', 'node', 'development|production'] } },
  test: {
    include: ['test/cloudflare-agents/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
