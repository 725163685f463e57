// Recognises a cell that is a shell's command, such as `npm test`, by its first word. It doesn't parse, so its error
// says what to write instead.

const programs = new Set([
  ...[
    'npm',
    'npx',
    'pnpm',
    'yarn',
    'bun',
    'node',
    'deno',
    'tsc',
    'vite',
    'vitest',
    'jest',
    'eslint',
  ],
  ...['git', 'ls', 'cat', 'cd', 'cp', 'mv', 'rm', 'mkdir', 'touch', 'find', 'grep', 'rg', 'sed'],
  ...['head', 'tail', 'wc', 'echo', 'curl', 'wget', 'python', 'python3', 'bash', 'sh', 'make'],
]);

/** Undefined if the code doesn't begin with the name of a program and an argument. */
export function explainShellCommand(code: string): string | undefined {
  const name = /^\s*(?<name>[a-z\d]+) +[^\s=(]/u.exec(code)?.groups?.['name'] ?? '';
  if (!programs.has(name)) return undefined;
  return `There is no shell, and so no command "${name}": a cell is JavaScript. ${insteadOf(name, code)}`;
}

function insteadOf(name: string, code: string): string {
  if (/\btest\b|^\s*(?:npx +)?(?:vitest|jest)\b/u.test(code))
    return 'Run tests by await runTests().';
  if (name === 'git') return 'git is an object: await git.status().';
  return "Files are in fs, such as fs.readdirSync('.').";
}
