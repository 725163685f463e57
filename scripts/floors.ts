/**
 * Checks the floors table and value-import cycles with dependency-cruiser, and that it really read
 * the modules: with a TypeScript it doesn't know it reads none and finds no fault.
 */
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser';
import { floors, type Floor } from './floors-table.ts';

/** What the check saw; `breaches` are sentences, empty when all is well. */
export interface FloorsReport {
  readonly modules: number;
  readonly files: number;
  readonly breaches: readonly string[];
}

/** Checks `<root>/src`. Rejects only where the tool itself fails. */
export async function checkFloors(root: string): Promise<FloorsReport> {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => `src/${path.replaceAll('\\', '/')}`);
  const { output } = await cruise(['src'], {
    baseDir: root,
    validate: true,
    ruleSet: { forbidden: [...floors.flatMap(toRules), noValueCycle] },
    // 'specify' keeps type-only imports and marks them: a floor holds for types too.
    tsPreCompilationDeps: 'specify',
    doNotFollow: { path: 'node_modules' },
    exclude: { path: 'node_modules/(?!zod)' },
  });
  if (typeof output === 'string') throw new Error(`dependency-cruiser said: ${output}`);

  const read = output.modules.filter(({ source }) => source.startsWith('src/'));
  return {
    modules: read.length,
    files: files.length,
    breaches: toBreaches(
      output,
      files,
      read.map((m) => m.source),
    ),
  };
}

function toRules({ name, files, mayImport, zod }: Floor): IForbiddenRuleType[] {
  // The first row that matches is a file's floor, so later rows leave it out.
  const index = floors.findIndex((floor) => floor.name === name);
  const earlier = floors.slice(0, index).map((floor) => floor.files);
  const from = earlier.length > 0 ? { path: files, pathNot: earlier } : { path: files };
  const rules: IForbiddenRuleType[] = [
    { name, severity: 'error', from, to: { path: '^src/', pathNot: [...mayImport] } },
  ];
  if (!zod) {
    rules.push({ name: `${name}: no zod`, severity: 'error', from, to: { path: '(^|/)zod(/|$)' } });
  }
  return rules;
}

/** A cycle with a type-only step vanishes at run time; the floors keep those inside one folder. */
const noValueCycle: IForbiddenRuleType = {
  name: 'no value cycle',
  severity: 'error',
  from: {},
  to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
};

function toBreaches(
  result: ICruiseResult,
  files: readonly string[],
  read: readonly string[],
): string[] {
  const breaches = result.summary.violations.map(({ rule, from, to, cycle }) =>
    cycle
      ? `${rule.name}: ${[from, ...cycle.map((step) => step.name)].join(' → ')}`
      : `${from} imports ${to}: not allowed on the floor "${rule.name}" (scripts/floors-table.ts)`,
  );
  const seen = new Set(read);
  for (const file of files) {
    if (!seen.has(file)) breaches.push(`${file} was not read by dependency-cruiser`);
    if (!floors.some((floor) => new RegExp(floor.files).test(file))) {
      breaches.push(`${file} stands on no floor: move it, or give it a row in the table`);
    }
  }
  if (files.length === 0) breaches.push('no source files were found: that is not a pass');
  return breaches;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const report = await checkFloors(dirname(dirname(fileURLToPath(import.meta.url))));
  for (const breach of report.breaches) console.error(breach);
  console.log(`${report.modules} of ${report.files} modules, ${report.breaches.length} breaches`);
  process.exitCode = report.breaches.length > 0 ? 1 : 0;
}
