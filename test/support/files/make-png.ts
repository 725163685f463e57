// Makes PNG files in grey for tests, as large as is asked for: a picture of one shade costs hardly a byte.

/** The smallest PNG, in base64. */
export const onePixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** `shade` from 0 to 255; `noise` hardly compresses. */
export async function makePng(
  width: number,
  height: number,
  shade: number | 'noise',
): Promise<Uint8Array<ArrayBuffer>> {
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  // 8 bits a pixel, grey.
  header[8] = 8;
  const parts = [
    Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    toChunk('IHDR', header),
    toChunk('IDAT', await compressRows(width, height, shade)),
    toChunk('IEND', new Uint8Array(0)),
  ];
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

async function compressRows(
  width: number,
  height: number,
  shade: number | 'noise',
): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new CompressionStream('deflate');
  const compressed = new Response(stream.readable).arrayBuffer();
  const writer = stream.writable.getWriter();
  // Each row begins with its filter: 0, none.
  const row = new Uint8Array(width + 1);
  if (shade !== 'noise') row.fill(shade, 1);
  for (let at = 0; at < height; at += 1) {
    if (shade === 'noise') fillWithNoise(row, at);
    await writer.write(shade === 'noise' ? row.slice() : row);
  }
  await writer.close();
  return new Uint8Array(await compressed);
}

/** The same for the same row. */
function fillWithNoise(row: Uint8Array, seed: number): void {
  let state = (seed + 1) * 0x9e3779b1;
  for (let at = 1; at < row.length; at += 1) {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + at;
    row[at] = state >>> 24;
  }
}

function toChunk(type: string, content: Uint8Array): Uint8Array<ArrayBuffer> {
  const chunk = new Uint8Array(content.length + 12);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, content.length);
  chunk.set(new TextEncoder().encode(type), 4);
  chunk.set(content, 8);
  view.setUint32(content.length + 8, checksum(chunk.subarray(4, content.length + 8)));
  return chunk;
}

/** CRC-32, as PNG has it. */
function checksum(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
