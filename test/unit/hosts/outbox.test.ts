// What is said in one task, and how it crosses: by a port whose messages are looked at.
import { describe, expect, it } from 'vitest';
import { bytesAmong, createOutbox, type Posted } from '../../../src/hosts/browser/wire/outbox.ts';

/** Refuses what holds a function, as a port does. */
function openOutbox() {
  const posted: Posted<unknown>[] = [];
  const transferred: ArrayBuffer[][] = [];
  const unsendable: unknown[] = [];
  const outbox = createOutbox<unknown>({
    post(message, transfer) {
      posted.push(structuredClone(message, { transfer }));
      transferred.push(transfer);
    },
    onUnsendable: (message) => unsendable.push(message),
  });
  return { outbox, posted, transferred, unsendable };
}

describe('an outbox', () => {
  it('posts in one message, in order, what it was given in one task', async () => {
    const { outbox, posted } = openOutbox();
    outbox.add('first');
    outbox.add('second');
    expect(posted).toEqual([]);
    await Promise.resolve();
    outbox.add('third');
    await Promise.resolve();
    expect(posted).toEqual([['first', 'second'], 'third']);
  });

  it('posts at once what it is told to, and nothing twice', async () => {
    const { outbox, posted } = openOutbox();
    outbox.add('first');
    outbox.flush();
    expect(posted).toEqual(['first']);
    outbox.flush();
    await Promise.resolve();
    expect(posted).toEqual(['first']);
  });

  it('does not gather more than a megabyte', async () => {
    const { outbox, posted } = openOutbox();
    outbox.add('small', { bytes: 10 });
    outbox.add('half', { bytes: 524_288 });
    outbox.add('large', { bytes: 1_048_576 });
    expect(posted).toEqual([['small', 'half', 'large']]);
    outbox.add('next', { bytes: 10 });
    await Promise.resolve();
    expect(posted.at(-1)).toBe('next');
  });

  it('moves the buffers of all', async () => {
    const { outbox, transferred } = openOutbox();
    const buffers = [new ArrayBuffer(1), new ArrayBuffer(2)];
    for (const buffer of buffers) outbox.add({ buffer }, { transfer: [buffer] });
    await Promise.resolve();
    expect(transferred).toEqual([buffers]);
    expect(buffers.map(({ byteLength }) => byteLength)).toEqual([0, 0]);
  });

  it('tells which message cannot be cloned, and posts those beside it', async () => {
    const { outbox, posted, unsendable } = openOutbox();
    const bad = () => {};
    for (const message of ['before', bad, 'after']) outbox.add(message);
    await Promise.resolve();
    expect(posted).toEqual(['before', 'after']);
    expect(unsendable).toEqual([bad]);
  });
});

describe('bytesAmong', () => {
  it('counts texts and arrays, and nothing else', () => {
    expect(bytesAmong(['four', new Uint8Array(8), new Uint32Array(2), 99, null, {}])).toBe(20);
  });
});
