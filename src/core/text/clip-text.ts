/** The first `length` UTF-16 units of a text, or one less if the cut would split a surrogate pair. */
export function clipText(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, isHalf ? length - 1 : length);
}
