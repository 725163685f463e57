// Resolves names of Unicode properties. Rust takes them loosely (any case, spaces, an `is` in
// front); JavaScript takes only the standard's spelling.

// Prefixes of properties with values, by JavaScript's names for them.
const prefixes = new Map([
  ['gc', 'General_Category'],
  ['generalcategory', 'General_Category'],
  ['sc', 'Script'],
  ['script', 'Script'],
  ['scx', 'Script_Extensions'],
  ['scriptextensions', 'Script_Extensions'],
]);

/**
 * JavaScript's name for the `name` in Rust's `\p{…}`. Undefined if there is none. `Script=greek`
 * gives `Script=Greek`, `lu` gives `General_Category=Lu`.
 */
export function toPropertyName(name: string): string | undefined {
  const [, prefix, value] = /^([^=:]+)[=:](.*)$/su.exec(name) ?? [];
  if (prefix !== undefined && value !== undefined) {
    const property = prefixes.get(bare(prefix));
    return property && firstKnown(spellings(value).map((spelling) => `${property}=${spelling}`));
  }
  const spelled = spellings(name);
  return firstKnown([
    ...spelled,
    ...spelled.map((spelling) => `General_Category=${spelling}`),
    ...spelled.map((spelling) => `Script=${spelling}`),
  ]);
}

/** The spellings of a name that the standard may use. */
function spellings(name: string): string[] {
  const words = name.split(/[\s_-]+/u).filter(Boolean);
  if (words.length > 1 && words[0]?.toLowerCase() === 'is') words.shift();
  const title = (word: string) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();
  const joined = words.map(title).join('_');
  const bareWord = name.replace(/^is(?=\p{L}{2})/iu, '');
  return [...new Set([name, joined, joined.toUpperCase(), title(bareWord), words.join('_')])];
}

/** For comparing names: the standard ignores case, blanks, dashes and underscores in them. */
function bare(name: string): string {
  return name.replace(/[\s_-]/gu, '').toLowerCase();
}

/** Asks the engine itself which names it has: no table of ours can fall behind it. */
function firstKnown(names: readonly string[]): string | undefined {
  return names.find(isKnown);
}

function isKnown(name: string): boolean {
  // Only a name may reach the expression that tries it.
  if (!/^[A-Za-z][A-Za-z0-9_]*(?:=[A-Za-z][A-Za-z0-9_]*)?$/u.test(name)) return false;
  try {
    // `u` and not `v`: properties of strings (emoji sequences) are no sets of code points.
    return new RegExp(`\\p{${name}}`, 'u').source !== '';
  } catch {
    return false;
  }
}
