// What the benches measure Rockpool beside. The peers are installed when first needed, from a lock
// of their own, and bundled for a browser where they run in one. Called by the suites that have
// peers.
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { installPeers } from './install-peers.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));

/** What each peer's module exports; the benches' pages know them by these names. */
const entries = {
  ai:
    "export { isStepCount, tool, ToolLoopAgent } from 'ai';\n" +
    "export { createAnthropic } from '@ai-sdk/anthropic';",
  codemode: "export { IframeSandboxExecutor } from '@cloudflare/codemode/browser';",
  'lightning-fs': "export { default as LightningFs } from '@isomorphic-git/lightning-fs';",
  memfs: "export { memfs } from 'memfs';",
  pi:
    "export { Agent } from '@earendil-works/pi-agent-core';\n" +
    "export { createModels } from '@earendil-works/pi-ai';\n" +
    "export { anthropicProvider } from '@earendil-works/pi-ai/providers/anthropic';",
  'quickjs-emscripten': "export { getQuickJS } from 'quickjs-emscripten';",
  tanstack:
    "export { chat, maxIterations, toolDefinition } from '@tanstack/ai';\n" +
    "export { createAnthropicChat } from '@tanstack/ai-anthropic';",
  zenfs:
    "export { configureSingle, fs } from '@zenfs/core';\n" +
    "export { IndexedDB } from '@zenfs/dom';",
} as const;

export type PeerName = keyof typeof entries;

/** memfs is written for Node: its authors leave these to the bundler. */
const substitutes = {
  buffer: 'buffer/',
  events: 'events/',
  path: 'path-browserify',
  stream: 'stream-browserify',
  url: 'url/',
};

/** Files by their names: `memfs.js` and so on, what they share and what they fetch. */
export type PeerFiles = ReadonlyMap<string, string | Uint8Array>;

export async function buildPeers(names: readonly PeerName[]): Promise<PeerFiles> {
  installPeers(folder);
  const { build } = await import('vite');
  const result = await build({
    configFile: false,
    // One of memfs's modules asks for `process` and does without it; Vite would warn of that.
    logLevel: 'error',
    root: folder,
    // What a peer fetches is beside its code, wherever a bench serves that.
    base: './',
    publicDir: false,
    plugins: [entryPlugin],
    define: { global: 'globalThis', 'process.env.NODE_ENV': '"production"' },
    resolve: {
      alias: Object.entries(substitutes).map(([name, replacement]) => ({
        find: new RegExp(`^(node:)?${name}$`),
        replacement,
      })),
    },
    build: {
      write: false,
      target: 'es2024',
      rolldownOptions: {
        preserveEntrySignatures: 'strict',
        input: Object.fromEntries(names.map((name) => [name, `entry:${name}`])),
        output: { entryFileNames: '[name].js' },
      },
    },
  });
  if (!('output' in result)) throw new Error('Building the peers gave no single output.');
  return new Map(
    result.output.map((part) => [part.fileName, part.type === 'chunk' ? part.code : part.source]),
  );
}

const entryPlugin: Plugin = {
  name: 'peer-entries',
  resolveId: (id) => (id.startsWith('entry:') ? `\0${id}` : undefined),
  load: (id) =>
    id.startsWith('\0entry:') ? entries[id.slice('\0entry:'.length) as PeerName] : undefined,
};

/** For peers that run in Node. */
export async function importPeer(name: string): Promise<unknown> {
  installPeers(folder);
  return import(import.meta.resolve(name));
}
