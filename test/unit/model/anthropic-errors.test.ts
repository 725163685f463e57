import { describe, expect, it } from 'vitest';
import { toNetworkError, toRefusedError } from '../../../src/model/anthropic-errors.ts';
import type { ServerContext } from '../../../src/model/anthropic-errors.ts';

const server: ServerContext = {
  host: 'models.example',
  model: 'claude-test',
  hasCredential: true,
  secrets: ['hunter22'],
};
const api = (type: string, message = 'Because.') => ({ type: 'error', error: { type, message } });

describe('toRefusedError', () => {
  it.each([
    [
      401,
      api('authentication_error', 'invalid x-api-key'),
      'model-authentication',
      "The key was refused by models.example (401). Check that it is whole, that it is this server's, and that it is neither revoked nor lacking a permission. The server says: invalid x-api-key",
    ],
    [
      403,
      '',
      'model-authentication',
      "The key was refused by models.example (403). Check that it is whole, that it is this server's, and that it is neither revoked nor lacking a permission.",
    ],
    [
      400,
      api('invalid_request_error', 'prompt is too long'),
      'model-context-window',
      'models.example refused the request (400): the conversation is longer than the context window of claude-test. Begin a new one, or use a model with a larger window. The server says: prompt is too long',
    ],
    [
      404,
      '<!doctype html>',
      'model-bad-request',
      "models.example knows no such address or model (404). Check the base URL and the model's name, claude-test. The server says: a web page.",
    ],
    [
      413,
      { error: 'too big' },
      'model-context-window',
      'models.example refused the request (413): the conversation has more bytes or images than one request may have. Begin a new one, or send fewer and smaller images. The server says: too big',
    ],
    [
      429,
      api('rate_limit_error'),
      'model-rate-limited',
      'models.example has had too many requests (429). Try again in a while. The server says: Because.',
    ],
    [
      529,
      api('overloaded_error', 'Overloaded'),
      'model-overloaded',
      'models.example is overloaded (529). Try again in a while. The server says: Overloaded',
    ],
    [
      503,
      'hunter22 is down',
      'model-server',
      'models.example failed (503). Try again in a while. The server says: [hidden] is down',
    ],
    [
      null,
      api('rate_limit_error'),
      'model-rate-limited',
      'models.example has had too many requests (rate_limit_error). Try again in a while. The server says: Because.',
    ],
    [
      null,
      api('not_heard_of'),
      'model-server',
      'models.example failed (not_heard_of). Try again in a while. The server says: Because.',
    ],
  ])('says what to do about %s %j', (status, body, code, message) => {
    const error = toRefusedError({ status, body }, server);
    expect([error.code, error.message]).toEqual([code, message]);
  });

  it.each([
    'input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000, decrease input length or `max_tokens` and try again',
    "This model's maximum context length is 131072 tokens. However, you requested 131134 tokens.",
    'Input is too long for requested model.',
    'Too much media: 0 document pages + 102 images > 100',
    'messages.41.content.31.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels',
    'This proxy allows 100 images in a request.',
  ])('knows that a shorter conversation helps: %s', (message) => {
    const { code } = toRefusedError(
      { status: 400, body: api('invalid_request_error', message) },
      server,
    );
    expect(code).toBe('model-context-window');
  });

  it('asks for a key where none was sent', () => {
    const error = toRefusedError({ status: 401, body: '' }, { ...server, hasCredential: false });
    expect(error.message).toBe(
      'models.example asks for a key (401), and none was sent. Give one, or use a proxy that holds it.',
    );
  });

  it('keeps what programs need as data', () => {
    const headers = new Headers({
      'request-id': 'req_1',
      'retry-after': '7',
      'x-should-retry': 'false',
    });
    expect(
      toRefusedError({ status: 429, body: api('rate_limit_error'), headers }, server),
    ).toMatchObject({
      message: expect.stringContaining('Try again in 7 s.') as string,
      data: {
        host: 'models.example',
        status: 429,
        type: 'rate_limit_error',
        requestId: 'req_1',
        retryAfterMs: 7000,
        retryable: false,
      },
    });
  });

  it('reads a retry-after that is a date', () => {
    const headers = new Headers({ 'retry-after': new Date(Date.now() + 30_000).toUTCString() });
    const { retryAfterMs } = toRefusedError({ status: 529, body: '', headers }, server).data;
    // The date has whole seconds, and the test takes some time.
    expect(retryAfterMs).toBeGreaterThan(20_000);
    expect(retryAfterMs).toBeLessThanOrEqual(30_000);
  });
});

describe('toNetworkError', () => {
  it('names the innermost reason, and what to check', () => {
    const cause = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    const error = toNetworkError(new TypeError('fetch failed', { cause }), server);
    expect([error.code, error.data, error.message]).toEqual([
      'model-network',
      { host: 'models.example', reason: 'ECONNREFUSED' },
      "models.example can't be reached (ECONNREFUSED). Check the network and the base URL; in a page also that the server allows this origin (CORS) and that the page's CSP lists it under connect-src.",
    ]);
  });
});
