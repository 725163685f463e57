// What realms draw with, where they can: workers of a browser have it, isolates and Node don't. Said here
// because the portable part compiles without the browser's types. Called by Read's worker half.

export interface Canvas {
  width: number;
  height: number;
  getContext(kind: '2d'): CanvasContext | null;
  /** The picture, encoded. Where `type` isn't known it is a PNG. */
  convertToBlob(options: { readonly type: string; readonly quality?: number }): Promise<Blob>;
}

export interface CanvasContext {
  fillStyle: string;
  fillRect(x: number, y: number, width: number, height: number): void;
  drawImage(bitmap: Bitmap, x: number, y: number, width: number, height: number): void;
  /** Four bytes a pixel. */
  getImageData(
    x: number,
    y: number,
    width: number,
    height: number,
  ): { readonly data: Uint8ClampedArray<ArrayBuffer> };
}

/** A decoded picture, which holds its memory until it is closed. */
export interface Bitmap {
  readonly width: number;
  readonly height: number;
  close(): void;
}

export interface Canvases {
  readonly OffscreenCanvas: new (width: number, height: number) => Canvas;
  /** Rejects for what it can't decode. */
  createImageBitmap(
    blob: Blob,
    options: {
      /** The height follows in proportion. */
      readonly resizeWidth: number;
      readonly resizeQuality: 'high';
    },
  ): Promise<Bitmap>;
}

/** Undefined where nothing can be drawn. */
export function findCanvases(): Canvases | undefined {
  const realm = globalThis as unknown as Partial<Canvases>;
  const canDraw = realm.OffscreenCanvas !== undefined && realm.createImageBitmap !== undefined;
  return canDraw ? (realm as Canvases) : undefined;
}
