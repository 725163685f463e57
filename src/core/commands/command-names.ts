// The names of our own slash commands. No skill and no command of the workspace may have one of them.

/** Without the slash. */
export const builtInCommandNames: ReadonlySet<string> = new Set([
  ...['agents', 'clear', 'compact', 'context', 'cost', 'goal', 'help', 'memory', 'plan', 'rewind'],
  ...['tasks'],
]);
