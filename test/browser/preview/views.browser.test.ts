// What is on the screen of a preview: scrolled pages and boxes, and viewports of other sizes.
import { describe, expect, it } from 'vitest';
import type { PreviewAction, PreviewFilter } from '../../../src/core/host-ports/preview.ts';
import { openPreview, refOf } from '../../support/browser/preview-page.ts';

const noBars = 'html, * { scrollbar-width: none } body { margin: 0 }';

/** Each row is 100 pixels high. */
const rows = (count: number, of: string) =>
  Array.from({ length: count }, (_, at) => `<p>${of} ${at}</p>`).join('');

const list = `<!doctype html><style>${noBars} p { margin: 0; height: 100px }
  .box { height: 200px; overflow: auto; width: 300px } .wide { width: 900px }</style>
  <div class="box" role="list"><div class="wide">${rows(5, 'Boxed')}</div></div>${rows(10, 'Row')}
  <button>Last</button>`;

describe('what an answer lists', () => {
  const items = Array.from({ length: 400 }, (_, at) => `<li>Item ${at} ${'long '.repeat(10)}</li>`);
  const html = `<!doctype html><h1>Shop</h1><nav><a href="#a">Home</a></nav><form><label>Name <input></label>
    <button type="button" onclick="this.after(' Thanks')">Send</button></form>`;
  const answer = async (page: string, filter: PreviewFilter) => {
    const { open, preview } = await openPreview({ 'index.html': page });
    const all = await open();
    const act = async (action: PreviewAction) => (await preview.act(action, { filter })).tree;
    return { all, act };
  };

  it('is only what can be acted on, also of a page that is too long for a list', async () => {
    const { all, act } = await answer(
      `${html}<ul>${items.join('')}</ul><button>End`,
      'interactive',
    );
    expect(all.tree).not.toContain('End');
    const lines = ['link "Home" [ref=e1]', 'textbox "Name" [ref=e2]', 'button "Send" [ref=e3]'];
    const listed = [...lines, 'button "End" [ref=e4]'].map((line) => `- ${line}`).join('\n');
    expect(await act({ type: 'read' })).toBe(listed);
    // A ref of an earlier list still holds.
    expect(await act({ type: 'read', ref: 'e2' })).toBe('- textbox "Name" [ref=e2]');
    expect(await act({ type: 'click', ref: 'e1' })).toContain('- button "Send" [ref=e3]');
  });

  it('is an element and what is in it', async () => {
    const { act } = await answer(`${html}<ul tabindex="0"><li>One<li>Two</ul>`, 'all');
    expect(await act({ type: 'read', ref: 'e4' })).toBe(
      '- list [ref=e4]\n  - listitem: One\n  - listitem: Two',
    );
    const { act: say } = await answer(html, 'all');
    await expect(say({ type: 'read', ref: 'e9' })).rejects.toThrow('There is no element e9');
  });

  it('is only what has changed since the page was listed', async () => {
    const { act } = await answer(html, 'changed');
    expect(await act({ type: 'click', ref: 'e3' })).toBe(
      '- form\n  - button "Send" [focused] [ref=e3]\n  - text: Thanks',
    );
    expect(await act({ type: 'read' })).toBe('- (Nothing has changed since the last list.)');
    // What was found, or listed in part, isn't the last list.
    expect(await act({ type: 'find', text: 'Shop' })).toBe('- heading "Shop" [level=1]');
    expect(await act({ type: 'read' })).toBe('- (Nothing has changed since the last list.)');
  });
});

