// Pictures of a previewed page: what is drawn where, what isn't, and pages that mean harm.
import { describe, expect, it } from 'vitest';
import { server } from 'vitest/browser';
import type { PreviewPicture } from '../../../src/core/host-ports/preview.ts';
import type { Clock } from '../../../src/core/tool/ports.ts';
import { createDeferred } from '../../../src/core/async/deferred.ts';
import { systemClock } from '../../../src/core/async/system-clock.ts';
import { openPreview, refOf, type Files } from '../../support/browser/preview-page.ts';

type Rgb = readonly [red: number, green: number, blue: number];

/** The colour at a place of a picture. */
async function readPicture({ png, width, height }: PreviewPicture) {
  const bitmap = await createImageBitmap(new Blob([png], { type: 'image/png' }));
  expect([bitmap.width, bitmap.height]).toEqual([width, height]);
  const context = new OffscreenCanvas(width, height).getContext('2d');
  if (!context) throw new Error('There is no canvas.');
  context.drawImage(bitmap, 0, 0);
  const at = (x: number, y: number) => [...context.getImageData(x, y, 1, 1).data].slice(0, 3);
  /** True if any place of the box has about that colour. */
  const has = (x: number, y: number, boxWidth: number, boxHeight: number, wanted: Rgb) => {
    const { data } = context.getImageData(x, y, boxWidth, boxHeight);
    return Array.from({ length: boxWidth * boxHeight }, (_, place) => place * 4).some((place) =>
      wanted.every((value, part) => Math.abs(value - (data[place + part] ?? 0)) < 40),
    );
  };
  return { at, has };
}

async function takePicture(files: Files) {
  const opened = await openPreview(files);
  await opened.open();
  const picture = await opened.preview.screenshot();
  return { ...opened, picture, ...(await readPicture(picture)) };
}

const white: Rgb = [255, 255, 255];
const red: Rgb = [255, 0, 0];
const blue: Rgb = [0, 0, 255];
const black: Rgb = [0, 0, 0];

// Each row is 50 pixels high; the page has 600 × 400.
const rows = (css: string, ...content: readonly string[]) => `<!doctype html>
<style>body { margin: 0 } .row { height: 50px; overflow: hidden } ${css}</style>
${content.map((one) => `<div class="row">${one}</div>`).join('')}`;

