import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration } from '../src/tidepool.ts';

describe('format and parse', () => {
  it.each(['1w', '2d 4h', '1h 30m', '59m 59s', '12s 500ms', '7ms', '-3m'])('agree on %s', (text) => {
    expect(formatDuration(parseDuration(text))).toBe(text);
  });
});
