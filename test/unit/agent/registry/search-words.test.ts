// How words are made comparable.
import { describe, expect, it } from 'vitest';
import {
  dropFillers,
  listSynonyms,
  splitName,
  splitText,
  toStem,
} from '../../../../src/agent/registry/search-tools.ts';

describe('splitName', () => {
  it.each([
    ['mcp__git__list_files', ['mcp', 'git', 'list', 'files']],
    ['NotebookEdit', ['notebook', 'edit']],
    ['collection-schema', ['collection', 'schema']],
    ['getS3Object2', ['get', 's3', 'object2']],
    ['', []],
  ])('%s', (name, words) => {
    expect(splitName(name)).toEqual(words);
  });
});

describe('splitText', () => {
  it('keeps letters of every script and numbers', () => {
    expect(splitText("Don't: größe *.ts, 漢字 42")).toEqual([
      'don',
      't',
      'größe',
      'ts',
      '漢字',
      '42',
    ]);
  });
});

describe('toStem', () => {
  it.each([
    [['change', 'changes', 'changed', 'changing'], 'chang'],
    [['stage', 'staged', 'staging', 'stages'], 'stag'],
    [['run', 'running'], 'run'],
    [['add', 'adds', 'added', 'adding'], 'add'],
    [['set', 'setting', 'settings'], 'set'],
    [['attach', 'attached', 'attachment', 'attachments'], 'attach'],
    [['query', 'queries'], 'query'],
    [['call', 'calls', 'calling', 'called'], 'call'],
  ])('%j are one word', (words, stem) => {
    expect(words.map(toStem)).toEqual(words.map(() => stem));
  });

  it.each(['status', 'class', 'need', 'comment', 'string', 'id', 'css', 'bus'])(
    '%s stays as it is',
    (word) => {
      expect(toStem(word)).toBe(word);
    },
  );
});

describe('dropFillers', () => {
  it('keeps what tells something', () => {
    expect(dropFillers(['what', 'is', 'in', 'my', 'folder'])).toEqual(['folder']);
  });

  it('keeps all where there is nothing else', () => {
    expect(dropFillers(['who', 'is', 'who'])).toEqual(['who', 'is', 'who']);
  });
});

describe('listSynonyms', () => {
  it('gives the others of each group that has the word', () => {
    expect(listSynonyms('folder')).toEqual(['directory']);
    expect(listSynonyms('show')).toEqual(expect.arrayContaining(['get', 'list']));
    expect(listSynonyms('show')).not.toContain('show');
    expect(listSynonyms('zebra')).toEqual([]);
  });

  it('knows stems, as it is asked by', () => {
    expect(listSynonyms(toStem('created'))).toContain(toStem('makes'));
  });
});
