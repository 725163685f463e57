/**
 * The rules of the house that no linter knows, each with its remedy. Run by `npm run check`.
 * A line may say why it is an exception: `// house-rule: <rule>: <reason>` on it or above it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rules } from './house-rules-table.ts';

/** One breach; `line` is 0 where the rule is about the whole file. */
export interface Breach {
  readonly path: string;
  readonly line: number;
  readonly rule: string;
  readonly remedy: string;
}

const folders = ['src', 'demo', 'test', 'scripts', 'docs', '.ci'];
const rootFiles = /^(README\.md|package\.json|[\w.]+\.config\.ts|\.gitignore)$/;
/** Other people's text, or material that is broken on purpose. */
const leftOut = /(^|\/)(node_modules|dist|fixtures|sample|__snapshots__|pictures|[.]wrangler)\//;
const texts = /\.(tsx?|mjs|css|html|md|json)$|^\.ci\/run$|\.gitignore$/;

/** Checks one file's name and text; pure. `path` is relative to the repository, with slashes. */
export function findBreaches(path: string, text: string): Breach[] {
  const breaches: Breach[] = [];
  const lines = text.split('\n');
  for (const { name, remedy, files, breaksName, breaksText, breaksLine } of rules) {
    if (!files.test(path)) continue;
    if (breaksName?.(basename(path)) || breaksText?.(lines)) {
      if (!excuses(lines[0], name)) breaches.push({ path, line: 0, rule: name, remedy });
    }
    lines.forEach((line, index) => {
      if (!breaksLine?.(line) || excuses(line, name) || excuses(lines[index - 1], name)) return;
      breaches.push({ path, line: index + 1, rule: name, remedy });
    });
  }
  return breaches;
}

function excuses(line: string | undefined, rule: string): boolean {
  return line !== undefined && new RegExp(`house-rule: ${rule}: \\S`).test(line);
}

/** The files that the rules are about, sorted. */
function listFiles(root: string): string[] {
  const nested = folders.flatMap((folder) => {
    try {
      return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
    } catch (error) {
      // A young tree has no docs/ yet; anything else must be seen.
      if (Object(error).code === 'ENOENT') return [];
      throw error;
    }
  });
  const atRoot = readdirSync(root).filter((name) => rootFiles.test(name));
  return [...nested.map((path) => path.replaceAll('\\', '/')), ...atRoot]
    .filter((path) => texts.test(path) && !leftOut.test(path))
    .sort();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  const files = listFiles(root);
  const breaches = files.flatMap((path) =>
    findBreaches(path, readFileSync(join(root, path), 'utf8')),
  );
  for (const { path, line, rule, remedy } of breaches) {
    console.error(`${path}${line > 0 ? `:${line}` : ''}: ${rule}. ${remedy}`);
  }
  console.log(`${files.length} files, ${breaches.length} breaches`);
  process.exitCode = breaches.length > 0 || files.length === 0 ? 1 : 0;
}
