// Reads the format and size of an image from its first bytes, because a file's name proves nothing.
import type { ImageMediaType } from '../../core/messages/blocks.ts';

export interface ImageHeader {
  readonly mediaType: ImageMediaType;
  /** In pixels. Undefined if the header is damaged or not understood. */
  readonly size: { readonly width: number; readonly height: number } | undefined;
}

/** Returns undefined for anything but PNG, JPEG, GIF and WebP. */
export function readImageHeader(bytes: Uint8Array): ImageHeader | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const has = (at: number, text: string) =>
    [...text].every((char, index) => bytes[at + index] === char.charCodeAt(0));
  if (has(0, '\x89PNG\r\n\x1a\n')) return { mediaType: 'image/png', size: pngSize(view) };
  if (has(0, 'GIF87a') || has(0, 'GIF89a')) return { mediaType: 'image/gif', size: gifSize(view) };
  if (has(0, '\xff\xd8\xff')) return { mediaType: 'image/jpeg', size: jpegSize(view) };
  if (has(0, 'RIFF') && has(8, 'WEBP')) return { mediaType: 'image/webp', size: webpSize(view) };
  return undefined;
}

/**
 * True if the file continues to the end of its image. Otherwise it was truncated. Always true for a
 * GIF, which doesn't state its length.
 */
export function isWholeImage(bytes: Uint8Array, mediaType: ImageMediaType): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  switch (mediaType) {
    case 'image/png':
      // Each chunk has a length, a name, content and a checksum.
      for (let at = 8; at + 12 <= view.byteLength; at += 12 + view.getUint32(at)) {
        if (view.getUint32(at + 4) === 0x49454e44 /* IEND */) return true;
      }
      return false;
    case 'image/jpeg':
      // Cameras write further data behind the end.
      return bytes.some((byte, at) => byte === 0xff && bytes[at + 1] === 0xd9);
    case 'image/webp':
      return view.byteLength >= 30 && view.byteLength >= 8 + view.getUint32(4, true);
    case 'image/gif':
      return true;
  }
}

function pngSize(view: DataView): ImageHeader['size'] {
  if (view.byteLength < 24) return undefined;
  return { width: view.getUint32(16), height: view.getUint32(20) };
}

/** The size of the canvas on which the frames are drawn. */
function gifSize(view: DataView): ImageHeader['size'] {
  if (view.byteLength < 10) return undefined;
  return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
}

/** Walks over the segments to the frame header, which has the size. */
function jpegSize(view: DataView): ImageHeader['size'] {
  let at = 2;
  while (at + 9 <= view.byteLength && view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1);
    // SOF0-SOF15, without the tables (C4, CC) and the reserved C8.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    }
    // A marker may be padded with any number of 0xff.
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2);
  }
  return undefined;
}

/** The container has three formats. The first chunk tells which. */
function webpSize(view: DataView): ImageHeader['size'] {
  if (view.byteLength < 30) return undefined;
  switch (view.getUint32(12)) {
    case 0x56503820: // 'VP8 ', lossy: 14 bits each
      return {
        width: view.getUint16(26, true) & 0x3fff,
        height: view.getUint16(28, true) & 0x3fff,
      };
    case 0x5650384c: {
      // 'VP8L', lossless: 14 bits each, less one, packed
      const packed = view.getUint32(21, true);
      return { width: (packed & 0x3fff) + 1, height: ((packed >> 14) & 0x3fff) + 1 };
    }
    case 0x56503858: // 'VP8X', extended: 24 bits each, less one
      return {
        width: (view.getUint32(24, true) & 0xffffff) + 1,
        height: (view.getUint32(26, true) >> 8) + 1,
      };
    default:
      return undefined;
  }
}
