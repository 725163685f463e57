// YAML that strangers wrote. front-matter.ts loads this with the first file that has some. What is
// taken of the reader stands here by name, so that bundlers leave the rest of it out.
import { CORE_SCHEMA, loadAll } from 'js-yaml';

/**
 * What the text says; undefined where it says nothing.
 *
 * @throws Error whose first line says what is wrong, and where.
 */
export function readYaml(text: string): unknown {
  // Security: without merge keys and custom tags, and with few aliases, which may be nested to a billion values.
  const documents = loadAll(text, { schema: CORE_SCHEMA, maxAliases: 10 });
  if (documents.length > 1) throw new Error('it has more than one document');
  return documents[0];
}
