// The canvas API of realms that can draw: workers of a browser have it, isolates and Node don't.
// Declared here because the portable code compiles without the browser's types. Used by Read's
// worker half.

export interface Canvas {
  width: number;
  height: number;
  getContext(kind: '2d'): CanvasContext | null;
  /** The encoded image. An unknown `type` gives a PNG. */
  convertToBlob(options: { readonly type: string; readonly quality?: number }): Promise<Blob>;
}

export interface CanvasContext {
  fillStyle: string;
  fillRect(x: number, y: number, width: number, height: number): void;
  drawImage(bitmap: Bitmap, x: number, y: number, width: number, height: number): void;
  /** Four bytes per pixel. */
  getImageData(
    x: number,
    y: number,
    width: number,
    height: number,
  ): { readonly data: Uint8ClampedArray<ArrayBuffer> };
}

/** A decoded image. It holds its memory until it is closed. */
export interface Bitmap {
  readonly width: number;
  readonly height: number;
  close(): void;
}

export interface Canvases {
  readonly OffscreenCanvas: new (width: number, height: number) => Canvas;
  /** Rejects if the image can't be decoded. */
  createImageBitmap(
    blob: Blob,
    options: {
      /** The height follows in proportion. */
      readonly resizeWidth: number;
      readonly resizeQuality: 'high';
    },
  ): Promise<Bitmap>;
}

/** Undefined if the realm can't draw. */
export function findCanvases(): Canvases | undefined {
  const realm = globalThis as unknown as Partial<Canvases>;
  const canDraw = realm.OffscreenCanvas !== undefined && realm.createImageBitmap !== undefined;
  return canDraw ? (realm as Canvases) : undefined;
}
