// The global `git`. Each command is a function of its arguments. It runs in the host on the cell's
// files.
import type { Kernel, Signal } from '../kernel-type.ts';

/** Returns the global `git`. */
export function addGit(kernel: Kernel) {
  const { host, parse, stringify } = kernel;

  function make(name: string, directory: string | undefined): Function {
    const run = async (...args: unknown[]) => {
      const last = args.at(-1);
      let signal: Signal | undefined;
      let tell: ((text: unknown) => void) | undefined;
      if (typeof last === 'object' && last !== null && !Array.isArray(last)) {
        // Callbacks stay in the guest, because functions can't be passed to the host.
        const {
          signal: given,
          onProgress,
          ...options
        } = last as { signal?: Signal; onProgress?: unknown } & Record<string, unknown>;
        signal = given;
        if (typeof onProgress === 'function') tell = (text) => onProgress(parse(text as string));
        args[args.length - 1] = options;
      }
      const [text, bytes] = await kernel.callHost<[string | undefined, Uint8Array | undefined]>(
        () => host.startGit(name, stringify(args), tell !== undefined, directory),
        signal,
        tell,
      );
      if (bytes !== undefined) return kernel.Buffer.from(bytes);
      return text === undefined ? undefined : parse(text);
    };
    return Object.defineProperty(run, 'name', { value: name });
  }

  /**
   * Returns a function for a git command that isn't supported. It throws an error that says what to
   * call instead.
   */
  function refuse(name: string, toAdvice: () => string): Function {
    const call = () => {
      throw new TypeError(`git.${name} is no command here: call ${toAdvice()}.`);
    };
    return Object.defineProperty(call, 'name', { value: name });
  }

  const names = parse(host.gitCommands()) as string[];

  /** Returns the commands for the repository of a directory, or for the cell's own. */
  function build(directory?: string): Record<string, unknown> {
    const git: Record<string, unknown> = {
      checkout: refuse('checkout', () => 'git.switch for a branch, or git.restore for files'),
    };
    for (const name of names) {
      const [group, member] = name.split('.') as [string, string | undefined];
      if (member === undefined) git[name] = make(name, directory);
      else {
        const listMembers = () =>
          Object.keys(git[group] as object)
            .map((one) => `git.${group}.${one}`)
            .join(', ');
        ((git[group] ??= refuse(group, listMembers)) as Record<string, unknown>)[member] = make(
          name,
          directory,
        );
      }
    }
    return git;
  }

  const at = (directory: unknown) => {
    if (typeof directory === 'string' && directory !== '') return build(directory);
    throw new TypeError("git.at takes a directory: git.at('app').status(), say.");
  };
  return { ...build(), at };
}
