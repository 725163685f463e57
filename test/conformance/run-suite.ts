// MCP's conformance suite, run against a client of ours. Node only; scripts/mcp-conformance.ts and the ordinary run's
// sample call it.
import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where our client runs. `address`: of the page that withPage has opened. */
export type Client =
  { readonly where: 'node' } | { readonly where: 'page'; readonly address: string };

export interface SuiteAnswer {
  readonly isGreen: boolean;
  /** What the suite has printed. */
  readonly printed: string;
}

/** All that a revision requires. */
export function runRevision(client: Client, revision: string): Promise<SuiteAnswer> {
  return runSuite(client, ['--requirements', revision]);
}

/** One scenario, of that revision's wire where it has several. Green: it has checked something, and all of it holds. */
export async function runScenario(
  client: Client,
  scenario: string,
  revision?: string,
): Promise<SuiteAnswer> {
  const { isGreen, printed } = await runSuite(client, [
    '--scenario',
    scenario,
    ...(revision === undefined ? [] : ['--spec-version', revision]),
  ]);
  // A scenario that the client never came to is skipped, and counts as passed there.
  const hasChecked = /Passed: [1-9]/u.test(printed);
  return { isGreen: isGreen && hasChecked, printed };
}

const directory = dirname(fileURLToPath(import.meta.url));
const suite = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));

// Of one client, in milliseconds: as long as the slowest takes where all run at once on a busy machine.
const timeoutMs = '150000';

function runSuite(client: Client, args: readonly string[]): Promise<SuiteAnswer> {
  const file = join(directory, client.where === 'node' ? 'node-client.ts' : 'page-client.ts');
  const command = `${process.execPath} ${file}`;
  const env = {
    ...process.env,
    ...(client.where === 'page' && { ROCKPOOL_CONFORMANCE_PAGE: client.address }),
  };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [suite, 'client', '--command', command, '--timeout', timeoutMs, ...args],
      { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, env },
      (error, stdout, stderr) =>
        // Of a revision it prints its summary to the one, of a scenario all to the other.
        resolve({ isGreen: !error, printed: error || stdout === '' ? stdout + stderr : stdout }),
    );
  });
}
