// The description of the agent's environment, sent once per conversation. It varies, so it is part
// of the conversation and not of the system prompt. Appended by memory.ts.
import type { Host } from '../host.ts';

/** The facts at the conversation's start. */
export interface Environment {
  /** Absolute. */
  readonly cwd: string;
  /** The directory that calls may reach: where the session began. */
  readonly began: string;
  /** Further directories that calls may reach; absolute. */
  readonly directories: readonly string[];
  /** The directory with a `.git`, here or above; null: none; undefined: unknown. */
  readonly repository: string | null | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly modelName: string;
  readonly hostKind: Host['kind'];
}

const places: Readonly<Record<Host['kind'], string>> = {
  browser: ' in a browser tab',
  edge: ' in an edge isolate',
  inline: '',
};

/** Returns a few lines of text, the same for the same facts. */
export function describeEnvironment(facts: Environment): string {
  const { cwd, began, directories, repository } = facts;
  const others = directories.length > 0 ? ` and ${directories.join(', ')}` : '';
  const lines = [
    `Working directory: ${cwd}`,
    `Files: a virtual workspace${places[facts.hostKind]}. There is no operating system and no shell, and nothing can be installed. Paths may be absolute or relative to the working directory; what is outside of ${began}${others} can't be reached. The user may change files while you work.`,
    ...(repository === undefined ? [] : [describeRepository(repository)]),
    // In UTC, because no host knows the person's time zone.
    `Date: ${new Date(facts.now).toISOString().slice(0, 10)} (UTC)`,
    `Model: ${facts.modelName}`,
  ];
  return `Where you work, as this conversation begins:\n${lines.map((line) => `- ${line}`).join('\n')}`;
}

function describeRepository(repository: string | null): string {
  return repository === null ? 'Git repository: none' : `Git repository: ${repository}`;
}
