// The planned request of a git command to a server. A person is asked about its effect before any
// byte is sent, because it can't be rolled back.
import { clipText } from '../text/clip-text.ts';
import { isRecord } from '../values/is-record.ts';

/** One command's planned request to a server. Structured-cloneable. */
export interface GitErrand {
  /** `clone`, `fetch`, `pull` or `push`. */
  readonly command: string;
  /** The host as in a URL: with the port unless it is the scheme's default. */
  readonly host: string;
  /** For a person, in one line: "push 2 commits to origin/main (https://…)". */
  readonly told: string;
  /** True if data on the server may be lost. */
  readonly isDestructive?: true;
}

/** The errand in the message by which the worker asks. The worker runs the command. */
export interface AskedErrand extends GitErrand {
  /** True if the call's rules on hosts already allow it. */
  readonly isHostAllowed: boolean;
}

/** The name by which a worker asks, in the form of a nested call. No tool can have it, because it has a colon. */
export const gitErrandName = 'rockpool:git-errand';

// 300: an address may be long, and a question is one line.
const maxTold = 300;

/** Security: a worker wrote the value. Undefined if it isn't valid. */
export function readGitErrand(input: unknown): AskedErrand | undefined {
  if (!isRecord(input)) return undefined;
  const { command, host, told, isHostAllowed, isDestructive } = input;
  if (typeof command !== 'string' || typeof host !== 'string' || typeof told !== 'string') {
    return undefined;
  }
  return {
    command,
    host,
    told: clipText(told.replace(/\s+/gu, ' '), maxTold),
    isHostAllowed: isHostAllowed === true,
    ...(isDestructive === true && { isDestructive }),
  };
}
