// Language servers and the tool that uses them, passed to a host together. A host without them
// contains none of their code.
import type { LanguageServer } from '../lsp/language-server.ts';
import { lspToolName } from '../lsp/tool-name.ts';
import { createLspWorker } from '../tools/lsp/worker.ts';
import type { WorkerToolEntry } from './run-handler.ts';

/** Created by {@link createLanguageServers}, passed to a host as `languageServers`. */
export interface LanguageServers {
  /** LSP's worker half. */
  readonly entry: WorkerToolEntry;
  /** Releases the servers' resources. The host calls it when it ends. */
  release(): void;
}

/**
 * Creates the language servers of a host's LSP. If several servers support a file, the first is
 * used.
 */
export function createLanguageServers(servers: readonly LanguageServer[]): LanguageServers {
  return {
    entry: { name: lspToolName, load: () => Promise.resolve(createLspWorker(servers)) },
    release() {
      for (const server of servers) server.release?.();
    },
  };
}
