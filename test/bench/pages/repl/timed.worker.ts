// The tool worker in which snapshots are timed: its only tool is the session that does it.
import { serveTools } from 'rockpool/serve-tools';
import { timedReplTool } from './timed-repl.ts';

serveTools([{ name: 'TimedRepl', load: () => Promise.resolve(timedReplTool) }]);
