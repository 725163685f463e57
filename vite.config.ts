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

/**
 * A page asks for every tool as soon as it has an agent. As a file for each module that is 150 requests, which take
 * a second of a slow machine's time more than these few.
 */
const codeSplitting = {
  groups: [
    { name: 'zod', test: /[\\/]node_modules[\\/]zod[\\/]/, priority: 3 },
    { name: 'core', test: /[\\/]src[\\/]core[\\/]/, minShareCount: 2, priority: 2 },
    { name: 'agent', test: /[\\/]src[\\/]agent[\\/]/, minShareCount: 2, priority: 2 },
    {
      name: 'tools',
      test: /[\\/]src[\\/]tools[\\/].*[\\/](?:tool|schema|prompt)\.ts$/,
      priority: 1,
    },
  ],
};

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
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2024',
    // Strict: a module runs when it is asked for, not when a neighbour in its file is.
    rolldownOptions: { output: { codeSplitting, strictExecutionOrder: true } },
  },
  server: { headers },
  preview: { headers },
});
