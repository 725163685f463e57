// Makes an image small enough for the API, if the realm can draw: workers of a browser can. Used by
// Read's worker half.
import { ToolError } from '../core/errors.ts';
import type { ImageMediaType } from '../core/messages/blocks.ts';
import { isWholeImage, type ImageHeader } from '../workspace/state/image.ts';
import { findCanvases, type Bitmap, type Canvases } from './canvas.ts';

// 5 MB in base64, the API's limit. Base64 is a third longer than the bytes.
const maxImageBytes = (5 * 1024 * 1024 * 3) / 4;
// 8000 pixels a side: the API's limit. It is 2000 if a request has more than 20 images.
const maxImageSide = 8000;
const fittedSide = 2000;

export interface FittedImage {
  readonly bytes: Uint8Array;
  readonly mediaType: ImageMediaType;
  /** Undefined if the size is unknown. Such an image can only be left unchanged. */
  readonly size: ImageHeader['size'];
}

/**
 * The image itself if it fits, otherwise a smaller one.
 *
 * @throws ToolError with the reason if the image can't be made to fit, or if it is truncated. The
 * API would refuse such an image, and with it each later request of the conversation
 */
export async function fitImage(
  path: string,
  bytes: Uint8Array,
  header: ImageHeader,
): Promise<FittedImage> {
  const { mediaType, size } = header;
  if (!isWholeImage(bytes, mediaType)) {
    throw new ToolError(
      `${path} begins as an image of the type ${mediaType} and is cut off: it can't be shown. Ask for another copy of it.`,
      { code: 'invalid-input', data: { path } },
    );
  }
  const longest = size ? Math.max(size.width, size.height) : 0;
  const isSmall = bytes.length <= maxImageBytes;
  if (isSmall && longest <= fittedSide) return { bytes, mediaType, size };
  const canvases = findCanvases();
  if (canvases && size) return shrink(path, bytes, mediaType, size, canvases);
  if (isSmall && longest <= maxImageSide) return { bytes, mediaType, size };
  const reason = canvases
    ? "its size can't be told"
    : 'there is nothing here to make it smaller with';
  const measure = size ? `${size.width} × ${size.height} pixels, ` : '';
  throw new ToolError(
    `${path} is too large an image (${measure}${inMegabytes(bytes.length)} MB): up to ` +
      `${maxImageSide} pixels a side and ${inMegabytes(maxImageBytes)} MB can be shown, and ${reason}. ` +
      'Ask for a smaller copy of it.',
    { code: 'invalid-input', data: { path, size: bytes.length } },
  );
}

async function shrink(
  path: string,
  bytes: Uint8Array,
  mediaType: ImageMediaType,
  { width, height }: NonNullable<ImageHeader['size']>,
  canvases: Canvases,
): Promise<FittedImage> {
  const scale = Math.min(1, fittedSide / Math.max(width, height));
  // The height follows in proportion. For a rotated photo, the two are swapped.
  const resizeWidth = Math.max(1, Math.round(width * scale));
  let bitmap: Bitmap;
  try {
    const blob = new Blob([bytes.slice()], { type: mediaType });
    bitmap = await canvases.createImageBitmap(blob, { resizeWidth, resizeQuality: 'high' });
  } catch (cause) {
    throw new ToolError(
      `${path} is an image of ${width} × ${height} pixels that can't be decoded: it is damaged, or ` +
        'too large even to be made smaller. Ask for another copy of it.',
      { code: 'invalid-input', data: { path }, cause },
    );
  }
  try {
    return await draw(path, bitmap, mediaType, canvases);
  } finally {
    bitmap.close();
  }
}

/** Draws the image in its own format if it fits in that, otherwise as a JPEG. An animation becomes its first frame. */
async function draw(
  path: string,
  bitmap: Bitmap,
  mediaType: ImageMediaType,
  { OffscreenCanvas }: Canvases,
): Promise<FittedImage> {
  const scale = Math.min(1, fittedSide / Math.max(bitmap.width, bitmap.height));
  const width = Math.max(1, Math.round(bitmap.width * scale));
  const height = Math.max(1, Math.round(bitmap.height * scale));
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d');
  const own = mediaType === 'image/gif' ? 'image/png' : mediaType;
  for (const [type, quality] of [
    [own, 0.9],
    ['image/jpeg', 0.8],
    ['image/jpeg', 0.5],
  ] as const) {
    // A JPEG has no transparency: transparent pixels would be black without this.
    if (context && type === 'image/jpeg') {
      context.fillStyle = 'white';
      context.fillRect(0, 0, width, height);
    }
    context?.drawImage(bitmap, 0, 0, width, height);
    const blob = await canvas.convertToBlob({ type, quality });
    if (blob.size <= maxImageBytes) {
      const encoded = new Uint8Array(await blob.arrayBuffer());
      // A browser that can't encode a format gives a PNG, with that type.
      return { bytes: encoded, mediaType: blob.type as ImageMediaType, size: { width, height } };
    }
  }
  throw new ToolError(
    `${path} is too large an image even at ${width} × ${height} pixels. Ask for a smaller copy of it.`,
    { code: 'invalid-input', data: { path } },
  );
}

function inMegabytes(bytes: number): string {
  return (bytes / (1024 * 1024)).toFixed(2);
}
