// Draws the page as a person sees it, as a PNG. The page is copied into an SVG image, which the
// browser lays out by the page's own style sheets. So no library is needed, and nothing is loaded.
import type { FramePicture, PictureWanted } from '../messages.ts';
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

/** @throws Error whose message says why there is no picture */
export async function takePicture({ fullPage = false }: PictureWanted): Promise<FramePicture> {
  // After what the app draws for a frame: a WebGL canvas has its picture only then.
  await nextFrame();
  const page = getPage();
  const { scrollLeft, scrollTop, scrollWidth, scrollHeight, clientWidth: width } = page;
  const { innerHeight: screen } = window;
  // Below a modal dialog, the rest of the page isn't in use.
  const isWhole = fullPage && document.querySelector(':modal') === null;
  const longest = Math.floor(maxSide / minWholeScale);
  const height = isWhole ? Math.min(Math.max(screen, scrollHeight), longest) : screen;
  const region: Region = { x: 0, y: isWhole ? -scrollTop : 0, width, height, isWhole };
  const scale = Math.min(1, maxSide / width, maxSide / height);
  const copy = copyPage(region);
  const drawScreen = await createScreens(copy);
  const screens: Screen[] = [];
  for (let y = 0; y < height; y += screen) {
    const top = scrollTop + region.y + y;
    screens.push({ image: await drawScreen({ left: scrollLeft, top, isFirst: y === 0 }), y });
  }
  return {
    png: encode(screens, { width, height, scale }),
    rest: {
      above: toCount(scrollTop + region.y),
      below: toCount(scrollHeight - scrollTop - region.y - height),
      left: toCount(scrollLeft),
      right: toCount(scrollWidth - scrollLeft - width),
    },
    missing: copy.missing,
  };
}

interface Screen {
  readonly image: HTMLImageElement;
  readonly y: number;
}

function encode(
  screens: readonly Screen[],
  { width, height, scale }: Readonly<Record<'width' | 'height' | 'scale', number>>,
): string {
  for (let size = scale; size > minScale; size *= 0.7) {
    const { canvas, context } = createCanvas(Math.round(width * size), Math.round(height * size));
    context.scale(size, size);
    for (const { image, y } of screens) context.drawImage(image, 0, y);
    const url = canvas.toDataURL();
    if (url.length <= maxChars) return url;
  }
  throw new Error('The picture of the page is too large, even when it is made smaller.');
}
