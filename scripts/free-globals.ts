/**
 * Finds the globals that pieces of JavaScript use, with oxlint's scope analysis: a search for
 * words would take a property called `document` for the DOM's.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const oxlint = join(dirname(dirname(fileURLToPath(import.meta.url))), 'node_modules/.bin/oxlint');

/**
 * Returns the free names of these modules, sorted, without ECMAScript's own. A bare `typeof x` and
 * `globalThis.x` count as a use. `globalThis.x?.` is optional and is returned as `x?.`.
 */
export function findFreeGlobals(codes: readonly string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'free-globals-'));
  try {
    const config = join(folder, 'oxlint.json');
    writeFileSync(
      config,
      JSON.stringify({
        plugins: [],
        categories: { correctness: 'off' },
        env: { builtin: true, es2026: true },
        rules: { 'no-undef': ['error', { typeof: true }] },
      }),
    );
    for (const [at, code] of codes.entries()) writeFileSync(join(folder, `bundle-${at}.js`), code);
    // One process for all: to start one takes longer than to read a bundle.
    const { stdout, stderr } = spawnSync(oxlint, ['-c', config, '--format=json', folder], {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      shell: process.platform === 'win32',
    });
    const { diagnostics } = JSON.parse(stdout || fail(stderr)) as OxlintReport;
    const names = diagnostics.map(({ code: rule, message }) => {
      const name = /^'(.+)' is not defined/.exec(message)?.[1];
      return rule === 'eslint(no-undef)' && name ? name : fail(message);
    });
    const properties = codes.flatMap((code) =>
      Array.from(
        code.matchAll(/\b(?:globalThis|self|window)\??\.(\w+(?:\?\.)?)/g),
        ([, name]) => name ?? '',
      ),
    );
    return [...new Set([...names, ...properties])].sort();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface OxlintReport {
  readonly diagnostics: readonly { readonly code?: string; readonly message: string }[];
}

function fail(reason: string): never {
  throw new Error(`oxlint could not read the bundle: ${reason}`);
}
