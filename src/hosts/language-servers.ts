// Language servers with the tool that asks them, as a host is given both: a host that is given none has no code of them.
import type { LanguageServer } from '../lsp/language-server.ts';
import { lspToolName } from '../lsp/tool-name.ts';
import { createLspWorker } from '../tools/lsp/worker.ts';
import type { WorkerToolEntry } from './run-handler.ts';

/** Made by {@link createLanguageServers}, given to a host as `languageServers`. */
export interface LanguageServers {
  /** LSP's worker half. */
  readonly entry: WorkerToolEntry;
  /** Lets go of what the servers hold. The host does it when it ends. */
  release(): void;
}

/** What a host's LSP asks: of several servers for a file the first. */
export function createLanguageServers(servers: readonly LanguageServer[]): LanguageServers {
  return {
    entry: { name: lspToolName, load: () => Promise.resolve(createLspWorker(servers)) },
    release() {
      for (const server of servers) server.release?.();
    },
  };
}
