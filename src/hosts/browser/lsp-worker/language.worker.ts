// The built-in language worker: TypeScript's service. The compiler and its declarations are
// separate files that are fetched with the first request. A host with other servers writes a file
// like this one.
import '../../../core/symbol-dispose.ts';
import { createTypeScriptService } from '../../../lsp/typescript-service.ts';
import { serveLanguages } from './serve-languages.ts';

serveLanguages([
  createTypeScriptService({
    typescript: () => import('typescript'),
    libs: async () => (await import('./typescript-libs.ts')).libs,
  }),
]);
