// All modules that may run in an isolate. See load-sources.ts.
import.meta.glob(
  [
    '../../../src/**/*.ts',
    '!**/browser/**',
    '!**/react/**',
    '!**/server/**',
    '!**/lsp/**',
    '!**/adapters/**',
    '!**/edge/agents/**',
    '!**/{browser,react,server,sema,lsp,cloudflare-agents}.ts',
    '!**/views.ts',
  ],
  { eager: true },
);
