// rockpool/serve-tools: the function that a host's own tool worker calls. From its worker file a host serves its own
// tools together with the built-in ones.
import './core/symbol-dispose.ts';
export { serveTools } from './hosts/browser/tool-worker/serve-tools.ts';
export type {
  InputParser,
  WorkerTool,
  WorkerToolDef,
  WorkerToolEntry,
} from './hosts/run-handler.ts';
export { workers } from './tools/workers.ts';
export { SdkError, ToolError } from './core/errors.ts';
export type { Handler, Realm, WasmSource, WorkContext, WorkLimits } from './core/tool/handler.ts';
export type { InputSchema, ParsedInput } from './core/tool/tool.ts';
export type { LocalFileSystem } from './workspace/files/file-system.ts';
export type { SearchableFileSystem } from './search/search-service.ts';
