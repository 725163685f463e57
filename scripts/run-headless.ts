/** What `npm run headless` does, but for its process: tests call it beside others. */
import { readArguments, usage, UsageError } from './headless-arguments.ts';
import type { HeadlessOptions } from './headless-browser.ts';

export interface HeadlessCall {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Aborted: the turn ends, with a result. */
  readonly signal: AbortSignal;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

/** The exit status. Rejects for faults of its own alone. */
export async function runHeadless({
  args: given,
  env,
  signal,
  stdout,
  stderr,
}: HeadlessCall): Promise<number> {
  let args: ReturnType<typeof readArguments>;
  try {
    args = readArguments(given, env);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    stderr(`${error.message}\n\n${usage}\n`);
    return 2;
  }
  if (!args) {
    stderr(`${usage}\n`);
    return 0;
  }

  const key = 'model' in args && args.model.kind === 'anthropic' ? args.model.apiKey : undefined;
  // A short one is a stand-in (`test`) for a server that asks for none, and a part of other words.
  // To hide it would spoil every path and result that it occurs in.
  const secret = key !== undefined && key.length >= 16 ? key : undefined;
  // Security: no output contains the key, whatever error occurs.
  const hide = (text: string) => (secret ? text.replaceAll(secret, '[the API key]') : text);
  const options: HeadlessOptions = {
    print: (line) => stdout(`${hide(line)}\n`),
    complain: (line) => stderr(`headless: ${hide(line)}\n`),
    signal,
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
