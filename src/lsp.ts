// rockpool/lsp: language servers for the tool LSP, which are passed to a host. Only pages that use one load it.
import './core/symbol-dispose.ts';
export { serveLanguages } from './hosts/browser/lsp-worker/serve-languages.ts';
export { createLanguageServers } from './hosts/language-servers.ts';
export type { LanguageServers } from './hosts/language-servers.ts';
export { createPortLanguageServer } from './lsp/port-server.ts';
export type { LanguagePort, PortLanguageServerOptions } from './lsp/port-server.ts';
export { createTypeScriptService } from './lsp/typescript-service.ts';
export type { TypeScriptServiceOptions } from './lsp/typescript-service.ts';
export type {
  LanguageFiles,
  LanguageMethod,
  LanguageParams,
  LanguageRequestOptions,
  LanguageServer,
  LspCallHierarchyItem,
  LspDiagnostic,
  LspDocumentSymbol,
  LspFileDiagnostics,
  LspHover,
  LspIncomingCall,
  LspLocation,
  LspMarkup,
  LspOutgoingCall,
  LspPosition,
  LspRange,
  LspSymbolInformation,
} from './lsp/language-server.ts';
