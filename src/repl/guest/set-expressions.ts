// Fixes the source of regular expressions with the flag `v` that are built from a string.
// syntax/set-expressions.ts does the same for literals.

// Matches an escape, a group's flags, a bracket, or a character to replace: `-`, `/`, or the second
// of two equal signs.
const part = /\\[^]|\(\?[a-z]*-[a-z]*:|[[\]]|[-/]|(?<=([!#%&,:;<=>@`~]))\1/gu;

/** Converts the arguments of `RegExp` for the engine. */
export function toExpression(...given: unknown[]): unknown[] {
  const [pattern, flags] = given;
  if (typeof pattern !== 'string' || typeof flags !== 'string' || !flags.includes('v'))
    return given;
  let depth = 0;
  const written = pattern.replace(part, (sign) => {
    if (sign === '[') depth += 1;
    else if (sign === ']') depth -= 1;
    else if (depth === 0 && sign.length === 1) return '\\x' + sign.charCodeAt(0).toString(16);
    return sign;
  });
  return [written, flags];
}
