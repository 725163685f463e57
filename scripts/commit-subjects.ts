/**
 * Checks the subjects of commits: `area: what is now true` in at most 72 characters, as git's own tools
 * show them whole. Older commits keep theirs.
 */
import { execFileSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The last commit from before this rule. */
const before = '23253bf6bcd79d7b026cf410fff4ecc0ac7ae6d1';
const maxChars = 72;

/** What is wrong with each subject, as sentences; empty when all is well. Pure. */
export function findBadSubjects(subjects: readonly string[]): string[] {
  return subjects.flatMap((subject) => {
    if (/^(Merge|Revert) /.test(subject)) return [];
    if (subject.length > maxChars) {
      return [
        `"${subject}" has ${subject.length} characters: ${maxChars} at most, the rest below.`,
      ];
    }
    return /^[\w/., -]+: \S/.test(subject)
      ? []
      : [`"${subject}" names no area: write "area: what is now true".`];
  });
}

/** Since the rule; all that a shallow clone has; undefined where there is no repository, as in a tarball. */
function listSubjects(root: string): string[] | undefined {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const log = (range: string) => git('log', '--format=%s', range).split('\n').filter(Boolean);
  try {
    git('rev-parse', 'HEAD');
  } catch {
    return undefined;
  }
  try {
    return log(`${before}..HEAD`);
  } catch {
    return log('HEAD');
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const subjects = listSubjects(dirname(dirname(fileURLToPath(import.meta.url))));
  const bad = findBadSubjects(subjects ?? []);
  for (const sentence of bad) console.error(sentence);
  console.log(
    subjects ? `${subjects.length} subjects, ${bad.length} bad` : 'no repository: left out',
  );
  process.exitCode = bad.length > 0 ? 1 : 0;
}
