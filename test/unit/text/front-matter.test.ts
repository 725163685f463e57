import { describe, expect, it } from 'vitest';
import { readFrontMatter } from '../../../src/text/front-matter.ts';

describe('readFrontMatter', () => {
  it('gives the fields, and the text behind them', async () => {
    const text = '---\r\nname: review\r\ntools: [Read, Grep]\r\n---\r\n\r\n# Review\r\n';
    expect(await readFrontMatter(text)).toEqual({
      fields: { name: 'review', tools: ['Read', 'Grep'] },
      body: '\r\n# Review\r\n',
    });
  });

  it('takes a byte order mark, an empty one, and none', async () => {
    expect(await readFrontMatter('\uFEFF---\nname: a\n---\nb')).toEqual({
      fields: { name: 'a' },
      body: 'b',
    });
    expect(await readFrontMatter('---\n---\nb')).toEqual({ fields: {}, body: 'b' });
    expect(await readFrontMatter('---\n# later\n---\nb')).toEqual({ fields: {}, body: 'b' });
    expect(await readFrontMatter('Text\n---\n')).toEqual({ fields: {}, body: 'Text\n---\n' });
  });

  it.each([
    ['description: Makes PDFs. Use it when: "a form" is filled'],
    ['description: [Beta] reviews code'],
    ["description: Don't use it: it is old"],
    ['description: `npm` and others'],
    ['argument-hint: [path] --verbose'],
    ['tools: *'],
    ['allowed-tools: Bash(git log: *), Read'],
  ])('takes %j as it is meant', async (line) => {
    const [, key = '', value] = /^([\w-]+): (.*)$/u.exec(line) ?? [];
    const text = `---\nname: a\n${line}\nmodel: "haiku"\n---\nb`;
    for (const written of [text, text.replaceAll('\n', '\r\n')]) {
      expect(await readFrontMatter(written)).toEqual({
        fields: { name: 'a', [key]: value, model: 'haiku' },
        body: 'b',
      });
    }
  });

  it.each([
    ['---\ndescription: a: b\ntools: [Read\n---\n', 'The front matter is no YAML: '],
    ['---\nname: [a\n---\n', 'The front matter is no YAML: '],
    ['---\ndescription: a: b\ndisallowedTools: @Write\n---\n', 'The front matter is no YAML: '],
    ['---\ndisallowed-tools: `Write`, Edit\n---\n', 'The front matter is no YAML: '],
    ['---\n- a\n---\n', 'The front matter has no fields: '],
    ['---\nname: a\n', 'The front matter has no end: '],
    ['---\nname: a\n...\n--- {name: b}\n---\n', 'The front matter is no YAML: '],
    ['---\nname: !!js/function "x"\n---\n', 'The front matter is no YAML: '],
    [
      '---\na: &a [x, x]\nb: [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\n---\n',
      'The front matter is no YAML: ',
    ],
  ])('refuses %j', async (text, sentence) => {
    await expect(readFrontMatter(text)).rejects.toMatchObject({
      code: 'invalid-input',
      message: expect.stringContaining(sentence) as string,
    });
  });

  it('takes no time that grows with the square of the blanks in a value', async () => {
    const value = `a${' '.repeat(100_000)}b: c`;
    const { fields } = await readFrontMatter(`---\ndescription: ${value}  \n---\n`);
    // One that took the square of their number would outlast the test's own time.
    expect(fields['description']).toBe(value);
  }, 15_000);
});
