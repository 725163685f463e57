// Replaces the PDF reader in isolates, where the reader would be nearly half of the upload. To use
// the reader, add it in wrangler.jsonc: `"alias": { "#pdf-reader": "unpdf/pdfjs" }`.
import { ToolError } from '../core/errors.ts';

/** @throws ToolError always */
export function getDocument(): never {
  throw new ToolError(
    'There is no PDF reader here, so PDF files cannot be read. Ask for the text in another form.',
    { code: 'unsupported-environment' },
  );
}
