// The worker's entry: the built-in tools and your own. Its URL is `assets.toolWorker`.
import { serveTools, workers } from 'rockpool/serve-tools';

serveTools([
  ...workers,
  // Loaded when it is first called.
  { name: 'CountWords', load: async () => (await import('./count.ts')).countWorker },
]);
