// Checks a picture that a previewed page has sent, and encodes it anew. The page is hostile: its
// picture may be damaged, giant, or no picture.
import { decodeBase64 } from '../../../core/bytes/base64.ts';
import { SdkError } from '../../../core/errors.ts';
import { readImageHeader } from '../../../workspace/state/image.ts';
import type { FramePicture } from './frame/messages.ts';
import { noPicture } from './read-from-frame.ts';

export interface CheckedPicture extends Omit<FramePicture, 'png'> {
  readonly png: Uint8Array<ArrayBuffer>;
  readonly width: number;
  readonly height: number;
}

const prefix = 'data:image/png;base64,';
// take-picture.ts makes none with a longer side.
const maxSide = 1568;

/**
 * Security: a model's API refuses a damaged image, and each later request of the conversation with it. So the
 * bytes are this realm's own.
 *
 * @throws SdkError `invalid-input` for anything but a PNG of that size
 */
export async function checkPicture(given: FramePicture | undefined): Promise<CheckedPicture> {
  const { width, height, bytes } = readPicture(given?.png ?? '');
  let bitmap: ImageBitmap;
  try {
    bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
  } catch (cause) {
    throw refuse(cause);
  }
  const canvas = new OffscreenCanvas(width, height);
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0);
  bitmap.close();
  const blob = await canvas.convertToBlob({ type: 'image/png' });
  const png = new Uint8Array(await blob.arrayBuffer());
  const { rest, missing } = given as FramePicture;
  return { png, width, height, rest, missing };
}

function readPicture(url: string) {
  if (!url.startsWith(prefix)) throw refuse();
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = new Uint8Array(decodeBase64(url.slice(prefix.length)));
  } catch (cause) {
    throw refuse(cause);
  }
  const header = readImageHeader(bytes);
  if (header?.mediaType !== 'image/png' || !header.size) throw refuse();
  const { width, height } = header.size;
  if (Math.min(width, height) < 1 || Math.max(width, height) > maxSide) throw refuse();
  return { width, height, bytes };
}

function refuse(cause?: unknown): SdkError {
  return new SdkError('invalid-input', noPicture, { cause });
}
