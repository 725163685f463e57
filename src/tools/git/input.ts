// What a host's own git asks of a tool worker. No model sees it. In plain code, for a worker that loads
// git loads no zod for it.
import type { PlainParser } from '../../core/schema/plain-parser.ts';

/** A command of core/git/git-commands.ts, or a step of core/git/git-steps.ts. What it takes is checked where it runs. */
export interface GitWorkInput {
  readonly command: string;
  readonly args: readonly unknown[];
}

export const gitWorkParser: PlainParser<GitWorkInput> = {
  safeParse(input) {
    const { command, args } = (input ?? {}) as Readonly<Record<string, unknown>>;
    return typeof command === 'string' && Array.isArray(args)
      ? { success: true, data: { command, args } }
      : { success: false, error: new Error('git takes a command and its arguments') };
  },
};
