/**
 * The order of the ordinary run. Files that mostly wait for browsers, servers and deadlines begin,
 * while the pages of the browser's project compute. The small files that are left at the end keep
 * both cores busy. Called by scripts/test.ts where no other order is asked for; any order is green
 * (scripts/test-orders.ts).
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** In this order; all others come after them. */
const folders = ['/test/e2e/', '/test/security/', '/test/browser/', '/test/edge/'];

function rankOf({ moduleId }: TestSpecification): number {
  const rank = folders.findIndex((folder) => moduleId.includes(folder));
  return rank === -1 ? folders.length : rank;
}

/** Projects stay together, and in each folder vitest's own order stays: what is known to be slow, or long, first. */
export class WaitingFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((project) =>
      sorted.filter((file) => file.project === project).toSorted((a, b) => rankOf(a) - rankOf(b)),
    );
  }
}
