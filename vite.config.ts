/**
 * The demo's dev server and build. `rockpool` and its subpaths resolve to src/, so a change in the
 * library shows at once. The library's own build is scripts/build.ts.
 */
import { defineConfig, type Plugin } from 'vite';
import { contentSecurityPolicy } from './demo/content-security-policy.ts';
import manifest from './package.json' with { type: 'json' };
import { appFrame } from './scripts/app-frame.ts';
import { gitProxy } from './scripts/git-proxy.ts';
import { refreshGuestCode } from './scripts/guest.ts';
import { mcpProxy } from './scripts/mcp-proxy.ts';

/** Puts the policy into the demo's page, so that any static host serves it with the page. */
const policyInPage: Plugin = {
  name: 'policy-in-page',
  transformIndexHtml: {
    // Before Vite looks for environment variables of that shape.
    order: 'pre',
    handler: (html) => html.replace('%CONTENT_SECURITY_POLICY%', contentSecurityPolicy),
  },
};

// A policy in the page doesn't hold in its workers; one in a header does. No COOP and no COEP: the
// product must not need them.
const headers = { 'content-security-policy': contentSecurityPolicy };

await refreshGuestCode();

export default defineConfig({
  root: 'demo',
  base: './',
  plugins: [policyInPage, appFrame, gitProxy, mcpProxy],
  resolve: { conditions: ['rockpool-source', 'module', 'browser', 'development|production'] },
  // JSX is compiled by Vite itself: React's refresh plugin needs an inline script.
  oxc: { jsx: { runtime: 'automatic' } },
  // Vite finds what the page imports, but not what its workers do, and would reload the page later.
  optimizeDeps: {
    // This one has nothing at its root.
    include: Object.keys(manifest.dependencies).map((name) =>
      name.replace(/\/ext-tasks$/u, '$&/client'),
    ),
  },
  worker: { format: 'es' },
  build: { outDir: 'dist', emptyOutDir: true, target: 'es2024' },
  server: { headers },
  preview: { headers },
});
