// Draws the page as a person sees it, as a PNG. The page is copied into an SVG image, which the
// browser lays out by the page's own style sheets. So no library is needed, and nothing is loaded.
import type { FramePicture } from '../messages.ts';
import { copyPage } from './copy-page.ts';
import { createCanvas, createScreens } from './draw-screens.ts';

// 1 568 pixels: a larger image is made smaller before a model sees it.
const maxSide = 1568;
// 4 million characters: less than the API's limit of 5 MB.
const maxChars = 4_000_000;
const minScale = 0.1;
const waitMs = 250;

/** @throws Error whose message says why there is no picture */
export async function takePicture(): Promise<FramePicture> {
  await nextFrame();
  const page = document.scrollingElement ?? document.documentElement;
  const { scrollLeft, scrollTop, scrollWidth, scrollHeight } = page;
  const { clientWidth: width } = document.documentElement;
  const { innerHeight: screen } = window;
  const scale = Math.min(1, maxSide / width);
  const copy = copyPage();
  // Below a modal dialog, the rest of the page isn't in use.
  const whole = copy.isModal ? screen : Math.max(screen, scrollHeight - scrollTop);
  const height = Math.min(Math.floor(maxSide / scale), whole);
  const drawScreen = await createScreens(copy);
  const screens: Screen[] = [];
  for (let y = 0; y < height; y += screen) {
    const image = await drawScreen({ left: scrollLeft, top: scrollTop + y, isFirst: y === 0 });
    screens.push({ image, y });
  }
  return {
    png: encode(screens, { width, height, scale }),
    below: Math.max(0, Math.round(scrollHeight - scrollTop - height)),
    right: Math.max(0, Math.round(scrollWidth - scrollLeft - width)),
    missing: copy.missing,
  };
}

/** After what the app draws for a frame: a WebGL canvas has its picture only then. */
function nextFrame(): Promise<void> {
  return new Promise((resolve) => {
    window.requestAnimationFrame(() => resolve());
    // A page in the background has no frames.
    window.setTimeout(resolve, waitMs);
  });
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
