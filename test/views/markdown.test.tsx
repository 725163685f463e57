import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { OpenFileContext } from '../../src/react/kit/file-link.tsx';
import type { OpenFile } from '../../src/react/kit/file-link.tsx';
import { parseBlock, splitBlocks } from '../../src/react/kit/markdown-blocks.ts';
import { Markdown } from '../../src/react/kit/markdown.tsx';

/** The markup without the wrapper and the attributes that only styles need. */
function render(text: string): string {
  return renderToStaticMarkup(<Markdown text={text} />)
    .replaceAll('<div class="rp-markdown">', '')
    .replaceAll(' dir="auto"', '')
    .replaceAll('<div class="rp-copied">', '')
    .replaceAll(/<button[^>]*class="rp-copy".*?<\/button><span[^>]*><\/span>/gs, '')
    .replaceAll('</div>', '');
}

const link = 'target="_blank" rel="noopener noreferrer nofollow"';

describe('Markdown', () => {
  it.each([
    ['plain words', '<p>plain words</p>'],
    ['one\n\ntwo', '<p>one</p><p>two</p>'],
    ['# Title\ntext', '<h3>Title</h3><p>text</p>'],
    ['# a #\n## b\n### C#\n###### d', '<h3>a</h3><h4>b</h4><h5>C#</h5><h5>d</h5>'],
    [
      'One `a`\n===\ntext\n\nTwo\n---\ntext',
      '<h3>One <code>a</code></h3><p>text</p><h4>Two</h4><p>text</p>',
    ],
    ['one\n=\ntwo\nthree\n---', '<p>one\n=\ntwo\nthree</p><hr/>'],
    ['- a\n---\n---\n==', '<ul><li>a</li></ul><hr/><hr/><p>==</p>'],
    ['- a\n- b', '<ul><li>a</li><li>b</li></ul>'],
    ['text:\n- a', '<p>text:</p><ul><li>a</li></ul>'],
    ['3. a\n4. b', '<ol start="3"><li>a</li><li>b</li></ol>'],
    ['- a\n  - b', '<ul><li><p>a</p><ul><li>b</li></ul></li></ul>'],
    ['> said\n> so', '<blockquote><p>said\nso</p></blockquote>'],
    ['a\n\n---\n\nb', '<p>a</p><hr/><p>b</p>'],
    ['**bold** *it* `co<de`', '<p><strong>bold</strong> <em>it</em> <code>co&lt;de</code></p>'],
    ['2 * 3 * 4 and snake_case_name', '<p>2 * 3 * 4 and snake_case_name</p>'],
    ['~~gone~~ and ~5 to ~6', '<p><del>gone</del> and ~5 to ~6</p>'],
    [
      '***both*** **a *b* c** **d *e***',
      '<p><strong><em>both</em></strong> <strong>a <em>b</em> c</strong> <strong>d <em>e</em></strong></p>',
    ],
    ['_it_ a_b_c __init__ 2 ** 3 ** 4', '<p><em>it</em> a_b_c __init__ 2 ** 3 ** 4</p>'],
    ['\\*a\\* \\_b_ C:\\dir `a\\*b`', '<p>*a* _b_ C:\\dir <code>a\\*b</code></p>'],
    ['a<br>b<br/>c <b>d</b>', '<p>a<br/>b<br/>c &lt;b&gt;d&lt;/b&gt;</p>'],
    [
      '- [x] a\n- [ ] `b`\n- c',
      '<ul><li class="rp-task"><input type="checkbox" disabled="" aria-label="Done" checked=""/>a</li>' +
        '<li class="rp-task"><input type="checkbox" disabled="" aria-label="To do"/><code>b</code></li>' +
        '<li>c</li></ul>',
    ],
    [
      'Sizes:\n| name | kB |\n|:-:|--:|\n| `a\\|b` | **1** | more\n| c |\nafter',
      '<p>Sizes:</p><div class="rp-table" role="group" aria-label="Table" tabindex="0"><table>' +
        '<thead><tr><th scope="col" data-align="center">name</th><th scope="col" data-align="end">kB</th></tr></thead>' +
        '<tbody><tr><td data-align="center"><code>a|b</code></td><td data-align="end"><strong>1</strong></td></tr>' +
        '<tr><td data-align="center">c</td><td data-align="end"></td></tr></tbody></table><p>after</p>',
    ],
    ['a | b\nc | d', '<p>a | b\nc | d</p>'],
    ['a | b\n---', '<p>a | b</p><hr/>'],
    [
      '[docs](https://example.com/a)',
      `<p><a href="https://example.com/a" ${link} title="https://example.com/a">docs<span class="rp-host"> (example.com)</span></a></p>`,
    ],
    [
      '[`a`](https://example.com/a_(b) "why") <https://example.com>',
      `<p><a href="https://example.com/a_(b)" ${link} title="https://example.com/a_(b)">a<span class="rp-host"> (example.com)</span></a> ` +
        `<a href="https://example.com" ${link} title="https://example.com">https://example.com</a></p>`,
    ],
    [
      'a &lt;b&gt; &amp;amp; a&nbsp;b &mdash; &#8364;&#x1F600; &#0; &bogus; &constructor; R&D; `&lt;` \\&lt;',
      '<p>a &lt;b&gt; &amp;amp; a\u00a0b — €😀 \ufffd &amp;bogus; &amp;constructor; R&amp;D; <code>&amp;lt;</code> &amp;lt;</p>',
    ],
    [
      '![shot &amp; co](https://example.com/a.png)',
      `<p><a href="https://example.com/a.png" ${link} title="https://example.com/a.png">shot &amp; co<span class="rp-host"> (example.com)</span></a></p>`,
    ],
    [
      '![](https://example.com/a.png)',
      `<p><a href="https://example.com/a.png" ${link} title="https://example.com/a.png">https://example.com/a.png</a></p>`,
    ],
    [
      '[![tests](https://example.com/a.svg)](https://example.com/b?c=1&amp;d)',
      `<p><a href="https://example.com/b?c=1&amp;d" ${link} title="https://example.com/b?c=1&amp;d">tests<span class="rp-host"> (example.com)</span></a></p>`,
    ],
    [`![chart](data:image/png;base64,${'A'.repeat(300)})`, '<p>chart</p>'],
    ['[](x) ![', '<p>[](x) ![</p>'],
    [
      'see https://example.com/a.',
      `<p>see <a href="https://example.com/a" ${link} title="https://example.com/a">https://example.com/a</a>.</p>`,
    ],
  ])('renders %j', (text, markup) => {
    expect(render(text)).toBe(markup);
  });

  it('renders a fence as code, also while its end is still to come', () => {
    expect(render('```ts\nconst a = 1;')).toContain('<span class="rp-token-keyword">const</span>');
    expect(render('```\n# no title\n```\nafter')).toMatch(/# no title[^]*<p>after<\/p>$/);
  });

  it.each([
    // Blank lines within the code of an item.
    [
      '1. a:\n   ```\n   x\n\n     y\n   ```\n2. b\n\nafter',
      '<ol start="1"><li><p>a:</p>[x||  y]</li><li>b</li></ol><p>after</p>',
    ],
    [
      '1. a:\n\n    ```\n    x\n    ```\n\n2. b',
      '<ol start="1"><li><p>a:</p>[x]</li><li>b</li></ol>',
    ],
    ['- a:\n```\n  x\n\ny\n```\n- b', '<ul><li><p>a:</p>[  x||y]</li><li>b</li></ul>'],
    ['- ```\n  x\n  ```\n- b', '<ul><li>[x]</li><li>b</li></ul>'],
    ['- a\n\n```\nx\n```', '<ul><li>a</li></ul>[x]'],
    // Paragraphs of an item, and items with blank lines between them.
    [
      '- a\n\n  more\n\n- b\n\nafter',
      '<ul><li><p>a</p><p>more</p></li><li>b</li></ul><p>after</p>',
    ],
    // Lists in lists in lists.
    [
      '- a\n  - b\n    - c\n  - d',
      '<ul><li><p>a</p><ul><li><p>b</p><ul><li>c</li></ul></li><li>d</li></ul></li></ul>',
    ],
    ['- a\n\t- b\n\t- c', '<ul><li><p>a</p><ul><li>b</li><li>c</li></ul></li></ul>'],
    [
      '1. a\n- b\n2. c',
      '<ol start="1"><li>a</li></ol><ul><li>b</li></ul><ol start="2"><li>c</li></ol>',
    ],
    ['- a\n# b', '<ul><li>a</li></ul><h3>b</h3>'],
    // What stands in quotes.
    [
      '> a\n> - b\n>   - c\n>\n> ```\n>   x\n>\n> y\n> ```\n> > d\nafter',
      '<blockquote><p>a</p><ul><li><p>b</p><ul><li>c</li></ul></li></ul>[  x||y]<blockquote><p>d</p></blockquote></blockquote><p>after</p>',
    ],
    // No fence, and one that is longer at its end.
    ['```a``` is\n\ncode', '<p>``<code>a</code>`` is</p><p>code</p>'],
    ['```\nx\n````\nafter', '[x]<p>after</p>'],
  ])('renders the blocks of %j', (text, markup) => {
    const shown = render(text).replaceAll(
      /<figure.*?<code>(.*?)<\/code>.*?<\/figure>/gs,
      (_, code: string) =>
        `[${code
          .replaceAll(/<[^>]*>/g, '')
          .trimEnd()
          .replaceAll('\n', '|')}]`,
    );
    expect(shown).toBe(markup);
  });

  it('takes no time that grows with the square of a hostile text', () => {
    const row = '|'.repeat(10_000);
    const below = '\na'.repeat(10_000);
    // One that took the square of its length would outlast the test's own time.
    const hostile = [
      `${row}\n${row}|${below}`,
      `${'`'.repeat(60_000)} \`${'a'.repeat(60_000)}`,
      `-${' '.repeat(100_000)}a${below.repeat(8)}`,
    ];
    for (const text of hostile) splitBlocks(text).forEach(parseBlock);
  }, 15_000);

  it('renders text that grows by its last block, or by new ones', () => {
    const text =
      '- a\n\n  b\n\n  ```\n  c\n\n  ```\n\n1. d\n\n> e\n> - f\n\n```\ng\n```\nh\n===\ni\n\nj\n---\nk\nl\n---\n';
    for (let end = 1; end < text.length; end += 1) {
      const before = splitBlocks(text.slice(0, end));
      const after = splitBlocks(text.slice(0, end + 1));
      expect(after.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
    }
  });

  it.each([
    '[click](javascript:alert(1))',
    '[click](data:text/html,hi)',
    '[click](vbscript:x)',
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '![image](https://evil.example/track.png)',
  ])('makes nothing that runs or loads of %j', (text) => {
    expect(render(text)).not.toMatch(/<(script|img|iframe)|href="(?!https:)|<[^>]*\ssrc=/);
  });

  describe('with a host that opens files', () => {
    const host = {
      cwd: '/workspace',
      open: () => undefined,
      hasFile: (path: string) => path === '/workspace/src/a b.ts' || path === '/workspace/a.ts',
    };
    const show = (text: string, given: Partial<OpenFile> = host) => {
      const shown = renderToStaticMarkup(
        <OpenFileContext value={{ cwd: host.cwd, open: host.open, ...given }}>
          <Markdown text={text} />
        </OpenFileContext>,
      );
      return [...shown.matchAll(/<button[^>]*title="Open ([^"]*)"[^>]*>(.*?)<\/button>/g)].map(
        ([, path, label]) => [path, label],
      );
    };

    it.each([
      ['`a.ts`', ['/workspace/a.ts', 'a.ts']],
      ['`./src/a b.ts:12`', ['/workspace/src/a b.ts', './src/a b.ts:12']],
      ['`/workspace/a.ts:3:5`', ['/workspace/a.ts', '/workspace/a.ts:3:5']],
      ['[`a`](src/a%20b.ts#L3)', ['/workspace/src/a b.ts', 'a']],
      ['[new](new.ts:7)', ['/workspace/new.ts', 'new']],
      ['![](shot.png)', ['/workspace/shot.png', 'shot.png']],
    ])('opens the file of %s', (text, link) => {
      expect(show(text)).toEqual([link]);
    });

    it.each([
      '`b.ts` `a.ts.map` `/a.ts` `src/` `npm test`',
      '[a](#top) [a](?q) [a](//example.com/a.ts) [a](mailto:a@b.c) [a](javascript:x) [a](src/) [a](..)',
      '[a](https://example.com/a.ts) https://example.com/a.ts',
      '```\na.ts\n```',
    ])('opens nothing of %s', (text) => {
      expect(show(text)).toEqual([]);
    });

    it('knows no file in inline code where the host says nothing of them', () => {
      expect(show('`a.ts` [b](b.ts)', {})).toEqual([['/workspace/b.ts', 'b']]);
    });
  });

  it('shows the host of a link whose label names another', () => {
    expect(render('[https://good.example](https://evil.example)')).toContain('(evil.example)');
    expect(render('[not-evil.example](https://evil.example)')).toContain(' (evil.example)');
  });

  it('colours the lines of a diff by what happened to them, and not the names of its files', () => {
    const shown = render('```diff\n--- a/x.ts\n+++ b/x.ts\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n```');
    const lines = [...shown.matchAll(/<span class="rp-line( [^"]*)?">.*?rp-line-text">(.*?)\n/g)];
    expect(lines.map(([, kind, text]) => [kind?.trim(), text?.replaceAll(/<[^>]*>/g, '')])).toEqual(
      [
        [undefined, '--- a/x.ts'],
        [undefined, '+++ b/x.ts'],
        [undefined, '@@ -1,2 +1,2 @@'],
        [undefined, ' a'],
        ['rp-diff-removed', '-b'],
        ['rp-diff-added', '+c'],
      ],
    );
  });

  it('survives lists and quotes that are nested without end', () => {
    const text = Array.from({ length: 2000 }, (_, depth) => `${'  '.repeat(depth)}- x`).join('\n');
    expect(render(text)).toContain('<li>');
    expect(render(`${'> '.repeat(2000)}x`)).toContain('<blockquote>');
  });
});
