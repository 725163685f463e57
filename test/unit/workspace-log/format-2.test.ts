// A log as format 2 wrote it, before there were streams: it is opened as it was, and goes on in the
// present format. Its owner made a directory, a file and a checkpoint and closed the workspace. The
// next one wrote two files, made a branch and was killed.
import { describe, expect, it } from 'vitest';
import { createMemoryMedium } from '../../../src/workspace/drivers/memory.ts';
import { readFormatVersion } from '../../../src/workspace/log/json-block.ts';
import type { LogMedium } from '../../../src/workspace/log/log-medium.ts';
import { openWorkspace } from '../../../src/workspace/open-workspace.ts';
import { readAll } from '../../support/read-all.ts';

/** Base64, by the files' names. */
const files: Readonly<Record<string, string>> = {
  'segment-00000001-000000':
    'UktQTExPRwoCAAAA+FeQYR8AAACY22bCAQAAAAAAAAB7ImVwb2NoIjoxLCJpbmRleCI6MCwibGl2ZSI6W119AHgA' +
    'AACt17/tAQAAAAAAAAB0AAAAeyJhdXRob3IiOnsia2luZCI6InVzZXIifSwiY2hhbmdlcyI6W3sidHlwZSI6Im1r' +
    'ZGlyIiwicGF0aCI6Ii9kIiwibW9kZSI6NDkzLCJtdGltZU1zIjoxNzk1Mzk5MzQ5ODA5fV0sImNvbnRlbnRzIjpb' +
    'XX20AAAAp2AbHwIAAAAAAAAAogAAAHsiYXV0aG9yIjp7ImtpbmQiOiJ1c2VyIn0sImNoYW5nZXMiOlt7InR5cGUi' +
    'OiJ3cml0ZSIsInBhdGgiOiIvZC9rZXB0IiwiY29udGVudElkIjoxLCJzaXplIjoxNCwibW9kZSI6NDIwLCJtdGlt' +
    'ZU1zIjoxNzk1Mzk5MzQ5ODExfV0sImNvbnRlbnRzIjpbWzEsMTQsMjQwNDk2NjEzNF1dfWZyb20gdGhlIGltYWdl' +
    'zwAAAIwfzuMDAAAAAAAAAMsAAAB7ImF1dGhvciI6eyJraW5kIjoidXNlciJ9LCJjaGFuZ2VzIjpbXSwicm9vdENo' +
    'YW5nZSI6eyJ0eXBlIjoibWFrZSIsImlkIjoiZDQ2MDA5ZTctNTMzNC00N2E5LWI3YjktNWFmNGIxMzFhYTI4Iiwi' +
    'a2luZCI6ImNoZWNrcG9pbnQiLCJsYWJlbCI6ImJlZm9yZSIsImNyZWF0ZWRNcyI6MTc5NTM5OTM0OTgxNSwiZnJv' +
    'bSI6Im1haW4ifSwiY29udGVudHMiOltdfQA=',
  'image-00000001-0':
    'UktQTElNRwoCAAAAeAIlFrQBAAAQiSpJAwAAAAAAAAB7InBvc2l0aW9uIjp7InNlZ21lbnQiOiJzZWdtZW50LTAw' +
    'MDAwMDAxLTAwMDAwMCIsIm9mZnNldCI6NjIwfSwibmV4dENvbnRlbnRJZCI6MiwicGxhY2VzIjpbWyJzZWdtZW50' +
    'LTAwMDAwMDAxLTAwMDAwMCIsWzEsMzgyLDE0LDI0MDQ5NjYxMzRdXV0sInN0YXRlIjp7InNlcSI6MywibWFpbiI6' +
    'WyJkIixbWyJkIixbImQiLFtbImtlcHQiLFsiZiIsMSwxNCw0MjAsMTc5NTM5OTM0OTgxMSwyXV1dLDQ5MywxNzk1' +
    'Mzk5MzQ5ODA5LDFdXV0sNDkzLDAsMF0sInJvb3RzIjpbeyJpZCI6ImQ0NjAwOWU3LTUzMzQtNDdhOS1iN2I5LTVh' +
    'ZjRiMTMxYWEyOCIsImtpbmQiOiJjaGVja3BvaW50IiwibGFiZWwiOiJiZWZvcmUiLCJjcmVhdGVkTXMiOjE3OTUz' +
    'OTkzNDk4MTUsImJhc2UiOltdLCJiYXNlU2VxIjozLCJyb290IjpbXX1dLCJ1c2VyRWRpdHMiOltdLCJvcmlnaW5z' +
    'IjpbXX19',
  'segment-00000002-000000':
    'UktQTExPRwoCAAAA+FeQYU4AAAAUZhktAgAAAAAAAAB7ImVwb2NoIjoyLCJpbmRleCI6MCwibGl2ZSI6W3sibmFt' +
    'ZSI6InNlZ21lbnQtMDAwMDAwMDEtMDAwMDAwIiwibGVuZ3RoIjo2MjB9XX0AALQAAABplgZ0BAAAAAAAAACjAAAA' +
    'eyJhdXRob3IiOnsia2luZCI6InVzZXIifSwiY2hhbmdlcyI6W3sidHlwZSI6IndyaXRlIiwicGF0aCI6Ii9kL2xh' +
    'dGVyIiwiY29udGVudElkIjoyLCJzaXplIjoxMywibW9kZSI6NDIwLCJtdGltZU1zIjoxNzk1Mzk5MzQ5ODE3fV0s' +
    'ImNvbnRlbnRzIjpbWzIsMTMsMzkyNTE2ODA0OV1dfWZyb20gYSByZWNvcmSxAAAAJnExtgUAAAAAAAAAogAAAHsi' +
    'YXV0aG9yIjp7ImtpbmQiOiJ1c2VyIn0sImNoYW5nZXMiOlt7InR5cGUiOiJ3cml0ZSIsInBhdGgiOiIvZC9rZXB0' +
    'IiwiY29udGVudElkIjozLCJzaXplIjoxMSwibW9kZSI6NDIwLCJtdGltZU1zIjoxNzk1Mzk5MzQ5ODE4fV0sImNv' +
    'bnRlbnRzIjpbWzMsMTEsMTE5MTcwMDQzNF1dfW92ZXJ3cml0dGVuAAAAyAAAAH3t/ggGAAAAAAAAAMQAAAB7ImF1' +
    'dGhvciI6eyJraW5kIjoidXNlciJ9LCJjaGFuZ2VzIjpbXSwicm9vdENoYW5nZSI6eyJ0eXBlIjoibWFrZSIsImlk' +
    'IjoiNzU1YWU1YmItMjlmNi00MDVkLWFkYTMtY2MxODA3NDJiY2RhIiwia2luZCI6ImJyYW5jaCIsImxhYmVsIjoi' +
    'dHJ5IiwiY3JlYXRlZE1zIjoxNzk1Mzk5MzQ5ODE4LCJmcm9tIjoibWFpbiJ9LCJjb250ZW50cyI6W119',
};

