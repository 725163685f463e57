// The input of a host's own git in a tool worker. No model sees it. It is plain code, as a worker
// that loads git for it loads no zod.
import type { PlainParser } from '../../core/schema/plain-parser.ts';

/**
 * A command of core/git/git-commands.ts, or a step of core/git/git-steps.ts. Its arguments are
 * checked where it runs.
 */
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
