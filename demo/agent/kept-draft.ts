// What stands in the prompt field, kept for this tab: neither another conversation nor a reload may lose what a person
// is writing.

/** Of a conversation in which nothing was said yet: the next one goes on with it. */
export const newDraft = 'new';

const keyOf = (of: string) => `rockpool-demo:draft:${of}`;

/** Empty where there is none. `of`: a conversation's id, or {@link newDraft}. */
export function readDraft(of: string): string {
  try {
    return sessionStorage.getItem(keyOf(of)) ?? '';
  } catch {
    // Storage is blocked: nothing was kept.
    return '';
  }
}

export function keepDraft(of: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(keyOf(of));
    else sessionStorage.setItem(keyOf(of), text);
  } catch {
    // Storage is blocked or full: it stands in the field all the same.
  }
}
