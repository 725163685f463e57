/**
 * Checks the floors table and value-import cycles with dependency-cruiser, between files and
 * between folders. Checks that it really read the modules, too: with a TypeScript it doesn't know
 * it reads none and finds no fault. It warns of crowded folders and of files too small to stand
 * alone.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  cruise,
  type ICruiseResult,
  type IForbiddenRuleType,
  type IModule,
} from 'dependency-cruiser';
import { floors, type Floor } from './floors-table.ts';
import { findCycles } from './find-cycles.ts';

/** What the check saw; `breaches` are sentences, empty when all is well. */
export interface FloorsReport {
  readonly modules: number;
  readonly files: number;
  readonly breaches: readonly string[];
  /** What to think about. It never fails the check. */
  readonly warnings: readonly string[];
}

// More than a screen of names: a reader no longer sees what a folder is about.
const maxFiles = 20;
// Below it a file with one importer is more often a part of that one than an idea of its own.
const minLines = 60;

/** Checks `<root>/src`. Rejects only where the tool itself fails. */
export async function checkFloors(root: string): Promise<FloorsReport> {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => `src/${path.replaceAll('\\', '/')}`);
  const { output } = await cruise(['src'], {
    baseDir: root,
    validate: true,
    ruleSet: { forbidden: [...floors.flatMap(toRules), noValueCycle] },
    // Type-only imports, too: a floor holds for types. They say so themselves (verbatimModuleSyntax), so nothing is
    // compiled to find them.
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: 'node_modules/(?!zod)' },
  });
  if (typeof output === 'string') throw new Error(`dependency-cruiser said: ${output}`);

  const read = output.modules.filter(({ source }) => source.startsWith('src/'));
  const imports = read.flatMap((module) => toImports(module));
  return {
    modules: read.length,
    files: files.length,
    breaches: [
      ...toBreaches(
        output,
        files,
        read.map((m) => m.source),
      ),
      ...findFolderCycles(imports),
    ],
    warnings: [...findCrowds(files), ...findDust(root, files, imports)],
  };
}

interface Import {
  readonly from: string;
  readonly to: string;
  /** It vanishes at run time. */
  readonly isType: boolean;
}

function toImports({ source, dependencies }: IModule): Import[] {
  return dependencies
    .filter(({ resolved }) => resolved.startsWith('src/'))
    .map(({ resolved, dependencyTypes }) => ({
      from: source,
      to: resolved,
      isType: dependencyTypes.includes('type-only'),
    }));
}

/** Folders that need each other at run time. A lazy import counts: it is one all the same. */
function findFolderCycles(imports: readonly Import[]): string[] {
  const between = imports.filter(
    ({ from, to, isType }) => !isType && dirname(from) !== dirname(to),
  );
  const edges = between.map(({ from, to }) => [dirname(from), dirname(to)] as const);
  return findCycles(edges).map((folders) => {
    // One example of each step is enough to find the others.
    const examples = new Map<string, string>();
    for (const { from, to } of between) {
      const step = `${dirname(from)} → ${dirname(to)}`;
      const isInside = folders.includes(dirname(from)) && folders.includes(dirname(to));
      if (isInside && !examples.has(step)) examples.set(step, `${from} imports ${to}`);
    }
    return `no folder cycle: ${folders.join(', ')} need each other. ${[...examples.values()].join('; ')}`;
  });
}

function findCrowds(files: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count > maxFiles)
    .map(([folder, count]) => `${folder} holds ${count} files: is it about one thing?`);
}

/** A tool's five files have one importer each by design, as entries and workers have none. */
function findDust(root: string, files: readonly string[], imports: readonly Import[]): string[] {
  return files
    .filter((file) => /^src\/(?!tools\/)[^/]+\//.test(file))
    .flatMap((file) => {
      const importers = new Set(imports.filter(({ to }) => to === file).map(({ from }) => from));
      const lines = readFileSync(join(root, file), 'utf8').split('\n').length - 1;
      const [only] = importers;
      if (importers.size !== 1 || lines >= minLines) return [];
      return [`${file} has ${lines} lines and one importer, ${only}: is it a part of it?`];
    });
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
  // A lane that passes is silent but for its last line: `node scripts/floors.ts --warnings` lists them.
  if (process.argv.includes('--warnings')) for (const each of report.warnings) console.log(each);
  const { modules, files, breaches, warnings } = report;
  console.log(
    `${modules} of ${files} modules, ${breaches.length} breaches, ${warnings.length} warnings`,
  );
  process.exitCode = report.breaches.length > 0 ? 1 : 0;
}
