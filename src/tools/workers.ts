// The table of the built-in tools' worker halves, each loaded at its first call. So a worker that
// only reads never loads the sandbox. It has the type `WorkerToolEntry` of hosts/.

import type { WasmSource } from '../core/tool/handler.ts';

/** The worker halves, sorted by name. */
export const workers = [
  { name: 'Edit', load: async () => (await import('./edit/worker.ts')).editWorker },
  {
    name: 'Glob',
    yieldsThread: true,
    load: async () => (await import('./glob/worker.ts')).globWorker,
  },
  {
    name: 'Grep',
    yieldsThread: true,
    load: async () => (await import('./grep/worker.ts')).grepWorker,
  },
  {
    name: 'NotebookEdit',
    load: async () => (await import('./notebook-edit/worker.ts')).notebookEditWorker,
  },
  { name: 'Read', load: async () => (await import('./read/worker.ts')).readWorker },
  {
    name: 'Repl',
    // Engine and guest code are 370 kB, so they are loaded while a person types.
    isFetchedAhead: true,
    load: async (realm: WasmSource) => {
      // Loaded at the same time as its code. The cell awaits it again, and gets the error.
      realm.loadWasm().catch(() => undefined);
      return (await import('./repl/worker.ts')).replWorker;
    },
  },
  { name: 'Write', load: async () => (await import('./write/worker.ts')).writeWorker },
  {
    // No tool: it serves a page's own search box.
    name: 'rockpool:searchFiles',
    yieldsThread: true,
    load: async () => (await import('./search-files/worker.ts')).searchFilesWorker,
  },
  {
    // No tool: it serves a host's own git.
    name: 'rockpool:git',
    load: async () => (await import('./git/worker.ts')).gitWorker,
  },
  {
    // No tool: the sandbox of a workflow's script.
    name: 'rockpool:workflow',
    load: async () => (await import('./workflow/worker.ts')).workflowWorker,
  },
] as const;
