/**
 * `npm run mcp:conformance`: the client scenarios that two revisions of MCP require, from the protocol's own suite,
 * run against our client in Node. Needs the network once, to install the suite. Prints a line a scenario, and fails
 * where one that is required fails. Arguments, such as `2026-07-28`, choose revisions.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const revisions = ['2026-07-28', '2025-11-25'];

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const directory = join(root, 'test', 'conformance');
const suite = join(directory, 'node_modules', '@modelcontextprotocol', 'conformance');

function install(): void {
  if (existsSync(suite)) return;
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { status } = spawnSync('npm', args, { cwd: directory, stdio: 'inherit' });
  if (status !== 0) throw new Error('The conformance suite could not be installed.');
}

/** Prints the suite's summary. True: all that the revision requires has passed. */
function run(revision: string): boolean {
  const client = `${process.execPath} ${join(directory, 'mcp-client.ts')}`;
  const args = ['client', '--command', client, '--requirements', revision];
  const bin = join(directory, 'node_modules', '.bin', 'conformance');
  const { status, stdout } = spawnSync(process.execPath, [bin, ...args], {
    cwd: directory,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const summary = stdout.slice(Math.max(0, stdout.indexOf('=== SUITE SUMMARY')));
  console.log(`MCP ${revision}\n${summary}`);
  return status === 0;
}

install();
const chosen = process.argv.slice(2);
const red = (chosen.length > 0 ? chosen : revisions).filter((revision) => !run(revision));
if (red.length > 0) console.error(`Not conformant: ${red.join(', ')}`);
process.exitCode = red.length;