describe('scrolling in a preview', () => {
  const drive = async (html: string) => {
    const { open, preview } = await openPreview({ 'index.html': html });
    const page = await open();
    const scroll = (options: Omit<Extract<PreviewAction, { type: 'scroll' }>, 'type'>) =>
      preview.act({ type: 'scroll', ...options });
    const says = (options: Parameters<typeof scroll>[0]) =>
      scroll(options).catch((error: unknown) => (error as Error).message);
    return { page, preview, scroll, says };
  };

  it('moves the page by pixels and by what is shown, and to an element', async () => {
    const { page, preview, scroll, says } = await drive(list);
    expect(page.view).toMatchObject({ width: 600, height: 400, above: 0, left: 0, right: 0 });
    const below = page.view?.below ?? 0;
    expect((await scroll({ direction: 'down', amount: 120 })).view?.above).toBe(120);
    expect((await scroll({ direction: 'down' })).view?.above).toBe(120 + 350);
    expect((await scroll({ direction: 'up', amount: 10_000 })).view?.above).toBe(0);
    expect(await says({ direction: 'up' })).toBe('Nothing can be scrolled further up there.');
    const last = await scroll({ ref: refOf(page, 'Last') });
    expect(last.view).toMatchObject({ above: below, below: 0 });
    const { rest } = await preview.screenshot();
    expect(rest).toEqual({ above: below, below: 0, left: 0, right: 0 });
    // What is seen stays where it is when it is clicked.
    await scroll({ direction: 'up', amount: 5 });
    const clicked = await preview.act({ type: 'click', ref: refOf(page, 'Last') });
    expect(clicked.view?.above).toBe(below - 5);
  });

  it('moves a box within the page, and says how much of it is not seen', async () => {
    const { page, scroll } = await drive(list);
    expect(page.tree).toMatch(/^- list \[below=300\] \[right=600\] \[ref=e1\]\n/);
    const down = await scroll({ ref: 'e1', direction: 'down', amount: 150 });
    expect(down.tree).toContain('- list [above=150] [below=150] [right=600] [ref=e1]');
    expect(down.view?.above).toBe(0);
    const right = await scroll({ ref: 'e1', direction: 'right' });
    expect(right.tree).toContain('[left=263] [right=337] [ref=e1]');
  });

  it('moves what scrolls in place of the page, and not what hides the rest', async () => {
    const shell = (overflow: string) => `<!doctype html><style>${noBars} html { overflow: hidden }
      main { height: 300px; overflow: ${overflow} } p { margin: 0; height: 100px }</style>
      <main><slot>${rows(8, 'Row')}</slot></main><p style="height: 900px">`;
    const scrolling = await drive(shell('auto'));
    const down = await scrolling.scroll({ direction: 'down', amount: 80 });
    expect(down.tree).toMatch(/^- main \[above=80\] \[below=420\] \[ref=e1\]\n/);
    expect(down.view).toMatchObject({ above: 0 });
    const hiding = await drive(shell('hidden'));
    expect(hiding.page.tree).toMatch(/^- main\n/);
    expect(await hiding.says({ direction: 'down' })).toContain('Nothing can be scrolled');
  });

  it('is told to the app, which may do something else by it', async () => {
    const { page, preview, scroll } = await drive(`${list}<script>
      document.querySelector('.box').addEventListener('wheel', (event) => {
        event.preventDefault();
        console.log('zoom', event.deltaX, event.deltaY);
      });
      addEventListener('scroll', () => console.log('scrolled', scrollY));</script>`);
    const box = await scroll({ ref: refOf(page, 'list'), direction: 'up', amount: 70 });
    expect(box.tree).toContain('- list [below=300]');
    await scroll({ direction: 'down', amount: 40 });
    const { messages } = await preview.readConsole();
    expect(messages.map(({ text }) => text)).toEqual(['zoom 0 -70', 'scrolled 40']);
  });

  it('shows the part of a long page that is on the screen', async () => {
    const { page, scroll } = await drive(
      `<!doctype html><style>${noBars} p { margin: 0; height: 100px }</style>${rows(1000, 'Row')}`,
    );
    const note =
      '- (The page is too long for a list. So only what is on the screen is listed: scroll to see more.)';
    const list4 = (first: number, last: number) =>
      Array.from({ length: last - first + 1 }, (_, at) => `- paragraph: Row ${first + at}\n`);
    expect(page.tree).toBe([...list4(0, 3), note].join(''));
    const down = await scroll({ direction: 'down', amount: 50_050 });
    expect(down.tree).toBe([...list4(500, 504), note].join(''));
  });
});

describe('an answer with the page', () => {
  it('comes when what was begun is over: a transition, and what is computed', async () => {
    const { open, preview } = await openPreview({
      'index.html': `<!doctype html><style>p { transition: opacity 400ms } .out { opacity: 0.5 }</style>
        <p>Here</p><button id="move">Move</button><button id="compute">Compute</button><script>
          const text = document.querySelector('p');
          text.addEventListener('transitionend', () => (text.textContent = 'Faded'));
          move.onclick = () => text.classList.add('out');
          const channel = new MessageChannel();
          channel.port1.onmessage = () => (text.textContent = 'Computed');
          compute.onclick = () => setTimeout(() => {
            const until = performance.now() + 300;
            while (performance.now() < until);
            setTimeout(() => channel.port2.postMessage(1), 30);
          }, 50);
        </script>`,
    });
    const page = await open();
    const computed = await preview.act({ type: 'click', ref: refOf(page, 'Compute') });
    expect(computed.tree).toContain('paragraph: Computed');
    const moved = await preview.act({ type: 'click', ref: refOf(page, 'Move') });
    expect(moved.tree).toContain('paragraph: Faded');
  });

  it('has a space where a person sees one, and names of labels without their fields', async () => {
    const { open } = await openPreview({
      'index.html': `<!doctype html><div><b style="display: block">Revenue</b><span>48</span>k<br>all</div>
        <li>Order 1<span style="float: right">open</span></li><label>Kind<select><option>Paid</option></select></label>
        <svg><title>Sales</title><g><text>Jan</text><g><text>Feb</text></g></g><rect tabindex="-1"/></svg>
        <div tabindex="-1">1<div contenteditable="true" aria-label="Code">let a</div></div>`,
    });
    expect((await open()).tree).toBe(`- text: Revenue 48k all
- listitem: Order 1 open
- text: Kind
- combobox "Kind" [value="Paid"] [ref=e1]
  - option "Paid" [selected] [ref=e2]
- img "Sales": Jan Feb
- clickable "1 let a" [ref=e3]
  - text: 1
  - textbox "Code" [ref=e4]: let a`);
  });
});

