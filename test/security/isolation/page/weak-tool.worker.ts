// A tool worker whose Repl lacks the wall that the worker's URL names.
import { serveTools, workers } from 'rockpool/serve-tools';
import { createWeakRepl } from './weak-repl.ts';
import { weakenings } from './weakenings.ts';
import type { Weakness } from './weakness.ts';

const weakness = new URL(location.href).searchParams.get('weakness') as Weakness;
const repl = createWeakRepl(weakenings[weakness] ?? {});
serveTools([
  { name: 'Repl', load: async () => repl },
  ...workers.filter(({ name }) => name !== 'Repl'),
]);
