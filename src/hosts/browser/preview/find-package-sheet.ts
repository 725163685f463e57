// Sheets of packages, which a sheet imports by name: `@import 'tailwindcss'`. Loaded with the first such import.
import { resolveModule } from '../../../repl/modules/module-resolver.ts';
import type { AppFiles } from './app-files.ts';
import { createKnownFiles } from './ask-files.ts';

const entries = { conditions: new Set(['style', 'browser']), mains: ['style', 'main'] };
const sheets = { import: entries, require: entries };

/** @throws SdkError `invalid-input` for a package.json that is no JSON */
export async function findPackageSheet(
  files: AppFiles,
  reference: string,
  from: string,
): Promise<string | undefined> {
  const known = createKnownFiles(files);
  for (const name of [reference, `${reference}.css`]) {
    const path = await known.ask((fs) => resolveModule(fs, name, from, 'import', sheets));
    if (path?.endsWith('.css')) return path;
  }
  return undefined;
}