describe('a picture of a page', () => {
  it('shows what is drawn, typed and chosen, and what style sheets make of it', async () => {
    const { at, has, picture } = await takePicture({
      'index.html': `${rows(
        `:root { --brand: rgb(0, 0, 255); font-size: 62.5% } h1 { margin: 1em 0; color: red }
         .var { background: var(--brand); height: 5rem; box-sizing: border-box }
         .var { --width: 5px; border: solid var(--width) red; border-top-width: 10px }
         x-box { background: red } x-box::part(mark) { background: blue } .of-hundred { height: 25vh; background: red }
         input, select { appearance: none; border: 0; margin: 0; width: 100px; height: 50px; font: 40px monospace }
         input:checked { background: red } select { color: blue } svg { width: 9px }
         .row > *, img { vertical-align: top } .made { display: inline-block; width: 100px; height: 50px; overflow: hidden; white-space: nowrap } .back { display: inline-block; width: 50px; height: 50px; background: url(dot.svg) }
         @media (min-width: 500px) and (max-width: 700px) { .wide\\,500 { background: red } }
         :is(.focused, x-y):focus { background: blue; outline: none }`,
        '<canvas width="50" height="50"></canvas><span class="made"></span><span class="back"></span>',
        '<input type="checkbox"><input class="typed"><select><option value=""><option value="b">█</select>',
        '<x-box>slotted</x-box>',
        '<div class="var"></div>',
        '<div class="row wide,500"></div>',
        '<input class="focused">',
      )}<div class="of-hundred"></div>
      <script>
        const get = (name) => document.querySelector(name);
        const context = get('canvas').getContext('2d');
        context.fillStyle = 'red';
        context.fillRect(0, 0, 25, 50);
        for (const name of ['dot', 'large']) {
          const image = new Image();
          image.src = '/' + name + '.svg';
          get('.made').append(image);
        }
        get('[type=checkbox]').checked = true;
        get('.typed').value = '█';
        get('select').value = 'b';
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(':host { display: block; background: black } ::slotted(*), p { margin: 0 } p { height: 50px; width: 50px; background: black }');
        customElements.define('x-box', class extends HTMLElement {
          constructor() { super(); this.attachShadow({ mode: 'open' }).innerHTML = '<p part="mark"></p>'; this.shadowRoot.adoptedStyleSheets = [sheet]; }
        });
        get('.focused').focus();
      </script>`,
      'dot.svg':
        '<svg xmlns="http://www.w3.org/2000/svg" width="50" height="50"><rect width="50" height="50" fill="red"/></svg>',
      'large.svg':
        '<svg xmlns="http://www.w3.org/2000/svg" width="1600" height="1600"><rect width="1600" height="1600" fill="blue"/></svg>',
    });
    expect(picture).toMatchObject({ path: '/app/index.html', width: 600, height: 400 });
    expect(picture.rest).toEqual({ above: 0, below: 0, left: 0, right: 0 });
    expect(picture.missing).toEqual({ videos: 0, frames: 0, canvases: 0 });
    expect([at(12, 25), at(40, 25)]).toEqual([red, white]);
    // Images that code has made have a `blob:` URL.
    expect([at(75, 25), at(175, 25)]).toEqual([red, red]);
    expect(has(101, 1, 48, 48, blue)).toBe(true);
    expect(at(50, 75)).toEqual(red);
    expect(has(100, 50, 50, 50, black)).toBe(true);
    expect(has(200, 50, 50, 50, blue)).toBe(true);
    expect([at(25, 125), at(300, 125)]).toEqual([blue, red]);
    expect([at(300, 175), at(300, 225)]).toEqual([blue, red]);
    // A shorthand with a variable, of which one part has a value of its own.
    expect([at(300, 158), at(300, 162), at(300, 193), at(300, 197)]).toEqual([
      red,
      blue,
      blue,
      red,
    ]);
    // In WebKit a script can't give the focus to a frame.
    if (server.browser !== 'webkit') expect(at(50, 275)).toEqual(blue);
    expect([at(300, 305), at(300, 395)]).toEqual([red, red]);
  });

  it('lays margins, tables, and what is stuck, fixed or scrolled out as the page does', async () => {
    const { open, preview } = await openPreview({
      'index.html': `<!doctype html><style>
        html { scrollbar-width: none } body { margin: 0; background: rgb(0, 0, 255) } h1 { margin: 40px 0; height: 20px; background: red }
        div > p { margin: 30px 0; height: 10px; background: red }
        header { position: fixed; top: 0; right: 0; z-index: 1; width: 20px; height: 20px; background: black }
        nav { position: sticky; top: 0; height: 20px; background: white }
        .inner { height: 40px; overflow: auto; scrollbar-width: none } .inner i { display: block; height: 40px }
        .inner b { position: sticky; top: 0; display: block; height: 20px; background: black }
        .tall { height: 1000px }</style>
        <header></header><h1></h1><div><p></p></div><nav></nav>
        <div class="inner"><b></b><i style="background: white"></i><i style="background: red"></i></div><div class="tall"></div>
        <button onclick="window.scrollTo(0, 150); document.querySelector('.inner').scrollTop = 60">Scroll</button>`,
    });
    const page = await open();
    const picture = await preview.screenshot({ fullPage: true });
    const { at } = await readPicture(picture);
    // The margins of the heading and the paragraph become one.
    expect([at(5, 39), at(5, 41), at(5, 59), at(5, 61)]).toEqual([blue, red, red, blue]);
    expect([at(5, 99), at(5, 101), at(5, 111), at(5, 139)]).toEqual([blue, red, blue, blue]);
    expect([at(5, 141), at(5, 161), at(5, 181), at(595, 5)]).toEqual([white, black, white, black]);
    expect(picture.rest).toEqual({ above: 0, below: 0, left: 0, right: 0 });
    expect([picture.width, picture.height]).toEqual([600, (page.view?.below as number) + 400]);
    expect(picture.height).toBeGreaterThan(1200);
    expect(at(5, 1100)).toEqual(blue);
    const button = refOf(page, 'button "Scroll"');
    await preview.act({ type: 'click', ref: button });
    const scrolled = await preview.screenshot();
    expect(scrolled).toMatchObject({
      height: 400,
      rest: { above: 150, below: picture.height - 550 },
    });
    const second = await readPicture(scrolled);
    // Stuck, fixed, and within a scrolled box.
    expect([second.at(5, 5), second.at(595, 5)]).toEqual([white, black]);
    expect([second.at(5, 25), second.at(5, 40), second.at(5, 55)]).toEqual([black, red, blue]);
  });

  it('shows all of a scrolled page, as it is where nothing is scrolled', async () => {
    const { open, preview } = await openPreview({
      'index.html': `<!doctype html><style>html { scrollbar-width: none } body { margin: 0; background: blue }
        nav { position: sticky; top: 0; height: 20px; background: white }
        header { position: fixed; top: 0; right: 0; z-index: 1; width: 20px; height: 20px; background: black }
        p { margin: 0; height: 7000px }</style><header></header><nav></nav><p></p>
        <script>window.scrollTo(0, 500)</script>`,
    });
    const page = await open();
    expect(page.view).toMatchObject({ width: 600, height: 400, above: 500, below: 6120 });
    const picture = await preview.screenshot({ fullPage: true });
    // A quarter of the size, and what is longer than that is left out.
    expect(picture).toMatchObject({ width: 150, height: 1568 });
    expect(picture.rest).toEqual({ above: 0, below: 7020 - 4 * 1568, left: 0, right: 0 });
    const { at } = await readPicture(picture);
    expect([at(5, 2), at(147, 2), at(5, 127), at(147, 127)]).toEqual([white, black, blue, blue]);
    expect((await preview.act({ type: 'read' })).view?.above).toBe(500);
  });

  it('changes nothing that the page could see, and asks for nothing', async () => {
    const { open, preview } = await openPreview({
      'index.html': `<!doctype html><nav style="position: sticky; top: 0">Here</nav><img id="late" alt="late"><video></video>
        <iframe></iframe><canvas id="empty"></canvas>
        <script>
          const seen = (kind) => (records) => console.log(kind, records.length);
          addEventListener('securitypolicyviolation', ({ blockedURI }) => console.log('refused', blockedURI));
          new MutationObserver(seen('mutation')).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
          customElements.define('x-count', class extends HTMLElement { constructor() { super(); console.log('made'); } });
          document.addEventListener('click', () => console.log('sheets', document.adoptedStyleSheets.length));
        </script><x-count></x-count><button>Count</button>`,
    });
    const page = await open();
    await preview.readConsole();
    const { missing } = await preview.screenshot();
    expect(missing).toEqual({ videos: 1, frames: 1, canvases: 1 });
    expect((await preview.readConsole()).messages).toEqual([]);
    await preview.act({ type: 'click', ref: refOf(page, 'Count') });
    const { messages } = await preview.readConsole();
    expect(messages).toEqual([{ level: 'log', text: 'sheets 0' }]);
  });
});