async function storedMedium(): Promise<LogMedium> {
  const medium = createMemoryMedium();
  for (const [name, base64] of Object.entries(files)) {
    const file = await medium.create(name);
    await file.append(
      Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)),
      'power',
    );
  }
  return medium;
}

async function newestSegment(medium: LogMedium): Promise<Uint8Array> {
  const names = (await medium.list()).map(({ name }) => name);
  const name =
    names
      .filter((each) => each.startsWith('segment'))
      .sort()
      .at(-1) ?? '';
  return (await medium.open(name)).read(0, 32);
}

describe('a log of format 2', () => {
  it('is opened with all that it has, from its image and from its beginning', async () => {
    const whole = await storedMedium();
    const imageless = await storedMedium();
    await imageless.remove('image-00000001-0');
    for (const medium of [whole, imageless]) {
      const workspace = await openWorkspace(medium, { name: 'old' });
      expect(await workspace.fs.readFile('/d/kept', 'utf8')).toBe('overwritten');
      expect(await workspace.fs.readFile('/d/later', 'utf8')).toBe('from a record');
      const [checkpoint, branch] = await workspace.roots.list();
      expect([checkpoint?.label, branch?.label]).toEqual(['before', 'try']);
      expect(await workspace.info()).toMatchObject({ seq: 6, droppedBytes: 0, lostFiles: [] });
      expect(await workspace.streams.list()).toEqual([]);
    }
  });

  it('goes on in the present format once it was taken over, with streams', async () => {
    const medium = await storedMedium();
    expect(readFormatVersion('RKPLLOG\n', await newestSegment(medium))).toBe(2);
    const workspace = await openWorkspace(medium, { name: 'old' });
    expect(readFormatVersion('RKPLLOG\n', await newestSegment(medium))).toBe(4);
    await workspace.streams.append('s', [{ value: 'new' }], { at: 0 });
    await workspace.fs.writeFile('/d/later', 'again');
    // Once from records of both formats, once from an image.
    const again = await openWorkspace(medium, { name: 'old' });
    await again[Symbol.asyncDispose]();
    const last = await openWorkspace(medium, { name: 'old' });
    expect(await last.fs.readFile('/d/later', 'utf8')).toBe('again');
    expect(last.seq()).toBe(7);
    expect(await readAll(last.streams.read('s'))).toEqual([{ n: 1, value: 'new' }]);
  });
});
