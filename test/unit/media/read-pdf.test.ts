import { describe, expect, it } from 'vitest';
import { isPdf, readPdf } from '../../../src/media/read-pdf.ts';
import { makeEncryptedPdf, makePdf, withJunk } from '../../support/files/make-pdf.ts';

const open = (bytes: Uint8Array, signal = new AbortController().signal) =>
  readPdf({ path: '/a.pdf', bytes, range: undefined, maxBytes: 10_000, signal });

describe('readPdf', () => {
  it('reads pages in every runtime, and leaves the bytes to their owner', async () => {
    const bytes = makePdf([{ text: 'One' }, { text: 'Two\nlines' }]);
    expect(isPdf(bytes, '/a.pdf')).toBe(true);
    expect(await open(bytes)).toEqual({
      totalPages: 2,
      firstPage: 1,
      pages: [{ text: 'One' }, { text: 'Two\nlines' }],
      isCut: false,
    });
    expect(isPdf(bytes, '/a.pdf')).toBe(true);
  });

  it('says what is encrypted, and what is broken', async () => {
    await expect(open(makeEncryptedPdf())).rejects.toThrow(
      '/a.pdf is an encrypted PDF, which opens with a password alone. Ask for a copy without one.',
    );
    await expect(open(new TextEncoder().encode('%PDF-1.7\n'))).rejects.toThrow(
      "/a.pdf is a PDF that can't be read: Invalid PDF structure. Ask for another copy of it.",
    );
  });

  it('takes a file with something before its header, where its name says what it is', async () => {
    const bytes = withJunk(makePdf([{ text: 'One' }]));
    expect((await open(bytes)).pages).toEqual([{ text: 'One' }]);
    expect([isPdf(bytes, '/a.PDF'), isPdf(bytes, '/a.txt')]).toEqual([true, false]);
  });

  it('gives the other pages where one of them is broken, and says why it is', async () => {
    const bytes = makePdf([{ text: 'One' }, { missing: true }]);
    const { pages, totalPages } = await open(bytes);
    expect([totalPages, pages[0]]).toEqual([2, { text: 'One' }]);
    expect(pages[1]).toEqual({
      text: '',
      problem: expect.stringMatching(/^this page can't be read: \w/),
    });
    await expect(open(makePdf([{ missing: true }]))).rejects.toThrow("a PDF that can't be read: ");
    await expect(open(makePdf([]))).rejects.toThrow('/a.pdf is a PDF without any page.');
  });

  it('stops when it is told to', async () => {
    const stopped = AbortSignal.abort();
    await expect(open(makePdf([{ text: 'One' }]), stopped)).rejects.toThrow('Stopped before');
  });
});
