// Regular expressions of a text with the flag `v`, as syntax/set-expressions.ts writes those that stand in code.

// An escape, what tells a group's flags, a bracket, or what the engine refuses: `-`, `/` and the second of two signs.
const part = /\\[^]|\(\?[a-z]*-[a-z]*:|[[\]]|[-/]|(?<=([!#%&,:;<=>@`~]))\1/gu;

/** The arguments of `RegExp`, for the engine. */
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
