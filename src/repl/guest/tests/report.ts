// Prints a test run like vitest: files, tests, and the reasons of failures.
import { withAdvice } from '../advice.ts';
import type { Kernel } from '../kernel-type.ts';

export interface TestResult {
  readonly names: string[];
  readonly status: 'passed' | 'failed' | 'skipped';
  readonly time?: number;
  readonly error?: unknown;
}

export const noTest = (where: string) =>
  'No test found in ' +
  where +
  ': tests are declared by it or test, of vitest, jest, mocha, node:test or bun:test.';

/** Returns the functions with which the test runner prints. */
export function createTestReport(kernel: Kernel) {
  const relative = (path: string) => kernel.path.relative(kernel.cwd(), path) || path;
  const titleOf = (error: unknown) => {
    const isError = error instanceof Error;
    return isError
      ? kernel.nameOf(error) + ': ' + withAdvice(error.message)
      : 'Thrown: ' + kernel.inspect(error);
  };
  /**
   * Returns where the error was thrown in the workspace. Prefers a line of the test file itself.
   */
  function lineIn(error: unknown, file: string) {
    const stack = kernel.placesOf(error);
    const at = stack.indexOf(file + ':');
    return at === -1 ? undefined : parseInt(stack.slice(at + file.length + 1), 10);
  }
  function stackOf(error: unknown) {
    return kernel
      .shownPlacesOf(error)
      .split('\n')
      .filter((line) => line !== '')
      .slice(0, 6)
      .map((line) => line.replace(/^ {0,4}(?=\S)|^ {4}/, '     ').replace(kernel.cwd() + '/', ''));
  }

  function report(file: string, results: TestResult[]) {
    const failed = results.filter((result) => result.status === 'failed');
    const skipped = results.filter((result) => result.status === 'skipped').length;
    const counts = [results.length + (results.length === 1 ? ' test' : ' tests')];
    if (failed.length > 0) counts.push(failed.length + ' failed');
    if (skipped > 0) counts.push(skipped + ' skipped');
    const lines = [(failed.length > 0 ? ' ❯ ' : ' ✓ ') + file + ' (' + counts.join(' | ') + ')'];
    const isLong = results.length > 50;
    for (const result of results) {
      const name = result.names.join(' > ') || file;
      if (result.status === 'passed') {
        if (!isLong) lines.push('   ✓ ' + name);
        continue;
      }
      if (result.status === 'skipped') {
        if (!isLong) lines.push('   ↓ ' + name);
        continue;
      }
      lines.push(
        '   ✗ ' + name,
        '     ' + titleOf(result.error).replaceAll('\n', '\n     '),
        ...stackOf(result.error),
      );
    }
    kernel.print('stdout', lines.join('\n'));
  }

  const tally = (label: string, failed: number, passed: number, skipped: number) => {
    const parts = [
      [failed, 'failed'],
      [passed, 'passed'],
      [skipped, 'skipped'],
    ].filter(([count]) => Number(count) > 0);
    return (
      label +
      (parts.map(([count, word]) => count + ' ' + word).join(' | ') || '0') +
      ' (' +
      (failed + passed + skipped) +
      ')'
    );
  };

  return { lineIn, relative, report, tally, titleOf };
}
