// Makes an image in the result of a server's call acceptable to the API. The API refuses a whole request because of
// an image that is too large, damaged, or of another type than declared.
import { decodeBase64, encodeBase64 } from '../core/bytes/base64.ts';
import type { ImageMediaType } from '../core/messages/blocks.ts';
import { readImageHeader } from '../workspace/state/image.ts';

/** In base64, and its type as the bytes tell it. */
export interface ResultImage {
  readonly data: string;
  readonly mimeType: ImageMediaType;
}

/** Small enough; undefined for what is no such image, and where it can't be made to fit. Never rejects. */
export async function fitResultImage(data: string): Promise<ResultImage | undefined> {
  try {
    const bytes = decodeBase64(data);
    const header = readImageHeader(bytes);
    if (!header) return undefined;
    const { fitImage } = await import('./fit-image.ts');
    const fitted = await fitImage('The image', bytes, header);
    const mimeType = fitted.mediaType;
    return { data: fitted.bytes === bytes ? data : encodeBase64(fitted.bytes), mimeType };
  } catch {
    // The caller then keeps the bytes as a file, and the program that opens it reports the fault.
    return undefined;
  }
}
