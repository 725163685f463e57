import { describe, expect, it } from 'vitest';
import { createDeadline } from '../../../src/repl/vm/deadline.ts';
import {
  BoundedText,
  CellOutput,
  cutText,
  toldLive,
  type OutputPiece,
} from '../../../src/repl/cell/output.ts';
import { decodeSavedSession } from '../../../src/repl/session/saved-state.ts';
import { toSavedState } from '../../support/repl/saved-session.ts';

describe('createDeadline', () => {
  it('passes with the clock, and stays passed', () => {
    let time = 1000;
    const deadline = createDeadline(100, () => time);
    expect([deadline.hasPassed(), deadline.remainingMs()]).toEqual([false, 100]);
    time = 1099;
    expect([deadline.hasPassed(), deadline.remainingMs()]).toEqual([false, 1]);
    time = 1100;
    expect([deadline.hasPassed(), deadline.remainingMs()]).toEqual([true, 0]);
    time = 0;
    expect(deadline.hasPassed()).toBe(true);
  });

  it('counts questions where the clock stands still', () => {
    const deadline = createDeadline(100, () => 1000, 2);
    let questions = 0;
    while (!deadline.hasPassed()) questions += 1;
    // 200 before it is believed that the clock stands still, then two a millisecond.
    expect(questions).toBe(399);
  });

  it('counts none while the clock moves', () => {
    let time = 0;
    const deadline = createDeadline(100, () => time);
    for (let at = 0; at < 99; at += 1) {
      for (let question = 0; question < 150; question += 1)
        expect(deadline.hasPassed()).toBe(false);
      time += 1;
    }
  });
});

describe('BoundedText', () => {
  it('keeps short texts whole', () => {
    const text = new BoundedText(10);
    for (const piece of ['abc', 'def', 'ghij']) text.append(piece);
    expect(text.toString()).toBe('abcdefghij');
  });

  it('keeps start and end of long ones, whatever the pieces', () => {
    for (const size of [1, 7, 1000]) {
      const text = new BoundedText(10);
      const whole = Array.from({ length: 1000 }, (_, at) => String(at % 10)).join('');
      for (let at = 0; at < whole.length; at += size) text.append(whole.slice(at, at + size));
      expect(text.toString()).toBe('01234\n... [990 characters left out] ...\n56789');
    }
  });

  it('cuts a single text at its end', () => {
    expect(cutText('abcdef', 4)).toBe('abcd... [2 characters left out]');
    expect(cutText('abcd', 4)).toBe('abcd');
  });
});

describe('CellOutput', () => {
  it('sends at most ten batches a second, and all of it at the end', () => {
    let time = 1000;
    const sent: OutputPiece[] = [];
    const output = new CellOutput(
      1000,
      () => time,
      (piece) => sent.push(piece),
    );
    for (const text of ['a', 'b', 'c']) output.write('stdout', text);
    time += 100;
    output.write('stderr', 'd');
    output.write('stdout', 'e');
    output.flush();
    output.flush();
    expect(sent).toEqual([{ stdout: 'a' }, { stdout: 'bc', stderr: 'd' }, { stdout: 'e' }]);
  });

  it('sends the start and the end of a batch that is more than anybody reads, and says what is missing', () => {
    const sent: OutputPiece[] = [];
    const output = new CellOutput(
      100_000,
      () => 1000,
      (piece) => sent.push(piece),
    );
    output.write('stdout', 'first\n');
    for (let line = 0; line < 1000; line += 1) output.write('stdout', `line ${1e4 + line}\n`);
    output.flush();
    expect(sent.map(({ stdout }) => stdout?.length)).toEqual([6, 4036]);
    expect(sent[1]?.stdout).toMatch(
      /^line 10000\n[^]*\n\.\.\. \[7000 characters left out\] \.\.\.\n[^]*line 10999\n$/u,
    );
    expect(output.stdout.toString()).toHaveLength(11_006);
  });

  it('leaves nothing out for who is told each line, up to a million characters', () => {
    const sent: OutputPiece[] = [];
    const output = new CellOutput(
      1_000,
      () => 1000,
      (piece) => sent.push(piece),
      toldLive,
    );
    const lines = Array.from({ length: 1_000 }, (_, at) => `line ${at}\n`);
    for (const line of lines) output.write('stdout', line);
    output.flush();
    expect(sent.map(({ stdout }) => stdout).join('')).toBe(lines.join(''));
    for (let at = 0; at < 110; at += 1) output.write('stdout', 'x'.repeat(10_000));
    output.flush();
    expect(sent.at(-1)?.stdout).toMatch(/more output follows\]\n$/u);
  });

  it('stops sending what nobody could read, and says so once', () => {
    let time = 0;
    const sent: OutputPiece[] = [];
    const output = new CellOutput(
      5,
      () => (time += 100),
      (piece) => sent.push(piece),
    );
    for (const text of ['abc', 'def', 'ghi']) output.write('stdout', text);
    expect(sent).toEqual([{ stdout: 'abc' }, { stdout: 'de\n... [more output follows]\n' }]);
  });
});

describe('a saved session', () => {
  it('survives its encoding', () => {
    const saved = {
      id: 'é',
      engine: 'e 1',
      world: 'w',
      cellCount: 3,
      snapshot: new Uint8Array([1, 2, 3]),
    };
    expect(decodeSavedSession(toSavedState(saved))).toEqual(saved);
  });

  it('is none where its end is missing', () => {
    const saved = { id: 'i', engine: 'e', world: 'w', cellCount: 1, snapshot: new Uint8Array(9) };
    const whole = toSavedState(saved);
    expect(decodeSavedSession(whole.subarray(0, whole.length - 1))).toBeUndefined();
  });

  it.each([
    [[]],
    [[1, 0, 0]],
    [[255, 255, 255, 127, 1]],
    [[2, 0, 0, 0, 0, 0, 0, 0, 123, 125]],
    [[1, 0, 0, 0, 0, 0, 0, 0, 123]],
    [[1, 0, 0, 0, 1, 0, 0, 0, 123]],
  ])('is none for the bytes %j', (bytes) => {
    expect(decodeSavedSession(new Uint8Array(bytes))).toBeUndefined();
  });
});
