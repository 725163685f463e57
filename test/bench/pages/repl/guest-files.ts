// What runs inside a cell of the Repl bench. The functions' text is sent to the guest, so none of
// them may use anything from outside itself.

/** Node's `fs`, as far as a cell of the bench uses it. */
interface GuestFs {
  readFileSync(path: string, encoding?: 'utf8'): { readonly length: number };
  statSync(path: string): { readonly size: number };
}

export interface FileJob {
  readonly operation: 'stat' | 'bytes' | 'text';
  readonly directory: string;
  /** Files `0` to this number, less one. */
  readonly files: number;
  /** How often all of them are gone through. */
  readonly passes: number;
}

export interface FileTime {
  readonly ms: number;
  /** Sizes or lengths, added up. */
  readonly total: number;
}

/** The text of a cell that prints the {@link FileTime} of this job. */
export function toFileCell(job: FileJob): string {
  return `console.log(JSON.stringify((${goThrough})(require('fs'), ${JSON.stringify(job)})))`;
}

function goThrough(fs: GuestFs, { operation, directory, files, passes }: FileJob): FileTime {
  const paths = Array.from({ length: files }, (_, index) => `${directory}/${index}.txt`);
  let total = 0;
  const startedAt = Date.now();
  for (let pass = 0; pass < passes; pass += 1) {
    if (operation === 'stat') for (const path of paths) total += fs.statSync(path).size;
    else if (operation === 'bytes') for (const path of paths) total += fs.readFileSync(path).length;
    else for (const path of paths) total += fs.readFileSync(path, 'utf8').length;
  }
  return { ms: Date.now() - startedAt, total };
}
