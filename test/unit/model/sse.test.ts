import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSseDecoder } from '../../../src/model/sse.ts';
import { toChunks } from '../../support/models/model-streams.ts';

/** The events of `text`, sent in chunks of the sizes given. */
function decode(text: string, sizes: readonly number[] = [Infinity]) {
  const decoder = createSseDecoder();
  return toChunks(text, sizes).flatMap((chunk) => decoder.push(chunk));
}

describe('createSseDecoder', () => {
  it('gives the name and the data of each event', () => {
    expect(decode('event: a\ndata: {"n":1}\n\nevent: b\ndata:2\n\n')).toEqual([
      { event: 'a', data: '{"n":1}' },
      { event: 'b', data: '2' },
    ]);
  });

  it('keeps pings and events without a name', () => {
    expect(decode('event: ping\ndata: {}\n\ndata: bare\n\n')).toEqual([
      { event: 'ping', data: '{}' },
      { event: null, data: 'bare' },
    ]);
  });

  it('joins data lines, takes one blank off and skips comments and other fields', () => {
    expect(decode(': hello\nid: 7\nretry\ndata:  x\ndata\ndata: y\n\n')).toEqual([
      { event: null, data: ' x\n\ny' },
    ]);
  });

  it('skips a byte order mark and events without data', () => {
    expect(decode('\uFEFFevent: a\n\n\n\ndata: x\n\n')).toEqual([{ event: null, data: 'x' }]);
  });

  it('never gives an event that has no blank line after it', () => {
    expect(decode('data: whole\n\nevent: cut\ndata: {"half"\n')).toEqual([
      { event: null, data: 'whole' },
    ]);
  });

  it.each([['\n'], ['\r\n'], ['\r']])('reads line ends %j in any chunking', (lineEnd) => {
    const lines = [
      'event: ä',
      'data: {"text":"é€😀\\r"}',
      '',
      'data: 1',
      'data: 2',
      '',
      ': end',
      '',
    ];
    // A CR at the very end may be half of a CRLF, so a line follows the last event.
    const text = lines.join(lineEnd) + lineEnd;
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (sizes) => {
        expect(decode(text, sizes)).toEqual([
          { event: 'ä', data: '{"text":"é€😀\\r"}' },
          { event: null, data: '1\n2' },
        ]);
      }),
    );
  });

  it('reads a line of a megabyte that comes in small pieces', () => {
    const data = 'x'.repeat(1_000_000);
    expect(decode(`data: ${data}\r\n\r\n: end\n`, [7])).toEqual([{ event: null, data }]);
  });
});
