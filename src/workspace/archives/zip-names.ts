// Decodes names in a zip. By the format, names without the UTF-8 flag are in code page 437, and
// Windows writes such names. Other programs write UTF-8 without the flag.

/** The characters of code page 437 from byte 128 on. */
const highCharacters =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';

/** With `isUtf8`, invalid bytes become U+FFFD, which archive-paths.ts refuses. */
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
