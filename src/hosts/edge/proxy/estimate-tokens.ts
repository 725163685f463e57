// How many tokens a text may come to, where the server hasn't counted them yet: for the model proxy's budget. Rather
// too many than too few.

// A token of English has about 4 characters, one of code less.
const tokensPerAscii = 1 / 3;
// A character of Chinese is up to one token and a half, a letter of Greek or Russian less than one.
const tokensPerOther = 2;
const lastAscii = 0x7f;

/** Not rounded. Characters are those of UTF-16: an emoji has two. */
export function estimateTokens(text: string): number {
  let others = 0;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > lastAscii) others += 1;
  return (text.length - others) * tokensPerAscii + others * tokensPerOther;
}
