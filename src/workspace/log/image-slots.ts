// Writes an owner's images alternately into two slots, so that the older one stays valid while the
// newer is written. Images of former owners are removed after the first new image, but the best of
// them only after the second.
import { SdkError } from '../../core/errors.ts';
import { discardFile } from './discard-file.ts';
import { imageName, type ImageSlot } from './file-name.ts';
import { encodeImage, readImage, type LogImage } from './image-file.ts';
import type { LogMedium } from './log-medium.ts';

/** The images of former owners. */
export interface FormerImages {
  /** The image from which the log was opened, as long as there is no better one. */
  readonly best: string | undefined;
  /** The length of `best`. */
  readonly byteLength: number;
  readonly others: readonly string[];
}

export class ImageSlots {
  readonly #medium: LogMedium;
  #next: ImageSlot = 0;
  /** Removed after the next image; `best` only after two. */
  #useless: readonly string[];
  #best: string | undefined;
  #byteLength: number;

  constructor(medium: LogMedium, former: FormerImages) {
    this.#medium = medium;
    this.#useless = former.others;
    this.#best = former.best;
    this.#byteLength = former.byteLength;
  }

  /** The length of the last image. */
  get byteLength(): number {
    return this.#byteLength;
  }

  /**
   * The image is durable once this resolves. Everything before its position must be durable
   * already.
   */
  async write(image: LogImage, epoch: number): Promise<string> {
    const bytes = encodeImage(image);
    const name = imageName(epoch, this.#next);
    await this.#medium.checkFence();
    await this.#medium.remove(name);
    const file = await this.#medium.create(name);
    try {
      await file.append(bytes, 'power');
    } catch (error) {
      await file.close();
      await discardFile(this.#medium, name);
      throw error;
    }
    await file.close();
    this.#byteLength = bytes.length;
    this.#next = this.#next === 0 ? 1 : 0;
    await this.#removeUseless();
    return name;
  }

  /**
   * Writes both slots and reads them back. From then on nothing is needed that the image doesn't
   * refer to.
   */
  async writeBoth(image: LogImage, epoch: number): Promise<void> {
    for (let count = 0; count < 2; count += 1) {
      const name = await this.write(image, epoch);
      const file = await this.#medium.open(name);
      try {
        if (await readImage(file, this.#byteLength)) continue;
      } finally {
        await file.close();
      }
      throw new SdkError(
        'EIO',
        `EIO: "${name}" was written, but reading it back gave other bytes.`,
      );
    }
  }

  async #removeUseless(): Promise<void> {
    const useless = this.#useless;
    this.#useless = this.#best === undefined ? [] : [this.#best];
    this.#best = undefined;
    for (const name of useless) await this.#medium.remove(name);
  }
}
