// Cleans untrusted text so that it can be shown beside our own.

const deceptive = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Removes characters that make a text look like another one: control characters and marks of direction. Cuts it at
 * `maxChars`.
 */
export function toPlainText(text: string, maxChars: number): string {
  const plain = text.replaceAll(deceptive, '');
  return plain.length > maxChars ? `${plain.slice(0, maxChars - 1)}…` : plain;
}
