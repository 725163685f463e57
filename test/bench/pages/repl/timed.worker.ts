// The tool worker in which snapshots are timed: the session that does it, beside the library's own tools.
import { serveTools, workers } from 'rockpool/serve-tools';
import { timedReplTool } from './timed-repl.ts';

serveTools([...workers, { name: 'TimedRepl', load: () => Promise.resolve(timedReplTool) }]);
