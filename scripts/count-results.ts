/**
 * Turns what vitest knows after a run into figures that can't look green by accident. Vitest's own
 * summary counts neither errors outside tests nor runtimes that ran nothing.
 */
import type { TestModule } from 'vitest/node';

/** The part of a vitest run that is counted. */
export interface TestRun {
  readonly modules: readonly TestModule[];
  /** What was thrown outside any test. */
  readonly errors: readonly unknown[];
  /** The runtimes that must have run at least one test. */
  readonly required: readonly string[];
}

/** The figures of a run; `complaints` are sentences, and each of them counts as one failure. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly complaints: readonly string[];
}

/** Counts the tests of a run, and everything else that went wrong as one failure each. */
export function countResults({ modules, errors, required }: TestRun): TestCounts {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const complaints: string[] = [];
  const seen = new Set<string>();

  for (const module of modules) {
    let passedHere = 0;
    let failedHere = 0;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === 'passed') passedHere += 1;
      else if (state === 'failed') failedHere += 1;
      else if (state === 'skipped') counts.skipped += 1;
      else complaints.push(`${module.moduleId}: "${test.fullName}" never ended.`);
    }
    counts.passed += passedHere;
    counts.failed += failedHere;
    if (passedHere + failedHere > 0) seen.add(runtimeOf(module));
    // A file that can't be loaded, or whose hooks fail, may hold no failed test.
    if (failedHere === 0 && module.state() === 'failed') {
      complaints.push(`${module.moduleId} failed outside its tests.`);
    }
  }

  if (modules.length === 0) complaints.push('No test file was run: that is not a pass.');
  else if (counts.passed + counts.failed === 0 && complaints.length === 0 && errors.length === 0) {
    complaints.push('No test ran: each was skipped, or has another name than -t asks for.');
  }
  for (const runtime of required) {
    if (!seen.has(runtime)) complaints.push(`No test ran in "${runtime}": that is not a pass.`);
  }
  if (errors.length > 0) complaints.push(`Errors outside tests: ${errors.length}; see above.`);
  return { ...counts, failed: counts.failed + complaints.length, complaints };
}

/** More that fail are no accident of a machine under load. */
const maxFilesAgain = 3;

/**
 * The failed files of a run that run once more, each alone. None where more than three failed, or where anything
 * failed outside the tests.
 */
export function chooseFilesAgain(
  modules: readonly TestModule[],
  { complaints }: TestCounts,
): readonly TestModule[] {
  const failed = modules.filter((module) => module.state() === 'failed');
  return complaints.length === 0 && failed.length <= maxFilesAgain ? failed : [];
}

/**
 * Runs each of these files by `run`, which says whether all of it passed. The flaky tests, a line each: they failed
 * among the others, and pass alone.
 */
export function listFlaky(
  modules: readonly TestModule[],
  run: (args: readonly string[]) => boolean,
): string[] {
  return modules.flatMap((module) => {
    const args = [module.relativeModuleId, '--project', runtimeOf(module)];
    if (!run(args)) return [];
    const failed = [...module.children.allTests('failed')];
    return failed.map(
      ({ fullName }) => `flaky, passed alone: npm test -- ${args.join(' ')}: ${fullName}`,
    );
  });
}

/** The project that a file ran in; vitest calls the browser's "browser (chromium)". */
function runtimeOf(module: TestModule): string {
  return module.project.name.split(' ')[0] ?? '';
}
