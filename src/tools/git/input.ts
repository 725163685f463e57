// What a host's own git asks of a tool worker. No model sees it. In plain code, for a worker that loads
// git loads no zod for it.

/** A command of core/git-commands.ts, or a step of core/git-steps.ts. What it takes is checked where it runs. */
export interface GitWorkInput {
  readonly command: string;
  readonly args: readonly unknown[];
}

export const gitWorkParser = {
  safeParse(input: unknown) {
    const { command, args } = (input ?? {}) as Readonly<Record<string, unknown>>;
    return typeof command === 'string' && Array.isArray(args)
      ? ({ success: true, data: { command, args } } as const)
      : ({ success: false, error: new Error('git takes a command and its arguments') } as const);
  },
};
