// Draws screens of a page's copy by SVG images. An image has a viewport of its own, so each screen
// is one: units of the viewport, percentages and fixed elements mean what they mean in the page.
import { fixedAttribute, type PageCopy } from './copy-page.ts';
import { toAttribute } from './selectors.ts';

export interface Place {
  /** Where the screen begins in the page. */
  readonly left: number;
  readonly top: number;
  /** Fixed elements and dialogs are on the first screen alone. */
  readonly isFirst: boolean;
}

/** Draws a screen. It rejects with an Error if the browser can't. */
export type DrawScreen = (place: Place) => Promise<HTMLImageElement>;

export async function createScreens(copy: PageCopy): Promise<DrawScreen> {
  const { html } = copy;
  const body = [...html.children].find(({ localName }) => localName === 'body');
  const root = getComputedStyle(document.documentElement);
  const writeBackground = moveBackground(html, body);
  if (html instanceof HTMLElement) {
    // In a document, margins stay within the root element.
    if (root.display === 'block') html.style.setProperty('display', 'flow-root');
    // The overflow of the root element, or the body's, is that of the viewport.
    const scroller = root.overflow === 'visible' && body instanceof HTMLElement ? body : html;
    scroller.style.setProperty('overflow', 'visible', 'important');
  }
  const content = new XMLSerializer().serializeToString(html);
  const blobs = await readBlobs(content + copy.styles);

  const { innerWidth: outerWidth, innerHeight: height } = window;
  const { clientWidth: width } = document.documentElement;
  const size = { display: 'block', width: `${outerWidth}px`, height: `${height}px` };
  const page = { ...size, width: `${width}px`, 'color-scheme': root.colorScheme };
  const write = ({ left, top, isFirst }: Place) => {
    const hidden = isFirst ? '' : `[${fixedAttribute}] { display: none !important }`;
    const styles = [base, copy.styles, still, hidden].map(escapeXml).join('\n');
    const backdrops = copy.backdrops.map((style) => `<div style="${escapeXml(style)}"></div>`);
    // The font size is what `rem` means, and the page's own begins at the browser's.
    return [
      `<svg xmlns="http://www.w3.org/2000/svg" width="${outerWidth}" height="${height}" ${own({ ...size, 'font-size': root.fontSize })}>`,
      `<style>${styles}</style>`,
      `<foreignObject width="${outerWidth}" height="${height}" ${own({ ...size, x: '0', y: '0' })}>`,
      `<div xmlns="http://www.w3.org/1999/xhtml" ${own({ ...page, position: 'relative', overflow: 'hidden', ...writeBackground(left, top) })}>`,
      `<div ${own({ ...page, position: 'absolute', left: `${-left}px`, top: `${-top}px` })}>${content}</div>`,
      ...(isFirst ? backdrops : []),
      '</div></foreignObject></svg>',
    ].join('');
  };
  return (place) => {
    const text = write(place)
      .replaceAll(blobPattern, (url) => blobs.get(url) ?? url)
      .replaceAll(notInXml, '')
      .toWellFormed();
    return loadImage(`data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`);
  };
}

/** What browsers give a link, which an image has none of. In a layer, so that all rules of the page win. */
const base = `@layer data-shot { [${toAttribute('any-link')}] { color: LinkText; text-decoration: underline } }`;

const still =
  '*, *::before, *::after { animation: none !important; transition: none !important; caret-color: transparent !important }';

// oxlint-disable-next-line no-control-regex -- XML allows none of these characters.
const notInXml = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;
// 2 million pixels: a photograph of 12 million takes 10 s to be encoded as a PNG.
const maxExactPixels = 2_000_000;
/** Of a document without an origin. */
const blobPattern = /blob:null\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

type Declarations = Readonly<Record<string, string>>;

/** The attribute of an element that no rule of the page may change. */
function own(declarations: Declarations): string {
  const all = Object.entries({ all: 'initial', ...declarations });
  const style = all.map(([name, value]) => `${name}: ${value} !important`).join('; ');
  return `style="${escapeXml(style)}"`;
}

function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** The background of the root element, or the body's, is that of the whole viewport. */
function moveBackground(
  html: Element,
  body: Element | undefined,
): (left: number, top: number) => Declarations {
  const root = document.documentElement;
  const isRoots = !isPlain(getComputedStyle(root));
  const style = getComputedStyle(isRoots ? root : document.body);
  if (isPlain(style)) return () => ({ background: 'Canvas' });
  const owner = isRoots ? html : body;
  if (owner instanceof HTMLElement) owner.style.setProperty('background', 'none', 'important');
  const { backgroundColor, backgroundImage, backgroundRepeat, backgroundPosition } = style;
  const { width, height, x, y } = root.getBoundingClientRect();
  const [pageX, pageY] = [x + window.scrollX, y + window.scrollY];
  const isFixed = style.backgroundAttachment === 'fixed';
  // A gradient is as large as the root element.
  const isWhole = style.backgroundSize === 'auto' && backgroundImage.includes('gradient(');
  const size = isWhole && !isFixed ? `${width}px ${height}px` : style.backgroundSize;
  return (left, top) => {
    const isAtStart = backgroundPosition === '0% 0%' && !isFixed;
    const place = isAtStart ? `${pageX - left}px ${pageY - top}px` : backgroundPosition;
    return {
      'background-color': backgroundColor,
      'background-image': backgroundImage,
      'background-size': size,
      'background-position': place,
      'background-repeat': backgroundRepeat,
    };
  };
}

function isPlain({ backgroundColor, backgroundImage }: CSSStyleDeclaration): boolean {
  return backgroundImage === 'none' && /^(?:transparent|rgba\(.*, 0\))$/.test(backgroundColor);
}

/** An image loads no `blob:` URL, and the page's policy lets nothing fetch one. */
async function readBlobs(text: string): Promise<ReadonlyMap<string, string>> {
  const urls = [...new Set(text.match(blobPattern))];
  const read = await Promise.all(urls.map(async (url) => [url, await readBlob(url)] as const));
  return new Map(read);
}

async function readBlob(url: string): Promise<string> {
  // Not an image, or a damaged one: the page doesn't show it, either.
  const image = await loadImage(url).catch(() => undefined);
  if (!image) return 'data:,';
  const { naturalWidth, naturalHeight } = image;
  const { canvas, context } = createCanvas(naturalWidth, naturalHeight);
  context.drawImage(image, 0, 0);
  const isLarge = naturalWidth * naturalHeight > maxExactPixels;
  return isLarge && isOpaque(image) ? canvas.toDataURL('image/jpeg', 0.9) : canvas.toDataURL();
}

/** As far as a small copy of it shows. */
function isOpaque(image: HTMLImageElement): boolean {
  const { canvas, context } = createCanvas(100, 100);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  return data.every((value, at) => at % 4 !== 3 || value === 255);
}

async function loadImage(url: string): Promise<HTMLImageElement> {
  const image = new Image();
  image.src = url;
  try {
    await image.decode();
  } catch (cause) {
    const text = 'The browser could not draw the page: its elements make no valid image.';
    throw new Error(text, { cause });
  }
  return image;
}

/** @throws Error if the browser gives none */
export function createCanvas(width: number, height: number) {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d');
  if (!context) throw new Error('The browser has no room for a picture of the page.');
  return { canvas, context };
}
