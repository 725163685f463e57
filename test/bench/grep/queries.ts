// What people and models look for in a repository of TypeScript and JavaScript. It goes from a name
// that is there once to what is in every file, and has shapes that no index helps with.

export interface BenchQuery {
  readonly pattern: string;
  readonly '-i'?: true;
  readonly multiline?: true;
}

export const queries: readonly BenchQuery[] = [
  { pattern: 'unsafeMakeLatch' },
  { pattern: 'useEffect' },
  { pattern: 'import' },
  { pattern: 'zzqqxy' },
  { pattern: '::' },
  { pattern: 'return new Promise' },
  { pattern: 'webgl2', '-i': true },
  { pattern: 'error', '-i': true },
  { pattern: 'deprecated|obsolete', '-i': true },
  { pattern: 'TODO|FIXME' },
  { pattern: 'addEventListener|removeEventListener|dispatchEvent' },
  { pattern: '\\bdispose\\b' },
  { pattern: 'function\\s+\\w+' },
  { pattern: 'class\\s+\\w+\\s+extends\\s+\\w+' },
  { pattern: 'export (const|function|class) \\w*Manager' },
  { pattern: '^import .* from' },
  { pattern: '^\\s*private readonly' },
  { pattern: '\\);$' },
  { pattern: '=>\\s*\\{$' },
  { pattern: '\\w+Handler\\(' },
  { pattern: 'throw new \\w*Error' },
  { pattern: 'catch \\(\\w+\\)' },
  { pattern: 'await\\s+\\w+\\.' },
  { pattern: 'console\\.(log|warn|error)\\(' },
  { pattern: '@param \\{?\\w+' },
  { pattern: 'https?://[\\w./-]+' },
  { pattern: '\\d+' },
  { pattern: '[0-9]{4}-[0-9]{2}-[0-9]{2}' },
  { pattern: '0x[0-9a-fA-F]{8}\\b' },
  { pattern: '[a-z]+_[a-z]+_[a-z]+\\(' },
  { pattern: 'größe|naïve|café' },
  { pattern: '\\p{Han}+' },
  { pattern: 'interface \\w+ \\{\\n\\s+readonly', multiline: true },
  { pattern: 'constructor\\(.{0,200}super\\(', multiline: true },
];

export type BenchMode = 'files' | 'limited' | 'count' | 'unlimited';

/** What each mode asks of Grep. */
export const grepModes = {
  files: { output_mode: 'files_with_matches', head_limit: 0 },
  limited: { output_mode: 'content', head_limit: 250 },
  count: { output_mode: 'count', head_limit: 0 },
  unlimited: { output_mode: 'content', head_limit: 0 },
} as const satisfies Record<BenchMode, unknown>;

/** The same of ripgrep, which knows no limit over all files. */
export function toRipgrepArguments(query: BenchQuery, mode: BenchMode): string[] {
  const modeFlags = { files: ['-l'], limited: ['-n'], count: ['-c'], unlimited: ['-n'] };
  return [
    ...['--no-config', '--color', 'never', '--no-heading', '--hidden', ...modeFlags[mode]],
    ...(query['-i'] ? ['-i'] : []),
    ...(query.multiline ? ['-U', '--multiline-dotall'] : []),
    ...['-e', query.pattern, './'],
  ];
}
