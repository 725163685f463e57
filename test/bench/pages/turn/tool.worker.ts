// The tool worker of the turn bench: the library's own tools, and the one that waits.
import { serveTools, workers } from 'rockpool/serve-tools';
import { waitHandler } from './wait.ts';

serveTools([...workers, { name: 'Wait', load: () => Promise.resolve(waitHandler) }]);
