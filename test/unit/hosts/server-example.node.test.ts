// docs/examples/server.ts, in a process of its own and a fresh folder, as its reader runs it.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';

/** Without a token, then without a key. It says what each throws. */
const program = `
import { serve } from '${new URL('../../../docs/examples/server.ts', import.meta.url).href}';
for (const [TOKEN, ANTHROPIC_API_KEY] of [['', 'no-key'], ['secret', '']]) {
  Object.assign(process.env, { TOKEN, ANTHROPIC_API_KEY });
  console.log(await serve(0).then(({ url }) => url, ({ message }) => message));
}
process.exit();`;

it('serves nobody before there are a token and a key', { timeout: 600_000 }, async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'rockpool-example-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, maxRetries: 5 }));
  const flags = ['--conditions=rockpool-source', '--no-warnings', '--input-type=module'];
  const run = promisify(execFile)(process.execPath, [...flags, '-e', program], { cwd });
  const { stdout } = await run;
  expect(stdout).toBe('Set TOKEN and ANTHROPIC_API_KEY.\n'.repeat(2));
  expect(readdirSync(cwd)).toEqual([]);
});
