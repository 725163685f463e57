// Checks an address of the model's server when it is typed. The page's policy (content-security-policy.ts) would
// refuse a wrong one only when the first message is sent.

/** A sentence that says what to write instead. Empty if the address is valid. */
export function checkBaseUrl(text: string): string {
  const url = URL.parse(text);
  if (!url) return 'Write the base URL in full, such as https://llm.example.com.';
  const isLocal = ['localhost', '127.0.0.1'].includes(url.hostname);
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLocal)) return '';
  return url.protocol === 'http:'
    ? `This page may use http only for localhost and 127.0.0.1: write https://${url.host} instead.`
    : 'The base URL must begin with https://, or with http:// for this machine.';
}
