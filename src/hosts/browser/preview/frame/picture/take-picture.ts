// Draws the page as a person sees it, as a PNG. The page is copied into an SVG image, which the
// browser lays out by the page's own style sheets. So no library is needed, and nothing is loaded.
import type { FramePicture } from '../messages.ts';
import { nextFrame } from '../screen/next-frame.ts';
import { getPage, toCount } from '../screen/view.ts';
import { copyPage, type Region } from './copy-page.ts';
import { createCanvas, createScreens } from './draw-screens.ts';

// 1 568 pixels: a larger image is made smaller before a model sees it.
const maxSide = 1568;
// 4 million characters: less than the API's limit of 5 MB.
const maxChars = 4_000_000;
const minScale = 0.1;
/** How much smaller a whole page is made: to a quarter, so that headings can still be read. */
const minWholeScale = 0.25;
const longest = Math.floor(maxSide / minWholeScale);

export interface PictureOf {
  /** All of the page. */
  readonly isWhole: boolean;
  /** One element, which is scrolled into view. */
  readonly element?: Element;
}

/** @throws Error whose message says why there is no picture */
export async function takePicture({ isWhole, element }: PictureOf): Promise<FramePicture> {
  element?.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
  // After what the app draws for a frame: a WebGL canvas has its picture only then.
  await nextFrame();
  const { region, rest } = element ? findElementsRegion(element) : findRegion(isWhole);
  const { x, y, width, height } = region;
  const scale = Math.min(1, maxSide / width, maxSide / height);
  const copy = copyPage(region);
  const drawScreen = await createScreens(copy);
  const { scrollLeft, scrollTop } = getPage();
  const { innerHeight: screen } = window;
  // An element's picture begins with the screen: what is fixed is on the first one.
  const first = Math.min(y, 0);
  const screens: Screen[] = [];
  for (let at = first; at < y + height; at += screen) {
    const place = { left: scrollLeft, top: scrollTop + at, isFirst: at === first };
    screens.push({ image: await drawScreen(place), x: -x, y: at - y });
  }
  return { png: encode(screens, { width, height, scale }), rest, missing: copy.missing };
}

interface Found {
  readonly region: Region;
  readonly rest: FramePicture['rest'];
}

function findRegion(isWanted: boolean): Found {
  const { scrollLeft, scrollTop, scrollWidth, scrollHeight, clientWidth: width } = getPage();
  const { innerHeight: screen } = window;
  // Below a modal dialog, the rest of the page isn't in use.
  const isWhole = isWanted && document.querySelector(':modal') === null;
  const height = isWhole ? Math.min(Math.max(screen, scrollHeight), longest) : screen;
  const y = isWhole ? -scrollTop : 0;
  return {
    region: { x: 0, y, width, height, isWhole },
    rest: {
      above: toCount(scrollTop + y),
      below: toCount(scrollHeight - scrollTop - y - height),
      left: toCount(scrollLeft),
      right: toCount(scrollWidth - scrollLeft - width),
    },
  };
}

/** As far as it is on the screen, and what is below that. */
function findElementsRegion(element: Element): Found {
  const box = element.getBoundingClientRect();
  const [x, y] = [Math.max(0, Math.floor(box.left)), Math.max(0, Math.floor(box.top))];
  const right = Math.min(Math.ceil(box.right), getPage().clientWidth);
  const bottom = Math.min(Math.ceil(box.bottom), y + longest);
  const [width, height] = [right - x, bottom - y];
  if (width < 1 || height < 1)
    throw new Error('The element has no size on the screen, so it has no picture.');
  const rest = {
    above: toCount(y - box.top),
    below: toCount(box.bottom - bottom),
    left: toCount(x - box.left),
    right: toCount(box.right - right),
  };
  return { region: { x, y, width, height, isWhole: false }, rest };
}

interface Screen {
  readonly image: HTMLImageElement;
  /** Where it begins in the picture. */
  readonly x: number;
  readonly y: number;
}

function encode(
  screens: readonly Screen[],
  { width, height, scale }: Readonly<Record<'width' | 'height' | 'scale', number>>,
): string {
  for (let size = scale; size > minScale; size *= 0.7) {
    const { canvas, context } = createCanvas(Math.round(width * size), Math.round(height * size));
    context.scale(size, size);
    for (const { image, x, y } of screens) context.drawImage(image, x, y);
    const url = canvas.toDataURL();
    if (url.length <= maxChars) return url;
  }
  throw new Error('The picture of the page is too large, even when it is made smaller.');
}
