// Converts an image that a person adds to a prompt to a block for the model. For pages: the
// composer's `readImage`.
import { encodeBase64 } from '../core/bytes/base64.ts';
import { SdkError } from '../core/errors.ts';
import type { ImageBlock } from '../core/messages/blocks.ts';
import { readImageHeader } from '../workspace/state/image.ts';

/**
 * Reads a pasted, dropped or selected file, and makes it small enough for the API.
 *
 * @throws SdkError `invalid-input` if it isn't a JPEG, PNG, GIF or WebP, or if it can't be made to
 * fit
 */
export async function readPromptImage(
  file: Blob & { readonly name?: string },
): Promise<ImageBlock> {
  const name = file.name === undefined || file.name === '' ? 'The image' : file.name;
  const bytes = new Uint8Array(await file.arrayBuffer());
  const header = readImageHeader(bytes);
  if (!header) {
    throw new SdkError(
      'invalid-input',
      `${name} is no image that a model can be shown. Give a JPEG, PNG, GIF or WebP.`,
      { data: { name } },
    );
  }
  const { fitImage } = await import('./fit-image.ts');
  const fitted = await fitImage(name, bytes, header);
  const data = encodeBase64(fitted.bytes);
  return { type: 'image', source: { type: 'base64', media_type: fitted.mediaType, data } };
}
