// The variables that `import.meta.env` has of `.env` files, as Vite's development server reads them.
import { joinPath } from '../../../core/path.ts';
import type { AppFiles } from './app-files.ts';

// A later file has precedence.
const names = ['.env', '.env.local', '.env.development', '.env.development.local'];

const line =
  /^[ \t]*(?:export[ \t]+)?(VITE_\w+)[ \t]*=[ \t]*(?:"([^"]*)"|'([^']*)'|([^\n\r#]*))/gmu;

/** Only what begins with `VITE_` is for pages. */
export async function readEnv(files: AppFiles): Promise<Readonly<Record<string, string>>> {
  const env: Record<string, string> = {};
  for (const name of names) {
    const path = joinPath(files.root, name);
    if ((await files.kindOf(path)) !== 'file') continue;
    for (const [, key = '', double, single, plain] of (await files.readText(path)).matchAll(line)) {
      env[key] = double?.replaceAll(String.raw`\n`, '\n') ?? single ?? (plain ?? '').trim();
    }
  }
  return env;
}
