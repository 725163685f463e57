// What stands in the prompt field, and the images with it, kept for this tab. Neither another
// conversation nor a reload may lose what a person is writing.
import type { ImageBlock } from 'rockpool/browser';

/** Of a conversation in which nothing was said yet: the next one goes on with it. */
export const newDraft = 'new';

export interface Draft {
  readonly text: string;
  readonly images: readonly ImageBlock[];
}

export const emptyDraft: Draft = { text: '', images: [] };

const textKey = (of: string) => `rockpool-demo:draft:${of}`;
const imagesKey = (of: string) => `rockpool-demo:draft-images:${of}`;

/** As they were last kept: for those that the tab's storage has no room for, and not to write them with each key. */
const keptImages = new Map<string, readonly ImageBlock[]>();

/** Empty where there is none. `of`: a conversation's id, or {@link newDraft}. */
export function readDraft(of: string): Draft {
  try {
    const images =
      keptImages.get(of) ?? (JSON.parse(sessionStorage.getItem(imagesKey(of)) ?? '[]') as []);
    keptImages.set(of, images);
    return { text: sessionStorage.getItem(textKey(of)) ?? '', images };
  } catch {
    // Storage is blocked: nothing was kept there.
    return { text: '', images: keptImages.get(of) ?? [] };
  }
}

export function keepDraft(of: string, { text, images }: Draft): void {
  write(textKey(of), text);
  if (keptImages.get(of) === images) return;
  keptImages.set(of, images);
  write(imagesKey(of), images.length === 0 ? '' : JSON.stringify(images));
}

/** Where storage is blocked or full it isn't kept: it stands in the field all the same. */
function write(key: string, text: string): void {
  try {
    // First: of what has no room nothing older may come back.
    sessionStorage.removeItem(key);
    if (text !== '') sessionStorage.setItem(key, text);
  } catch {
    // See above.
  }
}
