// The planned request of a git command to a server. A person is asked about its effect before any
// byte is sent, because it can't be rolled back.
import { clipText } from '../text/clip-text.ts';
import { isRecord } from '../values/is-record.ts';

/** One command's way to a server. Structured-cloneable. */
export interface GitErrand {
  /** `clone`, `fetch`, `pull` or `push`. */
  readonly command: string;
  /** The host as URLs have it: with its port unless that is the scheme's default. */
  readonly host: string;
  /** For a person, in one line: "push 2 commits to origin/main (https://…)". */
  readonly told: string;
  /** What the server has may be lost. */
  readonly isDestructive?: true;
}

/** An errand as the worker that runs the command asks about it. */
export interface AskedErrand extends GitErrand {
  /** The call's host rules let it through as they are. */
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
