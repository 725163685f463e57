// Other people's words, fit to be shown beside ours.

const deceptive = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Without what makes a text read as another one: control characters, and marks of direction. */
export function toPlainText(text: string, maxChars: number): string {
  const plain = text.replaceAll(deceptive, '');
  return plain.length > maxChars ? `${plain.slice(0, maxChars - 1)}…` : plain;
}