/** A PNG of that size without any pixel. */
function writeEmptyPng(width: number, height: number): string {
  const chunk = (name: string, ...content: readonly number[]) => [
    ...[0, 0, 0, content.length],
    ...[...name].map((char) => char.charCodeAt(0)),
    ...content,
    ...[0, 0, 0, 0],
  ];
  const size = [width, height].flatMap((side) => [0, 0, side >> 8, side & 255]);
  const header = [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, ...chunk('IHDR', ...size, 8, 6, 0, 0, 0)];
  const bytes = [...header, ...chunk('IEND')];
  return `data:image/png;base64,${btoa(String.fromCharCode(...bytes))}`;
}

describe('a page that means harm', () => {
  const noPicture =
    'The page answered with no picture, or with one that is too large: its code interferes with the preview. Look at it by read instead.';

  it.each([
    ['no picture', "'data:image/png;base64,SGVsbG8='"],
    ['no base64', "'data:image/png;base64,%%'"],
    ['an SVG', "'data:image/svg+xml;base64,PHN2Zy8+'"],
    ['a damaged PNG', `'${writeEmptyPng(10, 10)}'`],
    ['a giant PNG', `'${writeEmptyPng(20_000, 20_000)}'`],
  ])('is refused with %s', async (_what, code) => {
    const { open, preview } = await openPreview({
      'index.html': `<p>Here</p><script>HTMLCanvasElement.prototype.toDataURL = () => ${code};</script>`,
    });
    await open();
    await expect(preview.screenshot()).rejects.toMatchObject({
      code: 'invalid-input',
      message: noPicture,
    });
    expect((await preview.act({ type: 'read' })).tree).toContain('Here');
  });

  it('is refused with a picture that is longer than any', async () => {
    const { open, preview } = await openPreview({
      'index.html': `<script>
        const png = 'x'.repeat(4_000_001);
        setInterval(() => parent.postMessage({ type: 'picture', id: 2, png, rest: { above: 0, below: 0, left: 0, right: 0 }, missing: { videos: 0, frames: 0, canvases: 0 } }, '*'), 20);
        HTMLCanvasElement.prototype.toDataURL = () => { throw new Error('I am late.'); };
        window.requestAnimationFrame = () => {};</script>`,
    });
    await open();
    await expect(preview.screenshot()).rejects.toMatchObject({
      code: 'invalid-input',
      message: noPicture,
    });
  });

  it('is refused with something else than a picture', async () => {
    const { open, preview } = await openPreview({
      'index.html': `<script>
        setInterval(() => parent.postMessage({ type: 'page', id: 2, title: '', tree: 'I am a picture', view: { width: 1, height: 1, above: 0, below: 0, left: 0, right: 0 } }, '*'), 20);
        window.requestAnimationFrame = () => {};</script>`,
    });
    await open();
    await expect(preview.screenshot()).rejects.toMatchObject({ message: noPicture });
  });

  it('is thrown away when it never answers', async () => {
    // The deadline of the first action after the page is open.
    const deadline = createDeferred();
    let ring: (() => void) | undefined;
    let isOpen = false;
    const clock: Clock = {
      ...systemClock,
      after(delayMs, callback) {
        if (isOpen) {
          ring = callback;
          deadline.resolve();
        }
        return systemClock.after(delayMs, callback);
      },
    };
    const { open, preview, container } = await openPreview(
      {
        'index.html':
          '<script>HTMLCanvasElement.prototype.toDataURL = () => { for (;;); };</script>',
      },
      clock,
    );
    await open();
    isOpen = true;
    const taking = preview.screenshot();
    taking.catch(() => undefined);
    await deadline.promise;
    ring?.();
    await expect(taking).rejects.toMatchObject({
      code: 'limit-exceeded',
      message: expect.stringContaining("didn't answer within 20 s") as string,
    });
    expect(container.childElementCount).toBe(0);
  });
});
