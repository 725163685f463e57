// What the model is told of where it works, once a conversation. It varies, so it stands in the
// conversation and not in the system prompt. memory.ts appends it.
import type { Host } from '../host.ts';

/** The facts as they are when the conversation begins. */
export interface Environment {
  /** Absolute. */
  readonly cwd: string;
  /** What calls may reach: where the session began. */
  readonly began: string;
  /** What calls may reach beside it; absolute. */
  readonly directories: readonly string[];
  /** Where a `.git` stands, here or above; null: nowhere; undefined: it can't be told. */
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

/** A few lines of text. The same facts give the same text. */
export function describeEnvironment(facts: Environment): string {
  const { cwd, began, directories, repository } = facts;
  const others = directories.length > 0 ? ` and ${directories.join(', ')}` : '';
  const lines = [
    `Working directory: ${cwd}`,
    `Files: a virtual workspace${places[facts.hostKind]}. There is no operating system and no shell, and nothing can be installed. Paths may be absolute or relative to the working directory; what is outside of ${began}${others} can't be reached. The user may change files while you work.`,
    ...(repository === undefined ? [] : [describeRepository(repository)]),
    // In UTC, because no host knows the person's own day.
    `Date: ${new Date(facts.now).toISOString().slice(0, 10)} (UTC)`,
    `Model: ${facts.modelName}`,
  ];
  return `Where you work, as this conversation begins:\n${lines.map((line) => `- ${line}`).join('\n')}`;
}

function describeRepository(repository: string | null): string {
  return repository === null ? 'Git repository: none' : `Git repository: ${repository}`;
}
