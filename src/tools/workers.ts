// The worker halves of the built-in tools: one line a tool, each loaded when it is first called, so
// that a worker that only reads never loads the sandbox. Fits `WorkerToolEntry` of hosts/.

/** By name. */
export const workers = [
  { name: 'Edit', load: async () => (await import('./edit/worker.ts')).editWorker },
  { name: 'Glob', load: async () => (await import('./glob/worker.ts')).globWorker },
  { name: 'Grep', load: async () => (await import('./grep/worker.ts')).grepWorker },
  {
    name: 'NotebookEdit',
    load: async () => (await import('./notebook-edit/worker.ts')).notebookEditWorker,
  },
  { name: 'Read', load: async () => (await import('./read/worker.ts')).readWorker },
  { name: 'Repl', load: async () => (await import('./repl/worker.ts')).replWorker },
  { name: 'Write', load: async () => (await import('./write/worker.ts')).writeWorker },
] as const;
