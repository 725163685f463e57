// Keeps the text and the images of the prompt field for this tab, so that neither a reload nor
// another conversation loses them.
import type { ImageBlock } from 'rockpool/browser';

/** For an empty conversation: the next conversation gets the draft. */
export const newDraft = 'new';

export interface Draft {
  readonly text: string;
  readonly images: readonly ImageBlock[];
}

export const emptyDraft: Draft = { text: '', images: [] };

const textKey = (of: string) => `rockpool-demo:draft:${of}`;
const imagesKey = (of: string) => `rockpool-demo:draft-images:${of}`;

/**
 * The images that were last kept. They are here because the tab's storage may have no room for them, and so that they
 * aren't written with each key.
 */
const keptImages = new Map<string, readonly ImageBlock[]>();

/** Empty if there is none. `of`: a conversation's id, or {@link newDraft}. */
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

/** If storage is blocked or full, the draft isn't kept, but it is still in the field. */
function write(key: string, text: string): void {
  try {
    // Removed first: if the new draft doesn't fit, no older one may come back.
    sessionStorage.removeItem(key);
    if (text !== '') sessionStorage.setItem(key, text);
  } catch {
    // As above, the draft is still in the field.
  }
}
