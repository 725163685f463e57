import { describe, expect, it } from 'vitest';
import { htmlToMarkdown } from '../../../src/text/html-to-markdown.ts';

const never = new AbortController().signal;
const read = (html: string, maxChars = 1_000_000) =>
  htmlToMarkdown(html, { url: 'https://a.net/docs/page', maxChars, signal: never });

describe('htmlToMarkdown', () => {
  it.each<[what: string, html: string, markdown: string]>([
    ['paragraphs', '<p>One\n  two</p>three<div>four</div>', 'One two\n\nthree\n\nfour'],
    ['headings', '<h1>A <em>b</em>\nc</h1><h3>d</h3>', '# A *b* c\n\n### d'],
    ['marks', 'a <b> bold</b>, <i>it</i><del>no</del>', 'a **bold**, *it*~~no~~'],
    ['blanks between marks', '<b>a </b>b<i> c</i>', '**a** b *c*'],
    ['links', '<a href="../x?y=1#z">a <b>b</b></a>', '[a **b**](https://a.net/x?y=1#z)'],
    [
      'links of a page with a base',
      '<base target="_top"><base href="/v2/"><base href="/v3/"><a href="x">a</a>',
      '[a](https://a.net/v2/x)',
    ],
    ['links to nowhere', '<a href="#top">a</a> <a>b</a> <a href="javascript:c()">c</a>', 'a b c'],
    [
      'links around blocks',
      '<a href="/x"><h2>Head</h2><p>Text</p></a>',
      '## Head\n\nText\n\n<https://a.net/x>',
    ],
    [
      'images',
      '<img src="/i.png" alt="A pic"><img src="x"><img src="data:,x" alt="B">',
      '![A pic](https://a.net/i.png)B',
    ],
    [
      'lists',
      '<ul><li>a<ul><li>b<li>c</ul><li><p>d</p><p>e</p></ul>',
      '- a\n  - b\n  - c\n- d\n\n  e',
    ],
    ['numbers', '<ol start="9"><li>a</li><li>b</li></ol>', '9. a\n10. b'],
    ['quotes', '<blockquote><p>a</p><p>b</p></blockquote>', '> a\n>\n> b'],
    ['code', 'x <code>a`b</code> <kbd>c</kbd>', 'x `` a`b `` `c`'],
    [
      'blocks of code',
      '<pre><code>let a;\n  <b>b</b>```</code></pre>',
      '````\nlet a;\n  b```\n````',
    ],
    ['line ends', 'a<br>b<br><br>c<hr>d', 'a\nb\n\nc\n\n---\n\nd'],
    [
      'tables',
      '<table><tr><th>A<th>B</tr><tr><td>1|2<td>3</table>',
      '| A | B |\n| --- | --- |\n| 1\\|2 | 3 |',
    ],
    [
      'tables whose cells hold lines',
      '<table><tr><th>Name<th>Use</tr><tr><td>a<td><p>One.</p><ul><li>b<li>c</ul></tr><tr><td>d<td>e<br>f</table>',
      '| Name | Use |\n| --- | --- |\n| a | One.<br>- b<br>- c |\n| d | e<br>f |',
    ],
    ['tables of layout', '<table><tr><td><p>a</p><p>b</p><td>c</table>', 'a\n\nb\n\nc'],
    ['entities', '&lt;b&gt; &amp;amp; &#x41;', '<b> &amp; A'],
    ['what is not closed', '<ul><li><b>a', '- **a**'],
    ['what was never opened', '</b></div>a</p>b', 'a\n\nb'],
    ['nothing', '', ''],
  ])('writes %s', async (_what, html, markdown) => {
    expect((await read(html)).markdown).toBe(markdown);
  });

  it.each([
    '<script>x</script>',
    '<style>x</style>',
    '<template>x</template>',
    '<svg><title>x</title></svg>',
    '<select><option>x</select>',
    '<p hidden>x</p>',
    '<p style="color: red; DISPLAY : none"><b>x</b></p>',
    '<p aria-hidden="true">x</p>',
    '<!-- x -->',
  ])('leaves out what a person does not see: %s', async (html) => {
    expect(await read(`a${html}b`)).toMatchObject({
      title: '',
      markdown: expect.not.stringContaining('x'),
    });
  });

  it('takes the title, once', async () => {
    const html = '<head><title>\n A &amp; b </title></head><body>c<title>d</title>';
    expect(await read(html)).toEqual({ title: 'A & b', markdown: 'c', isCut: false });
  });

  it.each<[what: string, html: string]>([
    ['text', 'word '.repeat(1_000)],
    ['addresses', '<a href="x">y</a>'.repeat(1_000)],
    ['line starts', `${'<blockquote>'.repeat(8)}${'x<br>'.repeat(100)}`],
    ['one without an end', `<a ${'b '.repeat(1_000)}`],
  ])('keeps no more than is wanted, of %s', async (_what, html) => {
    const { markdown, isCut } = await read(html, 500);
    expect(markdown.length).toBeLessThanOrEqual(500);
    expect(isCut).toBe(markdown !== '');
  });

  it('refuses a page that is nested deeper than browsers build it', async () => {
    await expect(read('<b>'.repeat(513))).rejects.toMatchObject({ code: 'limit-exceeded' });
    expect((await read(`${'<div>'.repeat(512)}x`)).markdown).toBe('x');
  });

  it('takes code within code for one, so that ticks do not pile up around ticks', async () => {
    expect((await read('<code>a <kbd>b</kbd></code> <tt>c</tt>')).markdown).toBe('`a b` `c`');
    const nested = `${'<code>'.repeat(500)}x${'</code>'.repeat(500)}`;
    expect(await read(nested)).toMatchObject({ markdown: '`x`', isCut: false });
  });

  it('comes to its end over a block of code that is blank for long', async () => {
    const blanks = ' '.repeat(900_000);
    const { markdown } = await read(`<pre>x${blanks}y${blanks}</pre>`, 2_000_000);
    expect(markdown).toBe(`\`\`\`\nx${blanks}y\n\`\`\``);
  });

  it('passes over a base of a length that no page has, as each link is taken from it', async () => {
    const base = `<base href="https://b.net/${'b'.repeat(900_000)}/">`;
    const { markdown } = await read(`${base}${'<a href="x">y</a> '.repeat(3_000)}`, 1_000_000);
    expect(markdown).toMatch(/^\[y\]\(https:\/\/a\.net\/[^b]*x\) /u);
  });

  it('stops between two pieces when it is cut', async () => {
    const controller = new AbortController();
    const reading = htmlToMarkdown('<p>x'.repeat(100_000), {
      ...{ url: 'https://a.net/', maxChars: 1_000_000, signal: controller.signal },
    });
    controller.abort();
    await expect(reading).rejects.toMatchObject({ code: 'aborted' });
  });
});
