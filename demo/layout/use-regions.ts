// The page's regions: F6 moves between them and to an open question, and on a phone one is shown at
// a time.
import { useCallback, useEffect, useRef, useState } from 'react';

export type Region = 'files' | 'editor' | 'agent';

export const regions: readonly Region[] = ['files', 'editor', 'agent'];

export interface RegionControl {
  /** The region that a narrow page shows. */
  readonly shown: Region;
  readonly show: (region: Region) => void;
}

export function useRegions(): RegionControl {
  const [shown, setShown] = useState<Region>('agent');

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'F6') return;
      event.preventDefault();
      const next = nextStop(event.shiftKey ? -1 : 1);
      if (next === 'question') return findQuestion()?.focus();
      setShown(next);
      // After the render that shows it.
      requestAnimationFrame(() => focusRegion(next));
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);

  return { shown, show: useCallback((region: Region) => setShown(region), []) };
}

/**
 * For a region whose content is replaced, for example by another conversation. If the old content had the focus, the
 * new content gets it. `content` must be another object then.
 */
export function useFocusAcross(region: Region, content: unknown) {
  const wasWithin = useRef(false);
  useEffect(() => {
    const { activeElement } = document;
    // While there is no content yet, the region itself has the focus.
    const isLost = activeElement === document.body || isRegion(activeElement, region);
    if (wasWithin.current && isLost) focusRegion(region);
  }, [region, content]);
  return {
    onFocus: () => void (wasWithin.current = true),
    onBlur: () => void (wasWithin.current = false),
  };
}

function isRegion(element: Element | null, region: Region): boolean {
  return element instanceof HTMLElement && element.dataset['region'] === region;
}

function nextStop(step: 1 | -1): Region | 'question' {
  const question = findQuestion();
  const stops = question ? ([...regions, 'question'] as const) : regions;
  const active = document.activeElement;
  const current = active?.closest<HTMLElement>('[data-region]')?.dataset['region'];
  const at = stops.findIndex((stop) =>
    stop === 'question' ? question?.contains(active) : stop === current,
  );
  if (at < 0) return step === 1 ? 'files' : (stops.at(-1) ?? 'agent');
  return stops[(at + step + stops.length) % stops.length] ?? 'files';
}

function findQuestion(): HTMLElement | null {
  return document.querySelector('[role=alertdialog]');
}

/** Focuses the main element of a region: the tree's row, the git panel or the text, or the composer. */
export function focusRegion(region: Region): void {
  const element = document.querySelector<HTMLElement>(`[data-region=${region}]`);
  const editor = element?.querySelector('.editor-slot[data-shown=true] .editor-host')?.shadowRoot;
  const target =
    element?.querySelector<HTMLElement>('.git-panel') ??
    element?.querySelector<HTMLElement>('[role=treeitem][tabindex="0"]') ??
    editor?.querySelector<HTMLElement>('.cm-content') ??
    element?.querySelector<HTMLElement>('textarea') ??
    element;
  // What a region doesn't show can't be focused.
  (target?.checkVisibility() ? target : element)?.focus();
}
