import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { Markdown } from '../../src/react/kit/markdown.tsx';

/** The markup without the wrapper and the attributes that only styles need. */
function render(text: string): string {
  return renderToStaticMarkup(<Markdown text={text} />)
    .replaceAll('<div class="rp-markdown">', '')
    .replaceAll('</div>', '');
}

const link = 'target="_blank" rel="noopener noreferrer nofollow"';

describe('Markdown', () => {
  it.each([
    ['plain words', '<p>plain words</p>'],
    ['one\n\ntwo', '<p>one</p><p>two</p>'],
    ['# Title\ntext', '<h3>Title</h3><p>text</p>'],
    ['- a\n- b', '<ul><li>a</li><li>b</li></ul>'],
    ['text:\n- a', '<p>text:</p><ul><li>a</li></ul>'],
    ['3. a\n4. b', '<ol start="3"><li>a</li><li>b</li></ol>'],
    ['- a\n  - b', '<ul><li><p>a</p><ul><li>b</li></ul></li></ul>'],
    ['> said\n> so', '<blockquote>said\nso</blockquote>'],
    ['a\n\n---\n\nb', '<p>a</p><hr/><p>b</p>'],
    ['**bold** *it* `co<de`', '<p><strong>bold</strong> <em>it</em> <code>co&lt;de</code></p>'],
    ['2 * 3 * 4 and snake_case_name', '<p>2 * 3 * 4 and snake_case_name</p>'],
    ['~~gone~~ and ~5 to ~6', '<p><del>gone</del> and ~5 to ~6</p>'],
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
    '[click](javascript:alert(1))',
    '[click](data:text/html,hi)',
    '[click](vbscript:x)',
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '![image](https://evil.example/track.png)',
  ])('makes nothing that runs or loads of %j', (text) => {
    expect(render(text)).not.toMatch(/<(script|img|iframe)|href="(?!https:)|<[^>]*\ssrc=/);
  });

  it('shows the host of a link whose label names another', () => {
    expect(render('[https://good.example](https://evil.example)')).toContain('(evil.example)');
    expect(render('[not-evil.example](https://evil.example)')).toContain(' (evil.example)');
  });

  it('survives lists that are nested without end', () => {
    const text = Array.from({ length: 2000 }, (_, depth) => `${'  '.repeat(depth)}- x`).join('\n');
    expect(render(text)).toContain('<li>');
  });
});
