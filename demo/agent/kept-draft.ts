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

/** If storage is blocked or full, the draft isn't kept, but it is still in the field. */
function write(key: string, text: string): void {
  try {
    // First: of what has no room nothing older may come back.
    sessionStorage.removeItem(key);
    if (text !== '') sessionStorage.setItem(key, text);
  } catch {
    // See above.
  }
}