describe("a preview's viewport", () => {
  const html = `<!doctype html><style>${noBars} body { background: rgb(0, 0, 255) }
    nav { display: none } @media (max-width: 500px) { nav { display: block } body { background: red } }</style>
    <nav>Menu</nav><p></p><button style="position: fixed; bottom: 0; right: 0">Corner</button>
    <script>
      const narrow = matchMedia('(max-width: 500px)');
      narrow.addEventListener('change', () => console.log('narrow', narrow.matches));
      const tell = (what) => {
        console.log(what, innerWidth, innerHeight, document.documentElement.clientWidth);
      };
      addEventListener('resize', () => tell('resized'));
      tell('began');
    </script>`;
  const phone = { width: 390, height: 844 };

  it('is that of a phone, for all that the page asks, and stays so', async () => {
    const { container, open, preview } = await openPreview({ 'index.html': html });
    expect((await open()).tree).not.toContain('Menu');
    const small = await preview.act({ type: 'resize', size: phone });
    expect(small.tree).toContain('navigation: Menu');
    expect(small.view).toMatchObject(phone);
    const told = async () => (await preview.readConsole()).messages.map(({ text }) => text);
    // The browser may have told of a size on the way.
    const messages = await told();
    expect(messages).toEqual(
      expect.arrayContaining(['began 600 400 600', 'narrow true', 'resized 390 844 390']),
    );
    const { width, height } = await preview.screenshot();
    expect({ width, height }).toEqual(phone);
    await preview.act({ type: 'click', ref: refOf(small, 'Corner') });

    // A person sees all of it, made smaller, and how large it is.
    expect(preview.state().viewport).toEqual(phone);
    expect(container.innerText).toBe('390 × 844 (44 %)');
    const shown = container.querySelector('iframe')?.getBoundingClientRect();
    expect(shown?.height).toBeCloseTo(368);
    expect(shown?.width).toBeCloseTo((390 * 368) / 844);
    container.style.height = '1000px';
    await expect.poll(() => container.innerText).toBe('390 × 844');
    container.style.height = '400px';

    // Also after it is opened again, until it is given another one.
    expect((await open()).tree).toContain('navigation: Menu');
    expect(await told()).toEqual(['began 390 844 390']);
    const large = await preview.act({ type: 'resize' });
    expect(large.view).toMatchObject({ width: 600, height: 400 });
    expect(large.tree).not.toContain('Menu');
    expect(preview.state().viewport).toBeUndefined();
    expect(container.innerText).toBe('');
  });

  it('is refused a size that no screen has', async () => {
    const { open, preview } = await openPreview({ 'index.html': html });
    await open();
    const size = { width: 390.5, height: 844 };
    await expect(preview.act({ type: 'resize', size })).rejects.toMatchObject({
      code: 'invalid-input',
      message: "A page can't have 390.5 × 844 pixels. Give integers of 100 to 4000.",
    });
    expect(preview.state().viewport).toBeUndefined();
  });
});

describe('a page in dark colours', () => {
  const html = `<!doctype html><style>:root { color-scheme: light dark } body { margin: 0; background: light-dark(white, black) }
    p { color: red } @media (prefers-color-scheme: dark) { p { color: blue } }
    @supports (color: red) { @media screen and (prefers-color-scheme: light) { p { border-top: 3px solid } } }</style>
    <style media="(prefers-color-scheme: dark)">p { padding-top: 5px }</style><p>Text</p><script>
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const show = (why) => {
      const { color, borderTopWidth, paddingTop } = getComputedStyle(document.querySelector('p'));
      console.log(why, dark.matches, color, borderTopWidth, paddingTop, getComputedStyle(document.body).backgroundColor);
    };
    dark.addEventListener('change', ({ matches }) => show('changed ' + matches));
    addEventListener('load', () => show('began')); matchMedia('(min-width: 1px)').addListener(() => {});</script>`;

  it('is as for a person who has chosen them, also when it is opened again', async () => {
    const { open, preview } = await openPreview({ 'index.html': html });
    const told = async () => (await preview.readConsole()).messages.map(({ text }) => text);
    await open();
    const light = 'false rgb(255, 0, 0) 3px 0px rgb(255, 255, 255)';
    const dark = 'true rgb(0, 0, 255) 0px 5px rgb(0, 0, 0)';
    expect(await told()).toEqual([`began ${light}`]);
    await preview.act({ type: 'emulate', colorScheme: 'dark' });
    expect(await told()).toEqual([`changed true ${dark}`]);
    const { png } = await preview.screenshot();
    const context = new OffscreenCanvas(600, 400).getContext('2d');
    context?.drawImage(await createImageBitmap(new Blob([png])), 0, 0);
    expect([...(context?.getImageData(300, 300, 1, 1).data ?? [])]).toEqual([0, 0, 0, 255]);
    await open();
    expect(await told()).toEqual([`began ${dark}`]);
    await preview.act({ type: 'emulate' });
    expect(await told()).toEqual([`changed false ${light}`]);
  });
});
