// The names in a zip. Those without the flag of UTF-8 are, by the format, in the code page of the
// first PCs. Windows' own zips of a folder have such names. Other programs write UTF-8 without it.

/** What stands from byte 128 on in code page 437. */
const highCharacters =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';

/** With `isUtf8`, what is no UTF-8 gets the sign for that, which archive-paths.ts refuses. */
export function decodeZipName(bytes: Uint8Array, isUtf8: boolean): string {
  if (isUtf8) return new TextDecoder().decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // It isn't UTF-8, so it is in the format's own code page.
    return [...bytes].map(toCharacter).join('');
  }
}

function toCharacter(byte: number): string {
  return byte < 128 ? String.fromCharCode(byte) : highCharacters.charAt(byte - 128);
}
