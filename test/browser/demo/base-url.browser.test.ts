import { describe, expect, it } from 'vitest';
import { checkBaseUrl } from '../../../demo/agent/check-base-url.ts';
import { contentSecurityPolicy } from '../../../demo/content-security-policy.ts';

describe('checkBaseUrl', () => {
  it.each([
    ['https://llm.example.com/base', ''],
    ['http://localhost:8080', ''],
    ['http://127.0.0.1:8080', ''],
    ['llm.example.com', 'Write the base URL in full, such as https://llm.example.com.'],
    [
      'http://192.168.1.5:8080',
      'This page may use http only for localhost and 127.0.0.1: write https://192.168.1.5:8080 instead.',
    ],
    [
      'ftp://llm.example.com',
      'The base URL must begin with https://, or with http:// for this machine.',
    ],
  ])('says what is wrong with %s', (url, sentence) => {
    expect(checkBaseUrl(url)).toBe(sentence);
  });

  it("lets through what the page's policy lets through", () => {
    expect(contentSecurityPolicy).toContain(
      "connect-src 'self' https: http://localhost:* http://127.0.0.1:*",
    );
  });
});
