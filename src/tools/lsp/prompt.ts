// The description of LSP for the model.
import { maxListed } from './schema.ts';

export const lspToolName = 'LSP';

export const lspDescription =
  'Asks a language server about code: type errors, definitions, references, types and symbols.';

export const lspPrompt = `LSP asks the language server of a file's language, which knows types and scopes where Grep knows text. It answers from the files as they are at the call.
- diagnostics: errors and warnings of file_path; without it of the whole project, which takes longer.
- definition, implementation, references, hover, incomingCalls (who calls it), outgoingCalls (what it calls): of the symbol at file_path, line and character. Both count from 1; point at any letter of the name.
- documentSymbols: what file_path declares. workspaceSymbols: where names like query are declared.
- You get at most ${maxListed} places, and the whole number. The project is that of the nearest tsconfig.json; references from other projects aren't among them.
- Files that rules deny are in no answer. Call it by itself, not from a cell's code.`;
