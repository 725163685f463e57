// Estimates the tokens of a text that the server hasn't counted yet, for the budget of the model
// proxy. The estimate is rather too high than too low.

// English text has about 4 characters per token, code has fewer.
const tokensPerAscii = 1 / 3;
// A Chinese character is up to one and a half tokens; a Greek or Russian letter is less than one.
const tokensPerOther = 2;
const lastAscii = 0x7f;

/** Returns an unrounded number. Characters are UTF-16 code units: an emoji has two. */
export function estimateTokens(text: string): number {
  let others = 0;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > lastAscii) others += 1;
  return (text.length - others) * tokensPerAscii + others * tokensPerOther;
}
