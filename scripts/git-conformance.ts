/**
 * `npm run git:conformance`: isomorphic-git's own suite, in Node. In the place of Node's files it
 * runs on those of a workspace and on those of a draft view. Needs git, and the network once: the
 * suite is no part of the package. Or say where a clone of it is: GIT_SUITE_FROM=<address>. Prints
 * what passes and what doesn't apply, and fails where anything else does. Arguments choose files,
 * such as `checkout`.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exceptions } from '../test/conformance/isomorphic-git-exceptions.ts';

const address =
  process.env['GIT_SUITE_FROM'] ?? 'https://github.com/isomorphic-git/isomorphic-git.git';
/** The newest commit of 1.44.11, the version that package.json has. */
const commit = 'fe987ebb2451d9495fd87c46e694336e7be5db95';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const directory = join(root, 'test', 'conformance');
const cache = join(root, 'node_modules', '.cache');
const suite = join(cache, `isomorphic-git-${commit.slice(0, 8)}`);

/** Of vitest's JSON report, what is read here. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly title: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

function fetchSuite(): void {
  if (existsSync(suite)) return;
  const git = (...args: string[]) => execFileSync('git', args, { stdio: 'inherit' });
  const part = `${suite}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(cache, { recursive: true });
  git('clone', '--quiet', '--no-checkout', address, part);
  git('-C', part, '-c', 'advice.detachedHead=false', 'checkout', '--quiet', commit);
  renameSync(part, suite);
}

/** True: all that applies has passed. */
function run(files: string, chosen: readonly string[]): boolean {
  const scratch = mkdtempSync(join(tmpdir(), 'rockpool-git-suite-'));
  const path = join(scratch, 'report.json');
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const config = join(directory, 'isomorphic-git.config.ts');
  const { stderr } = spawnSync(
    process.execPath,
    [vitest, 'run', '--config', config, ...chosen.map((name) => `test-${name}`)],
    {
      cwd: suite,
      encoding: 'utf8',
      maxBuffer: 256 * 1024 * 1024,
      env: {
        ...process.env,
        CI: '1',
        GIT_SUITE: suite,
        GIT_SUITE_FILES: files,
        GIT_SUITE_REPORT: path,
      },
    },
  );
  if (!existsSync(path)) throw new Error(`The suite didn't run:\n${stderr}`);
  const report = JSON.parse(readFileSync(path, 'utf8')) as Report;
  rmSync(scratch, { recursive: true });
  return judge(files, report);
}

function judge(files: string, report: Report): boolean {
  let [passed, skipped] = [0, 0];
  const apart = new Map<string, number>();
  const failures: string[] = [];
  for (const { name, message, assertionResults } of report.testResults) {
    const file = basename(name, '.js').replace('test-', '').replace('-in-submodule', '');
    if (assertionResults.length === 0) failures.push(`${basename(name)}: ${message}`);
    for (const { status, title, failureMessages } of assertionResults) {
      const why = exceptions.find(({ tests }) =>
        tests.some(([of, begin]) => of === file && title.startsWith(begin)),
      )?.why;
      if (why !== undefined) apart.set(why, (apart.get(why) ?? 0) + 1);
      else if (status === 'passed') passed += 1;
      else if (status !== 'failed') skipped += 1;
      else failures.push(`${basename(name)}: ${title}: ${failureMessages[0]?.slice(0, 400)}`);
    }
  }
  console.log(`${files}: ${passed} passed, ${failures.length} failed, ${skipped} of browsers only`);
  for (const [why, count] of apart) console.log(`  ${count} don't apply: ${why}`);
  for (const failure of failures) console.log(`  failed: ${failure}`);
  return failures.length === 0 && passed > 0;
}

fetchSuite();
const red = ['workspace', 'view'].filter((files) => !run(files, process.argv.slice(2)));
process.exitCode = red.length;
