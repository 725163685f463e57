// The tool worker of the Repl bench: the library's own tools, and the session that is timed.
import { serveTools, workers } from 'rockpool/serve-tools';

serveTools([
  ...workers,
  // Loaded when it is called: a cold Repl must not wait for it.
  { name: 'TimedRepl', load: async () => (await import('./timed-repl.ts')).timedReplTool },
]);
