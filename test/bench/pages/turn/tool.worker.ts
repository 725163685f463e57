// The tool worker of the turn bench: the library's own tools, and the two that wait and loop.
import { serveTools, workers } from 'rockpool/serve-tools';
import { loopHandler } from './loop.ts';
import { waitHandler } from './wait.ts';

serveTools([
  ...workers,
  { name: 'Loop', load: () => Promise.resolve(loopHandler) },
  { name: 'Wait', yieldsThread: true, load: () => Promise.resolve(waitHandler) },
]);
