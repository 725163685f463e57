// The entry function of a language worker: a tool worker whose one tool is LSP, over the servers that it is given. The
// page starts it with the first call and ends it when nothing was asked for a while, which lets go of all programs.
import type { LanguageServer } from '../../../lsp/language-server.ts';
import { createLanguageServers } from '../../language-servers.ts';
import { serveTools } from '../tool-worker/serve-tools.ts';

/**
 * Serves language servers in this worker. Call it once, at the top of a worker's module:
 *
 * @example
 * ```ts
 * // my-languages.worker.ts, given to createBrowserHost as assets.languageWorker
 * import { createTypeScriptService, serveLanguages } from 'rockpool/lsp';
 * serveLanguages([createTypeScriptService({ typescript: () => import('@typescript/typescript6'), libs })]);
 * ```
 */
export function serveLanguages(servers: readonly LanguageServer[]): void {
  serveTools([createLanguageServers(servers).entry]);
}
