// The order of names: by their UTF-8 bytes, as in ripgrep and git. So results are the same on every
// machine, whatever its locale.

/** Orders two names by their UTF-8 bytes, without encoding them. */
export function compareNames(left: string, right: string): number {
  const shortest = Math.min(left.length, right.length);
  for (let at = 0; at < shortest; at += 1) {
    const a = left.charCodeAt(at);
    const b = right.charCodeAt(at);
    // In UTF-8, unlike in UTF-16, surrogates (code points above U+FFFF) sort after all other units.
    if (a !== b) return rank(a) - rank(b);
  }
  return left.length - right.length;
}

function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
