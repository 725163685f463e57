/**
 * `npm run headless`: one prompt, one turn, on a folder, without the demo's page. stdout is one
 * SDKMessage a line; everything else is on stderr.
 */
import { readArguments, usage, UsageError } from './headless-arguments.ts';
import type { HeadlessOptions } from './headless-browser.ts';

async function main(): Promise<number> {
  let args: ReturnType<typeof readArguments>;
  try {
    args = readArguments(process.argv.slice(2), process.env);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`${error.message}\n\n${usage}`);
    return 2;
  }
  if (!args) {
    console.error(usage);
    return 0;
  }

  const key = 'model' in args && args.model.kind === 'anthropic' ? args.model.apiKey : undefined;
  // A short one is a stand-in (`test`) for a server that asks for none, and a part of other words:
  // to hide it would spoil every path and result that it occurs in.
  const secret = key !== undefined && key.length >= 16 ? key : undefined;
  // Security: whatever goes wrong, and whoever says so, the key is in no output.
  const hide = (text: string) => (secret ? text.replaceAll(secret, '[the API key]') : text);
  const controller = new AbortController();
  // The first one ends the turn, the second the process: the handler is then gone.
  process.once('SIGINT', () => controller.abort(new Error('Interrupted.')));
  const options: HeadlessOptions = {
    print: (line) => void process.stdout.write(`${hide(line)}\n`),
    complain: (line) => void process.stderr.write(`headless: ${hide(line)}\n`),
    signal: controller.signal,
  };
  try {
    // Loaded when needed: the inline host needs no browser, the browser host no Node engine.
    const { run, list } =
      args.host === 'browser'
        ? await import('./headless-browser.ts')
        : await import('./headless-inline.ts');
    if (!('lists' in args)) return (await run(args, options)) ? 0 : 1;
    for (const session of await list(args.profile, options)) options.print(JSON.stringify(session));
    return 0;
  } catch (error) {
    options.complain(error instanceof Error ? error.message : String(error));
    return 1;
  }
}

process.exitCode = await main();
