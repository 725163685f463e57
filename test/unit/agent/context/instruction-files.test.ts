// What stands in an instruction file: text, the globs of a rule, and imports.
import { describe, expect, it } from 'vitest';
import { readInstructionText } from '../../../../src/agent/context/instruction-files.ts';

const importsOf = (text: string) => readInstructionText(text, false).imports;

describe('imports', () => {
  it.each<[string, string, readonly string[]]>([
    ['a path', 'See @docs/style.md for style.', ['docs/style.md']],
    ['one alone on its line', '@AGENTS.md', ['AGENTS.md']],
    ['several, each once', '@a.md and @b.md, @a.md', ['a.md', 'b.md']],
    ['an absolute path', '- @/workspace/docs/a.md', ['/workspace/docs/a.md']],
    ['one that climbs', '@../shared/a.md', ['../shared/a.md']],
    ['without the sentence’s full stop', 'Read @README.md.', ['README.md']],
    ['in brackets', 'Read it (@README.md).', ['README.md']],
    ['spaces with a backslash', '@Design\\ Docs/api.md first', ['Design Docs/api.md']],
    ['up to a space', '@Design Docs/api.md', ['Design']],
    ['no address of a person', 'Ask me@example.org.', []],
    ['none in quotes', '"@a.md" and @"b.md"', []],
    ['none in a code span', 'Write `@a.md` or ``a ` @b.md``, not @c.md', ['c.md']],
    ['one behind a backtick that nothing closes', 'a ` and @a.md', ['a.md']],
    ['one behind a span that an empty line ends', 'a `x\n\n@a.md` b', ['a.md']],
    ['none in a fence', '```\n@a.md\n```\n@b.md', ['b.md']],
    ['none in a fence of tildes', '~~~sh\n@a.md\n```\n@b.md\n~~~\n@c.md', ['c.md']],
    ['none in a longer fence', '````\n```\n@a.md\n```\n````\n@b.md', ['b.md']],
    ['none in a fence that never ends', '```\n@a.md', []],
    ['none in a comment', '<!-- @a.md -->\n@b.md', ['b.md']],
    ['nothing too long', `@${'a'.repeat(1_001)}`, []],
    ['no lone at', '@ @. @,', []],
  ])('are %s', (_, text, imports) => {
    expect(importsOf(text)).toEqual(imports);
  });
});

describe('the text', () => {
  it.each<[string, string, string]>([
    ['trimmed', '\n\n# A\r\n\r\nb\n', '# A\n\nb'],
    ['without a byte order mark', '\ufeffa', 'a'],
    ['without comments of a line of their own', 'a\n<!-- for\npeople -->\nb', 'a\nb'],
    ['with what stands behind a comment', '<!-- x --> a', 'a'],
    ['with a comment in a line', 'a <!-- b --> c', 'a <!-- b --> c'],
    ['with comments in code', '```\n<!-- a -->\n```', '```\n<!-- a -->\n```'],
    ['with a comment that never ends', '<!-- a\nb', '<!-- a\nb'],
    ['with a rule across the page', '---\na\n---\nb', '---\na\n---\nb'],
  ])('is told %s', (_, source, text) => {
    expect(readInstructionText(source, false).text).toBe(text);
  });
});

describe('the globs of a rule', () => {
  const rule = (frontmatter: string) =>
    readInstructionText(`---\n${frontmatter}\n---\n\nText.\n`, true);
  it.each<[string, string, readonly string[] | undefined]>([
    ['a list', 'paths:\n  - "src/**/*.ts"\n  - lib/*.ts', ['src/**/*.ts', 'lib/*.ts']],
    ['a list at the margin', 'paths:\n- a/**\n\n# why\n- b/**\nother: 1', ['a/**', 'b/**']],
    ['a list in brackets', `paths: ["a/**", 'b/*.{ts,tsx}']`, ['a/**', 'b/*.{ts,tsx}']],
    ['a text with commas', 'paths: src/*.{ts,tsx}, lib/**', ['src/*.{ts,tsx}', 'lib/**']],
    ['one in quotes', 'paths: "**/*.ts"', ['**/*.ts']],
    ['one with a comment', 'paths: "**/*.ts" # all', ['**/*.ts']],
    ['beside other fields', 'name: x\npaths: a/**', ['a/**']],
    ['none', 'name: x', undefined],
    ['an empty list', 'paths: []', undefined],
    ['no list', 'paths:\n  a: b', undefined],
  ])('are those of %s', (_, frontmatter, globs) => {
    const read = rule(frontmatter);
    expect([read.globs, read.text]).toEqual([globs, 'Text.']);
  });

  it('are none where the frontmatter never ends: then it is text', () => {
    const read = readInstructionText('---\npaths: a/**\nText.', true);
    expect([read.globs, read.text]).toEqual([undefined, '---\npaths: a/**\nText.']);
  });
});

it('takes no time that grows with the square of a hostile file', () => {
  const hostile = ['<!--\n', '`', '@a ', '---\n', '{,', '```\n', '\\ '].map((part) =>
    part.repeat(Math.ceil(200_000 / part.length)),
  );
  hostile.push(`@${')'.repeat(100_000)}a`);
  // One that took the square of its length would outlast the test's own time.
  for (const text of hostile) {
    readInstructionText(text, true);
    readInstructionText(`---\npaths: ${text}`, true);
    readInstructionText(`---\npaths: [${text.replaceAll('\n', ' ')}]\n---\n${text}`, true);
  }
}, 15_000);
