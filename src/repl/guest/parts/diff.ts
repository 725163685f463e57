// Line diff of two texts, for failed assertions.
import type { Kernel } from '../kernel-type.ts';

/** Adds `diffText` to the kernel. */
export function addDiff(kernel: Kernel) {
  const maxLines = 1000;
  const maxShown = 60;

  /** Returns a line diff: '-' marks an expected line, '+' an actual one. */
  kernel.diffText = function diffText(expected, actual) {
    const a = expected.split('\n');
    const b = actual.split('\n');
    const lines =
      a.length > maxLines || b.length > maxLines
        ? [...a.map((line) => '- ' + line), ...b.map((line) => '+ ' + line)]
        : diffLines(a, b);
    if (lines.length <= maxShown) return lines.join('\n');
    return around(lines).join('\n');
  };

  function diffLines(a: string[], b: string[]): string[] {
    // Lengths of the longest common subsequences of the texts' ends.
    const width = b.length + 1;
    const lengths = new Uint16Array((a.length + 1) * width);
    for (let i = a.length - 1; i >= 0; i -= 1) {
      for (let j = b.length - 1; j >= 0; j -= 1) {
        lengths[i * width + j] =
          a[i] === b[j]
            ? lengths[(i + 1) * width + j + 1] + 1
            : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
      }
    }
    const lines: string[] = [];
    let i = 0;
    let j = 0;
    while (i < a.length || j < b.length) {
      if (i < a.length && j < b.length && a[i] === b[j]) {
        lines.push('  ' + a[i]);
        i += 1;
        j += 1;
      } else if (
        i < a.length &&
        (j >= b.length || lengths[(i + 1) * width + j] >= lengths[i * width + j + 1])
      ) {
        lines.push('- ' + a[i]);
        i += 1;
      } else {
        lines.push('+ ' + b[j]);
        j += 1;
      }
    }
    return lines;
  }

  /** Keeps only the lines that differ, with two lines around them. */
  function around(lines: string[]): string[] {
    const shown: string[] = [];
    let skipped = 0;
    lines.forEach((line, at) => {
      const isNear = lines
        .slice(Math.max(0, at - 2), at + 3)
        .some((near) => !near.startsWith('  '));
      if (!isNear || shown.length >= maxShown) {
        skipped += 1;
        return;
      }
      if (skipped > 0) shown.push('  … ' + skipped + ' lines');
      skipped = 0;
      shown.push(line);
    });
    return skipped > 0 ? [...shown, '  … ' + skipped + ' lines'] : shown;
  }
}
