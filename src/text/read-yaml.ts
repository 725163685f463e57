// Reads untrusted YAML. front-matter.ts loads this module with the first file that has some. The used parts of the
// YAML library are imported by name, so that bundlers leave the rest out.
import { CORE_SCHEMA, loadAll } from 'js-yaml';

/**
 * The value of the text. Undefined if it has none.
 * @throws Error whose first line says what is wrong, and where.
 */
export function readYaml(text: string): unknown {
  // Security: merge keys and custom tags aren't read. The number of aliases is limited, because nested ones may
  // expand to a billion values.
  const documents = loadAll(text, { schema: CORE_SCHEMA, maxAliases: 10 });
  if (documents.length > 1) throw new Error('it has more than one document');
  return documents[0];
}
